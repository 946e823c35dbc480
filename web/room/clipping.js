// A drawing without its part on other land, such as constraints.

import { ClipType } from "../vendor/clipper.js";
import { isLine, isPoint, placesOf, pointsAs } from "./drawing_shapes.js";
import { edgesOf, isInside } from "./splitting.js";
import { areaOf, combined, groundAround, lineOf, linesOf, outlinesOf, pathOf, polygonsOn, ringsOf } from "./widening.js";

/**
 * The parts of features beside areas, each with its feature's properties. What lies beside all of them stays as it is.
 * @param {any[]} features GeoJSON @param {any[]} areas GeoJSON @returns {any[]}
 */
export function beside(features, areas) {
  const land = areas.map((area) => outlinesOf(area).flatMap(edgesOf));
  const points = features.filter(isPoint).flatMap((feature) => pointsBeside(feature, land));
  return [...shapesBeside(features.filter((feature) => !isPoint(feature)), areas), ...points];
}

/** @param {any[]} features areas and lines @param {any[]} areas @returns {any[]} */
function shapesBeside(features, areas) {
  const places = features.flatMap((feature) => (isLine(feature) ? linesOf(feature) : ringsOf(feature))).flat();
  if (!places.length) return [];
  const { ground, onGround } = groundAround(places);
  const closed = areas.flatMap(outlinesOf).map(onGround).map(pathOf);
  return features.flatMap((feature) => {
    const paths = (isLine(feature) ? linesOf(feature) : outlinesOf(feature)).map(onGround).map(pathOf);
    const { tree: shared, lines: sharedLines } = combined(ClipType.Intersection, paths, closed, isLine(feature));
    if (!shared.count && !sharedLines.length) return [feature];
    const { tree, lines } = combined(ClipType.Difference, paths, closed, isLine(feature));
    const rest = lines.map((line) => lineOf(line, ground));
    const geometry = !isLine(feature) ? areaOf(polygonsOn(tree, ground)) : rest.length === 1 ? { type: "LineString", coordinates: rest[0] } : { type: "MultiLineString", coordinates: rest };
    return geometry.coordinates.length ? [{ ...feature, geometry }] : [];
  });
}

/** @param {any} feature of points @param {import("./splitting.js").Edge[][]} land the outlines of each area @returns {any[]} */
function pointsBeside(feature, land) {
  const all = placesOf(feature), free = all.filter((place) => !land.some((edges) => isInside(place, edges)));
  if (free.length === all.length) return [feature];
  return free.length ? [{ ...feature, geometry: pointsAs(free) }] : [];
}
