// The matrix of impacts: for each two systems, the effect of one on the other, saved as it is chosen.

import { element, swatch } from "../map/elements.js";
import { Facilitating } from "./facilitating.js";
import { SCALE, impactText } from "./impacts.js";
import { t } from "./texts.js";

export class PrepareImpacts extends Facilitating {
  /** @param {import("./project.js").Project} project @param {(text: string) => void} said */
  constructor(project, said) {
    super(project, said);
    this.element = element("section", { className: "impacts" });
  }

  /** @param {any[]} systems as the service sends them */
  showSystems(systems) {
    this.element.hidden = systems.length < 2;
    const head = (/** @type {any} */ { name, color }, /** @type {string} */ scope) => element("th", { scope, className: "text" }, swatch(color), name);
    const rows = systems.map((acting) => element("tr", {}, head(acting, "row"), ...systems.map((affected) =>
      (acting === affected ? element("td", { className: "same" }, "–") : element("td", {}, this.cell(acting, affected))))));
    this.element.replaceChildren(element("h2", {}, t("impacts")), element("p", { className: "quiet" }, t("impactsNote")),
      element("div", { className: "across", tabIndex: 0, role: "region", ariaLabel: t("impacts") }, element("table", { className: "matrix" },
        element("thead", {}, element("tr", {}, element("th", { scope: "col", className: "text" }, t("system")), ...systems.map((system) => head(system, "col")))),
        element("tbody", {}, ...rows))));
  }

  /** @param {any} acting @param {any} affected */
  cell(acting, affected) {
    const choice = element("select", { ariaLabel: t("impactOf", { one: acting.name, other: affected.name }) },
      ...SCALE.map(([step]) => element("option", { value: String(step) }, impactText(step))));
    const show = (/** @type {number} */ impact) => {
      choice.value = choice.dataset.impact = String(impact);
    };
    let saved = acting.impacts?.[affected.id] ?? 0;
    show(saved);
    choice.addEventListener("change", () => void this.try(
      this.send("PATCH", `systems/${acting.id}/`, { impacts: { [affected.id]: Number(choice.value) } }).then(() => (saved = Number(choice.value))).finally(() => show(saved)),
      t("saved", { name: `${acting.name} → ${affected.name}` })));
    return choice;
  }
}
