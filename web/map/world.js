// Shapes in world coordinates: 0 to 1 from west to east and from north to south, as Web Mercator has them.

/**
 * A polygon with its holes, a line, or a point.
 * @typedef {object} Shape
 * @property {Float64Array[]} lines x and y in turn, of each ring, of the line, or of the point
 * @property {boolean} isLine
 * @property {boolean} isPoint
 * @property {number} west
 * @property {number} north
 * @property {number} east
 * @property {number} south
 */

/**
 * The rectangle around something.
 * @typedef {{west: number, north: number, east: number, south: number}} Box
 */

/** @param {number} lon degrees @returns {number} */
export const worldX = (lon) => lon / 360 + 0.5;

/** Latitudes beyond those of the square world are drawn at its edge. @param {number} lat degrees @returns {number} */
export function worldY(lat) {
  const sine = Math.sin(Math.max(-85.05, Math.min(85.05, lat)) * Math.PI / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** @param {Float64Array[]} lines @param {"area" | "line" | "point"} kind @returns {Shape} */
export function shapeOf(lines, kind) {
  let west = Infinity, north = Infinity, east = -Infinity, south = -Infinity;
  for (const line of lines) {
    for (let index = 0; index < line.length; index += 2) {
      west = Math.min(west, line[index]);
      east = Math.max(east, line[index]);
      north = Math.min(north, line[index + 1]);
      south = Math.max(south, line[index + 1]);
    }
  }
  return { lines, isLine: kind === "line", isPoint: kind === "point", west, north, east, south };
}

/**
 * Positions from integer steps between them, as pages write them.
 * @param {number[]} deltas @param {number} scale steps per degree @returns {Float64Array}
 */
export function fromDeltas(deltas, scale) {
  const found = new Float64Array(deltas.length);
  let lon = 0, lat = 0;
  for (let index = 0; index < deltas.length; index += 2) {
    lon += deltas[index];
    lat += deltas[index + 1];
    found[index] = worldX(lon / scale);
    found[index + 1] = worldY(lat / scale);
  }
  return found;
}

/** @param {number[][]} positions longitude, latitude @returns {Float64Array} */
function fromPositions(positions) {
  const found = new Float64Array(positions.length * 2);
  positions.forEach(([lon, lat], index) => {
    found[2 * index] = worldX(lon);
    found[2 * index + 1] = worldY(lat);
  });
  return found;
}

/**
 * The polygons, lines and points of a GeoJSON geometry.
 * @param {any} geometry @returns {Shape[]}
 */
export function fromGeometry(geometry) {
  const { type, coordinates } = geometry || {};
  /** @param {number[][][]} rings */
  const polygon = (rings) => shapeOf(rings.map(fromPositions), "area");
  /** @param {number[][]} line */
  const line = (line) => shapeOf([fromPositions(line)], "line");
  /** @param {number[]} position */
  const point = (position) => shapeOf([fromPositions([position])], "point");
  switch (type) {
    case "Polygon": return [polygon(coordinates)];
    case "MultiPolygon": return coordinates.map(polygon);
    case "LineString": return [line(coordinates)];
    case "MultiLineString": return coordinates.map(line);
    case "Point": return coordinates.length ? [point(coordinates)] : [];
    case "MultiPoint": return coordinates.map(point);
    case "GeometryCollection": return geometry.geometries.flatMap(fromGeometry);
    default: return [];
  }
}

/**
 * The number of turns around the Earth from something to a place: maps repeat everything beyond the date line.
 * @param {{west: number, east: number}} found @param {number} x of the place
 */
export const turnsTo = ({ west, east }, x) => Math.round(x - (west + east) / 2);

/** Moves something to a place's side of the date line. @param {Box} found @param {number} x of the place @returns {Box} */
export function turnedTo({ west, north, east, south }, x) {
  const turns = turnsTo({ west, east }, x);
  return { west: west + turns, north, east: east + turns, south };
}

/**
 * The west and east of shapes, the short way around the Earth: east is beyond 1 if that leads across the date line.
 * @param {Iterable<{west: number, east: number}>} shapes @returns {[number, number]}
 */
export function shortestSpan(shapes) {
  const sorted = [...shapes].sort((a, b) => a.west - b.west);
  const first = sorted[0]?.west ?? 0;
  let end = sorted[0]?.east ?? 1;
  let best = { gap: -Infinity, west: first, east: first };
  for (const { west, east } of [...sorted.slice(1), { west: first + 1, east: first + 1 }]) {
    if (west - end > best.gap) best = { gap: west - end, west, east: end };
    end = Math.max(end, east);
  }
  return best.west >= first + 1 ? [first, best.east] : [best.west, best.east + 1];
}

/** The rectangle around shapes; null without shapes. @param {Iterable<Box>} shapes @returns {Box | null} */
export function around(shapes) {
  const box = { west: Infinity, north: Infinity, east: -Infinity, south: -Infinity };
  for (const { west, north, east, south } of shapes) {
    box.west = Math.min(box.west, west);
    box.north = Math.min(box.north, north);
    box.east = Math.max(box.east, east);
    box.south = Math.max(box.south, south);
  }
  return box.west <= box.east ? box : null;
}

/** @param {Shape} found @param {number} x @param {number} y */
function contains(found, x, y) {
  let inside = false;
  for (const line of found.lines) {
    for (let index = 0, before = line.length - 2; index < line.length; before = index, index += 2) {
      const above = line[index + 1] > y;
      if (above !== line[before + 1] > y) {
        const cut = (line[before] - line[index]) * (y - line[index + 1]) / (line[before + 1] - line[index + 1]) + line[index];
        if (x < cut) inside = !inside;
      }
    }
  }
  return inside;
}

/** @param {Shape} found @param {number} x @param {number} y @param {number} reach */
function isNear(found, x, y, reach) {
  const [line] = found.lines;
  for (let index = 2; index < line.length; index += 2) {
    const fromX = line[index - 2], fromY = line[index - 1];
    const alongX = line[index] - fromX, alongY = line[index + 1] - fromY;
    const length = alongX * alongX + alongY * alongY;
    const share = length ? Math.max(0, Math.min(1, ((x - fromX) * alongX + (y - fromY) * alongY) / length)) : 0;
    if (Math.hypot(x - fromX - share * alongX, y - fromY - share * alongY) <= reach) return true;
  }
  return false;
}

/**
 * The shapes at a place.
 * @template {Shape} T
 * @param {T[]} list @param {number} x @param {number} y @param {number} reach the largest distance from a line or a point
 * @returns {T[]}
 */
export function hits(list, x, y, reach) {
  return list.filter((found) => {
    if (x < found.west - reach || x > found.east + reach || y < found.north - reach || y > found.south + reach) return false;
    if (found.isPoint) return Math.hypot(x - found.west, y - found.north) <= reach;
    return found.isLine ? isNear(found, x, y, reach) : contains(found, x, y);
  });
}
