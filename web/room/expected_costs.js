// Costs and targets of diagrams from the page's own figures, where the service has not sent them yet, or cannot: they are no design.

import { expectedSums } from "./quantities.js";

/** @import { Costs, Project } from "./project.js" */

/**
 * Costs as the service would send them, without rows of diagrams. Hectares are summed over diagrams; `unpriced` counts those without a known cost.
 * @param {Project} project @param {Iterable<number>} ids @returns {Costs | null} null before the first costs are read
 */
export function expectedCosts({ costs, diagrams, figures }, ids) {
  if (!costs) return null;
  const systems = costs.systems.map((row) => ({ ...row, diagrams: 0, cost: 0, priced: 0, area_ha: 0, length_km: 0, pieces: 0, unpriced: 0 }));
  const bySystem = new Map(systems.map((row) => [row.sysid, row]));
  /** The amounts of diagrams by system. @type {Map<number, any[]>} */
  const own = new Map(systems.map(({ sysid }) => [sysid, []]));
  for (const id of ids) {
    const row = bySystem.get(diagrams.get(id)?.sysid);
    if (!row) continue;
    const { cost = null, area = 0, length = 0, pieces = 0, quantities } = figures.get(id) ?? {};
    own.get(row.sysid)?.push(quantities);
    row.diagrams += 1;
    row.area_ha += area;
    row.length_km += length;
    row.pieces += pieces;
    if (cost === null) row.unpriced += 1;
    else {
      row.cost += cost;
      row.priced += 1;
    }
  }
  for (const row of systems) {
    // Costs that are all unknown do not add up to 0.
    if (row.unpriced && !row.priced) row.cost = null;
    if (row.budget) row.budget_met = row.cost > row.budget ? false : row.diagrams && !row.unpriced ? true : null;
    row.quantities = expectedSums(row.quantities, own.get(row.sysid) ?? []);
    if (row.target_ha) row.target_met = (row.current_ha ?? 0) + row.area_ha >= row.target_ha;
  }
  const known = systems.filter(({ cost }) => cost !== null);
  const unpriced = systems.reduce((all, row) => all + row.unpriced, 0);
  return { systems, unpriced, total: known.length || !unpriced ? known.reduce((all, { cost }) => all + cost, 0) : null, diagrams: [] };
}
