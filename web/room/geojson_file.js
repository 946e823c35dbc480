// A GeoJSON file from the machine of who draws.

import { t } from "./texts.js";

// As much as the browser shows at once without stopping, and less than the service takes.
const MAX_BYTES = 4_000_000;
const MAX_PARTS = 200;

/**
 * The polygons and lines of a file, each with the title that it has. Throws an error that says what is wrong with it.
 * @param {File} file @returns {Promise<{title: string, features: any[]}[]>}
 */
export async function readGeojsonFile(file) {
  if (file.size > MAX_BYTES) throw new Error(t("fileTooLarge", { megabytes: MAX_BYTES / 1e6 }));
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    throw new Error(t("fileNotGeojson", { name: file.name }));
  }
  const features = content?.type === "FeatureCollection" ? content.features : content?.type === "Feature" ? [content] : content?.coordinates ? [{ geometry: content }] : [];
  const drawn = (Array.isArray(features) ? features : []).filter((feature) => /Polygon|LineString/.test(feature?.geometry?.type));
  if (!drawn.length) throw new Error(t("fileWithoutShapes", { name: file.name }));
  if (drawn.length > MAX_PARTS) throw new Error(t("fileTooMany", { count: drawn.length, most: MAX_PARTS }));
  const flat = JSON.stringify(drawn.map(({ geometry }) => geometry.coordinates)).match(/-?\d+(\.\d+)?(e-?\d+)?/gi) || [];
  if (flat.slice(0, 2).some((value) => Math.abs(Number(value)) > 180)) throw new Error(t("fileNotDegrees", { name: file.name }));
  const stem = file.name.replace(/\.[^.]*$/, "");
  return drawn.map(({ geometry, properties }, number) => {
    const { title, name, description } = properties || {};
    const own = String(title ?? name ?? description ?? "").trim();
    return { title: own || (drawn.length > 1 ? `${stem} ${number + 1}` : stem), features: [{ geometry }] };
  });
}
