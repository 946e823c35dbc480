// The latest designs of the teams side by side, for the wall.

import { element } from "../map/elements.js";
import { MapOfScene } from "../map/map.js";
import { budgetsOf } from "./design_figures.js";
import { labelled, money, t } from "./texts.js";

/** @import { Project, Design } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */

/** Number of designs that can be distinguished from the last row. */
const AT_ONCE = 9;

/** A design's cost against the budgets of all systems. @param {Project} project @param {Design} design */
export async function costsAgainstBudgets(project, design) {
  const costs = await project.costsOfDesign(design).catch(() => null);
  if (!costs) return t("noCost");
  const { kept, over } = budgetsOf(costs);
  const isWithin = kept && !over && !costs.unpriced;
  return [costs.total === null ? t("noCost") : money(costs.total), over ? t("systemsOver", { count: over }) : isWithin ? t("withinBudgets") : "",
    costs.unpriced ? t("unpriced", { count: costs.unpriced }) : ""].filter(Boolean).join(" · ");
}

export class WallDesigns {
  /** @param {Project} project */
  constructor(project) {
    this.project = project;
    this.element = element("div", { className: "designs-of-wall", hidden: true });
    /** Index of the first shown design: more than nine take turns. */
    this.first = 0;
    /** Number of showings: a response for an earlier one is too late. */
    this.turn = 0;
    /** @type {MapOfScene | null} */
    this.map = null;
  }

  /**
   * Shows the next designs.
   * @param {RoomMap} room
   * @returns {Promise<boolean>} true if there are any, and the service sent their diagrams
   */
  async show(room) {
    const { project } = this;
    const turn = (this.turn += 1);
    const all = project.latestDesigns();
    if (this.first >= all.length) this.first = 0;
    const designs = all.slice(this.first, this.first + AT_ONCE);
    let views;
    try {
      views = await Promise.all(designs.map(async (design) => ({
        title: labelled(design.team, design.title || t("untitled")), members: await project.diagramsOf(design), facts: await costsAgainstBudgets(project, design),
      })));
    } catch {
      return false;
    }
    if (turn !== this.turn || !views.length) return false;
    this.first += AT_ONCE;
    this.map?.remove();
    this.element.hidden = false;
    this.map = new MapOfScene(this.element, room.newScene(), views, { texts: room.map.texts });
    return true;
  }

  hide() {
    this.turn += 1;
    this.map?.remove();
    this.map = null;
    this.element.hidden = true;
  }
}
