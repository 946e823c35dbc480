// The part of Clipper2 that unites areas, which `make web` bundles into web/vendor/clipper.js.
export { ClipType, FillRule, PathType } from "clipper2-ts/dist/Core.js";
export { Clipper64, PolyTree64 } from "clipper2-ts/dist/Engine.js";
