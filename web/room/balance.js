// What the choice in hand, or the design that is shown, costs and meets, where it collides, and on which classes of land it lies:
// while diagrams are switched on and off.

import { button, element, swatch } from "../map/elements.js";
import { classBar, costBar, landBar } from "./bars.js";
import { collisionsIn } from "./collisions.js";
import { Suitability } from "./suitability.js";
import { exactMoney, hectares, t } from "./texts.js";
import { inSteps } from "./work.js";

/** @import { Costs, Project } from "./project.js" */
/** @import { Collision } from "./collisions.js" */
/** @import { Classes } from "./suitability.js" */

/**
 * What diagrams cost by the figures that the page has, until the service says it.
 * @param {Project} project @param {Iterable<number>} ids @returns {Costs | null} null before the first costs are read
 */
export function expectedCosts({ costs, diagrams, figures }, ids) {
  if (!costs) return null;
  const systems = costs.systems.map((row) => ({ ...row, cost: 0, priced: 0, area_ha: 0, length_km: 0, unpriced: 0 }));
  const bySystem = new Map(systems.map((row) => [row.sysid, row]));
  for (const id of ids) {
    const row = bySystem.get(diagrams.get(id)?.sysid);
    if (!row) continue;
    const { cost = null, area = 0, length = 0 } = figures.get(id) ?? {};
    row.area_ha += area;
    row.length_km += length;
    if (cost === null) row.unpriced += 1;
    else {
      row.cost += cost;
      row.priced += 1;
    }
  }
  for (const row of systems) {
    // What is all unknown does not cost 0.
    if (row.unpriced && !row.priced) row.cost = null;
    if (row.target_ha) row.target_met = (row.current_ha ?? 0) + row.area_ha >= row.target_ha;
  }
  const known = systems.filter(({ cost }) => cost !== null);
  const unpriced = systems.reduce((all, row) => all + row.unpriced, 0);
  return { systems, unpriced, total: known.length || !unpriced ? known.reduce((all, { cost }) => all + cost, 0) : null, diagrams: [] };
}

export class Balance {
  /** @param {Project} project @param {{show: (ids: number[]) => void}} actions */
  constructor(project, actions) {
    this.project = project;
    this.actions = actions;
    this.suitability = new Suitability(project);
    /** @type {Map<string, number>} */
    this.shares = new Map();
    /** @type {Collision[] | null} null while they are computed */
    this.collisions = null;
    /** @type {Map<number, Classes> | null} */
    this.classes = null;
    this.turn = 0;
    /** What was shown was computed from these. @type {unknown[]} */
    this.basis = [];
    this.holder = element("div");
    /** @type {{of: Collision[], element: HTMLDetailsElement} | null} */
    this.list = null;
    this.name = element("summary");
    this.element = element("details", { className: "balance", open: matchMedia("(min-width: 800px) and (min-height: 700px)").matches },
      this.name, this.holder);
    this.element.addEventListener("toggle", () => this.changed());
    for (const name of ["selection", "about", "costs"]) project.addEventListener(name, () => this.changed());
    project.addEventListener("anew", () => {
      this.basis = [];
      this.changed();
    });
    this.changed();
  }

  /** The diagrams that it is about: those of the design that is shown, or one's own choice. @returns {Set<number>} */
  members() {
    const { about, members, selection } = this.project;
    return about.kind === "design" ? members ?? new Set() : selection;
  }

  changed() {
    const { project } = this;
    this.name.textContent = t(project.about.kind === "design" ? "balanceOfDesign" : "balance");
    this.element.hidden = !project.isMember && project.about.kind !== "design";
    if (this.element.hidden || !this.element.open) return;
    const ids = [...this.members()];
    const basis = [project.about.kind, ...ids.flatMap((id) => [id, project.diagrams.get(id), project.figures.get(id)?.cost, project.figures.get(id)?.area])];
    // Most of what others do is about other diagrams.
    if (!this.costs || basis.length !== this.basis.length || basis.some((part, place) => part !== this.basis[place])) {
      this.basis = basis;
      this.turn += 1;
      this.collisions = this.classes = null;
      this.costs = expectedCosts(project, ids);
      this.isExact = false;
      void this.compute(this.turn);
      if (project.about.kind === "project") this.readSoon();
    }
    if (project.about.kind !== "project") this.take(project.costs);
    this.show();
  }

  /** Takes what the service says, if it is about these diagrams: somebody may have switched another one meanwhile. @param {Costs | null} costs */
  take(costs) {
    const members = this.members();
    if (!costs || costs.diagrams.length !== members.size || !costs.diagrams.every(({ diagramid }) => members.has(diagramid))) return;
    this.costs = costs;
    this.isExact = true;
  }

  /** Where another set of diagrams is shown, the costs of one's choice are asked for as those are: after a moment, because others may follow. */
  readSoon() {
    const { project } = this;
    project.soon("balance", async () => {
      this.take(await project.service.get(`${project.path}members/${encodeURIComponent(project.me)}/costs/`));
      this.show();
    }, () => 300 + 3 * project.costsTook);
  }

  /** @param {number} turn */
  async compute(turn) {
    const { project } = this;
    const ids = [...this.members()];
    const isWanted = () => turn === this.turn;
    const collisions = await collisionsIn(project.diagrams, ids, isWanted);
    if (!collisions) return;
    this.collisions = collisions;
    this.show();
    this.classes = await this.suitability.of(ids, isWanted);
    if (this.classes) this.show();
  }

  show() {
    const { project, costs, shares, collisions, classes } = this;
    if (!costs) return;
    const { about } = project;
    const title = about.kind === "design" ? `${about.design.team}: ${about.design.title}` : t("mySelectionOnly");
    const rows = costs.systems.map((row) => element("tr", {},
      element("th", { scope: "row", className: "text" }, swatch(row.color || "#777777"), row.name),
      element("td", {}, costBar(row, shares)), element("td", {}, landBar(row, shares)),
      element("td", { className: "collide" }, this.collidingIn(row.sysid)),
      element("td", {}, classes ? classBar(classes.get(row.sysid)) : "…")));
    const total = element("td", { className: "figure" }, costs.total === null ? t("noCost") : exactMoney(costs.total));
    total.dataset.cost = String(costs.total);
    const heads = [t("system"), t("costAndBudget"), t("landAndTarget"), t("collisions"), t("classesOfLand")];
    this.holder.dataset.is = this.isExact ? "exact" : "expected";
    if (collisions && this.list?.of !== collisions) {
      this.list = { of: collisions, element: collisionList(project, collisions, this.list?.element.open ?? false, (ids) => this.actions.show(ids)) };
    }
    this.holder.replaceChildren(
      element("p", {}, element("b", {}, title), " ", element("span", { className: "quiet" }, t("countOfDiagrams", { count: this.members().size }))),
      costs.unpriced ? element("p", { className: "trouble" }, t("unpriced", { count: costs.unpriced })) : "",
      element("table", {}, element("caption", { className: "unseen" }, t("balanceOf", { title })),
        element("thead", {}, element("tr", {}, ...heads.map((head, place) => element("th", { scope: "col", className: place ? "" : "text" }, head)))),
        element("tbody", {}, ...rows),
        element("tfoot", {}, element("tr", {}, element("th", { scope: "row", className: "text" }, t("total")), total, element("td"),
          element("td", { className: "collide" }, collisions ? t("collisionsHere", { count: collisions.length }) : "…"), element("td")))),
      this.list && collisions?.length ? this.list.element : "",
      element("p", { className: "quiet" }, t("balanceNote")));
  }

  /** @param {number} sysid */
  collidingIn(sysid) {
    if (!this.collisions) return "…";
    const { diagrams } = this.project;
    return t("collisionsHere", { count: this.collisions.filter(({ one, other }) => diagrams.get(one)?.sysid === sysid || diagrams.get(other)?.sysid === sysid).length });
  }
}

/**
 * Pairs on the same land, each to be shown on the map. Rows are made when somebody opens the list: there may be thousands.
 * @param {Project} project @param {Collision[]} collisions @param {boolean} isOpen @param {(ids: number[]) => void} show
 */
export function collisionList({ diagrams }, collisions, isOpen, show) {
  const titleOf = (/** @type {number} */ id) => diagrams.get(id)?.title || t("untitled");
  const list = element("ul");
  const holder = element("details", { className: "collisions", open: isOpen }, element("summary", {}, t("countOfCollisions", { count: collisions.length })), list);
  const append = (/** @type {Collision} */ { one, other, hectares: land }) => {
    const row = element("li", {}, button(`${titleOf(one)} × ${titleOf(other)}`, () => show([one, other]), { title: t("showOnMap") }), " ", hectares(land));
    row.dataset.pair = `${one} ${other}`;
    row.dataset.hectares = String(land);
    list.append(row);
  };
  holder.addEventListener("toggle", () => {
    if (!holder.open || list.childElementCount) return;
    void inSteps((function* () {
      for (const collision of collisions) yield append(collision);
    })(), () => holder.isConnected);
  });
  return holder;
}
