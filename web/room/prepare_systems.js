// The project's title and its systems, saved as one types.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { lookAlike } from "./color_vision.js";
import { Facilitating } from "./facilitating.js";
import { PrepareImpacts } from "./prepare_impacts.js";
import { PrepareQuantities } from "./prepare_quantities.js";
import { labelled, t } from "./texts.js";

/** Colours of new systems, in this order: each is told apart from its neighbours. */
const COLORS = ["#2b7bba", "#3b8f4e", "#e0a030", "#6a6a6a", "#d95f5f", "#8e5ea2", "#b5b35c", "#c77cb0", "#4fb3a9", "#7a5230", "#1f3f77", "#a6d96a"];
/** Fields of a system: name on the wire, what it is called, kind of field. @type {[string, import("./texts.js").TextName, string][]} */
const FIELDS = [["color", "color", "color"], ["name", "systemName", "text"], ["tag", "shortName", "text"], ["cost", "ratePerHectare", "number"],
  ["budget", "budget", "number"], ["current_ha", "landToday", "number"], ["target_ha", "landWanted", "number"]];
/** The first of them that is a figure. */
const FIGURES = FIELDS.findIndex(([, , type]) => type === "number");

export class PrepareSystems extends Facilitating {
  /** @param {import("./project.js").Project} project @param {(text: string) => void} said */
  constructor(project, said) {
    super(project, said);
    this.about = element("section");
    this.systems = element("section");
    this.impacts = new PrepareImpacts(project, said);
    this.quantities = new PrepareQuantities(project, said, () => this.show());
    this.element = element("div", {}, this.about, this.systems, this.quantities.element, this.impacts.element);
  }

  async show() {
    this.showAbout();
    await this.try(this.project.service.list(`${this.project.path}systems/`).then((rows) => this.showSystems(rows)));
  }

  showAbout() {
    const { project } = this;
    const title = element("input", { type: "text", required: true, maxLength: 200, defaultValue: project.title });
    const description = element("textarea", { rows: 2, defaultValue: project.description });
    const edit = (/** @type {string} */ field) => (/** @type {string} */ value) => this.send("PATCH", "", { [field]: value });
    this.savedAsTyped(title, edit("projecttitle"), t("saved", { name: t("title") }));
    this.savedAsTyped(description, edit("projectdesc"), t("saved", { name: t("description") }));
    this.about.replaceChildren(element("h2", {}, t("project")), field(t("title"), title), field(t("description"), description));
  }

  /** @param {any[]} rows as the service sends them */
  showSystems(rows) {
    this.impacts.showSystems(rows);
    this.quantities.showSystems(rows);
    const alike = lookAlike(rows).map(([one, other]) => element("p", { className: "trouble" }, t("colorsAlike", { one: one.name, other: other.name })));
    this.systems.replaceChildren(element("h2", {}, t("systems")), element("ul", { className: "systems" }, ...rows.map((row) => this.row(row))), ...alike, element("div", { className: "buttons" }, button(t("addSystem"), () => void this.add(rows.length))));
  }

  /** @param {any} system */
  row(system) {
    const path = `systems/${system.id}/`;
    // A field is found by what it is of: its new name, too.
    const label = (/** @type {string} */ named) => {
      fields.forEach((input, place) => (input.ariaLabel = labelled(t(FIELDS[place][1]), named)));
      remove.ariaLabel = t("removeSystem", { name: named });
    };
    const fields = FIELDS.map(([name, , type]) => {
      const isNumber = type === "number";
      // 0 stands for none.
      const value = isNumber ? system[name] || "" : system[name] ?? "";
      const input = element("input", { type, name, defaultValue: value, ...(isNumber ? { min: "0", step: "any", inputMode: "decimal" } : {}),
        ...(name === "name" ? { required: true } : {}) });
      const save = async (/** @type {string} */ typed) => {
        await this.send("PATCH", path, { [name]: isNumber ? Number(typed) : typed });
        if (name !== "name") return;
        system.name = typed;
        label(typed);
      };
      return this.savedAsTyped(input, save, () => t("saved", { name: system.name }));
    });
    const remove = iconButton("Trash2", t("removeSystem", { name: "" }).trim(), () =>
      void this.try(this.send("DELETE", path).then(() => this.show()), t("isLeftOut", { name: system.name })));
    label(system.name);
    const shown = fields.map((input, place) => element("label", {}, element("small", {}, t(FIELDS[place][1])), input));
    return element("li", {}, element("div", { className: "names" }, ...shown.slice(0, FIGURES), remove), element("div", { className: "figures" }, ...shown.slice(FIGURES)));
  }

  /** Adds a system, and waits for its name. @param {number} count of the systems that are there */
  async add(count) {
    await this.try(this.send("POST", "systems/", { name: t("newSystem", { count: count + 1 }), color: COLORS[count % COLORS.length] }).then(() => this.show()));
    const names = /** @type {NodeListOf<HTMLInputElement>} */ (this.systems.querySelectorAll("input[name=name]"));
    names[names.length - 1]?.select();
  }
}

/** @param {string} text @param {HTMLElement} input */
function field(text, input) {
  return element("label", { className: "field" }, element("span", {}, text), input);
}
