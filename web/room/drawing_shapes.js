// Shapes as the drawing tools hold them, and their features: unchanged ones go back as they came.

import { divided } from "./date_line.js";

/** Rounds to nine decimals, which are a tenth of a millimetre and terra-draw's limit. @param {number} value */
export const round = (value) => Number(value.toFixed(9));

/**
 * A feature that was put into the drawing.
 * @typedef {object} Given
 * @property {any} feature GeoJSON
 * @property {any[]} parts its polygons, lines and points as the tools hold them; none if they cannot
 */

/**
 * A feature's polygons, lines and points as the tools can hold them; none if one of them has a hole or heights, which the tools do not know.
 * @param {any} feature GeoJSON @param {number} frame degrees subtracted from longitudes @returns {any[]}
 */
export function partsOf({ geometry }, frame) {
  const { type, coordinates } = geometry ?? {};
  const [, many, kind] = /^(Multi)?(Polygon|LineString|Point)$/.exec(type ?? "") ?? [];
  if (!kind) return [];
  const members = many ? coordinates : [coordinates];
  const lines = members.map((/** @type {any} */ part) => cornersOf({ type: kind, coordinates: part }));
  const hasHoles = kind === "Polygon" && members.some((/** @type {any[]} */ rings) => rings.length > 1);
  if (hasHoles || lines.some((/** @type {number[][]} */ line) => line.some(({ length }) => length > 2))) return [];
  return lines.map((/** @type {number[][]} */ line) => shapeOf(kind, turnedTo(line, frame)));
}

/** The positions of a polygon's outer ring, a line or a point. @param {any} geometry @returns {number[][]} */
const cornersOf = ({ type, coordinates }) => (type === "Polygon" ? coordinates[0] : type === "Point" ? [coordinates] : coordinates);

/** @param {string} type @param {number[][]} corners */
const shapeOf = (type, corners) => ({ type, coordinates: type === "Polygon" ? [corners] : type === "Point" ? corners[0] : corners });

/** The mode of terra-draw that changes a shape. @param {any} geometry */
export const modeOf = ({ type }) => type.toLowerCase();

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
      : withCorners(onEarth(geometry, frame), cornersOf({ type: geometry.type, coordinates: before }));
  });
  const all = shapes.flatMap((shape) => (shape.type.startsWith("Multi") ? shape.coordinates : [shape.coordinates]));
  const kind = type.replace("Multi", "");
  return { ...feature, geometry: isMany || all.length > 1 ? { type: `Multi${kind}`, coordinates: all } : { type: kind, coordinates: all[0] } };
}

/** A shape of the tools with its real longitudes. @param {any} geometry @param {number} frame */
export function onEarth({ type, coordinates }, frame) {
  if (!frame) return { type, coordinates };
  const turned = cornersOf({ type, coordinates }).map(([lon, lat]) => [round(lon + frame), lat]);
  return type === "Point" ? pointsAs(divided(shapeOf("LineString", turned)).coordinates) : divided(shapeOf(type, turned));
}

/** One point, or several as one shape. @param {number[][]} places */
export const pointsAs = (places) => (places.length === 1 ? { type: "Point", coordinates: places[0] } : { type: "MultiPoint", coordinates: places });

/** A shape with all original digits at the corners that were not moved. @param {any} geometry @param {number[][]} before the corners */
function withCorners({ type, coordinates }, before) {
  const known = new Map(before.map((position) => [String(position.map(round)), position]));
  const walk = (/** @type {any} */ part) => (typeof part[0] === "number" ? known.get(String(part)) ?? part : part.map(walk));
  return { type, coordinates: walk(coordinates) };
}

/** @param {any} feature GeoJSON */
export const isLine = ({ geometry }) => geometry.type.endsWith("LineString");

/** @param {any} feature GeoJSON */
export const isPoint = ({ geometry }) => geometry.type.endsWith("Point");

/** The places of a feature's points; none if it has other shapes. @param {any} feature @returns {number[][]} */
export const placesOf = ({ geometry: { type, coordinates } }) => (type === "MultiPoint" ? coordinates : type === "Point" ? [coordinates] : []);

/** Different corners that a shape has at least. @type {Record<string, number>} */
const LEAST = { Polygon: 3, LineString: 2, Point: 1 };

/** @param {any} geometry */
export const isWhole = (geometry) => new Set(cornersOf(geometry).map(String)).size >= LEAST[geometry.type];

/** The first positions of a polygon or a line. @param {any} geometry @param {number} count */
export function firstOf({ type, coordinates }, count) {
  if (!count) return { type, coordinates };
  if (type !== "Polygon") return { type, coordinates: coordinates.slice(0, count) };
  const [ring] = coordinates;
  return { type, coordinates: [[...ring.slice(0, Math.min(count, ring.length - 1)), ring[0]]] };
}
