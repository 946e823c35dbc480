// How much land shapes have in common. The service tells this of a drawing only; here it is computed from the corners that the page has.

/** @import { Shape } from "../map/world.js" */

// WGS 84: metres, and the square of the first eccentricity.
const EQUATOR = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const SQUARE = FLATTENING * (2 - FLATTENING);
const ECCENTRICITY = Math.sqrt(SQUARE);

/** Square metres. Neighbours that share a border overlap by less, through rounding; `conflicts()` in Python has the same limit. */
export const LEAST_OVERLAP = 0.01;

/**
 * Metres east of the first meridian, in a plane where each area is that on the ellipsoid.
 * @param {number} x from 0 to 1
 */
const eastOf = (x) => 2 * Math.PI * EQUATOR * (x - 0.5);

/**
 * Metres north of the equator in that plane: the cylindrical equal-area projection (Snyder, Map Projections, 1987, page 81).
 * @param {number} y from 0 to 1
 */
function northOf(y) {
  const sine = Math.tanh(Math.PI * (1 - 2 * y));
  const along = ECCENTRICITY * sine;
  return EQUATOR / 2 * (1 - SQUARE) * (sine / (1 - along * along) + Math.atanh(along) / ECCENTRICITY);
}

/**
 * An edge of a ring, its lower end first.
 * @typedef {{low: number, high: number, from: number, slope: number, side: 0 | 1, shape: number, west: number, east: number}} Edge
 */

/**
 * Square metres of the land that two lists of shapes have in common, each place once. Lines have no land. The plane is cut at all corners and
 * crossings into strips, in each of which edges lie side by side, so that what lies between them are trapezoids.
 * @param {Shape[]} one @param {Shape[]} other
 */
export function sharedLand(one, other) {
  const sides = [one, other].map((shapes) => shapes.filter(({ isLine }) => !isLine));
  const meet = (/** @type {Shape} */ a, /** @type {Shape} */ b) => a.west < b.east && b.west < a.east && a.north < b.south && b.north < a.south;
  const [near, far] = [sides[0].filter((shape) => sides[1].some((found) => meet(shape, found))),
    sides[1].filter((shape) => sides[0].some((found) => meet(shape, found)))];
  if (!near.length) return 0;
  const span = (/** @type {Shape[]} */ shapes) => ({
    north: Math.min(...shapes.map(({ north }) => north)), south: Math.max(...shapes.map(({ south }) => south)),
    west: Math.min(...shapes.map(({ west }) => west)), east: Math.max(...shapes.map(({ east }) => east)),
  });
  const [a, b] = [span(near), span(far)];
  const low = northOf(Math.min(a.south, b.south)), high = northOf(Math.max(a.north, b.north)), end = eastOf(Math.min(a.east, b.east));
  const edges = [...edgesOf(near, 0, low, high, end), ...edgesOf(far, 1, low, high, end)];
  return inBoth(edges, cutsOf(edges, low, high));
}

/**
 * The edges of shapes that reach into a strip, but not those east of it: what lies inside is counted from the west.
 * @param {Shape[]} shapes @param {0 | 1} side @param {number} low @param {number} high @param {number} end
 */
function edgesOf(shapes, side, low, high, end) {
  /** @type {Edge[]} */
  const edges = [];
  shapes.forEach(({ lines }, shape) => {
    for (const line of lines) {
      for (let index = 0, before = line.length - 2; index < line.length; before = index, index += 2) {
        const [x, y, fromX, fromY] = [eastOf(line[index]), northOf(line[index + 1]), eastOf(line[before]), northOf(line[before + 1])];
        // What lies level bounds no trapezoid.
        if (y === fromY || Math.max(y, fromY) <= low || Math.min(y, fromY) >= high || Math.min(x, fromX) > end) continue;
        edges.push({ low: Math.min(y, fromY), high: Math.max(y, fromY), from: y < fromY ? x : fromX, slope: (x - fromX) / (y - fromY), side, shape,
          west: Math.min(x, fromX), east: Math.max(x, fromX) });
      }
    }
  });
  return edges;
}

/** Where the strips end: at corners and at crossings. @param {Edge[]} edges @param {number} low @param {number} high */
function cutsOf(edges, low, high) {
  const cuts = new Set([low, high]);
  const put = (/** @type {number} */ y) => {
    if (y > low && y < high) cuts.add(y);
  };
  edges.sort((one, other) => one.low - other.low);
  for (let first = 0; first < edges.length; first += 1) {
    const one = edges[first];
    put(one.low);
    put(one.high);
    for (let second = first + 1; second < edges.length && edges[second].low < one.high; second += 1) {
      const other = edges[second];
      if (one.slope === other.slope || one.east < other.west || other.east < one.west) continue;
      const y = (other.from - other.slope * other.low - one.from + one.slope * one.low) / (one.slope - other.slope);
      if (y > Math.max(one.low, other.low) && y < Math.min(one.high, other.high)) put(y);
    }
  }
  return [...cuts].sort((one, other) => one - other);
}

/** @param {Edge[]} edges the lowest first @param {number[]} cuts */
function inBoth(edges, cuts) {
  let area = 0, next = 0;
  /** @type {Edge[]} */
  let active = [];
  for (let strip = 0; strip + 1 < cuts.length; strip += 1) {
    const middle = (cuts[strip] + cuts[strip + 1]) / 2;
    while (next < edges.length && edges[next].low < middle) active.push(edges[next++]);
    active = active.filter(({ high }) => high > middle);
    const at = active.map((edge) => ({ edge, x: edge.from + edge.slope * (middle - edge.low) })).sort((one, other) => one.x - other.x);
    // Which shapes of either side lie here: a second edge of a shape leads out of it.
    const inside = [new Set(), new Set()];
    let width = 0, begun = 0;
    for (const { edge, x } of at) {
      const was = inside[0].size && inside[1].size;
      const here = inside[edge.side];
      if (!here.delete(edge.shape)) here.add(edge.shape);
      const is = inside[0].size && inside[1].size;
      if (!was && is) begun = x;
      if (was && !is) width += x - begun;
    }
    area += width * (cuts[strip + 1] - cuts[strip]);
  }
  return area;
}
