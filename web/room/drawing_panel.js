// Drawing or changing a diagram: tools, the form, and a preview of costs and targets during the drawing.

import L from "../vendor/leaflet.js";
import { button, element } from "../map/elements.js";
import { iconButton, labelledButton } from "../map/icons.js";
import { ask } from "./ask.js";
import { FUNDING, broughtUpToDate, drawingOf, isSame, newDrawing, problemOf, stepsOf, storeysOf, withStoreys } from "./drawing.js";
import { isLine, placesOf } from "./drawing_shapes.js";
import { readGeojsonFile } from "./geojson_file.js";
import { Preview } from "./preview.js";
import { t, wordFor } from "./texts.js";

/** @import { DrawingTools, Tool } from "./drawing_tools.js" */
/** @import { Drawing, Values } from "./drawing.js" */
/** @import { Project } from "./project.js" */
/** @import { Outbox } from "./outbox.js" */
/** @import { Drafts } from "./drawings_in_hand.js" */
/** @import { RoomMap } from "./room_map.js" */

/**
 * @typedef {object} Settings
 * @property {Project} project
 * @property {RoomMap} room
 * @property {Outbox} outbox
 * @property {Drafts} drafts
 * @property {import("./outlines.js").OwnOutline} [ownOutline] shows others the drawing in progress
 * @property {number} [id] the diagram to change
 * @property {Drawing & Values} [kept] a stored, unfinished drawing
 * @property {number} [sysid] the system that a new drawing begins with
 * @property {() => void} closed
 */

/** @type {[Tool, import("../map/icons.js").IconName, string][]} */
const TOOLS = [["polygon", "Pentagon", "toolPolygon"], ["linestring", "Spline", "toolLine"], ["point", "MapPin", "toolPoint"],
  ["rectangle", "Square", "toolRectangle"], ["freehand", "Lasso", "toolFreehand"], ["select", "Move", "toolSelect"], ["split", "Slice", "toolSplit"]];

/** Milliseconds until the click of a tap is over. */
const FINGER = 300;

/** Metres of a line's area, at most. */
const WIDEST = 10_000;

/** Corners snap with a mouse. A finger covers them. */
const SNAPS = !matchMedia("(pointer: coarse)").matches;

export class DrawingPanel {
  /** Loads what drawing needs. */
  static prepare = () => import("./drawing_tools.js");

  /** @param {Settings} settings */
  static async open(settings) {
    const { DrawingTools } = await DrawingPanel.prepare();
    const { project, id, kept } = settings;
    const drawing = kept ? (kept.etag ? kept : await broughtUpToDate(project, kept)) : id === undefined ? newDrawing(project, settings.sysid) : await drawingOf(project, id);
    const panel = new DrawingPanel(settings, drawing);
    panel.start(DrawingTools);
    return panel;
  }

  /** @param {Settings} settings @param {Drawing & Values} drawing */
  constructor(settings, drawing) {
    this.settings = settings;
    this.drawing = drawing;
    /** The drawing before the form changed it: fields do not show everything that a diagram may have. */
    this.opened = { ...drawing };
    /** @type {DrawingTools | null} */
    this.tools = null;
    this.faults = L.layerGroup();
    /** True while the browser has room for the drawing. */
    this.isKept = true;
    /** Reason why a file was not taken, or the drawing not sent. It stays until the drawing changes, whatever a preview says. */
    this.refusal = "";
    /** Number of features that the tools cannot change, as the form says it. */
    this.fixedCount = 0;
    this.preview = new Preview(settings.project, () => this.showFaults(), () => this.proposeClipped());
    /** The drawing beside constraints, until it is accepted or not. */
    this.proposed = L.layerGroup();
    /** The evaluation map that was shown before. */
    this.shownBefore = settings.project.systems[settings.room.scene.shown.evaluation]?.id ?? -1;
    this.element = this.build();
    this.shown = this.fields();
  }

  build() {
    const { project } = this.settings;
    const { drawing } = this;
    this.toolButtons = TOOLS.map(([tool, sign, name]) => labelledButton(sign, t(/** @type {any} */ (name)), () => {
      this.use(tool);
      this.ask("shape");
    }, { className: "tool", "aria-pressed": "false" }));
    const does = element("div", { className: "buttons does" },
      button(t("finishPart"), () => this.finish(), { className: "finish" }),
      iconButton("Undo2", t("undo"), () => this.tools?.undo()),
      iconButton("Redo2", t("redo"), () => this.tools?.redo()),
      iconButton("Trash2", t("clear"), () => {
        this.tools?.clear();
        // No corners are left to move.
        if (this.tools?.tool === "select") this.use("polygon");
        this.changed();
      }),
      iconButton("X", t("cancel"), () => void this.cancel(), { className: "leave" }));
    this.width = element("input", { type: "number", step: "any", inputMode: "decimal", value: "20" });
    // It is no field of the diagram: Enter does not send.
    this.width.setAttribute("form", "");
    this.width.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") this.widen();
    });
    /** Shown while the drawing has a line. */
    this.widening = element("div", { className: "widening", hidden: true }, field(t("lineWidth"), this.width),
      labelledButton("UnfoldVertical", t("widen"), () => this.widen()));
    /** Outcome of the last step. It stays until the drawing changes. */
    this.outcome = element("p", { className: "quiet", role: "status" });
    const snap = element("input", { type: "checkbox", checked: SNAPS });
    snap.addEventListener("change", () => {
      if (this.tools) this.tools.snaps = snap.checked;
    });
    const file = element("input", { type: "file", accept: ".geojson,.json,application/geo+json", className: "unseen", tabIndex: -1, ariaLabel: t("fromFile") });
    file.addEventListener("change", () => {
      const [chosen] = file.files || [];
      if (chosen) void this.takeFile(chosen);
      file.value = "";
    });

    this.title = element("input", { type: "text", required: true, maxLength: 200, value: drawing.title });
    this.system = element("select", { required: true });
    this.offerSystems();
    const kinds = element("fieldset", { className: "kinds" }, element("legend", {}, t("kind")));
    for (const [policy, name, help] of /** @type {[boolean, "project" | "policy", "projectHelp" | "policyHelp"][]} */ ([[false, "project", "projectHelp"], [true, "policy", "policyHelp"]])) {
      const radio = element("input", { type: "radio", name: "kind", checked: drawing.policy === policy });
      radio.addEventListener("change", () => {
        this.drawing.policy = policy;
        this.changed();
      });
      kinds.append(element("label", { title: t(help) }, radio, t(name)));
    }
    this.funding = element("select", {}, ...Object.keys(FUNDING).map((name) =>
      element("option", { value: name }, wordFor("funding", name))));
    const storeys = (/** @type {string} */ value) => element("input", { type: "number", min: "0", max: "500", step: "1", inputMode: "numeric", value });
    const [above, below] = storeysOf(drawing.building);
    this.above = storeys(above);
    this.below = storeys(below);
    this.funding.value = drawing.funding in FUNDING ? drawing.funding : "public";
    this.start_ = element("input", { type: "date", value: drawing.start });
    this.end_ = element("input", { type: "date", value: drawing.end });
    this.cost = element("input", { type: "number", min: "0", step: "any", inputMode: "decimal", value: drawing.cost });
    this.costType = element("select", { ariaLabel: t("costType") }, element("option", { value: "t" }, t("costTotal")), element("option", { value: "u" }, t("costPerUnit")));
    this.costType.value = drawing.costType || "t";
    const tags = project.tags.map(({ id, name }) => {
      const box = element("input", { type: "checkbox", value: id, checked: drawing.tags.includes(id) });
      return element("label", {}, box, name);
    });
    this.tagBoxes = element("div", { className: "tags" }, ...tags);
    const more = element("details", { open: Boolean(drawing.start || drawing.cost || drawing.tags.length || above || below) }, element("summary", {}, t("moreFields")),
      field(t("funding"), this.funding), field(t("startDay"), this.start_), field(t("endDay"), this.end_),
      field(t("ownCost"), this.cost), this.costType, field(t("storeysAbove"), this.above), field(t("storeysBelow"), this.below),
      tags.length ? element("fieldset", {}, element("legend", {}, t("tags")), this.tagBoxes) : null);
    this.trouble = element("p", { className: "trouble", role: "alert" });
    /** Choice between the drawing and its part beside constraints. */
    this.proposal = element("div", { role: "status" });
    /** Notice about features that the tools cannot change. */
    this.fixed = element("div", { className: "fixed", role: "status" });
    /** Choice between adding a file's shapes to the drawing and adding each as a diagram. */
    this.choice = element("div", { role: "status" });
    const send = element("button", { type: "submit", className: "main" }, t(drawing.id === undefined ? "send" : "sendChange"));
    const fields = element("div", { className: "fields" },
      element("h2", {}, t(drawing.id === undefined ? "newDiagram" : "changeDiagram")),
      element("div", { className: "toolrow", role: "group", ariaLabel: t("tools") }, ...this.toolButtons),
      does, this.widening, this.choice, this.preview.element, this.proposal, this.outcome, this.trouble, this.fixed,
      element("div", { className: "about-it" }, field(t("title"), this.title), field(t("system"), this.system), kinds, more),
      element("div", { className: "buttons aids" }, element("label", {}, snap, t("snap")), button(t("fromFile"), () => file.click()), file));
    const form = element("form", { className: "drawing" }, fields, element("div", { className: "buttons last" }, send,
      button(t("cancel"), () => void this.cancel())));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    form.addEventListener("input", () => {
      this.refusal = "";
      this.changed();
    });
    this.system.addEventListener("change", () => void this.settings.room.showEvaluation(Number(this.system?.value)));
    return form;
  }

  /** Asks for the shape, or for the title and the system: a phone shows one after the other. @param {"shape" | "title"} what */
  ask(what) {
    this.element.dataset.asks = what;
  }

  /** Ends the part that is being drawn; a whole shape is asked for its title. */
  finish() {
    this.tools?.finish();
    if (this.drawing.features.length) this.ask("title");
  }

  /** Called after each change of the drawing. */
  onChange = () => {};

  /** @param {typeof DrawingTools} Tools */
  start(Tools) {
    const { room } = this.settings;
    this.faults.addTo(room.leaflet);
    this.proposed.addTo(room.leaflet);
    room.map.isPointing = false;
    this.tools = new Tools(room.leaflet, room.scene, (isFinished) => {
      this.changed();
      // Later than the click of the finger that finished it, which would hit what comes up. Another point may follow.
      if (isFinished && !["select", "point"].includes(this.tools?.tool ?? "")) setTimeout(() => this.tools && this.ask("title"), FINGER);
    }, (count) => this.tellSplit(count));
    this.tools.snaps = SNAPS;
    this.tools.put(this.drawing.features);
    this.use(this.drawing.features.length ? "select" : "polygon");
    this.ask(this.drawing.features.length ? "title" : "shape");
    room.dispatch = () => {
      // There is another study area, or there are other systems.
      if (this.tools) this.tools.scene = room.scene;
      this.offerSystems();
    };
    void room.showEvaluation(this.drawing.sysid);
    this.changed();
  }

  /** Widens the selected line, or all lines. */
  widen() {
    const width = Number(this.width?.value);
    if (!(width > 0 && width <= WIDEST)) {
      this.refuse(t("widthWrong", { most: WIDEST }));
      return;
    }
    this.tools?.finish();
    const { count, rest } = this.tools?.widen(width) ?? { count: 0, rest: 0 };
    if (count) this.tell([t("widened", { count, width }), rest ? t("widenRest", { count: rest }) : ""].join(" ").trim());
  }

  /** Shows the drawing without its part on constraints, and asks which to keep. */
  proposeClipped() {
    this.tools?.finish();
    const clipped = this.tools?.clipped(this.settings.project.constraints) ?? [];
    this.forgetProposal();
    if (!clipped.length) {
      this.refuse(t("clipNothing"));
      return;
    }
    const count = this.drawing.features.flatMap(placesOf).length - clipped.flatMap(placesOf).length;
    const leftOut = count ? [t("clipLeftOut", { count })] : [];
    this.tools?.outline(clipped, "#b3261e").addTo(this.proposed);
    this.proposal?.replaceChildren(element("p", {}, [t("clipProposed"), ...leftOut].join(" ")), element("div", { className: "buttons" },
      button(t("clipAccept"), () => {
        this.forgetProposal();
        this.tools?.replace(clipped);
        this.tell([t("clipDone"), ...leftOut].join(" "));
      }),
      button(t("clipKeep"), () => this.forgetProposal())));
  }

  forgetProposal() {
    this.proposed.clearLayers();
    this.proposal?.replaceChildren();
  }

  /** @param {number} count parts of areas that were split */
  tellSplit(count) {
    if (count) this.tell(t("splitDone", { count }));
    else this.refuse(t("splitNothing"));
  }

  /** @param {string} text */
  tell(text) {
    if (this.outcome) this.outcome.textContent = text;
  }

  /** Says, while the form is open, which features the tools cannot change, and offers to remove them. */
  showFixed() {
    const count = this.tools?.fixed ?? 0;
    if (count === this.fixedCount) return;
    this.fixedCount = count;
    this.fixed?.replaceChildren(...(count ? [element("p", {}, t("fixedParts", { count })), button(t("removeFixed", { count }), () => {
      this.tools?.removeFixed();
      this.changed();
    })] : []));
  }

  /** The values in the fields. @returns {Omit<Values, "features" | "policy">} */
  fields() {
    const boxes = /** @type {HTMLInputElement[]} */ ([...(this.tagBoxes?.querySelectorAll("input") ?? [])]);
    // A tag may have been made since the form was opened.
    const others = this.opened.tags.filter((id) => !boxes.some(({ value }) => value === id));
    const tags = [...others, ...boxes.filter(({ checked }) => checked).map(({ value }) => value)];
    return {
      title: this.title?.value ?? "", sysid: Number(this.system?.value) || this.drawing.sysid, funding: this.funding?.value ?? "",
      start: this.start_?.value ?? "", end: this.end_?.value ?? "", cost: this.cost?.value ?? "", costType: this.costType?.value ?? "", tags,
      building: withStoreys(this.opened.building, this.above?.value ?? "", this.below?.value ?? ""),
    };
  }

  /** Offers the current systems. If the drawing's system is gone, the person has to choose another one. */
  offerSystems() {
    const { systems } = this.settings.project;
    this.system?.replaceChildren(...systems.map(({ id, name }) => element("option", { value: String(id) }, name)));
    if (this.system) this.system.value = String(this.drawing.sysid);
  }

  focus() {
    // On a phone, a keyboard would cover the map.
    if (!matchMedia("(pointer: coarse)").matches) this.title?.focus({ preventScroll: true });
  }

  /** @param {Tool} tool */
  use(tool) {
    this.tools?.use(tool);
    this.preview.help(t(tool === "point" ? "pointHelp" : "drawHelp"));
    this.tell(tool === "split" ? t("splitHelp") : "");
    TOOLS.forEach(([name], place) => this.toolButtons?.[place].setAttribute("aria-pressed", String(name === tool)));
  }

  /** Notes the drawing, stores it in the browser, and asks for a preview. */
  changed() {
    if (!this.tools) return;
    const { features, set, isDrawing } = this.tools.drawn();
    this.settings.ownOutline?.show(features.at(-1)?.geometry);
    for (const [name, value] of Object.entries(this.fields())) {
      Object.assign(this.drawing, { [name]: isSame(value, /** @type {any} */ (this.shown)[name]) ? /** @type {any} */ (this.opened)[name] : value });
    }
    if (!isSame(features, this.drawing.features)) {
      this.tell("");
      this.refusal = "";
      this.forgetProposal();
    }
    this.drawing.features = features;
    if (this.widening) this.widening.hidden = isDrawing || !features.some(isLine);
    this.showFixed();
    const { drafts } = this.settings;
    if (!features.length && !this.drawing.title) drafts.drop();
    else this.isKept = drafts.keep({ ...this.drawing, features: set });
    if (!this.isKept) this.complain(t("browserFull"));
    this.preview.ask(this.drawing, isDrawing);
    this.onChange();
  }

  showFaults() {
    this.faults.clearLayers();
    for (const { position } of this.preview.faults) {
      if (!position) continue;
      const [lon, lat] = position;
      L.circleMarker([lat, lon], { radius: 14, color: "#b3261e", weight: 4, fill: false, interactive: false }).addTo(this.faults);
    }
    this.complain(this.refusal || this.preview.faultTexts().join(" ") || (this.isKept ? "" : t("browserFull")));
  }

  /** @param {string} reason */
  refuse(reason) {
    this.refusal = reason;
    this.complain(reason);
  }

  /** @param {string} text */
  complain(text) {
    if (this.trouble && this.trouble.textContent !== text) this.trouble.textContent = text;
  }

  /** Adds a GeoJSON file's shapes to the drawing, or asks whether each becomes a diagram. @param {File} file */
  async takeFile(file) {
    let shapes;
    try {
      shapes = await readGeojsonFile(file);
    } catch (error) {
      this.refuse(/** @type {Error} */ (error).message);
      return;
    }
    const { leftOut, length: count } = shapes;
    // It stays until another file is taken, whatever the preview says.
    const note = leftOut ? [element("p", { className: "trouble", role: "status" }, leftOut)] : [];
    const take = (/** @type {any[]} */ features, /** @type {string} */ title, /** @type {any} */ building = {}) => {
      this.take(features, title, building);
      this.choice?.replaceChildren(...note);
    };
    if (count === 1) {
      take(shapes[0].features, shapes[0].title, shapes[0].building);
      return;
    }
    this.choice?.replaceChildren(...note, element("p", {}, t("severalShapes", { count })), element("div", { className: "buttons" },
      button(t("oneOfEach", { count }), () => this.sendEach(shapes)),
      button(t("oneOfAll"), () => take(shapes.flatMap(({ features }) => features), file.name.replace(/\.[^.]*$/, "")))));
  }

  /** @param {any[]} features @param {string} title @param {any} building storeys of the file, for a form that has none */
  take(features, title, building) {
    this.choice?.replaceChildren();
    this.tools?.add(features);
    if (this.title && !this.title.value) this.title.value = title;
    const storeys = storeysOf(building);
    [this.above, this.below].forEach((field, place) => field && !field.value && (field.value = storeys[place]));
    this.use("select");
    this.changed();
    this.ask("title");
  }

  /** Sends each shape of a file as a diagram of its own. @param {{title: string, building: any, features: any[]}[]} shapes */
  sendEach(shapes) {
    this.changed();
    const { outbox, project } = this.settings;
    for (const shape of shapes) {
      const building = Object.keys(shape.building).length ? shape.building : this.drawing.building;
      const drawing = { ...this.drawing, ...shape, building, id: undefined, etag: undefined, before: undefined };
      outbox.put({ title: shape.title, drawing, diagram: null, steps: stepsOf(project, drawing) });
    }
    this.close();
  }

  send() {
    this.tools?.finish();
    this.changed();
    const { drawing } = this;
    const problem = problemOf(drawing) || this.preview.faultTexts().join(" ");
    if (problem) {
      this.refuse(problem);
      return;
    }
    const { outbox, project } = this.settings;
    const steps = stepsOf(project, drawing);
    if (steps.length) outbox.put({ title: drawing.title.trim(), drawing: { ...drawing }, diagram: drawing.id ?? null, steps });
    this.close();
  }

  async cancel() {
    if (this.drawing.features.length && !(await ask(t("cancelSure"), t("discard"), this.element))) return;
    this.close();
  }

  /** Discards the drawing, which was sent or is not wanted. */
  close() {
    const { drafts, closed } = this.settings;
    this.leave();
    drafts.drop();
    drafts.name = "";
    closed();
  }

  /** Removes the tools from the map. The drawing stays in the browser. */
  leave() {
    const { room } = this.settings;
    const { tools } = this;
    // Its events while it stops are no changes.
    this.tools = null;
    this.settings.ownOutline?.show();
    this.preview.close();
    tools?.stop();
    this.faults.remove();
    this.proposed.remove();
    room.dispatch = undefined;
    room.map.isPointing = true;
    void room.showEvaluation(this.shownBefore);
  }
}

/** @param {string} name @param {HTMLElement} input */
function field(name, input) {
  return element("label", { className: "field" }, element("span", {}, name), input);
}
