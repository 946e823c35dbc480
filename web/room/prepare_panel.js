// Preparing an evening, for administrators: systems with rates, budgets and targets, teams, and maps from files.

import { button, element, swatch } from "../map/elements.js";
import { lookAlike } from "./color_vision.js";
import { MapLayer } from "./map_layer.js";
import { reasonOf } from "./reasons.js";
import { labelled, t } from "./texts.js";
import { Weighing } from "./weighing.js";

/** @import { Project } from "./project.js" */
/** @import { Processes } from "./processes.js" */

export class PreparePanel {
  /** @param {Project} project @param {Processes} processes @param {(text: string) => void} said shows what happened, or what went wrong */
  constructor(project, processes, said) {
    this.project = project;
    this.processes = processes;
    this.said = said;
    this.systems = element("section");
    this.teams = element("section");
    this.maps = element("section");
    this.weighing = element("div");
    this.layers = element("section");
    this.element = element("details", { className: "prepare" }, element("summary", {}, t("prepare")), this.systems, this.teams, this.maps, this.weighing, this.layers);
    this.element.addEventListener("toggle", () => {
      if (this.element.open) this.show();
    });
    // Changes by others do not replace text that is being typed.
    for (const name of ["reread", "designs"]) project.addEventListener(name, () => {
      if (this.element.open && !this.element.contains(document.activeElement)) this.show();
    });
  }

  show() {
    this.showSystems();
    this.showTeams();
    this.showMaps();
    void this.showWeighing();
    this.showLayers();
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

  /** @param {string} method @param {string} path @param {any} [body] */
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
        defaultValue: value ?? "", ariaLabel: labelled(t(text), name) }));
      const save = button(t("save"), () => {
        // Others may have changed values that were not touched here. 0 removes a value.
        const changed = inputs.filter((input) => input.value !== input.defaultValue);
        const body = Object.fromEntries(changed.map((input) => [input.name, Number(input.value)]));
        void this.try(this.send("PATCH", `systems/${id}/`, body).then(() => changed.forEach((input) => (input.defaultValue = input.value))), t("saved", { name }));
      }, { ariaLabel: labelled(t("save"), name) });
      return element("tr", {}, element("th", { scope: "row", className: "text" }, swatch(color), name), ...inputs.map((input, index) => element("td", { "data-name": t(fields[index][1]) }, input)), element("td", {}, save));
    });
    const heads = /** @type {const} */ (["system", "ratePerHectare", "budget", "landToday", "landWanted"]).map((text) => element("th", { scope: "col" }, t(text)));
    const alike = lookAlike(project.systems).map(([one, other]) => t("colorsAlike", { one: one.name, other: other.name }));
    this.systems.replaceChildren(element("h2", {}, t("systems")), element("div", { className: "wide" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads, element("td"))), element("tbody", {}, ...rows))),
    ...alike.map((text) => element("p", { className: "trouble" }, text)));
  }

  showTeams() {
    const { project } = this;
    const title = element("input", { type: "text", maxLength: 100, ariaLabel: t("newTeam"), placeholder: t("newTeam") });
    const rows = project.teams.map((team) => {
      const members = element("input", { type: "text", value: team.members.join(", "), ariaLabel: t("membersOf", { team: team.title }) });
      return element("li", {}, element("label", { className: "field" }, element("span", {}, team.title), members), button(t("save"), () => {
        const names = members.value.split(/[,،]/).map((name) => name.trim()).filter(Boolean);
        void this.try(this.send("PATCH", `cteams/${team.id}/`, { members: names }).then(() => project.readDesigns()), t("saved", { name: team.title }));
      }, { ariaLabel: labelled(t("save"), team.title) }));
    });
    this.teams.replaceChildren(element("h2", {}, t("teams")), element("ul", {}, ...rows), element("div", { className: "buttons" }, title, button(t("addTeam"), () => {
      if (title.value.trim()) void this.try(this.send("POST", "cteams/", { title: title.value.trim(), members: [] }).then(() => project.readDesigns()).then(() => this.showTeams()), t("saved", { name: title.value }));
    })));
  }

  showMaps() {
    const { project } = this;
    const what = element("select", { ariaLabel: t("whatMap") },
      element("option", { value: "boundaries" }, t("studyArea")), element("option", { value: "constraints" }, t("constraints")),
      element("option", { value: "context" }, t("context")),
      ...project.systems.map(({ id, name }) => element("option", { value: String(id) }, labelled(t("evaluationMap"), name))));
    const layer = new MapLayer(this.processes, this.said);
    what.addEventListener("change", () => layer.setMap(Number(what.value) ? "classes" : what.value === "context" ? "kind" : "areas"));
    this.maps.replaceChildren(element("h2", {}, t("mapsFromFiles")), element("div", { className: "buttons" }, what, layer.element),
      element("div", { className: "buttons" }, button(t("useMap"), () => void layer.reading.then(() => this.useMap(what.value, what.selectedOptions[0].text, layer)), { className: "main" })));
  }

  /** @param {string} role of the map, or the id of the system whose evaluation it is @param {string} name @param {MapLayer} layer */
  useMap(role, name, layer) {
    if (!layer.features.length) {
      this.said(t("noMapFile"));
      return;
    }
    if (role === "context") {
      const kind = layer.kind.value;
      const others = this.project.context.features.filter((/** @type {any} */ feature) => feature.properties.kind !== kind);
      const geojson = { type: "FeatureCollection", features: [...others, ...layer.context()] };
      void this.try(this.send("PUT", "context/", { description: name, geojson }), t("saved", { name }));
      return;
    }
    if (!Number(role)) {
      void this.try(this.send("PUT", `${role}/`, { description: name, geojson: layer.areas() }), t("saved", { name }));
      return;
    }
    const features = layer.classed();
    if (!features.length) {
      this.said(t("noClasses"));
      return;
    }
    void this.try(this.send("POST", `systems/${role}/e/map/json/`, { type: "FeatureCollection", features }), t("saved", { name }));
  }

  /** An evaluation map made of several maps, only where the service can make it. */
  async showWeighing() {
    const offered = await this.processes.offered().catch(() => new Set());
    this.weighing.replaceChildren(offered.has("weigh_maps") ? new Weighing(this.project, this.processes, this.said).element
      : element("p", { className: "quiet" }, t("needsPython", { what: t("weighMaps") })));
  }

  /** Layers of other servers, for the menu of every member. */
  showLayers() {
    const { project } = this;
    const input = (/** @type {"layerName" | "layerAddress" | "layerOfServer" | "attribution"} */ text, type = "text") =>
      element("input", { type, maxLength: 500, ariaLabel: t(text), placeholder: t(text) });
    const [name, address, layer, attribution] = [input("layerName"), input("layerAddress", "url"), input("layerOfServer"), input("attribution")];
    const kind = element("select", { ariaLabel: t("kindOfLayer") }, ...["XYZ", "WMS"].map((value) => element("option", { value }, value)));
    const again = () => project.readLayers().then(() => this.showLayers());
    const rows = project.layers.map((shown) => {
      const called = shown.display_name || shown.layer_name;
      return element("li", {}, `${called} `, element("span", { className: "quiet" }, shown.url), element("div", { className: "buttons" },
        button(t("leaveOut"), () => void this.try(this.send("DELETE", `data_layers/${shown.id}/`).then(again), t("isLeftOut", { name: called })), { ariaLabel: labelled(t("leaveOut"), called) })));
    });
    this.layers.replaceChildren(element("h2", {}, t("layers")), element("ul", {}, ...rows), element("p", { className: "quiet" }, t("layersNote")),
      element("div", { className: "buttons" }, name, kind, address, layer, attribution, button(t("addLayer"), () => {
        if (!/^https:\/\/\S+$/.test(address.value.trim()) || !name.value.trim()) {
          this.said(t("layerIncomplete"));
          return;
        }
        const body = { server_type: "other", layer_type: kind.value, url: address.value.trim(), layer_name: layer.value.trim() || name.value.trim(),
          attribution: attribution.value.trim(), display_name: name.value.trim(), additional_metadata: {} };
        void this.try(this.send("POST", "data_layers/", body).then(again), t("saved", { name: name.value }));
      })));
  }
}
