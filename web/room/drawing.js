// A drawing as a form has it: how it is made from a diagram, and what is sent. For a changed diagram, only the person's own
// changes are sent: values that others set in the meantime, and those that a form does not show, stay.

import { diagramOf } from "./diagram.js";
import { isLine, isPoint } from "./drawing_shapes.js";
import { Refused } from "./failures.js";
import { t } from "./texts.js";

/** @import { Project } from "./project.js" */

/**
 * @typedef {object} Drawing a drawing as the browser keeps it
 * @property {number} [id] the diagram that is changed
 * @property {string} [etag] of the diagram when it was read
 * @property {Values} [before] the diagram when it was read
 */

/**
 * @typedef {object} Values
 * @property {string} title
 * @property {number} sysid
 * @property {boolean} policy
 * @property {string[]} tags their ids: a tag may have no code
 * @property {string} funding
 * @property {string} start YYYY-MM-DD; empty if the diagram has no days
 * @property {string} end
 * @property {string} cost empty for the rate of the system
 * @property {string} costType "t" or "u"
 * @property {any} building building data: storeys above the ground and below, and other fields that a form does not show
 * @property {any[]} features GeoJSON
 */

export const FUNDING = { public: "pu", public_private: "pp", private: "pr", budgeted: "bu", other: "o" };

/** @param {Project} project @param {number} [sysid] @returns {Drawing & Values} */
export function newDrawing({ systems }, sysid = systems[0]?.id ?? 0) {
  return { title: "", sysid, policy: false, tags: [], funding: "public", start: "", end: "", cost: "", costType: "t", building: {}, features: [] };
}

/** A diagram as it is now, to be changed. @param {Project} project @param {number} id @returns {Promise<Drawing & Values>} */
export async function drawingOf(project, id) {
  const path = `${project.path}diagrams/${id}/`;
  const [{ body, etag }, tags] = await Promise.all([project.service.send("GET", path), project.service.get(`${path}tags/`)]);
  const before = { ...valuesOf(diagramOf(body)), tags: tags.map((/** @type {any} */ tag) => tag.id) };
  return { ...before, id, etag: etag || undefined, before };
}

/** True if the override type stands for the complete diagram, as the costs read it: other services also write `lump sum`. @param {string} type */
const isTotal = (type) => {
  const words = type.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return ["total", "lump", "lumpsum", "sum"].some((word) => words.includes(word)) && !words.includes("per") && !type.includes("/");
};

/** @param {import("./diagram.js").Diagram} diagram @returns {Omit<Values, "tags">} */
function valuesOf({ title, sysid, policy, funding, start, end, override, overrideType, row, geojson }) {
  return { title, sysid, policy, funding, start: start || "", end: end || "", cost: override ? String(override) : "",
    costType: override && !isTotal(overrideType) ? "u" : "t", building: row.building_data ?? {}, features: geojson?.features ?? [] };
}

/**
 * A stored drawing: the person's changes applied to the current diagram. If the diagram is gone, the drawing becomes a new one.
 * @param {Project} project @param {Drawing & Values} kept @returns {Promise<Drawing & Values>}
 */
export async function broughtUpToDate(project, kept) {
  const { id, before, etag: _, ...values } = kept;
  if (id === undefined) return kept;
  try {
    const now = await drawingOf(project, id);
    return { ...now, ...changedOf(values, before) };
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return values;
    throw error;
  }
}

/**
 * A change of the values from one state to another, as a form would send it now. It is refused where somebody has changed the same values since.
 * @param {Project} project @param {number} id @param {Values} from @param {Values} to @returns {Promise<Drawing & Values>}
 */
export async function changeOf(project, id, from, to) {
  const { before, ...now } = await drawingOf(project, id);
  const changed = changedOf(to, from);
  const names = /** @type {(keyof Values)[]} */ (Object.keys(changed));
  const isAsKnown = names.every((name) => isSame(placesOf(before?.[name]), placesOf(from[name])));
  if (!isAsKnown) throw new Refused(412, t("changedSince", { title: from.title }));
  return { ...now, ...changed, before };
}

/** The values that differ. @param {Values} values @param {Values} [before] none if all are new @returns {Partial<Values>} */
function changedOf(values, before) {
  const names = /** @type {(keyof Values)[]} */ (Object.keys(values));
  return Object.fromEntries(names.filter((name) => !before || !isSame(values[name], before[name])).map((name) => [name, values[name]]));
}

/** @param {any} one @param {any} other */
export const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The requests for a drawing, in order. @param {Project} project @param {Drawing & Values} drawing */
export function stepsOf({ path }, drawing) {
  const { id, etag, before, ...values } = drawing;
  const { title, sysid, policy, tags, funding, features, start, cost, building } = values;
  const tagged = { method: "POST", path: `${path}diagrams/{id}/tags/`, body: tags };
  if (id !== undefined) {
    const changed = changedOf(values, before);
    const body = editOf(changed, values);
    const steps = /** @type {any[]} */ (Object.keys(body).length ? [{ method: "PATCH", path: `${path}diagrams/{id}/`, body, ifMatch: etag }] : []);
    return changed.tags ? [...steps, tagged] : steps;
  }
  const { geometry, fundingtype } = editOf({ features, funding }, values);
  const featuretype = features.every(isPoint) ? "point" : features.every((feature) => isLine(feature) || isPoint(feature)) ? "line" : "polygon";
  const steps = [{ method: "POST", path: `${path}systems/${sysid}/add/${policy ? "policy" : "project"}/`,
    body: { geometry, featuretype, description: title.trim(), fundingtype, ...buildingOf(building) } }];
  const more = editOf({ ...(start ? { start } : {}), ...(cost ? { cost } : {}) }, values);
  if (Object.keys(more).length) steps.push({ method: "PATCH", path: `${path}diagrams/{id}/`, body: more });
  if (tags.length) steps.push(/** @type {any} */ (tagged));
  return steps;
}

/** The body of a change. @param {Partial<Values>} changed @param {Pick<Values, "start" | "end" | "cost" | "costType">} values of the complete form @returns {any} */
function editOf(changed, { start, end, cost, costType }) {
  /** @type {any} */
  const body = {};
  if (changed.title !== undefined) body.title = changed.title.trim();
  if (changed.sysid !== undefined) body.sysid = changed.sysid;
  if (changed.policy !== undefined) body.type = changed.policy ? "policy" : "project";
  if (changed.funding !== undefined) body.fundingtype = /** @type {any} */ (FUNDING)[changed.funding] || "pu";
  if (changed.building) body.building_data = changed.building;
  if (changed.features) body.geometry = collectionOf(changed.features);
  if (changed.start !== undefined || changed.end !== undefined) {
    Object.assign(body, start ? { start_date: midnight(start), end_date: midnight(end) } : { undated: true });
  }
  // The type of an amount matters only with an amount.
  if (changed.cost !== undefined || (changed.costType !== undefined && cost)) {
    Object.assign(body, cost ? { cost: Number(cost), cost_type: costType } : { cost: 0 });
  }
  return body;
}

const ABOVE = "storeys_above_ground";
const BELOW = "storeys_below_ground";

/** Storeys above the ground and below as a form shows them; empty where nobody said. @param {any} building @returns {[string, string]} */
export function storeysOf(building) {
  const text = (/** @type {string} */ name) => (typeof building?.[name] === "number" ? String(Math.abs(building[name])) : "");
  return [text(ABOVE), text(BELOW)];
}

/** Building data with other storeys. @param {any} building @param {string} above @param {string} below */
export function withStoreys(building, above, below) {
  const { [ABOVE]: _above, [BELOW]: _below, ...rest } = building ?? {};
  return { ...rest, ...(above ? { [ABOVE]: Number(above) } : {}), ...(below ? { [BELOW]: Number(below) } : {}) };
}

/** Building data as a new drawing sends them, if it has any. @param {any} building */
export const buildingOf = (building) => (Object.keys(building ?? {}).length ? { building_data: building } : {});

/** Features as they are sent: heights are all that the service takes with a geometry. @param {any[]} features */
export function collectionOf(features) {
  return { type: "FeatureCollection", features: features.map(({ geometry, properties }) => {
    const { volume_information } = properties ?? {};
    return { type: "Feature", properties: volume_information ? { volume_information } : {}, geometry };
  }) };
}

/** @param {string} day YYYY-MM-DD */
const midnight = (day) => `${day}T00:00:00.000Z`;

/** True if a diagram already is as the change would make it. @param {any} row as the service sends it @param {any} change the body */
export function isAs(row, change) {
  const values = valuesOf(diagramOf(row));
  const now = editOf(values, values);
  return Object.entries(change).every(([name, value]) => isSame(placesOf(value?.features ?? value), placesOf(now[name]?.features ?? now[name])));
}

/** The positions of features, which come back from the service with more properties than were sent; any other value as it is. @param {any} value */
function placesOf(value) {
  return Array.isArray(value) ? value.map((one) => one.geometry?.coordinates ?? one) : value;
}

/** Error message about the person's changes; empty if they are valid. @param {Drawing & Values} drawing */
export function problemOf({ id, before, ...values }) {
  const { features, title, start, end } = changedOf(values, before);
  if (features && !features.length) return t("nothingDrawn");
  if (title !== undefined && !title.trim()) return t("noTitle");
  if (start === undefined && end === undefined) return "";
  if (Boolean(values.start) !== Boolean(values.end)) return t("oneDay");
  return values.start > values.end ? t("daysReversed") : "";
}
