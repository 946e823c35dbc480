// Shapes as the drawing tools hold them, and their features: unchanged ones go back as they came.

import { divided } from "./date_line.js";

/** Rounds to nine decimals, which are a tenth of a millimetre and terra-draw's limit. @param {number} value */
export const round = (value) => Number(value.toFixed(9));

/**
 * A feature that was put into the drawing.
 * @typedef {object} Given
 * @property {any} feature GeoJSON
 * @property {any[]} parts its polygons and lines as the tools hold them; none if they cannot
 */

/**
 * A feature's polygons and lines as the tools can hold them; none if one of them has a hole or heights, which the tools do not know.
 * @param {any} feature GeoJSON @param {number} frame degrees subtracted from longitudes @returns {any[]}
 */
export function partsOf({ geometry }, frame) {
  const { type, coordinates } = geometry ?? {};
  const [, many, kind] = /^(Multi)?(Polygon|LineString)$/.exec(type ?? "") ?? [];
  if (!kind) return [];
  const lines = (many ? coordinates : [coordinates]).map((/** @type {any} */ part) => (kind === "Polygon" ? part[0] : part));
  const hasHoles = kind === "Polygon" && (many ? coordinates : [coordinates]).some((/** @type {any[]} */ rings) => rings.length > 1);
  if (hasHoles || lines.some((/** @type {number[][]} */ line) => line.some(({ length }) => length > 2))) return [];
  return lines.map((/** @type {number[][]} */ line) => {
    const turned = turnedTo(line, frame);
    return { type: kind, coordinates: kind === "Polygon" ? [turned] : turned };
  });
}

/** Positions as terra-draw takes them, on the map's side of the date line. @param {number[][]} line @param {number} frame */
function turnedTo(line, frame) {
  const longitudes = line.map(([lon]) => lon);
  const middle = (Math.min(...longitudes) + Math.max(...longitudes)) / 2;
  const shift = 360 * Math.round((frame - middle) / 360) - frame;
  return line.map(([lon, lat]) => [round(lon + shift), round(lat)]);
}

/**
 * A feature after drawing: itself if its shapes are unchanged.
 * @param {Given} given @param {{part: number, geometry: any}[]} drawn its remaining shapes @param {number} frame
 */
export function featureOf({ feature, parts }, drawn, frame) {
  const isWhole = drawn.length === parts.length && drawn.every(({ part, geometry }) => String(geometry.coordinates) === String(parts[part].coordinates));
  if (isWhole) return feature;
  const { type, coordinates } = feature.geometry;
  const isMany = type.startsWith("Multi");
  const shapes = drawn.map(({ part, geometry }) => {
    const before = isMany ? coordinates[part] : coordinates;
    return String(geometry.coordinates) === String(parts[part].coordinates) ? { type: geometry.type, coordinates: before }
      : withCorners(onEarth(geometry, frame), geometry.type === "Polygon" ? before[0] : before);
  });
  const all = shapes.flatMap((shape) => (shape.type.startsWith("Multi") ? shape.coordinates : [shape.coordinates]));
  const kind = type.replace("Multi", "");
  return { ...feature, geometry: isMany || all.length > 1 ? { type: `Multi${kind}`, coordinates: all } : { type: kind, coordinates: all[0] } };
}

/** A shape of the tools with its real longitudes. @param {any} geometry @param {number} frame */
export function onEarth({ type, coordinates }, frame) {
  if (!frame) return { type, coordinates };
  const turned = (/** @type {number[][]} */ line) => line.map(([lon, lat]) => [round(lon + frame), lat]);
  return divided({ type, coordinates: type === "Polygon" ? coordinates.map(turned) : turned(coordinates) });
}

/** A shape with all original digits at the corners that were not moved. @param {any} geometry @param {number[][]} before the corners */
function withCorners({ type, coordinates }, before) {
  const known = new Map(before.map((position) => [String(position.map(round)), position]));
  const walk = (/** @type {any} */ part) => (typeof part[0] === "number" ? known.get(String(part)) ?? part : part.map(walk));
  return { type, coordinates: walk(coordinates) };
}

/** @param {any} feature GeoJSON */
export const isLine = ({ geometry }) => geometry.type.endsWith("LineString");

/** True if a polygon has at least three different corners, and a line at least two. @param {any} geometry */
export function isWhole({ type, coordinates }) {
  const line = type === "Polygon" ? coordinates[0] : coordinates;
  const places = new Set(line.map((/** @type {number[]} */ position) => position.join()));
  return places.size >= (type === "Polygon" ? 3 : 2);
}

/** The first positions of a polygon or a line. @param {any} geometry @param {number} count */
export function firstOf({ type, coordinates }, count) {
  if (!count) return { type, coordinates };
  if (type !== "Polygon") return { type, coordinates: coordinates.slice(0, count) };
  const [ring] = coordinates;
  return { type, coordinates: [[...ring.slice(0, Math.min(count, ring.length - 1)), ring[0]]] };
}
