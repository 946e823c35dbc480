// A basemap of vector tiles, in quiet colours below everything else. Its library is loaded only for such a basemap.

/** @import { Basemap } from "./scene.js" */
/** @import { Look } from "./paint.js" */

const library = () => import("../vendor/vector_tiles.js");

/** Colours on light and on dark land. */
const LIGHT = { water: "#cddce6", park: "#e0ead7", wood: "#d9e5d0", sand: "#f0ead8", built: "#ece9e2", road: "#dedad1", building: "#e4e0d7", line: "#c6c1b8", text: "#8b877f" };
const DARK = { water: "#17222c", park: "#2a342b", wood: "#28352a", sand: "#34332c", built: "#2c3236", road: "#3a4248", building: "#31373c", line: "#4a5258", text: "#878f96" };

/** Colours by the names that the library's rules have for them. @param {Look} look */
function flavorOf({ land }) {
  const isDark = parseInt(land.slice(1, 3), 16) < 128;
  const { water, park, wood, sand, built, road, building, line, text } = isDark ? DARK : LIGHT;
  return {
    earth: land, water, park_a: park, park_b: park, scrub_a: park, scrub_b: park, wood_a: wood, wood_b: wood, sand, beach: sand, glacier: land,
    hospital: built, industrial: built, school: built, zoo: park, pedestrian: built, aerodrome: built, runway: road, pier: road,
    buildings: building, major: road, highway: line, railway: line, boundaries: line, ocean_label: text,
    ...Object.fromEntries(["roads_label_minor", "roads_label_major", "city_label", "state_label", "country_label"].flatMap((label) => [[label, text], [`${label}_halo`, land]])),
  };
}

/**
 * How the library draws. Names of places are left out if the map has places of its own.
 * @param {any} library @param {Look} look @param {boolean} hasPlaces
 */
function rulesOf({ paintRules, labelRules }, look, hasPlaces) {
  const flavor = flavorOf(look);
  const labels = labelRules(flavor, document.documentElement.lang || "en");
  return { paintRules: paintRules(flavor), labelRules: labels.filter((/** @type {{dataLayer: string}} */ { dataLayer }) => !(hasPlaces && dataLayer === "places")) };
}

/** A layer of Leaflet, and a function that draws it in other colours. @param {Basemap} basemap @param {Look} look @param {boolean} hasPlaces */
export async function vectorLayer({ url, min_zoom: least = 0, max_zoom: maxDataZoom }, look, hasPlaces) {
  const drawing = await library();
  // A tile of data is shown as four tiles.
  const layer = drawing.leafletLayer({ url, maxDataZoom, minNativeZoom: least + 1, maxZoom: 20, zIndex: 0, ...rulesOf(drawing, look, hasPlaces) });
  const redraw = (/** @type {Look} */ look) => {
    Object.assign(layer, rulesOf(drawing, look, hasPlaces));
    layer.clearLayout();
    layer.rerenderTiles();
  };
  return { layer, redraw };
}

/**
 * A part of the basemap as a picture, with two pixels for each pixel of the part.
 * @param {Basemap} basemap @param {Look} look @param {boolean} hasPlaces
 * @param {{box: import("./world.js").Box, width: number, height: number, size: number}} part
 */
export async function vectorPicture({ url, max_zoom: maxDataZoom }, look, hasPlaces, { box, width, height, size }) {
  const drawing = await library();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  context?.scale(2, 2);
  const middle = { x: degreesEast((box.west + box.east) / 2), y: degreesNorth((box.north + box.south) / 2) };
  await new drawing.Static({ url, maxDataZoom, ...rulesOf(drawing, look, hasPlaces) }).drawContext(context, width, height, middle, Math.log2(size / 256));
  return canvas.toDataURL();
}

/** @param {number} x */
const degreesEast = (x) => 360 * (x - 0.5);
/** @param {number} y */
const degreesNorth = (y) => Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180 / Math.PI;
