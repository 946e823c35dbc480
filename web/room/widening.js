// Widening lines to an area: all land within half the width of them, with round ends.

import { ClipType, Clipper64, FillRule, PathType, PolyTree64 } from "../vendor/clipper.js";
import { isLine, round } from "./drawing_shapes.js";
import { Ground } from "./ground.js";
import { split, turnedRight } from "./splitting.js";

/** @import { Path64, PolyPath64 } from "../vendor/clipper.js" */
/** @import { Point } from "./ground.js" */
/** @import { Ring } from "./splitting.js" */

// Clipper2 computes with integers: millimetres.
const STEPS = 1000;
// Corners of a circle. Round ends have those in the same directions everywhere, so that neighbours meet in them.
const CORNERS = 32;

/**
 * Features with one area in the place of lines. Areas that it overlaps become part of it: a diagram covers land once.
 * @param {any[]} features GeoJSON @param {any[]} lines some of the features @param {number} width metres, from side to side
 * @returns {any[]} the other features, and the area with the first line's properties
 */
export function widened(features, lines, width) {
  const { ground, onGround } = groundAround(lines.flatMap(linesOf).flat());
  const strips = lines.flatMap(linesOf).map(onGround).flatMap((line) => line.slice(1).map((to, index) => stripOf(line[index], to, width / 2))).map(pathOf);
  const areas = features.filter((feature) => !isLine(feature)).map((feature) => ({ feature, paths: outlinesOf(feature).map(onGround).map(pathOf) }));
  const joined = areas.filter(({ paths }) => combined(ClipType.Intersection, strips, paths).tree.count);
  const union = combined(ClipType.Union, strips, joined.flatMap(({ paths }) => paths)).tree;
  const gone = new Set([...lines, ...joined.map(({ feature }) => feature)]);
  return [...features.filter((feature) => !gone.has(feature)), { ...lines[0], geometry: areaOf(polygonsOn(union, ground)) }];
}

/** The ground around places in degrees, and a function that puts a line there. Parts on both sides of the date line are beside each other. @param {number[][]} places */
export function groundAround(places) {
  const [[first]] = places;
  const near = (/** @type {number[]} */ [lon, lat]) => [lon + 360 * Math.round((first - lon) / 360), lat];
  const ground = new Ground(middle(places.map((place) => near(place)[0])), middle(places.map(([, lat]) => lat)));
  return { ground, onGround: (/** @type {number[][]} */ line) => line.map((place) => ground.toMetres(near(place))) };
}

/** @param {Ring[][]} polygons */
export const areaOf = (polygons) => (polygons.length === 1 ? { type: "Polygon", coordinates: polygons[0] } : { type: "MultiPolygon", coordinates: polygons });

/** The polygons of a tree in degrees. @param {PolyPath64} tree @param {Ground} ground */
export const polygonsOn = (tree, ground) => polygonsIn(tree, ground).flatMap(divided);

/** @param {any} feature with a LineString or a MultiLineString @returns {number[][][]} */
export const linesOf = ({ geometry: { type, coordinates } }) => (type === "LineString" ? [coordinates] : coordinates);

/** @param {any} feature @returns {Ring[][]} */
const polygonsOf = ({ geometry: { type, coordinates } }) => (type === "Polygon" ? [coordinates] : type === "MultiPolygon" ? coordinates : []);

/** Rings of an area as they are. @param {any} feature */
export const ringsOf = (feature) => polygonsOf(feature).flat();

/** Rings of an area: outlines counter-clockwise, holes clockwise. @param {any} feature @returns {Ring[]} */
export const outlinesOf = (feature) => polygonsOf(feature).flatMap(turnedRight);

/** @param {Point[]} line @returns {Path64} */
export const pathOf = (line) => line.map(([x, y]) => ({ x: Math.round(x * STEPS), y: Math.round(y * STEPS) }));

/** Areas as a tree, or lines. @param {ClipType} how @param {Path64[]} one @param {Path64[]} other @param {boolean} [isOfLines] true if `one` has lines */
export function combined(how, one, other, isOfLines = false) {
  const clipper = new Clipper64(), tree = new PolyTree64();
  /** @type {Path64[]} */
  const lines = [];
  clipper.addPaths(one, PathType.Subject, isOfLines);
  clipper.addPaths(other, PathType.Clip);
  clipper.execute(how, FillRule.NonZero, tree, lines);
  return { tree, lines };
}

/** Halfway between the least and the greatest. @param {number[]} values */
const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;

/** The land within a distance of a straight line. @param {Point} from @param {Point} to @param {number} reach metres @returns {Point[]} */
function stripOf(from, to, reach) {
  const direction = Math.atan2(to[1] - from[1], to[0] - from[0]);
  return [...endOf(to, direction, reach), ...endOf(from, direction + Math.PI, reach)];
}

/** Half a circle around the end of a line. @param {Point} end @param {number} direction to which the line ends @param {number} reach @returns {Point[]} */
function endOf([x, y], direction, reach) {
  const step = 2 * Math.PI / CORNERS, first = direction - Math.PI / 2, last = direction + Math.PI / 2;
  const corners = Array.from({ length: CORNERS }, (_, index) => (Math.floor(first / step) + 1 + index) * step).filter((angle) => angle < last);
  return [first, ...corners, last].map((angle) => [x + reach * Math.cos(angle), y + reach * Math.sin(angle)]);
}

/** @param {PolyPath64} tree of outlines, in each its holes, in each hole further outlines @param {Ground} ground @returns {Ring[][]} */
function polygonsIn(tree, ground) {
  return childrenOf(tree).flatMap((outline) => {
    const holes = childrenOf(outline);
    return [[outline, ...holes].map((path) => ringOf(path, ground)), ...holes.flatMap((hole) => polygonsIn(hole, ground))];
  });
}

/** @param {PolyPath64} path */
const childrenOf = (path) => Array.from({ length: path.count }, (_, index) => path.child(index));

/** @param {PolyPath64} path @param {Ground} ground @returns {Ring} */
function ringOf({ poly }, ground) {
  const ring = lineOf(poly ?? [], ground);
  return [...ring, ring[0]];
}

/** @param {Path64} path @param {Ground} ground */
export const lineOf = (path, ground) => path.map(({ x, y }) => ground.toDegrees([x / STEPS, y / STEPS]).map(round));

/** The parts of a polygon on either side of the date line, with longitudes from -180 to 180. @param {Ring[]} rings @returns {Ring[][]} */
function divided(rings) {
  const turns = 360 * Math.floor((Math.min(...rings[0].map(([lon]) => lon)) + 180) / 360);
  const turned = rings.map((ring) => ring.map(([lon, lat]) => [lon - turns, lat]));
  return split(turned, [[180, -90], [180, 90]]).map((part) => {
    const turn = middle(part[0].map(([lon]) => lon)) > 180 ? 360 : 0;
    return part.map((ring) => ring.map(([lon, lat]) => [round(Math.max(-180, Math.min(180, lon - turn))), lat]));
  });
}
