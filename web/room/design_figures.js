// What is said of a design beside others: what it costs, which budgets it keeps, which targets it meets, and where its diagrams collide.

import { collisionsIn } from "./collisions.js";
import { exactMoney, t } from "./texts.js";

/** @import { Costs, Design, Project } from "./project.js" */
/** @import { Collision } from "./collisions.js" */

/** @typedef {{design: Design, ids: number[], costs: Costs, collisions: Collision[]}} DesignFigures */

/** @param {Project} project @param {Design} design @returns {Promise<DesignFigures>} */
export async function figuresOf(project, design) {
  const [ids, costs] = await Promise.all([project.diagramsOf(design), project.service.get(`${project.path}cteams/${design.teamid}/${design.id}/costs/`)]);
  return { design, ids, costs, collisions: (await collisionsIn(project.diagrams, ids)) ?? [] };
}

/** Whether a design has spent something of a system's budget: doing nothing keeps none. @param {any} row of costs */
export const hasPlans = ({ diagrams }) => diagrams > 0;

/**
 * Budgets kept and targets met, in words; nothing about what no system has. Where a cost is not known, its budget is not counted as kept.
 * @param {Costs} costs
 */
export function metBy({ systems }) {
  const budgets = systems.filter(({ budget }) => budget);
  const planned = budgets.filter(hasPlans);
  const targets = systems.filter(({ target_ha: target }) => target);
  const kept = planned.filter(({ cost, budget, unpriced }) => cost !== null && !unpriced && cost <= budget).length;
  return [budgets.length && t("budgetsKept", planned.length ? { kept, all: planned.length } : { kept: "–", all: budgets.length }),
    targets.length && t("targetsMet", { met: targets.filter(({ target_met: isMet }) => isMet).length, all: targets.length })].filter(Boolean);
}

/** In words. @param {{ids: number[], costs: Costs, collisions: Collision[] | null}} figures `collisions` are null while they are computed */
export function figuresText({ ids, costs, collisions }) {
  return [
    t("countOfDiagrams", { count: ids.length }), costs.total === null ? t("noCost") : exactMoney(costs.total), costs.unpriced ? t("unpriced", { count: costs.unpriced }) : "",
    ...metBy(costs), collisions ? t("collisionsHere", { count: collisions.length }) : "",
  ].filter(Boolean).join(" · ");
}
