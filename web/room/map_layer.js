// A map from a facilitator's file: its areas, and the class that each value of a column stands for, or the kind of all its features.

import { element } from "../map/elements.js";
import { CLASSES, classOf, classWord } from "./evaluation_classes.js";
import { readMapFile } from "./geojson_file.js";
import { reasonOf } from "./reasons.js";
import { t } from "./texts.js";

/** @import { Processes } from "./processes.js" */

const MAX_VALUES = 50;
/** Kinds of features of a context. */
const KINDS = /** @type {const} */ (["place", "water", "road", "rail", "park", "district"]);

/** File types that are read without Python on the service: GeoJSON only. */
const GEOJSON = ".geojson,.json";
const OTHERS = ".gpkg,.zip,.fgb,.parquet,.geoparquet,.kml,.kmz,.gml,.gpx,.csv,.xlsx";

export class MapLayer {
  /** @param {Processes} processes @param {(text: string) => void} said @param {() => void} [changed] */
  constructor(processes, said, changed = () => {}) {
    this.processes = processes;
    this.said = said;
    this.changed = changed;
    /** @type {any[]} */
    this.features = [];
    this.name = "";
    this.file = element("input", { type: "file", accept: GEOJSON, ariaLabel: t("mapFile") });
    this.progress = element("p", { className: "quiet", role: "status", hidden: true });
    this.layers = element("div");
    this.classes = element("div");
    this.element = element("div", { className: "map-layer" }, this.file, this.progress, this.layers, this.classes);
    /** @type {HTMLSelectElement | null} */
    this.column = null;
    this.hasClasses = false;
    this.kind = element("select", { ariaLabel: t("contextKind") }, ...KINDS.map((kind) => element("option", { value: kind }, t(`context_${kind}`))));
    this.hasKind = false;
    this.file.addEventListener("change", () => this.readSoon());
    processes.offered().then((offered) => {
      if (offered.has("read_map")) this.file.accept += `,${OTHERS}`;
    }, () => {});
  }

  /** Resolves when the chosen file has been read. */
  reading = Promise.resolve();

  /** @param {string} [layer] of a file that has several */
  readSoon(layer) {
    this.reading = this.read(layer);
  }

  /** @param {string} [layer] */
  async read(layer) {
    const [chosen] = this.file.files || [];
    if (!chosen) return;
    this.features = [];
    if (!layer) this.layers.replaceChildren();
    this.said("");
    this.progress.replaceChildren(t("readingFile", { name: chosen.name }), " ", element("progress"));
    this.progress.hidden = false;
    try {
      const found = await readMapFile(chosen, this.processes, layer, !this.hasKind);
      if ("layers" in found) this.chooseLayer(found.layers);
      else {
        this.features = found.features;
        this.said(found.leftOut);
      }
      this.name = layer || chosen.name.replace(/\.[^.]*$/, "");
    } catch (error) {
      this.said(reasonOf(error));
    }
    this.progress.hidden = true;
    this.chooseColumn();
    this.changed();
  }

  /** @param {string[]} names */
  chooseLayer(names) {
    const choice = element("select", { ariaLabel: t("layerOfFile") }, element("option", { value: "" }, t("layerOfFile")), ...names.map((name) => element("option", { value: name }, name)));
    choice.addEventListener("change", () => {
      if (choice.value) this.readSoon(choice.value);
    });
    this.layers.replaceChildren(choice);
  }

  /** Sets the kind of map: a class for each value of a column, features of one kind, or areas only. @param {"classes" | "kind" | "areas"} map */
  setMap(map) {
    const hadKind = this.hasKind;
    this.hasClasses = map === "classes";
    this.hasKind = map === "kind";
    // Only these have lines and points.
    if (hadKind !== this.hasKind) this.readSoon();
    this.chooseColumn();
  }

  chooseColumn() {
    this.classes.replaceChildren(...(this.hasKind ? [this.kind] : []));
    this.column = null;
    if (!this.hasClasses || !this.features.length) return;
    const names = [...new Set(this.features.flatMap(({ properties }) => Object.keys(properties ?? {})))];
    const column = element("select", { ariaLabel: t("classColumn") }, ...names.map((name) => element("option", { value: name }, name)));
    column.value = names.includes("areatype") ? "areatype" : names[0] ?? "";
    column.addEventListener("change", () => this.chooseClasses());
    this.column = column;
    this.classes.append(element("label", { className: "field" }, element("span", {}, t("classColumn")), column), element("div", { className: "mapping" }));
    this.chooseClasses();
  }

  /** @param {any} properties */
  valueOf(properties) {
    return String(properties?.[this.column?.value ?? ""] ?? "");
  }

  chooseClasses() {
    const values = [...new Set(this.features.map(({ properties }) => this.valueOf(properties)))];
    const tooMany = values.length > MAX_VALUES ? element("p", { className: "trouble" }, t("tooManyValues", { count: values.length, most: MAX_VALUES })) : null;
    this.classes.querySelector(".mapping")?.replaceChildren(...values.slice(0, MAX_VALUES).map((value) => {
      const choice = element("select", { ariaLabel: t("classOf", { value }) }, element("option", { value: "" }, t("leftOut")),
        ...CLASSES.map((name) => element("option", { value: name }, classWord(name))));
      choice.dataset.value = value;
      if (CLASSES.includes(classOf(value))) choice.value = classOf(value);
      return element("label", {}, `${value || "–"} ${t("becomes")}`, choice);
    }), ...(tooMany ? [tooMany] : []));
  }

  /** The file's areas without their properties. */
  areas() {
    return { type: "FeatureCollection", features: this.features.map(({ geometry }) => ({ type: "Feature", properties: {}, geometry })) };
  }

  /** The file's features with the chosen kind and their names. */
  context() {
    const kind = this.kind.value;
    return this.features.map(({ geometry, properties }) => {
      const name = Object.entries(properties ?? {}).find(([column]) => column.toLowerCase() === "name")?.[1];
      return { type: "Feature", properties: { kind, ...(name ? { name: String(name) } : {}) }, geometry };
    });
  }

  /** The file's areas with their classes; areas whose value has no class are left out. */
  classed() {
    const choices = /** @type {NodeListOf<HTMLSelectElement>} */ (this.classes.querySelectorAll(".mapping select"));
    const mapped = new Map([...choices].map((choice) => [choice.dataset.value, choice.value]));
    return this.features.flatMap(({ geometry, properties }) => {
      const areatype = mapped.get(this.valueOf(properties));
      return areatype ? [{ type: "Feature", properties: { areatype }, geometry }] : [];
    });
  }
}
