// A map in a notebook's cell: the kernel's project, kept up to date, to point at, to select from and to draw on.

import leafletStyle from "../vendor/leaflet.css";
import mapStyle from "../map/map.css";
import patterns from "../map/patterns.json";
import { button, element } from "../map/elements.js";
import { Drafts } from "../room/drawings_in_hand.js";
import { DrawingPanel } from "../room/drawing_panel.js";
import { Outbox } from "../room/outbox.js";
import { Project } from "../room/project.js";
import { reasonOf } from "../room/reasons.js";
import { RoomMap } from "../room/room_map.js";
import { Keeper } from "../room/session.js";
import { chooseLanguage, currentLanguage, direction, t } from "../room/texts.js";
import { Lasso } from "./lasso.js";
import { frameIn } from "./frame.js";
import { KernelService } from "./kernel_service.js";
import widgetStyle from "./widget.css";

/** @import { Model } from "./kernel_service.js" */

class LiveMap {
  /** @param {Model} model @param {HTMLElement} holder */
  constructor(model, holder) {
    this.model = model;
    this.service = new KernelService(model);
    const { project, name, draws, height, theme } = model.get("settings");
    this.draws = draws;
    this.project = new Project(this.service, project, name);
    this.keeper = new Keeper(`notebook:${name}`);
    this.outbox = new Outbox(this.service, this.keeper, project, name);
    this.drafts = new Drafts(this.keeper, { name, token: "", key: "" }, project);
    const { root, frame } = frameIn(holder, theme, leafletStyle, mapStyle, widgetStyle);
    this.frame = Object.assign(frame, { lang: currentLanguage(), dir: direction() });
    this.notice = element("p", { className: "notice", role: "status", hidden: true });
    this.views = element("div", { id: "views" });
    this.legend = element("div", { className: "panel" });
    this.side = element("aside", {}, element("details", { open: true }, element("summary", {}, t("legend")), this.legend));
    this.drawButton = button(t("draw"), () => void this.draw(), { className: "main", hidden: true });
    this.changeButton = button(t("changeDiagram"), () => void this.draw({ id: this.own() }), { hidden: true });
    this.lasso = new Lasso(this.views, (inside) => this.select(inside));
    this.lassoButton = button(t("lasso"), () => this.lasso.toggle(this.lassoButton), { "aria-pressed": "false" });
    this.frame.append(
      element("div", { className: "head" }, element("h2", {}), element("span", { className: "buttons" }, this.lassoButton, this.changeButton, this.drawButton)), this.notice, element("div", { className: "main" }, this.views, this.side));
    this.frame.style.blockSize = `${height}px`;
    // Scrolling the notebook does not zoom the map: the wheel zooms only with Ctrl, or after a click on the map.
    this.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !this.frame.contains(/** @type {any} */ (root).activeElement)) event.stopPropagation();
    }, { capture: true });
    // JupyterLab keeps Enter from sending a form.
    this.frame.addEventListener("keydown", (event) => {
      const { target } = event;
      if (event.key !== "Enter" || !(target instanceof HTMLInputElement) || target.type !== "text" || !target.form) return;
      event.preventDefault();
      target.form.requestSubmit();
    });
    /** @type {DrawingPanel | null} */
    this.panel = null;
    /** @type {RoomMap | null} */
    this.room = null;
    this.told = () => this.hold();
  }

  async open() {
    const { project, model } = this;
    this.say(t("loadingMap"));
    try {
      await project.open();
    } catch (error) {
      this.say(reasonOf(error));
      return;
    }
    this.say("");
    const heading = this.frame.querySelector("h2");
    if (heading) heading.textContent = project.title;
    this.drawButton.hidden = !this.draws;
    this.room = new RoomMap(project, this.views, this.legend, {
      patterns, basemap: null, home: new URL("http://kernel/"), tap: (ids) => this.tapped(ids), host: this.frame,
      views: model.get("settings").views.length ? model.get("settings").views : undefined,
    });
    // For the console of the browser.
    Object.assign(this.frame, { geodesignMap: this.room });
    project.addEventListener("ended", (event) => this.say(/** @type {CustomEvent} */ (event).detail.reason));
    this.outbox.addEventListener("arrived", (event) => {
      project.readSoon(/** @type {CustomEvent} */ (event).detail);
      this.say("");
      this.tellDrawn();
    });
    this.outbox.addEventListener("refused", (event) => this.refused(/** @type {CustomEvent} */ (event).detail));
    model.on("change:selected", this.told);
    model.on("change:shown", this.told);
    this.messages = (/** @type {any} */ told) => {
      if (told.kind === "send drawn") this.panel?.send();
    };
    model.on("msg:custom", this.messages);
    this.hold();
    void this.outbox.send();
    if (this.draws) void this.draw();
  }

  /** @param {string} text */
  say(text) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
  }

  /** Marks the selected diagrams, and leaves out those that Python has filtered out. */
  hold() {
    const shown = this.model.get("shown");
    const { views } = this.model.get("settings");
    (this.room?.map.views ?? []).forEach((view, place) => {
      const own = views[place]?.members;
      view.members = shown === null ? own ? new Set(own) : null : new Set(own ? own.filter((/** @type {number} */ id) => shown.includes(id)) : shown);
    });
    this.room?.map.repaint();
    this.room?.map.pin(this.model.get("selected"));
    this.changeButton.hidden = !this.draws || this.panel !== null || this.own() === undefined;
  }

  /** The only selected diagram, if it is the caller's own. */
  own() {
    const [id, ...others] = this.model.get("selected");
    const author = this.project.diagrams.get(id)?.author;
    return id !== undefined && !others.length && author && author === this.project.me ? id : undefined;
  }

  /** Selects the diagrams with their middle inside a shape on the map. @param {(x: number, y: number) => boolean} isInside of pixels of the first map */
  select(isInside) {
    const map = this.room?.leaflet;
    const view = this.room?.map.views[0];
    if (!map || !view) return;
    const ids = [...this.project.diagrams.values()].filter(({ id, box }) => {
      if (!box || (view.members && !view.members.has(id))) return false;
      const { x, y } = map.latLngToContainerPoint(map.unproject([(box.west + box.east) * 128, (box.north + box.south) * 128], 0));
      return isInside(x, y);
    }).map(({ id }) => id);
    this.model.set("selected", ids);
    this.model.save_changes();
    this.hold();
  }

  /** @param {number[]} ids the smallest first */
  tapped(ids) {
    const selected = this.model.get("selected");
    const [id] = ids;
    const next = id === undefined ? [] : selected.includes(id) ? selected.filter((/** @type {number} */ known) => known !== id) : [...selected, id];
    this.model.set("selected", next);
    this.model.save_changes();
    this.hold();
  }

  /** Opens the tools. @param {any} [kept] a drawing that was refused, or the id of a diagram to change */
  async draw(kept) {
    const { project, room, drafts, model } = this;
    if (this.panel || !room) return;
    const { isOpen, message } = project.mayDo("drawing");
    if (!isOpen) {
      this.say(message ? t("drawingClosedBecause", { message }) : t("drawingClosed"));
      return;
    }
    const left = kept ? null : await drafts.left();
    drafts.begin(left?.name);
    const { system, asks } = model.get("settings");
    // Drawings that Python handles itself go to it instead of the service.
    const outbox = asks ? { put: (/** @type {any} */ parcel) => this.model.send({ kind: "drawn", drawing: parcel.drawing }) } : this.outbox;
    try {
      this.panel = await DrawingPanel.open({ project, room, outbox: /** @type {any} */ (outbox), drafts, kept: kept?.features ? kept : left?.drawing, sysid: system ?? undefined, id: kept?.id ?? left?.drawing.id, closed: () => {
        this.panel?.element.remove();
        this.panel = null;
        this.drawButton.hidden = false;
        this.hold();
        this.tellDrawn();
      } });
    } catch (error) {
      this.say(reasonOf(error));
      return;
    }
    this.drawButton.hidden = this.changeButton.hidden = true;
    this.side.prepend(this.panel.element);
    this.panel.element.addEventListener("input", () => this.tellDrawn());
    this.panel.onChange = () => this.tellDrawn();
    this.tellDrawn();
  }

  /** @param {any} parcel */
  refused(parcel) {
    this.say(t("refused", { reason: parcel.refusal.detail }));
    const drawing = parcel.drawing;
    this.outbox.drop(parcel.key);
    void this.draw(drawing);
  }

  /** Sends Python the drawings that the service does not have yet. */
  tellDrawn() {
    const waiting = this.outbox.parcels().map(({ drawing }) => drawing);
    const drawings = this.panel ? [...waiting, this.panel.drawing] : waiting;
    const told = drawings.filter(({ features }) => features.length).map(({ title, sysid, policy, features }) => ({ title, sysid, policy, features }));
    // Most changes while a corner is dragged or a form is filled in leave these drawings unchanged.
    if (JSON.stringify(told) === JSON.stringify(this.model.get("drawings"))) return;
    this.model.set("drawings", told);
    this.model.save_changes();
  }

  close() {
    this.model.off("change:selected", this.told);
    this.model.off("change:shown", this.told);
    if (this.messages) this.model.off("msg:custom", this.messages);
    this.panel?.leave();
    this.drafts.close();
    this.outbox.close();
    this.room?.close();
    this.project.close();
    this.service.close();
  }
}

export default {
  /** @param {{model: Model, el: HTMLElement}} view */
  async render({ model, el }) {
    await chooseLanguage(navigator.languages);
    const map = new LiveMap(model, el);
    void map.open();
    return () => map.close();
  },
};
