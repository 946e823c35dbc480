// Impacts of systems on each other: the words of their scale, the sums over diagrams, and a row for each system that a drawing lies on.

import { element, swatch } from "../map/elements.js";
import { hectares, signed, t } from "./texts.js";

/** @import { Project } from "./project.js" */

/** From best to worst. @type {[number, import("./texts.js").TextName][]} */
export const SCALE = [[2, "impactMuchBetter"], [1, "impactBetter"], [0, "impactNone"], [-1, "impactWorse"], [-2, "impactMuchWorse"]];

/** An impact as a sign and a word, such as "−2 much worse". @param {number} impact */
export function impactText(impact) {
  const [, name] = SCALE.find(([step]) => step === impact) ?? [0, "impactNone"];
  return impact ? `${signed(impact)} ${t(name)}` : t(name);
}

/** Hectares. Less good land is not shown. */
const LEAST = 0.05;

/** The worst come first, and those without an impact last. @param {{impact: number}} land */
const rank = ({ impact }) => impact || Infinity;

/** True if the project has a matrix of impacts. @param {Project} project */
export const hasImpacts = ({ systems }) => systems.some(({ impacts }) => Object.keys(impacts).length > 0);

/**
 * Hectares of projects times their impact, by the system that they act on, as `comparison.impact()` adds them up. Policies change no land.
 * @param {Project} project @param {Iterable<number>} ids diagrams whose land the service has sent
 */
export function impactSums({ systems, diagrams, land }, ids) {
  const rows = new Map(systems.map(({ id, impacts }) => [id, Object.entries(impacts)]));
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const id of ids) {
    const diagram = diagrams.get(id);
    if (!diagram || diagram.policy) continue;
    for (const [affected, impact] of rows.get(diagram.sysid) ?? []) {
      sums.set(Number(affected), (sums.get(Number(affected)) ?? 0) + impact * land.areaOf(diagram));
    }
  }
  return sums;
}

/** Other systems on whose good land a drawing lies, with its impact on them. @param {Project} project @param {{sysid: number, area_ha: number, impact: number}[]} lands as the service previews them */
export function goodLandList({ systems }, lands) {
  const rows = lands.filter(({ area_ha: area }) => area >= LEAST).sort((one, other) => rank(one) - rank(other) || 0).map(({ sysid, area_ha: area, impact }) => {
    const { name, color } = systems.find(({ id }) => id === sysid) ?? { name: String(sysid), color: "#777777" };
    const row = element("li", { className: impact < 0 ? "worse" : "" }, swatch(color), `${name}: ${hectares(area)} · ${impactText(impact)}`);
    row.dataset.impact = String(impact);
    return row;
  });
  return !rows.length ? "" : element("div", { className: "good-land" }, element("p", {}, t("goodLandOf")), element("ul", { className: "classes" }, ...rows));
}
