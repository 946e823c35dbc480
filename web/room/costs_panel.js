// What the shown diagrams cost, per system against its budget, and their hectares against its target.

import { element, swatch } from "../map/elements.js";
import { exactMoney, hectares, money, number, t } from "./texts.js";

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
    const title = about.kind === "design" ? `${about.design.team}: ${about.design.title}` : t(about.kind === "selection" ? "mySelectionOnly" : "wholeProject");
    const unpriced = costs.unpriced ? element("p", { className: "trouble" }, t("unpriced", { count: costs.unpriced })) : null;
    const rows = costs.systems.map((row) => element("tr", {},
      element("th", { scope: "row", className: "text" }, swatch(row.color || "#777777"), row.name),
      element("td", {}, this.cost(row)),
      element("td", {}, this.land(row))));
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
      element("p", { className: "quiet" }, t("landNote")));
  }

  /** @param {any} row */
  cost({ cost, budget }) {
    const known = cost === null ? t("noCost") : exactMoney(cost);
    const shown = element("span", { className: "figure" }, known);
    shown.dataset.cost = String(cost);
    if (!budget || cost === null) return element("div", {}, shown);
    const isOver = cost > budget;
    return element("div", {}, shown, bar(cost / budget, isOver),
      element("span", { className: isOver ? "over" : "quiet" },
        isOver ? t("overBudget", { amount: money(cost - budget), budget: money(budget) }) : t("ofBudget", { budget: money(budget) })));
  }

  /** @param {any} row */
  land({ area_ha: area, length_km: length, current_ha: current, target_ha: target, target_met: isMet }) {
    const text = [area > 0 && hectares(area), length > 0 && `${number(length, 1)} km`].filter(Boolean).join(" · ") || "0 ha";
    if (!target) return element("div", {}, element("span", { className: "figure" }, text));
    const withToday = current ? t("andToday", { land: text, today: hectares(current) }) : text;
    return element("div", {}, element("span", { className: "figure" }, withToday), bar(((current || 0) + area) / target, false),
      element("span", { className: "quiet" }, isMet ? t("targetMet", { target: hectares(target) }) : t("ofTarget", { target: hectares(target) })));
  }
}

/** How much of something is used up. @param {number} share @param {boolean} isOver */
function bar(share, isOver) {
  const inner = element("i");
  inner.style.inlineSize = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element("span", { className: `meter${isOver ? " over" : ""}`, ariaHidden: "true" }, inner);
}
