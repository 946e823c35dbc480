// A diagram as the page knows it.

import { around, fromGeometry } from "../map/world.js";

/** @import { Box, Shape } from "../map/world.js" */

/**
 * @typedef {object} Diagram
 * @property {number} id
 * @property {string} title
 * @property {number} sysid
 * @property {number} rank its place in its system
 * @property {string} author empty where a guest gets no names
 * @property {boolean} policy
 * @property {string} notes
 * @property {string} funding
 * @property {string | null} start YYYY-MM-DD; null if it has no days
 * @property {string | null} end
 * @property {string[]} tags their codes
 * @property {number} override
 * @property {string} overrideType
 * @property {any} row its fields as the service sends them
 * @property {any} geojson
 * @property {Shape[]} shapes
 * @property {Box | null} box
 */

/** @param {any} row a diagram as the service sends it @param {string} [author] @returns {Diagram} */
export function diagramOf(row, author) {
  const features = row.geojson?.features ?? [];
  const shapes = features.flatMap((/** @type {any} */ feature) => fromGeometry(feature.geometry));
  const kind = row.type ?? features[0]?.properties?.areatype;
  return {
    id: row.id, title: row.description ?? "", sysid: row.sysid, rank: row.rank ?? 0,
    author: author ?? features[0]?.properties?.author ?? "", policy: kind === "policy", notes: row.notes ?? "",
    funding: row.fundingtype ?? "", start: row.undated ? null : row.start_date || null, end: row.undated ? null : row.end_date || null,
    tags: Array.isArray(row.tag_codes) ? row.tag_codes : String(row.tag_codes || "").split("|").filter(Boolean),
    override: row.cost_override ?? 0, overrideType: row.cost_override_type ?? "", row, geojson: row.geojson, shapes, box: around(shapes),
  };
}
