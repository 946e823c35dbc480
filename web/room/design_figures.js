// A design's figures next to those of others: costs, budgets kept, targets met, and collisions of its diagrams.

import { collisionsIn } from "./collisions.js";
import { money, t } from "./texts.js";

/** @import { Costs, Design, Project } from "./project.js" */
/** @import { Collision } from "./collisions.js" */

/** @typedef {{design: Design, ids: number[], costs: Costs, collisions: Collision[]}} DesignFigures */

/** @param {Project} project @param {Design} design @returns {Promise<DesignFigures>} */
export async function figuresOf(project, design) {
  const [ids, costs] = await Promise.all([project.diagramsOf(design), project.costsOfDesign(design)]);
  return { design, ids, costs, collisions: (await collisionsIn(project, ids)) ?? [] };
}

/** The title of costs, with the land that counts. @param {Project} project @param {string} title */
export const withLand = ({ countsInside }, title) => (countsInside ? t("titleInside", { title }) : title);

/** Numbers of systems with a budget: all, with diagrams, within it and over it. Without diagrams, a system is neither. @param {Costs} costs */
export function budgetsOf({ systems }) {
  const count = (/** @type {(row: any) => boolean} */ of) => systems.filter((row) => row.budget && of(row)).length;
  return { all: count(() => true), planned: count(({ diagrams }) => diagrams > 0), kept: count((row) => row.budget_met), over: count((row) => row.budget_met === false) };
}

/** Budgets kept and targets met, in words; omits figures that no system has. @param {Costs} costs */
export function metBy(costs) {
  const { all, planned, kept } = budgetsOf(costs);
  const quantities = costs.systems.flatMap(({ quantities: own }) => Object.values(own ?? {}).filter(({ target }) => target));
  const targets = [...costs.systems.filter(({ target_ha: target }) => target), ...quantities];
  return [all && t("budgetsKept", planned ? { kept, all: planned } : { kept: "–", all }),
    targets.length && t("targetsMet", { met: targets.filter(({ target_met: isMet }) => isMet).length, all: targets.length })].filter(Boolean);
}

/** The figures in words. @param {{ids: number[], costs: Costs, collisions: Collision[] | null}} figures `collisions` are null while they are computed */
export function figuresText({ ids, costs, collisions }) {
  return [
    t("countOfDiagrams", { count: ids.length }), costs.total === null ? t("noCost") : money(costs.total), costs.unpriced ? t("unpriced", { count: costs.unpriced }) : "",
    ...metBy(costs), collisions ? t("collisionsHere", { count: collisions.length }) : "",
  ].filter(Boolean).join(" · ");
}
