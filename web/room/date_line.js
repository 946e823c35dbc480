// Shapes across longitude 180: drawn as one on the map, and cut there when sent, as GeoJSON asks (RFC 7946, 3.1.9).

const LINE = 180;

/** @typedef {number[][]} Positions longitude, latitude */

/**
 * Converts a polygon without holes or a line with any longitudes to longitudes from -180 to 180.
 * @param {{type: string, coordinates: any}} geometry @returns {{type: string, coordinates: any}}
 */
export function divided(geometry) {
  const isArea = geometry.type === "Polygon";
  /** @type {Positions} */
  const line = isArea ? geometry.coordinates[0] : geometry.coordinates;
  const west = Math.min(...line.map(([lon]) => lon)), east = Math.max(...line.map(([lon]) => lon));
  if (west >= -LINE && east <= LINE) return geometry;
  const turns = 360 * Math.floor((west + LINE) / 360);
  const moved = line.map(([lon, lat]) => [rounded(lon - turns), lat]);
  if (east - turns <= LINE) return { type: geometry.type, coordinates: isArea ? [moved] : moved };
  const parts = isArea ? ringsOf(moved).map((ring) => [ring]) : chainsOf(moved).map(onItsSide);
  if (parts.length === 1) return { type: geometry.type, coordinates: parts[0] };
  return { type: `Multi${geometry.type}`, coordinates: parts };
}

/** Nine digits, as drawings have. @param {number} degrees */
const rounded = (degrees) => Number(degrees.toFixed(9));

/** A part of a line on one side of the date line. @typedef {{isFar: boolean, positions: Positions}} Chain */

/** @param {Positions} line @returns {Chain[]} its parts, which end where it crosses */
function chainsOf(line) {
  const all = line.flatMap((position, index) => {
    const [lon, lat] = line[index - 1] ?? position;
    if ((lon - LINE) * (position[0] - LINE) >= 0) return [position];
    return [[LINE, rounded(lat + (LINE - lon) / (position[0] - lon) * (position[1] - lat))], position];
  });
  /** @type {Chain[]} */
  const chains = [];
  for (let index = 1; index < all.length; index += 1) {
    const isFar = all[index - 1][0] + all[index][0] > 2 * LINE;
    if (chains.at(-1)?.isFar !== isFar) chains.push({ isFar, positions: [all[index - 1]] });
    chains.at(-1)?.positions.push(all[index]);
  }
  return chains;
}

/** The positions of a part with the longitudes of its side. @param {Chain} chain @returns {Positions} */
const onItsSide = ({ isFar, positions }) => (isFar ? positions.map(([lon, lat]) => [rounded(lon - 2 * LINE), lat]) : positions);

/** The rings on either side of a closed ring that crosses. @param {Positions} ring @returns {Positions[]} */
function ringsOf(ring) {
  const chains = chainsOf(ring);
  // The ring may begin within a part.
  const last = chains.at(-1);
  if (chains.length > 1 && last && last.isFar === chains[0].isFar) {
    chains[0].positions.unshift(...last.positions.slice(0, -1));
    chains.pop();
  }
  const begin = (/** @type {Chain} */ { positions }) => positions[0][1], end = (/** @type {Chain} */ { positions }) => positions[positions.length - 1][1];
  // Of the crossings from south to north, land lies between the first and the second, the third and the fourth, and so on.
  const crossings = chains.map(end).sort((a, b) => a - b);
  const across = (/** @type {Chain} */ chain) => crossings[crossings.indexOf(end(chain)) ^ 1];
  const rings = [];
  while (chains.length) {
    const parts = chains.splice(0, 1);
    for (let lat = across(parts[0]); lat !== begin(parts[0]);) {
      const next = chains.findIndex((chain) => chain.isFar === parts[0].isFar && begin(chain) === lat);
      // Two crossings at one place cancel out.
      if (next < 0) break;
      parts.push(...chains.splice(next, 1));
      lat = across(parts[parts.length - 1]);
    }
    const line = parts.flatMap(onItsSide);
    const closed = [...line, line[0]].filter((position, index, all) => !index || String(position) !== String(all[index - 1]));
    if (new Set(closed.map(String)).size > 2) rings.push(closed);
  }
  return rings;
}
