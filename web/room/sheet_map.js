// The map of a sheet of paper: a part of the land at a round scale, as SVG.

import { paint } from "../map/paint.js";
import { SvgPen } from "../map/svg.js";
import { vectorPicture } from "../map/vectors.js";
import { turnedTo, worldX, worldY } from "../map/world.js";

/** @import { Look } from "../map/paint.js" */
/** @import { Box } from "../map/world.js" */
/** @import { RoomMap } from "./room_map.js" */

/** Pixels of an inch of paper, as browsers have them, and of a millimetre. */
const INCH = 96;
export const MILLIMETRE = INCH / 25.4;
// The ellipsoid WGS 84: metres to the equator, and the square of the eccentricity.
const EQUATOR = 6_378_137;
const ECCENTRICITY_SQUARED = 0.00669437999014;
// Denominators of round scales, times a power of ten.
const ROUND_SCALES = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 10];
// At most this many basemap tiles on a sheet; beyond that, larger tiles are used.
const MOST_TILES = 400;

/**
 * A part of the land on paper.
 * @typedef {object} Extract
 * @property {number} scale metres on the ground per metre on paper, along the middle of the map
 * @property {Box} box the part, in world coordinates
 * @property {number} width pixels @property {number} height pixels
 * @property {number} size pixels of the world
 */

/**
 * Metres on the ground across the width of the world, along a parallel of the ellipsoid: Web Mercator shows longitudes evenly,
 * and the parallel at a latitude has the radius `a · cos φ / √(1 − e² · sin² φ)`.
 * @param {number} y of the parallel, in world coordinates
 */
export function metresAround(y) {
  const latitude = Math.atan(Math.sinh(Math.PI * (1 - 2 * y)));
  return 2 * Math.PI * EQUATOR * Math.cos(latitude) / Math.sqrt(1 - ECCENTRICITY_SQUARED * Math.sin(latitude) ** 2);
}

/** The smallest round scale that is at least this: 1.2 million becomes 1.25 million. @param {number} least */
export function roundScale(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  // Rounding errors may turn 1.5 million into 1.5000000001 million.
  return power * (ROUND_SCALES.find((step) => step * power >= least * (1 - 1e-9)) ?? 10);
}

/**
 * The part around a box that fits on paper at the largest round scale at which the box is complete.
 * @param {Box} box @param {number} width pixels of the paper @param {number} height
 * @returns {Extract}
 */
export function extractOf(box, width, height) {
  const x = (box.west + box.east) / 2, y = (box.north + box.south) / 2;
  const metres = metresAround(y);
  const share = Math.max((box.east - box.west) / width, (box.south - box.north) / height, 1e-12);
  const scale = roundScale(share * metres * MILLIMETRE * 1000);
  const size = metres * MILLIMETRE * 1000 / scale;
  const [halfWidth, halfHeight] = [width / size / 2, height / size / 2];
  return { scale, width, height, size, box: { west: x - halfWidth, east: x + halfWidth, north: y - halfHeight, south: y + halfHeight } };
}

/** The screen's current view. @param {RoomMap} room @returns {Box} */
export function boxOfView(room) {
  const { leaflet } = room;
  const { min, max } = leaflet.getPixelBounds();
  const size = 256 * 2 ** leaflet.getZoom();
  return { west: min.x / size, east: max.x / size, north: min.y / size, south: max.y / size };
}

/** The complete project. @param {RoomMap} room @returns {Box} */
export function boxOfProject(room) {
  const [west, south, east, north] = room.scene.bounds;
  return { west: worldX(west), east: worldX(east), north: worldY(north), south: worldY(south) };
}

/**
 * The map, and a promise that waits for its basemap's tiles.
 * @param {RoomMap} room @param {Extract} extract @param {Look} look @param {string} water @param {string} name
 * @returns {{element: SVGElement, loaded: Promise<unknown>}}
 */
export function drawMap(room, extract, look, water, name) {
  const { box, width, height, size } = extract;
  const pen = new SvgPen(width, height, name);
  pen.fillStyle = water;
  pen.fillRect(0, 0, width, height);
  const loaded = room.basemap?.vector ? drawVectors(pen, room, extract, look) : Promise.all(drawTiles(pen, room.basemap ?? {}, extract));
  const left = box.west * size, top = box.north * size;
  paint(pen, room.scene, room.map.views[0].members, { left, top, width, height, size }, look);
  return { element: pen.element, loaded };
}

/** Draws vector tiles as one picture. @param {SvgPen} pen @param {RoomMap} room @param {Extract} extract @param {Look} look */
async function drawVectors(pen, room, extract, look) {
  const picture = pen.picture("", 0, 0, extract.width, extract.height);
  picture.setAttribute("href", await vectorPicture(room.basemap, look, room.scene.places.length > 0, extract));
}

/**
 * Draws tiles that are pictures. Returns what waits for each.
 * @param {SvgPen} pen @param {import("../map/scene.js").Basemap} basemap @param {Extract} extract
 */
function drawTiles(pen, { url = "", min_zoom: least = 0, max_zoom: most = 20 }, { box, width, height, size }) {
  const waiting = [];
  // As fine as paper shows it: two tile pixels per page pixel.
  let zoom = Math.max(least, Math.min(most, Math.ceil(Math.log2(size / 256)) + 1));
  const count = () => Math.ceil(width / size * 2 ** zoom + 1) * Math.ceil(height / size * 2 ** zoom + 1);
  while (zoom > least && count() > MOST_TILES) zoom -= 1;
  const tiles = 2 ** zoom, side = size / tiles;
  for (let x = Math.floor(box.west * tiles); url && x < box.east * tiles; x += 1) {
    for (let y = Math.max(0, Math.floor(box.north * tiles)); y < Math.min(tiles, box.south * tiles); y += 1) {
      const address = url.replace("{s}", "a").replace("{z}", String(zoom)).replace("{x}", String((x + tiles) % tiles)).replace("{y}", String(y));
      const picture = pen.picture(address, (x - box.west * tiles) * side, (y - box.north * tiles) * side, side, side);
      waiting.push(new Promise((resolve) => {
        // Where the basemap has no tile, the land's colour shows.
        for (const end of ["load", "error"]) picture.addEventListener(end, resolve, { once: true });
      }));
    }
  }
  return waiting;
}

/** Numbers of the diagrams visible on a part of the land. @param {RoomMap} room @param {Box} box */
export function diagramsOn(room, { west, north, east, south }) {
  const { scene, map } = room;
  const seen = scene.shapes.filter((found) => {
    const box = turnedTo(found, (west + east) / 2);
    return scene.isShown(found, map.views[0].members) && box.east >= west && box.west <= east && box.south >= north && box.north <= south;
  });
  return new Map(seen.map(({ number, diagram }) => [number, diagram]));
}

/** A round length for the scale bar. @param {number} scale @param {number} longest pixels of the bar */
export function barOf(scale, longest) {
  const metres = longest / MILLIMETRE / 1000 * scale;
  const power = 10 ** Math.floor(Math.log10(metres));
  const length = power * ([5, 2, 1].find((step) => step * power <= metres) ?? 1);
  return { metres: length, pixels: length / scale * 1000 * MILLIMETRE };
}
