// Splitting an area along a line. The parts have every position of their border in common: they add up to the area, without a gap.

/** @typedef {number[]} Position longitude, latitude, and a height where the area has heights */
/** @typedef {Position[]} Ring closed */
/** @typedef {{from: Position, to: Position}} Edge */

// Degrees, a fifth of a millimetre: a line that snapped to a corner or an edge ends as close to it.
const NEAR = 2e-9;

/**
 * The parts of a feature along a line, each with its properties; the feature alone if the line crosses none of its polygons.
 * @param {any} feature GeoJSON @param {Position[]} line with longitudes of any turn around the earth @returns {any[]}
 */
export function splitFeature(feature, line) {
  const { type, coordinates } = feature.geometry;
  /** @type {Ring[][]} */
  const polygons = type === "Polygon" ? [coordinates] : type === "MultiPolygon" ? coordinates : [];
  const parts = polygons.map((rings) => split(rings, turnedTo(rings[0][0], line)));
  const whole = parts.filter(({ length }) => length === 1).flat();
  if (whole.length === polygons.length) return [feature];
  const rest = whole.length ? [whole.length > 1 ? { type: "MultiPolygon", coordinates: whole } : { type: "Polygon", coordinates: whole[0] }] : [];
  const pieces = parts.filter(({ length }) => length > 1).flat().map((piece) => ({ type: "Polygon", coordinates: piece }));
  return [...rest, ...pieces].map((geometry) => ({ ...feature, geometry }));
}

/** A line on the turn around the earth that is closest to a place. @param {Position} place @param {Position[]} line */
function turnedTo([lon], line) {
  const turns = 360 * Math.round((lon - line[0][0]) / 360);
  return line.map(([east, lat]) => [east + turns, lat]);
}

/**
 * The parts of a polygon along a line. It is the only part unless the line crosses it.
 * @param {Ring[]} rings the outline and the holes @param {Position[]} line @returns {Ring[][]}
 */
export function split(rings, line) {
  const outlines = turnedRight(rings).flatMap(edgesOf);
  const heights = rings[0][0].slice(2);
  const cuts = edgesOf(line.map(([lon, lat]) => settled([lon, lat, ...heights], outlines)));
  const stops = stopsOf(outlines, cuts);
  const border = outlines.flatMap((edge) => divided(edge, stops));
  const known = new Set(border.flatMap(({ from, to }) => [named(from, to), named(to, from)]));
  const within = cuts.flatMap((edge) => divided(edge, stops)).filter(({ from, to }) => {
    const isNew = !known.has(named(from, to));
    known.add(named(from, to)).add(named(to, from));
    return isNew && isInside(between(from, to, 0.5), outlines);
  });
  return partsOf(border, within) ?? [rings];
}

/** The polygons on the sides of cuts; null if the cuts part nothing. @param {Edge[]} border with the area on its left @param {Edge[]} cuts */
function partsOf(border, cuts) {
  for (let inner = cuts; inner.length;) {
    const back = inner.map(({ from, to }) => ({ from: to, to: from }));
    const faces = facesOf([...border, ...inner, ...back]);
    const faceOf = new Map(faces.flatMap((face) => face.map((edge) => /** @type {const} */ ([edge, face]))));
    // A cut that ends within the area has the same face on both sides.
    const parting = inner.filter((edge, index) => faceOf.get(edge) !== faceOf.get(back[index]));
    if (parting.length === inner.length) return polygonsOf(faces.flatMap(ringsOf));
    inner = parting;
  }
  return null;
}

/** A polygon's rings with its land on their left. @param {Ring[]} rings */
export const turnedRight = (rings) => rings.map((ring, index) => (areaOf(ring) > 0 === (index === 0) ? ring : [...ring].reverse()));

/** Positive for a ring that runs counter-clockwise. @param {Ring} ring */
function areaOf(ring) {
  const [[x, y]] = ring;
  return edgesOf(ring).reduce((sum, { from, to }) => sum + ((from[0] - x) * (to[1] - y) - (to[0] - x) * (from[1] - y)) / 2, 0);
}

/** @param {Position[]} line @returns {Edge[]} */
export const edgesOf = (line) => line.slice(1).map((to, index) => ({ from: line[index], to })).filter(({ from, to }) => at(from) !== at(to));

/** @param {Position} position */
const at = ([lon, lat]) => `${lon} ${lat}`;

/** @param {Position} from @param {Position} to */
const named = (from, to) => `${at(from)} ${at(to)}`;

/** @param {Position} from @param {Position} to @param {number} share of the way @returns {Position} */
const between = (from, to, share) => from.map((value, axis) => value + share * (to[axis] - value));

/** @param {Position} one @param {Position} other */
const distance = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);

/** The share of an edge at which it is closest to a place. @param {Edge} edge @param {Position} place */
function shareAt({ from, to }, place) {
  const x = to[0] - from[0], y = to[1] - from[1];
  return Math.max(0, Math.min(1, ((place[0] - from[0]) * x + (place[1] - from[1]) * y) / (x * x + y * y)));
}

/** The place of an edge that is closest to another. @param {Edge} edge @param {Position} place */
const closest = (edge, place) => between(edge.from, edge.to, shareAt(edge, place));

/** @param {Position} place @param {Edge} edge */
const isAt = (place, edge) => distance(closest(edge, place), place) <= NEAR;

/** The corner or else the place on an edge that a place is at; itself if it is at none. @param {Position} place @param {Edge[]} outlines */
function settled(place, outlines) {
  const corner = outlines.find(({ from }) => distance(from, place) <= NEAR);
  if (corner) return corner.from;
  const edge = outlines.find((one) => isAt(place, one));
  return edge ? closest(edge, place) : place;
}

/** The places at which edges meet cuts, for each edge and cut. @param {Edge[]} outlines @param {Edge[]} cuts */
function stopsOf(outlines, cuts) {
  /** @type {Map<Edge, Position[]>} */
  const stops = new Map([...outlines, ...cuts].map((edge) => [edge, []]));
  cuts.forEach((cut, index) => {
    for (const edge of [...outlines, ...cuts.slice(index + 1)]) {
      const places = meetings(edge, cut);
      stops.get(edge)?.push(...places);
      stops.get(cut)?.push(...places);
    }
  });
  return stops;
}

/** The places at which two edges touch or cross. @param {Edge} one @param {Edge} other @returns {Position[]} */
function meetings(one, other) {
  const touching = [...[one.from, one.to].filter((end) => isAt(end, other)), ...[other.from, other.to].filter((end) => isAt(end, one))];
  if (touching.length) return touching;
  const x = one.to[0] - one.from[0], y = one.to[1] - one.from[1];
  const side = (/** @type {Position} */ place) => x * (place[1] - one.from[1]) - y * (place[0] - one.from[0]);
  const [from, to] = [side(other.from), side(other.to)];
  if (from > 0 === to > 0) return [];
  // The place on the first edge: the outline stays as it is.
  const share = shareAt(one, between(other.from, other.to, from / (from - to)));
  return share > 0 && share < 1 ? [between(one.from, one.to, share)] : [];
}

/** The pieces of an edge between its stops. @param {Edge} edge @param {Map<Edge, Position[]>} stops */
function divided(edge, stops) {
  const along = (stops.get(edge) ?? []).sort((one, other) => shareAt(edge, one) - shareAt(edge, other));
  return edgesOf([edge.from, ...along, edge.to]);
}

/** True if a place is in the area of outlines. @param {Position} place @param {Edge[]} outlines */
export function isInside([x, y], outlines) {
  const crossed = outlines.filter(({ from, to }) => from[1] > y !== to[1] > y && x < from[0] + (y - from[1]) / (to[1] - from[1]) * (to[0] - from[0]));
  return crossed.length % 2 === 1;
}

/** The chains of edges around each face, which lies on their left. @param {Edge[]} edges */
function facesOf(edges) {
  /** @type {Map<string, Edge[]>} */
  const leaving = new Map(edges.map(({ from }) => [at(from), []]));
  for (const edge of edges) leaving.get(at(edge.from))?.push(edge);
  const rest = new Set(edges);
  const faces = [];
  for (const first of rest) {
    const face = [];
    for (let edge = first; rest.delete(edge); edge = nextOf(edge, leaving.get(at(edge.to)) ?? [])) face.push(edge);
    faces.push(face);
  }
  return faces;
}

/** The edge after another around a face: the first one clockwise from the way back. @param {Edge} edge @param {Edge[]} leaving */
function nextOf({ from, to }, leaving) {
  const back = directionOf({ from: to, to: from });
  const turn = (/** @type {Edge} */ edge) => (back - directionOf(edge) + 2 * Math.PI) % (2 * Math.PI) || 2 * Math.PI;
  return leaving.reduce((best, edge) => (turn(edge) < turn(best) ? edge : best));
}

/** @param {Edge} edge */
const directionOf = ({ from, to }) => Math.atan2(to[1] - from[1], to[0] - from[0]);

/** The rings of a face, which touch where it comes to a place again. @param {Edge[]} face @returns {Ring[]} */
function ringsOf(face) {
  /** @type {Position[]} */
  const open = [], rings = [];
  /** @type {Map<string, number>} */
  const places = new Map();
  for (const { from } of face) {
    const known = places.get(at(from));
    if (known !== undefined) {
      const loop = open.splice(known);
      for (const place of loop) places.delete(at(place));
      rings.push([...loop, from]);
    }
    places.set(at(from), open.push(from) - 1);
  }
  return /** @type {Ring[]} */ ([...rings, [...open, open[0]]]);
}

/** Outlines, each with the holes in it. @param {Ring[]} rings @returns {Ring[][]} */
function polygonsOf(rings) {
  const outer = rings.filter((ring) => areaOf(ring) > 0).sort((one, other) => areaOf(one) - areaOf(other)).map((ring) => [ring]);
  for (const hole of rings.filter((ring) => areaOf(ring) < 0)) outer.find(([ring]) => hasHole(edgesOf(ring), hole))?.push(hole);
  return outer;
}

/** True if a hole lies within an outline, and is not the same land from its other side. @param {Edge[]} outline @param {Ring} hole */
function hasHole(outline, [from, to]) {
  return isInside(between(from, to, 0.5), outline) && !outline.some((edge) => named(edge.to, edge.from) === named(from, to));
}
