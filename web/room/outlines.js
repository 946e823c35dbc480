// Drawings in progress: the others' as light outlines on the map, and the caller's own on its way to the others.

import L from "../vendor/leaflet.js";
import { colorOf, initialsOf } from "./presence.js";

/** @import { Project } from "./project.js" */

/** Milliseconds for which an outline is shown without news. */
const SHOWN = 10_000;
/** Milliseconds between two outlines that are sent. */
const PAUSE = 1000;
/** Number of points that the service takes. */
const MOST = 200;

export class Outlines {
  /** @param {Project} project @param {any} map of Leaflet */
  constructor(project, map) {
    this.project = project;
    this.map = map;
    /** @type {Map<string, {line: any, timer: number}>} by the member's name */
    this.shown = new Map();
    project.addEventListener("drawing", (event) => this.show(/** @type {CustomEvent} */ (event).detail));
    project.addEventListener("activities", () => {
      if (!project.drawingsShown) [...this.shown.keys()].forEach((name) => this.drop(name));
    });
  }

  /** @param {{username: string, outline: [number, number][] | null}} drawn */
  show({ username, outline }) {
    this.drop(username);
    if (!outline?.length || username === this.project.me) return;
    const color = colorOf(this.project, this.project.here.find((known) => known.username === username));
    const places = outline.map(([lon, lat]) => [lat, lon]);
    const look = { color, weight: 3, opacity: .6, dashArray: "2 6", interactive: false, className: "in-progress" };
    const line = (places.length === 1 ? L.circleMarker(places[0], look) : L.polyline(places, look))
      .bindTooltip(initialsOf(username), { permanent: true, direction: "right", className: "drawer" }).addTo(this.map);
    this.shown.set(username, { line, timer: window.setTimeout(() => this.drop(username), SHOWN) });
  }

  /** @param {string} username */
  drop(username) {
    const { line, timer } = this.shown.get(username) ?? {};
    clearTimeout(timer);
    line?.remove();
    this.shown.delete(username);
  }
}

/** Sends the others the part that is being drawn, if the project shows drawings. */
export class OwnOutline {
  /** @param {Project} project */
  constructor(project) {
    this.project = project;
    /** @type {[number, number][] | null} */
    this.outline = null;
    this.timer = 0;
    this.sentAt = 0;
    this.isShown = false;
  }

  /** @param {any} [geometry] GeoJSON; none while nothing is drawn */
  show(geometry) {
    const outline = geometry ? pointsOf(geometry) : null;
    if (!this.project.drawingsShown || !outline && !this.isShown) return;
    this.outline = outline;
    this.isShown = outline !== null;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), outline ? Math.max(0, this.sentAt + PAUSE - Date.now()) : 0);
  }

  send() {
    this.sentAt = Date.now();
    // The next one replaces it; drawing does not wait for it.
    this.project.service.send("POST", `${this.project.path}presence/`, { outline: this.outline }).catch(() => {});
  }
}

/** The last of several points, or some points of a line or of an area's outer ring, evenly left out if there are too many. @param {any} geometry */
function pointsOf({ type, coordinates }) {
  const lines = type.startsWith("Multi") ? coordinates.at(-1) : coordinates;
  if (type.endsWith("Point")) return [lines];
  /** @type {[number, number][]} */
  const line = type.endsWith("Polygon") ? lines[0] : lines;
  const step = Math.ceil(line.length / (MOST - 1));
  return line.filter((_, place) => place % step === 0 || place === line.length - 1);
}
