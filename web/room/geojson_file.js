// A GeoJSON file from the machine of who draws.

import { t } from "./texts.js";

// As much as the browser shows at once without stopping, and less than the service takes.
const MAX_BYTES = 4_000_000;
const MAX_PARTS = 200;

/**
 * The features of a file. Throws an error that says what is wrong with it.
 * @param {File} file @param {RegExp} kinds the types of geometry that are wanted @returns {Promise<any[]>}
 */
async function featuresOf(file, kinds) {
  if (file.size > MAX_BYTES) throw new Error(t("fileTooLarge", { megabytes: MAX_BYTES / 1e6 }));
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    throw new Error(t("fileNotGeojson", { name: file.name }));
  }
  const all = content?.type === "FeatureCollection" ? content.features : content?.type === "Feature" ? [content] : content?.coordinates ? [{ geometry: content }] : [];
  const features = (Array.isArray(all) ? all : []).filter((feature) => kinds.test(feature?.geometry?.type));
  if (!features.length) throw new Error(t("fileWithoutShapes", { name: file.name }));
  if (firstNumbers(features[0].geometry.coordinates).some((value) => Math.abs(value) > 180)) throw new Error(t("fileNotDegrees", { name: file.name }));
  return features;
}

/** @param {any} part @returns {number[]} the first position */
const firstNumbers = (part) => (Array.isArray(part?.[0]) ? firstNumbers(part[0]) : part ?? []);

/** The areas of a map, with their properties. @param {File} file */
export const readMapFile = (file) => featuresOf(file, /Polygon$/);

/**
 * The polygons and lines of a file, each with the title that it has. Throws an error that says what is wrong with it.
 * @param {File} file @returns {Promise<{title: string, features: any[]}[]>}
 */
export async function readGeojsonFile(file) {
  const drawn = await featuresOf(file, /Polygon|LineString/);
  if (drawn.length > MAX_PARTS) throw new Error(t("fileTooMany", { count: drawn.length, most: MAX_PARTS }));
  const stem = file.name.replace(/\.[^.]*$/, "");
  return drawn.map(({ geometry, properties }, number) => {
    const { title, name, description } = properties || {};
    const own = String(title ?? name ?? description ?? "").trim();
    return { title: own || (drawn.length > 1 ? `${stem} ${number + 1}` : stem), features: [{ geometry }] };
  });
}
