// Files with geometries from the member's own machine.

import { storeysOf, withStoreys } from "./drawing.js";
import { listed, t, wordFor } from "./texts.js";

/** @import { Processes } from "./processes.js" */
/** @typedef {{title: string, building: any, features: any[]}[] & {leftOut: string}} Shapes */

// As much as the browser shows at once without freezing, and less than the service accepts.
const MAX_BYTES = 4_000_000;
const MAX_PARTS = 200;

const AREAS = /^(Multi)?Polygon$/;
const PLACED = /^(Multi)?(Polygon|LineString|Point)$/;
// Names of GeoJSON's only CRS (RFC 7946), as older files may give them in `crs`.
const WGS84 = ["CRS84", "CRS84H", "4326", "4979", "WGS84", "WGS 84"];

/** A file that cannot be used; the message is for the person who chose it. */
export class UnreadableFile extends Error {}

/**
 * A file's features with shapes of some kinds, and a sentence about the others. Throws an `UnreadableFile`.
 * @param {File} file @param {RegExp} kinds the wanted types of geometry @returns {Promise<{features: any[], leftOut: string}>}
 */
async function featuresOf(file, kinds) {
  if (file.size > MAX_BYTES) throw new UnreadableFile(t("fileTooLarge", { megabytes: MAX_BYTES / 1e6 }));
  const all = featuresIn(parsed(await textOf(file), file.name));
  if (all.some((feature) => [feature?.geometry?.crs, feature?.crs].some(isElsewhere))) throw new UnreadableFile(t("fileNotDegrees", { name: file.name }));
  const read = all.map((feature) => partsOf(feature, kinds));
  const features = read.flatMap(({ features }) => features);
  const whole = read.filter(({ features, leftOut }) => !features.length && leftOut.length);
  const partly = read.filter(({ features, leftOut }) => features.length && leftOut.length);
  const leftOut = [
    whole.length ? t("fileLeftOut", { count: whole.length, all: all.length, kinds: kindsOf(whole) }) : "",
    partly.length ? t("filePartsLeftOut", { count: partly.length, kinds: kindsOf(partly) }) : "",
  ].filter(Boolean).join(" ");
  if (!features.length) throw new UnreadableFile([t("fileWithoutShapes", { name: file.name }), leftOut].filter(Boolean).join(" "));
  if (features.some(({ geometry }) => !areDegrees(geometry.coordinates))) throw new UnreadableFile(t("fileNotDegrees", { name: file.name }));
  return { features, leftOut };
}

/** @param {{leftOut: string[]}[]} features @returns {string} */
const kindsOf = (features) => listed([...new Set(features.flatMap(({ leftOut }) => leftOut))].map((kind) => wordFor("leftOut", kind)));

/** @param {File} file @returns {Promise<string>} */
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile(t("fileNotUtf8", { name: file.name }));
  }
}

/** @param {string} text @param {string} name */
function parsed(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableFile(t("fileNotGeojson", { name }));
  }
}

/** The features, each with the file's `crs` unless it has its own. @param {any} content @returns {any[]} */
function featuresIn(content) {
  const all = content?.type === "FeatureCollection" ? content.features : content?.type === "Feature" ? [content] : content?.coordinates || content?.geometries ? [{ geometry: content }] : [];
  return (Array.isArray(all) ? all : []).map((feature) => ({ ...feature, crs: feature?.crs ?? content.crs }));
}

/** True if the member `crs` names anything but WGS 84. @param {any} crs */
function isElsewhere(crs) {
  if (crs === undefined || crs === null) return false;
  const name = typeof crs === "string" ? crs : crs.properties?.name ?? crs.properties?.code ?? "";
  return !WGS84.includes(String(name).toUpperCase().split(/[:/#]/).pop() ?? "");
}

/**
 * A feature's shapes, those of a collection one by one, and the kinds of those left out.
 * @param {any} feature @param {RegExp} kinds @returns {{features: any[], leftOut: string[]}}
 */
function partsOf(feature, kinds) {
  const { geometry, properties } = feature;
  const members = geometry?.type === "GeometryCollection" ? geometry.geometries ?? [] : [geometry];
  const kindOf = (/** @type {any} */ member) => (!member ? "none" : !kinds.test(member.type) ? (/Point$/.test(member.type) ? "point" : /LineString$/.test(member.type) ? "line" : "other") : hasNumbers(member.coordinates) ? "" : "broken");
  const readable = members.filter((/** @type {any} */ member) => !kindOf(member));
  // A feature has one kind of shapes: areas, else lines, else points.
  const kind = ["Polygon", "LineString", "Point"].find((name) => readable.some((/** @type {any} */ { type }) => type.endsWith(name))) ?? "";
  const wanted = readable.filter((/** @type {any} */ { type }) => type.endsWith(kind));
  const others = readable.filter((/** @type {any} */ { type }) => !type.endsWith(kind)).map((/** @type {any} */ { type }) => (type.endsWith("Point") ? "point" : "line"));
  return {
    features: wanted.length ? [{ geometry: merged(wanted, kind), properties }] : [],
    leftOut: members.length ? [...members.map(kindOf).filter(Boolean), ...others] : ["none"],
  };
}

/** One geometry of several. @param {any[]} members @param {string} kind */
function merged(members, kind) {
  if (members.length === 1) return members[0];
  return { type: `Multi${kind}`, coordinates: members.flatMap(({ type, coordinates }) => (type === kind ? [coordinates] : coordinates)) };
}

/** True if all nested coordinates are numbers. @param {any} part @returns {boolean} */
const hasNumbers = (part) => Array.isArray(part) && part.length > 0 && (Array.isArray(part[0]) ? part.every(hasNumbers) : part.every(Number.isFinite));

/** @param {any} part @returns {boolean} whether all positions are degrees */
const areDegrees = (part) => (Array.isArray(part[0]) ? part.every(areDegrees) : Math.abs(part[0]) <= 360 && Math.abs(part[1]) <= 90);

/**
 * A map's areas with their properties, or also its lines and points, or the names of its layers if it has several. The service reads
 * files that the browser cannot, with Python where it has it. Throws `UnreadableFile`, `Refused` or `Unreachable`.
 * @param {File} file @param {Processes} processes @param {string} [layer] @param {boolean} [onlyAreas]
 * @returns {Promise<{features: any[], leftOut: string} | {layers: string[]}>}
 */
export async function readMapFile(file, processes, layer, onlyAreas = true) {
  const kinds = onlyAreas ? AREAS : PLACED;
  const canRead = (await processes.offered()).has("read_map");
  const isGeojson = /\.(geo)?json$/i.test(file.name);
  if (isGeojson && (file.size <= MAX_BYTES || !canRead)) {
    try {
      return await featuresOf(file, kinds);
    } catch (error) {
      // Such as one in another CRS.
      if (!canRead) throw error;
    }
  }
  if (!canRead) throw new UnreadableFile(t("fileNeedsPython", { name: file.name, megabytes: MAX_BYTES / 1e6 }));
  const found = JSON.parse(await (await processes.run("read_map", file, { name: file.name, ...(layer ? { layer } : {}) })).text());
  if (found.layers) return { layers: found.layers };
  return featuresOf(new File([JSON.stringify(found)], file.name), kinds);
}

/**
 * A file's polygons, lines and points, each with its title and its storeys, and a sentence about the rest. Throws an `UnreadableFile` that says what
 * is wrong.
 * @param {File} file @returns {Promise<Shapes>}
 */
export async function readGeojsonFile(file) {
  const { features, leftOut } = await featuresOf(file, PLACED);
  if (features.length > MAX_PARTS) throw new UnreadableFile(t("fileTooMany", { count: features.length, most: MAX_PARTS }));
  const stem = file.name.replace(/\.[^.]*$/, "");
  const shapes = features.map(({ geometry, properties }, number) => {
    const { title, name, description } = properties || {};
    const own = String(title ?? name ?? description ?? "").trim();
    const building = withStoreys({}, ...storeysOf(properties?.building_data ?? properties));
    return { building, title: own || (features.length > 1 ? `${stem} ${number + 1}` : stem), features: [{ geometry }] };
  });
  return Object.assign(shapes, { leftOut });
}
