// What the projects of each system bring, such as homes: amounts, their units and targets, saved as they are typed.

import { element, swatch } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { Facilitating } from "./facilitating.js";
import { labelled, t } from "./texts.js";

/** The units on the wire, and what they are called. @type {[string, import("./texts.js").TextName][]} */
const UNITS = [["hectare", "perHectareOfLand"], ["floor_m2", "perFloor"], ["piece", "perPoint"]];

export class PrepareQuantities extends Facilitating {
  /** @param {import("./project.js").Project} project @param {(text: string) => void} said @param {() => Promise<void>} reread */
  constructor(project, said, reread) {
    super(project, said);
    this.reread = reread;
    /** @type {any[]} */
    this.systems = [];
    this.rows = element("div", { className: "across", tabIndex: 0, role: "region", ariaLabel: t("quantities") });
    this.system = element("select");
    this.element = element("section", { className: "quantities" }, element("h2", {}, t("quantities")), element("p", { className: "quiet" }, t("quantitiesNote")),
      this.rows, this.form());
  }

  /** @param {any[]} systems as the service sends them */
  showSystems(systems) {
    this.element.hidden = !systems.length;
    this.systems = systems;
    const { value } = this.system;
    this.system.replaceChildren(...systems.map(({ id, name }) => element("option", { value: String(id) }, name)));
    // Texts that are being typed, and what was chosen, stay.
    if (systems.some(({ id }) => String(id) === value)) this.system.value = value;
    const rows = systems.flatMap((system) => Object.entries(system.quantities ?? {}).map(([name, quantity]) => this.row(system, name, quantity)));
    const heads = [t("system"), t("quantityName"), t("amount"), t("amountPer"), t("target"), ""];
    this.rows.hidden = !rows.length;
    this.rows.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col", className: "text" }, head)))),
      element("tbody", {}, ...rows)));
  }

  /** @param {any} system @param {string} name @param {any} quantity */
  row(system, name, quantity) {
    const of = `${system.name} – ${name}`;
    const save = (/** @type {any} */ change) => this.send("PATCH", `systems/${system.id}/`, { quantities: { [name]: change } });
    const saved = t("saved", { name: of });
    const amount = element("input", { type: "number", step: "any", inputMode: "decimal", required: true, defaultValue: String(quantity.amount), ariaLabel: labelled(t("amount"), of) });
    const target = element("input", { type: "number", min: "0", step: "any", inputMode: "decimal", defaultValue: quantity.target ? String(quantity.target) : "", ariaLabel: labelled(t("target"), of) });
    const unit = units(labelled(t("amountPer"), of), quantity.per);
    const all = () => ({ amount: Number(amount.value), per: unit.value, ...(Number(target.value) ? { target: Number(target.value) } : {}) });
    this.savedAsTyped(amount, () => save(all()), saved);
    this.savedAsTyped(target, () => save(all()), saved);
    unit.addEventListener("change", () => void this.try(save(all()), saved));
    const remove = iconButton("Trash2", t("removeQuantity", { name: of }), () => void this.try(save(null).then(this.reread), t("isLeftOut", { name: of })));
    return element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(system.color), system.name), element("td", { className: "text" }, name),
      element("td", {}, amount), element("td", {}, unit), element("td", {}, target), element("td", {}, remove));
  }

  /** A new quantity. */
  form() {
    const name = element("input", { type: "text", required: true, maxLength: 40, placeholder: t("quantityExample") });
    const amount = element("input", { type: "number", step: "any", inputMode: "decimal", required: true });
    const unit = units(t("amountPer"), "floor_m2");
    const fields = /** @type {[string, HTMLElement][]} */ ([[t("system"), this.system], [t("quantityName"), name], [t("amount"), amount], [t("amountPer"), unit]]);
    const form = element("form", {}, ...fields.map(([text, input]) => element("label", {}, element("small", {}, text), input)),
      element("button", { type: "submit" }, t("addQuantity")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const named = name.value.trim();
      // One of this name keeps its target.
      const before = this.systems.find(({ id }) => String(id) === this.system.value)?.quantities?.[named];
      const quantity = { ...before, amount: Number(amount.value), per: unit.value };
      const added = this.send("PATCH", `systems/${this.system.value}/`, { quantities: { [named]: quantity } }).then(this.reread);
      void this.try(added.then(() => (name.value = amount.value = "")), t("saved", { name: named }));
    });
    return form;
  }
}

/** @param {string} label @param {string} chosen */
function units(label, chosen) {
  const choice = element("select", { ariaLabel: label }, ...UNITS.map(([unit, name]) => element("option", { value: unit }, t(name))));
  choice.value = chosen;
  return choice;
}
