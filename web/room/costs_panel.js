// Costs of the shown diagrams per system against its budget, and their hectares against its target.

import { element, swatch } from "../map/elements.js";
import { costBar, landBar } from "./bars.js";
import { withLand } from "./design_figures.js";
import { quantityTable } from "./quantities.js";
import { exactMoney, labelled, t } from "./texts.js";

/** @import { Project } from "./project.js" */

export class CostsPanel {
  /** @param {Project} project */
  constructor(project) {
    this.project = project;
    this.element = element("div", { className: "page costs" });
    project.addEventListener("costs", () => this.show());
    this.show();
  }

  show() {
    const { costs, about } = this.project;
    if (!costs) return;
    const subject = about.kind === "design" ? labelled(about.design.team, about.design.title) : t(about.kind === "selection" ? "mySelectionOnly" : "wholeProject");
    const title = withLand(this.project, subject);
    const unpriced = costs.unpriced ? element("p", { className: "trouble" }, t("unpriced", { count: costs.unpriced })) : null;
    const rows = costs.systems.map((row) => element("tr", {},
      element("th", { scope: "row", className: "text" }, swatch(row.color || "#777777"), row.name),
      element("td", {}, costBar(row)),
      element("td", {}, landBar(row))));
    const total = element("td", { className: "total" }, costs.total === null ? t("noCost") : exactMoney(costs.total));
    total.dataset.cost = String(costs.total);
    this.element.replaceChildren(
      element("h2", {}, title),
      unpriced || "",
      element("table", {},
        element("caption", { className: "unseen" }, t("costsOf", { title })),
        element("thead", {}, element("tr", {},
          element("th", { scope: "col", className: "text" }, t("system")), element("th", { scope: "col" }, t("costAndBudget")),
          element("th", { scope: "col" }, t("landAndTarget")))),
        element("tbody", {}, ...rows),
        element("tfoot", {}, element("tr", {}, element("th", { scope: "row", className: "text" }, t("total")), total, element("td")))),
      quantityTable(costs),
      element("p", { className: "quiet" }, t("landNote")));
  }
}
