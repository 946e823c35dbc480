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

/** How many budgets are kept and targets met, of those that there are. Where a cost is not known, its budget is not counted as kept. @param {Costs} costs */
export function metBy({ systems }) {
  const budgets = systems.filter(({ budget }) => budget);
  const targets = systems.filter(({ target_ha: target }) => target);
  return {
    kept: budgets.filter(({ cost, budget, unpriced }) => cost !== null && !unpriced && cost <= budget).length, budgets: budgets.length,
    met: targets.filter(({ target_met: isMet }) => isMet).length, targets: targets.length,
  };
}

/** In words. @param {{ids: number[], costs: Costs, collisions: Collision[] | null}} figures `collisions` are null while they are computed */
export function figuresText({ ids, costs, collisions }) {
  const { kept, budgets, met, targets } = metBy(costs);
  return [
    t("countOfDiagrams", { count: ids.length }), costs.total === null ? t("noCost") : exactMoney(costs.total), costs.unpriced ? t("unpriced", { count: costs.unpriced }) : "",
    budgets ? t("budgetsKept", { kept, all: budgets }) : "", targets ? t("targetsMet", { met, all: targets }) : "", collisions ? t("collisionsHere", { count: collisions.length }) : "",
  ].filter(Boolean).join(" · ");
}
