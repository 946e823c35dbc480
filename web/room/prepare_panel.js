// What an evening needs before it begins, for administrators: systems with rates, budgets and targets, teams, and maps from files.

import { button, element, swatch } from "../map/elements.js";
import { readMapFile } from "./geojson_file.js";
import { reasonOf } from "./reasons.js";
import { t } from "./texts.js";

/** @import { Project } from "./project.js" */

/** From where change is least wanted to where it is most, as evaluation maps name their classes. */
const CLASSES = ["red", "red2", "yellow", "green", "green2", "green3"];

export class PreparePanel {
  /** @param {Project} project @param {(text: string) => void} said tells what happened, or what went wrong */
  constructor(project, said) {
    this.project = project;
    this.said = said;
    this.systems = element("section");
    this.teams = element("section");
    this.maps = element("section");
    this.element = element("details", { className: "prepare" }, element("summary", {}, t("prepare")), this.systems, this.teams, this.maps);
    this.element.addEventListener("toggle", () => {
      if (this.element.open) this.show();
    });
    // What somebody types is not replaced by what others do.
    for (const name of ["anew", "designs"]) project.addEventListener(name, () => {
      if (this.element.open && !this.element.contains(document.activeElement)) this.show();
    });
  }

  show() {
    this.showSystems();
    this.showTeams();
    this.showMaps();
  }

  /** @param {Promise<any>} doing @param {string} done */
  async try(doing, done) {
    try {
      await doing;
      this.said(done);
    } catch (error) {
      this.said(reasonOf(error));
    }
  }

  /** @param {string} method @param {string} path @param {any} body */
  send(method, path, body) {
    return this.project.service.send(method, this.project.path + path, body);
  }

  showSystems() {
    const { project } = this;
    const figures = new Map((project.costs?.systems ?? []).map((row) => [row.sysid, row]));
    const rows = project.systems.map(({ id, name, color, rate }) => {
      const row = figures.get(id) ?? {};
      /** @type {[string, "ratePerHectare" | "budget" | "landToday" | "landWanted", number | null | undefined][]} */
      const fields = [["cost", "ratePerHectare", rate], ["budget", "budget", row.budget], ["current_ha", "landToday", row.current_ha], ["target_ha", "landWanted", row.target_ha]];
      const inputs = fields.map(([field, text, value]) => element("input", { type: "number", min: "0", step: "any", inputMode: "decimal", name: field,
        value: value ?? "", ariaLabel: `${t(text)}: ${name}` }));
      const save = button(t("save"), () => {
        const body = Object.fromEntries(inputs.map((input) => [input.name, input.value === "" ? null : Number(input.value)]));
        void this.try(this.send("PATCH", `systems/${id}/`, body), t("saved", { name }));
      }, { ariaLabel: `${t("save")}: ${name}` });
      return element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(color), name), ...inputs.map((input) => element("td", {}, input)), element("td", {}, save));
    });
    const heads = /** @type {const} */ (["system", "ratePerHectare", "budget", "landToday", "landWanted"]).map((text) => element("th", { scope: "col" }, t(text)));
    this.systems.replaceChildren(element("h2", {}, t("systems")), element("div", { className: "wide" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads, element("td"))), element("tbody", {}, ...rows))));
  }

  showTeams() {
    const { project } = this;
    const title = element("input", { type: "text", maxLength: 100, ariaLabel: t("newTeam"), placeholder: t("newTeam") });
    const rows = project.teams.map((team) => {
      const members = element("input", { type: "text", value: team.members.join(", "), ariaLabel: t("membersOf", { team: team.title }) });
      return element("li", {}, element("label", { className: "field" }, element("span", {}, team.title), members), button(t("save"), () => {
        const names = members.value.split(",").map((name) => name.trim()).filter(Boolean);
        void this.try(this.send("PATCH", `cteams/${team.id}/`, { members: names }).then(() => project.readDesigns()), t("saved", { name: team.title }));
      }, { ariaLabel: `${t("save")}: ${team.title}` }));
    });
    this.teams.replaceChildren(element("h2", {}, t("teams")), element("ul", {}, ...rows), element("div", { className: "buttons" }, title, button(t("addTeam"), () => {
      if (title.value.trim()) void this.try(this.send("POST", "cteams/", { title: title.value.trim(), members: [] }).then(() => project.readDesigns()), t("saved", { name: title.value }));
    })));
  }

  showMaps() {
    const { project } = this;
    const file = element("input", { type: "file", accept: ".geojson,.json,application/geo+json", ariaLabel: t("mapFile") });
    const what = element("select", { ariaLabel: t("whatMap") },
      element("option", { value: "boundaries" }, t("studyArea")), element("option", { value: "constraints" }, t("constraints")),
      ...project.systems.map(({ id, name }) => element("option", { value: String(id) }, `${t("evaluationMap")}: ${name}`)));
    const classes = element("div");
    /** @type {any[]} */
    let features = [];
    /** @type {HTMLSelectElement | null} */
    let column = null;
    const chooseColumn = () => {
      classes.replaceChildren();
      column = null;
      if (!Number(what.value) || !features.length) return;
      const names = [...new Set(features.flatMap(({ properties }) => Object.keys(properties ?? {})))];
      const made = element("select", { ariaLabel: t("classColumn") }, ...names.map((name) => element("option", { value: name }, name)));
      made.value = names.includes("areatype") ? "areatype" : names[0] ?? "";
      made.addEventListener("change", chooseClasses);
      column = made;
      classes.append(element("label", { className: "field" }, element("span", {}, t("classColumn")), made), element("div", { className: "mapping" }));
      chooseClasses();
    };
    const chooseClasses = () => {
      const values = [...new Set(features.map(({ properties }) => String(properties?.[column?.value ?? ""] ?? "")))].slice(0, 50);
      classes.querySelector(".mapping")?.replaceChildren(...values.map((value) => {
        const choice = element("select", { ariaLabel: t("classOf", { value }) }, element("option", { value: "" }, t("leftOut")),
          ...CLASSES.map((name) => element("option", { value: name }, t(/** @type {any} */ (`class_${name}`)))));
        choice.dataset.value = value;
        if (CLASSES.includes(value)) choice.value = value;
        return element("label", {}, `${value || "–"} →`, choice);
      }));
    };
    what.addEventListener("change", chooseColumn);
    file.addEventListener("change", async () => {
      const [chosen] = file.files || [];
      if (!chosen) return;
      try {
        features = await readMapFile(chosen);
        chooseColumn();
      } catch (error) {
        features = [];
        this.said(/** @type {Error} */ (error).message);
      }
    });
    this.maps.replaceChildren(element("h2", {}, t("mapsFromFiles")), element("div", { className: "buttons" }, what, file), classes,
      element("div", { className: "buttons" }, button(t("useMap"), () => {
        if (!features.length) {
          this.said(t("noMapFile"));
          return;
        }
        const sysid = Number(what.value);
        const name = what.selectedOptions[0].text;
        if (!sysid) {
          const geojson = { type: "FeatureCollection", features: features.map(({ geometry }) => ({ type: "Feature", properties: {}, geometry })) };
          void this.try(this.send("PUT", `${what.value}/`, { description: name, geojson }), t("saved", { name }));
          return;
        }
        const choices = /** @type {NodeListOf<HTMLSelectElement>} */ (classes.querySelectorAll(".mapping select"));
        const mapped = new Map([...choices].map((choice) => [choice.dataset.value, choice.value]));
        const classed = features.flatMap(({ geometry, properties }) => {
          const areatype = mapped.get(String(properties?.[column?.value ?? ""] ?? ""));
          return areatype ? [{ type: "Feature", properties: { areatype }, geometry }] : [];
        });
        if (!classed.length) {
          this.said(t("noClasses"));
          return;
        }
        void this.try(this.send("POST", `systems/${sysid}/e/map/json/`, { type: "FeatureCollection", features: classed }), t("saved", { name }));
      }, { className: "main" })));
  }
}
