// Costs, targets, collisions and classes of land of the current choice or the shown design, updated while diagrams are
// switched on and off.

import { element, swatch } from "../map/elements.js";
import { classBar, costBar, impactBar, landBar } from "./bars.js";
import { collisionList } from "./collision_list.js";
import { collisionsIn } from "./collisions.js";
import { metBy, withLand } from "./design_figures.js";
import { expectedCosts } from "./expected_costs.js";
import { Unreachable } from "./failures.js";
import { hasImpacts, impactSums } from "./impacts.js";
import { quantityTable } from "./quantities.js";
import { exactMoney, labelled, listed, money, t } from "./texts.js";

/** @import { Costs, Project } from "./project.js" */
/** @import { Collision } from "./collisions.js" */
/** @import { Classes } from "./land.js" */

/** Milliseconds after which a service that could not be reached is asked again. */
const ASK_AGAIN = 3000;

export class Balance {
  /** @param {Project} project @param {{show: (ids: number[]) => void, failed: (error: unknown) => void}} actions */
  constructor(project, actions) {
    this.project = project;
    this.actions = actions;
    /** @type {Map<string, number>} */
    this.shares = new Map();
    /** @type {Collision[] | null} null while the service is asked */
    this.collisions = null;
    /** @type {Map<number, Classes> | null} */
    this.classes = null;
    /** True if the service says nothing about land. */
    this.isLandUnknown = false;
    this.turn = 0;
    /** Inputs of the figures that are shown. @type {unknown[]} */
    this.basis = [];
    this.holder = element("div");
    /** @type {{of: Collision[], element: HTMLDetailsElement} | null} */
    this.list = null;
    this.name = element("summary");
    this.element = element("details", { className: "balance" }, this.name, this.holder);
    this.element.addEventListener("toggle", () => this.changed());
    for (const name of ["selection", "about", "costs"]) project.addEventListener(name, () => this.changed());
    project.addEventListener("reread", () => {
      this.basis = [];
      this.changed();
    });
    this.changed();
  }

  /** The diagrams of the shown design, or else the caller's choice. @returns {Set<number>} */
  members() {
    const { about, members, selection } = this.project;
    return about.kind === "design" ? members ?? new Set() : selection;
  }

  changed() {
    const { project } = this;
    this.element.hidden = !project.isMember && project.about.kind !== "design";
    if (this.element.hidden) return;
    const ids = [...this.members()];
    this.showInShort(ids);
    if (!this.element.open) return;
    const basis = [project.about.kind, project.countsInside, ...ids.flatMap((id) => [id, project.diagrams.get(id), project.figures.get(id)?.cost, project.figures.get(id)?.area])];
    // Most changes by others concern other diagrams.
    if (!this.costs || basis.length !== this.basis.length || basis.some((part, place) => part !== this.basis[place])) {
      this.basis = basis;
      this.turn += 1;
      this.collisions = this.classes = null;
      this.isLandUnknown = false;
      this.costs = expectedCosts(project, ids);
      this.isExact = false;
      void this.compute(this.turn);
      if (project.about.kind === "project") this.readSoon();
    }
    if (project.about.kind !== "project") this.take(project.costs);
    this.show();
  }

  /** Takes the service's costs if they are for these diagrams: somebody may have switched another one since. @param {Costs | null} costs */
  take(costs) {
    const members = this.members();
    if (!costs || costs.diagrams.length !== members.size || !costs.diagrams.every(({ diagramid }) => members.has(diagramid))) return;
    this.costs = costs;
    this.isExact = true;
  }

  /** Asks for the costs of the caller's choice after a moment, where another set of diagrams is shown: other changes may follow. */
  readSoon() {
    const { project } = this;
    project.soon("balance", async () => {
      this.take(await project.costsOfChoice());
      this.show();
    }, () => 300 + 3 * project.costsTook);
  }

  /** @param {number} turn */
  async compute(turn) {
    const { project } = this;
    const ids = [...this.members()];
    const isWanted = () => turn === this.turn;
    try {
      const collisions = await collisionsIn(project, ids, isWanted);
      if (!isWanted()) return;
      this.collisions = collisions;
      this.show();
      const classes = await project.land.inClasses(ids, isWanted);
      if (!isWanted()) return;
      this.classes = classes;
    } catch (error) {
      if (!isWanted()) return;
      this.isLandUnknown = true;
      if (error instanceof Unreachable) setTimeout(() => isWanted() && void this.compute(turn), ASK_AGAIN);
    }
    this.show();
  }

  /** Says in one line what the diagrams cost and meet. @param {number[]} ids */
  showInShort(ids) {
    const costs = expectedCosts(this.project, ids);
    const figures = costs && ids.length ? [costs.total === null ? t("noCost") : money(costs.total), ...metBy(costs)] : [];
    this.name.replaceChildren(element("b", {}, this.title()), " ",
      element("span", {}, ids.length ? [t("countOfDiagrams", { count: ids.length }), ...figures].join(" · ") : t("nothingChosen")));
  }

  title() {
    const { about } = this.project;
    return withLand(this.project, about.kind === "design" ? labelled(about.design.team, about.design.title) : t("mySelectionOnly"));
  }

  /** @param {string} known what is shown of land once the service has sent it */
  ofLand(known) {
    return known || (this.isLandUnknown ? t("unknown") : "…");
  }

  show() {
    const { project, costs, shares, collisions, classes } = this;
    const outside = classes ? project.land.outsideOf(this.members()) : null;
    if (!costs) return;
    const title = this.title();
    const planned = costs.systems.filter(({ diagrams }) => diagrams > 0), others = costs.systems.filter(({ diagrams }) => !diagrams);
    const rows = planned.map((row) => element("tr", {},
      element("th", { scope: "row", className: "text" }, swatch(row.color || "#777777"), row.name),
      element("td", {}, costBar(row, shares)), element("td", {}, landBar(row, shares, outside?.get(row.sysid), project.countsInside)),
      element("td", { className: "collide" }, this.collidingIn(row.sysid)),
      element("td", {}, classes ? classBar(classes.get(row.sysid)) : this.ofLand(""))));
    const total = element("td", { className: "figure" }, costs.total === null ? t("noCost") : exactMoney(costs.total));
    total.dataset.cost = String(costs.total);
    const heads = [t("system"), t("costAndBudget"), t("landAndTarget"), t("collisions"), t("classesOfLand")];
    this.holder.dataset.is = this.isExact ? "exact" : "expected";
    if (collisions && this.list?.of !== collisions) {
      this.list = { of: collisions, element: collisionList(project, collisions, this.list?.element.open ?? false, (ids) => this.actions.show(ids)) };
    }
    this.holder.replaceChildren(
      costs.unpriced ? element("p", { className: "trouble" }, t("unpriced", { count: costs.unpriced })) : "",
      element("table", {}, element("caption", { className: "unseen" }, t("balanceOf", { title })),
        element("thead", {}, element("tr", {}, ...heads.map((head, place) => element("th", { scope: "col", className: place ? "" : "text" }, head)))),
        element("tbody", {}, ...rows),
        element("tfoot", {}, element("tr", {}, element("th", { scope: "row", className: "text" }, t("total")), total, element("td"),
          element("td", { className: "collide" }, this.ofLand(collisions ? t("collisionsHere", { count: collisions.length }) : "")), element("td")))),
      others.length ? element("p", { className: "quiet others" }, t("nothingIn", { systems: listed(others.map(({ name }) => name)) })) : "",
      quantityTable(costs),
      hasImpacts(project) ? this.impacts() : "",
      this.list && collisions?.length ? this.list.element : "",
      ...this.landSwitch(),
      element("p", { className: "quiet" }, t("balanceNote")));
  }

  /** The sum of impacts on each system that the project's matrix names. */
  impacts() {
    const { project } = this;
    const sums = this.classes && impactSums(project, this.members());
    const affected = project.systems.filter(({ id }) => project.systems.some(({ impacts }) => impacts[id]));
    const largest = Math.max(...[...(sums?.values() ?? [])].map(Math.abs), 0);
    const rows = affected.map(({ id, name, color }) => element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(color || "#777777"), name),
      element("td", {}, sums ? impactBar(sums.get(id) ?? 0, largest) : this.ofLand(""))));
    return element("section", {}, element("table", { className: "impact-sums" }, element("caption", {}, t("impactOnOthers")), element("tbody", {}, ...rows)),
      element("p", { className: "quiet" }, t("impactSumNote")));
  }

  /** Sets for everybody which land counts. Members see it in the title, and everybody sees if it is too much to be cut. */
  landSwitch() {
    const { project } = this;
    const note = project.isInsideWanted && project.isTooMuchToCut ? [element("p", { className: "trouble", role: "status" }, t("tooMuchToCut"))] : [];
    if (!(project.isAdministrator || project.administers) || !project.hasStudyArea) return note;
    const box = element("input", { type: "checkbox", checked: project.isInsideWanted });
    box.addEventListener("change", () => void project.countInside(box.checked).catch((error) => {
      box.checked = project.isInsideWanted;
      this.actions.failed(error);
    }));
    return [element("label", {}, box, t("countInside")), ...note];
  }

  /** @param {number} sysid */
  collidingIn(sysid) {
    if (!this.collisions) return this.ofLand("");
    const { diagrams } = this.project;
    return t("collisionsHere", { count: this.collisions.filter(({ one, other }) => diagrams.get(one)?.sysid === sysid || diagrams.get(other)?.sysid === sysid).length });
  }
}
