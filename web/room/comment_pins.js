// Comments on places: pins on the map, and the choice of a place for a new one.

import L from "../vendor/leaflet.js";
import { element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { Threads } from "./comments.js";
import { t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Outbox } from "./outbox.js" */
/** @import { RoomMap } from "./room_map.js" */
/** @import { Subject } from "./comments.js" */

/** Opens threads in a dialog. @param {Project} project @param {Outbox} outbox @param {Subject} about @param {string} title */
export function openThreads(project, outbox, about, title) {
  const dialog = element("dialog", { className: "card", "aria-labelledby": "talk-title" });
  const closing = new AbortController();
  dialog.addEventListener("close", () => {
    closing.abort();
    dialog.remove();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  const threads = new Threads(project, outbox, about, closing.signal);
  dialog.append(iconButton("X", t("close"), () => dialog.close(), { className: "close" }), element("h2", { id: "talk-title" }, title), threads.element);
  // The pin shows a comment on a place once it is written.
  if (about.place) threads.element.addEventListener("submit", () => dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  if (!about.thread) dialog.querySelector("textarea")?.focus();
}

export class CommentPins {
  /** @param {Project} project @param {Outbox} outbox @param {RoomMap} room @param {(text: string) => void} say */
  constructor(project, outbox, room, say) {
    this.project = project;
    this.outbox = outbox;
    this.map = room.leaflet;
    this.say = say;
    this.pins = L.layerGroup().addTo(this.map);
    /** Ends the choice of a place. @type {AbortController | null} */
    this.choosing = null;
    for (const name of ["comments", "reread"]) project.addEventListener(name, () => this.show());
    outbox.addEventListener("change", () => this.show());
    this.map.on("contextmenu", (/** @type {any} */ { latlng, originalEvent }) => {
      originalEvent.preventDefault();
      if (project.isMember) this.write(latlng);
    });
    this.show();
  }

  show() {
    const { project, outbox, pins } = this;
    pins.clearLayers();
    for (const { id, author, text, place, reply_to, resolved } of project.comments) {
      if (!place || reply_to) continue;
      const open = () => openThreads(project, outbox, { thread: id }, t("commentOnPlace"));
      this.pin(place, t("commentBy", { name: author, text }), resolved ? "resolved" : "").on("click", open).on("keypress", (/** @type {any} */ { originalEvent }) => {
        if (originalEvent.key === "Enter" || originalEvent.key === " ") open();
      });
    }
    for (const { drawing, steps: [{ body }], title } of outbox.parcels()) {
      if (!drawing && body?.place) this.pin(body.place, `${title} (${t("notYetSent")})`, "waiting");
    }
  }

  /** @param {[number, number]} place @param {string} title @param {string} state */
  pin([longitude, latitude], title, state) {
    const pin = L.marker([latitude, longitude], { title, alt: title, icon: L.divIcon({ className: `pin ${state}`, iconSize: [28, 28], iconAnchor: [2, 28] }) }).addTo(this.pins);
    pin.getElement()?.setAttribute("aria-label", title);
    return pin;
  }

  /** Lets the caller choose a place: by a tap, or the middle of the map by Enter. */
  choose() {
    this.choosing?.abort();
    const choosing = this.choosing = new AbortController();
    const { map, say } = this;
    const holder = map.getContainer();
    const end = () => {
      choosing.abort();
      map.off("click", chosen);
      delete holder.dataset.choosing;
      say("");
    };
    const chosen = (/** @type {any} */ { latlng }) => {
      end();
      this.write(latlng);
    };
    holder.dataset.choosing = "place";
    say(t("commentPlaceHelp"));
    map.on("click", chosen);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") end();
      if (event.key !== "Enter") return;
      event.preventDefault();
      chosen({ latlng: map.getCenter() });
    }, { signal: choosing.signal });
  }

  /** True while a place is chosen: a tap is not for diagrams. */
  get isChoosing() {
    return this.choosing !== null && !this.choosing.signal.aborted;
  }

  /** @param {any} latlng */
  write(latlng) {
    const { lat, lng } = latlng.wrap();
    /** @type {[number, number]} */
    const place = [Number(lng.toFixed(6)), Number(lat.toFixed(6))];
    openThreads(this.project, this.outbox, { place }, t("commentOnPlace"));
  }
}
