// An evaluation map made of several maps, each with a weight: slope, soil, distance to a station.

import { button, element } from "../map/elements.js";
import { MapLayer } from "./map_layer.js";
import { reasonOf } from "./reasons.js";
import { labelled, number, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Processes } from "./processes.js" */

export class Weighing {
  /** @param {Project} project @param {Processes} processes @param {(text: string) => void} said */
  constructor(project, processes, said) {
    this.project = project;
    this.processes = processes;
    this.said = said;
    /** @type {{layer: MapLayer, weight: HTMLInputElement, excludes: HTMLInputElement, element: HTMLElement}[]} */
    this.maps = [];
    this.list = element("ul");
    this.outcome = element("p", { role: "status" });
    this.system = element("select", { ariaLabel: t("system") }, ...project.systems.map(({ id, name }) => element("option", { value: String(id) }, name)));
    this.element = element("section", {}, element("h2", {}, t("weighMaps")), element("p", { className: "quiet" }, t("weighNote")), this.list,
      element("div", { className: "buttons" }, button(t("addMap"), () => this.add()), this.system, button(t("makeMap"), () => void this.make(), { className: "main" })), this.outcome);
    this.add();
    this.add();
  }

  add() {
    const layer = new MapLayer(this.processes, this.said);
    layer.setMap("classes");
    const weight = element("input", { type: "number", min: "0", step: "any", value: "1", inputMode: "decimal", ariaLabel: t("weight") });
    const excludes = element("input", { type: "checkbox" });
    const row = element("li", {}, layer.element, element("div", { className: "buttons" }, element("label", {}, t("weight"), " ", weight),
      element("label", {}, excludes, t("redStaysRed")), button(t("leaveOut"), () => {
        this.maps = this.maps.filter((map) => map.layer !== layer);
        row.remove();
      })));
    this.maps.push({ layer, weight, excludes, element: row });
    this.list.append(row);
  }

  async make() {
    const { project } = this;
    await Promise.all(this.maps.map(({ layer }) => layer.reading));
    const given = this.maps.filter(({ layer }) => layer.features.length);
    if (!given.length) {
      this.said(t("noMapFile"));
      return;
    }
    /** @type {Map<string, number>} distinguishes maps of one name */
    const counts = new Map();
    const maps = given.map(({ layer, weight, excludes }) => {
      const count = (counts.get(layer.name) ?? 0) + 1;
      counts.set(layer.name, count);
      const name = count > 1 ? `${layer.name} (${count})` : layer.name;
      return { name, features: layer.classed(), weight: Number(weight.value), excludes: excludes.checked };
    });
    const empty = maps.find(({ features }) => !features.length);
    if (empty) {
      this.said(labelled(empty.name, t("noClasses")));
      return;
    }
    const area = (project.boundaries?.features ?? []).filter((/** @type {any} */ { geometry }) => /Polygon$/.test(geometry?.type));
    this.outcome.textContent = t("isBeingMade", { what: t("weighMaps") });
    try {
      const made = JSON.parse(await (await this.processes.run("weigh_maps", JSON.stringify({ maps, area: area.length ? area : null }))).text());
      const system = project.systems.find(({ id }) => id === Number(this.system.value));
      await project.service.send("POST", `${project.path}systems/${system?.id}/e/map/json/`, made);
      this.outcome.textContent = t("mapMade", { name: system?.name ?? "", count: made.features.length, formula: maps.map(({ name, weight }) => `${name} ×${number(weight, 2)}`).join(" + ") });
    } catch (error) {
      this.outcome.textContent = "";
      this.said(reasonOf(error));
    }
  }
}
