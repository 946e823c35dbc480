// Files with geometries from the machine of who draws.

import { t } from "./texts.js";

/** @import { Processes } from "./processes.js" */

// As much as the browser shows at once without stopping, and less than the service takes.
const MAX_BYTES = 4_000_000;
const MAX_PARTS = 200;

const AREAS = /Polygon$/;

/** What is wrong with a file, for who chose it. */
export class UnreadableFile extends Error {}

/**
 * The features of a file. Throws an `UnreadableFile` that says what is wrong with it.
 * @param {File} file @param {RegExp} kinds the types of geometry that are wanted @returns {Promise<any[]>}
 */
async function featuresOf(file, kinds) {
  if (file.size > MAX_BYTES) throw new UnreadableFile(t("fileTooLarge", { megabytes: MAX_BYTES / 1e6 }));
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    throw new UnreadableFile(t("fileNotGeojson", { name: file.name }));
  }
  const all = content?.type === "FeatureCollection" ? content.features : content?.type === "Feature" ? [content] : content?.coordinates ? [{ geometry: content }] : [];
  const features = (Array.isArray(all) ? all : []).filter((feature) => kinds.test(feature?.geometry?.type));
  if (!features.length) throw new UnreadableFile(t("fileWithoutShapes", { name: file.name }));
  if (firstNumbers(features[0].geometry.coordinates).some((value) => Math.abs(value) > 180)) throw new UnreadableFile(t("fileNotDegrees", { name: file.name }));
  return features;
}

/** @param {any} part @returns {number[]} the first position */
const firstNumbers = (part) => (Array.isArray(part?.[0]) ? firstNumbers(part[0]) : part ?? []);

/**
 * The areas of a map, with their properties, or the names of its layers if it has several. What the browser does not read itself, the
 * service has read in Python, if it can. Throws `UnreadableFile`, `Refused` or `Unreachable`.
 * @param {File} file @param {Processes} processes @param {string} [layer]
 * @returns {Promise<{features: any[]} | {layers: string[]}>}
 */
export async function readMapFile(file, processes, layer) {
  const isGeojson = /\.(geo)?json$/i.test(file.name);
  if (isGeojson && file.size <= MAX_BYTES) return { features: await featuresOf(file, AREAS) };
  if (!(await processes.offered()).has("read_map")) throw new UnreadableFile(t("fileNeedsPython", { name: file.name, megabytes: MAX_BYTES / 1e6 }));
  const found = JSON.parse(await (await processes.run("read_map", file, { name: file.name, ...(layer ? { layer } : {}) })).text());
  if (found.layers) return { layers: found.layers };
  const features = found.features.filter((/** @type {any} */ { geometry }) => AREAS.test(geometry?.type));
  if (!features.length) throw new UnreadableFile(t("fileWithoutShapes", { name: file.name }));
  return { features };
}

/**
 * The polygons and lines of a file, each with the title that it has. Throws an `UnreadableFile` that says what is wrong with it.
 * @param {File} file @returns {Promise<{title: string, features: any[]}[]>}
 */
export async function readGeojsonFile(file) {
  const drawn = await featuresOf(file, /Polygon|LineString/);
  if (drawn.length > MAX_PARTS) throw new UnreadableFile(t("fileTooMany", { count: drawn.length, most: MAX_PARTS }));
  const stem = file.name.replace(/\.[^.]*$/, "");
  return drawn.map(({ geometry, properties }, number) => {
    const { title, name, description } = properties || {};
    const own = String(title ?? name ?? description ?? "").trim();
    return { title: own || (drawn.length > 1 ? `${stem} ${number + 1}` : stem), features: [{ geometry }] };
  });
}
