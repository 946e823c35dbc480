export { ClipType, FillRule, Path64, PathType } from "clipper2-ts/dist/Core.js";
export { Clipper64, PolyPath64, PolyTree64 } from "clipper2-ts/dist/Engine.js";
