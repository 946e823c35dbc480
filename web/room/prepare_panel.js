// Preparing an evening: the project, its systems, people and teams, maps from files, and layers of other servers.

import { button, element } from "../map/elements.js";
import { Facilitating } from "./facilitating.js";
import { MapLayer } from "./map_layer.js";
import { PreparePeople } from "./prepare_people.js";
import { PrepareSystems } from "./prepare_systems.js";
import { labelled, t } from "./texts.js";
import { Weighing } from "./weighing.js";

/** @import { Project } from "./project.js" */
/** @import { Processes } from "./processes.js" */

export class PreparePanel extends Facilitating {
  /**
   * @param {Project} project @param {Processes} processes @param {(text: string) => void} said shows what happened, or what went wrong
   * @param {(features: any[]) => void} preview shows the features of a file on the map; none takes them away
   */
  constructor(project, processes, said, preview) {
    super(project, said);
    this.processes = processes;
    this.preview = preview;
    this.systems = new PrepareSystems(project, said);
    this.people = new PreparePeople(project, said);
    this.maps = element("section");
    this.weighing = element("div");
    this.layers = element("section");
    this.element = element("div", { className: "prepare" }, this.systems.element, this.people.element, this.maps, this.weighing, this.layers);
    // Changes by others do not replace text that is being typed.
    for (const name of ["reread", "designs"]) project.addEventListener(name, () => {
      if (this.element.isConnected && !this.element.contains(document.activeElement)) this.showTyped();
    });
  }

  show() {
    this.showTyped();
    this.showMaps();
    void this.showWeighing();
    this.showLayers();
  }

  showTyped() {
    void this.systems.show();
    this.people.show();
  }

  showMaps() {
    const { project } = this;
    const what = element("select", { ariaLabel: t("whatMap") },
      element("option", { value: "boundaries" }, t("studyArea")), element("option", { value: "constraints" }, t("constraints")),
      element("option", { value: "context" }, t("context")),
      ...project.systems.map(({ id, name }) => element("option", { value: String(id) }, `${t("evaluationMap")}: ${name}`)));
    const layer = new MapLayer(this.processes, this.said, () => this.preview(layer.features));
    this.preview([]);
    what.addEventListener("change", () => layer.setMap(Number(what.value) ? "classes" : what.value === "context" ? "kind" : "areas"));
    this.maps.replaceChildren(element("h2", {}, t("mapsFromFiles")), element("div", { className: "buttons" }, what, layer.element),
      element("div", { className: "buttons" }, button(t("useMap"), () => void layer.reading.then(() => this.useMap(what.value, what.selectedOptions[0].text, layer)), { className: "main" })));
  }

  /** Saves a map, which is then on the map instead of its preview. @param {string} method @param {string} path @param {any} body @param {string} name */
  saveMap(method, path, body, name) {
    void this.try(this.send(method, path, body).then(() => this.preview([])), t("saved", { name }));
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
      this.saveMap("PUT", "context/", { description: name, geojson }, name);
      return;
    }
    if (!Number(role)) {
      this.saveMap("PUT", `${role}/`, { description: name, geojson: layer.areas() }, name);
      return;
    }
    const features = layer.classed();
    if (!features.length) {
      this.said(t("noClasses"));
      return;
    }
    this.saveMap("POST", `systems/${role}/e/map/json/`, { type: "FeatureCollection", features }, name);
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
