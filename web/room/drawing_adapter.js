// Adapter between terra-draw and Leaflet: the drawing's place on the map, and the fingers that draw.

import { TerraDrawLeafletAdapter } from "../vendor/terra_draw.js";

/** Internals of terra-draw, for which it has no types. @type {any} */
const Base = TerraDrawLeafletAdapter;

export class Adapter extends Base {
  /**
   * @param {any} settings of terra-draw
   * @param {number} frame degrees of longitude between the map and terra-draw, which takes none beyond 180
   * @param {{begun: () => void, interrupted: () => void}} drags called when a finger drags something, and when a second one ends that
   */
  constructor(settings, frame, drags) {
    super(settings);
    this.frame = frame;
    this.drags = drags;
  }

  /** Two fingers move and zoom the map, and draw nothing. @param {any} callbacks */
  register(callbacks) {
    super.register({ ...callbacks, onDragStart: (/** @type {any[]} */ ...told) => {
      this.drags.begun();
      callbacks.onDragStart(...told);
    } });
    this.listening = new AbortController();
    const end = (/** @type {PointerEvent} */ event) => {
      if (event.type === "pointerdown" && event.isPrimary) return;
      const wasDragging = this._dragState === "dragging";
      // In an unknown state, terra-draw takes the first finger for neither a click nor a drag until it is lifted.
      if (this._dragState !== "not-dragging") this._dragState = "several fingers";
      if (wasDragging) this.drags.interrupted();
    };
    for (const name of ["pointerdown", "pointercancel"]) this._container.addEventListener(name, end, { signal: this.listening.signal });
  }

  unregister() {
    this.listening?.abort();
    super.unregister();
  }

  /** Places panes with a property, because the page's policy allows no style sheets made by a program. @param {string} name @param {number} zIndex */
  createPaneStyleSheet(name, zIndex) {
    const map = this._map;
    const pane = map.getPane(name) || map.createPane(name);
    pane.style.zIndex = String(zIndex + 600);
    return {
      remove() {
        pane.remove();
        delete map._panes[name];
        delete map._paneRenderers[name];
      },
    };
  }

  /** @param {PointerEvent} event */
  getLngLatFromEvent(event) {
    const place = super.getLngLatFromEvent(event);
    return place && { ...place, lng: place.lng - this.frame };
  }

  /** @param {number} lng @param {number} lat */
  project(lng, lat) {
    return super.project(lng + this.frame, lat);
  }

  /** @param {number} x @param {number} y */
  unproject(x, y) {
    const { lng, lat } = super.unproject(x, y);
    return { lng: lng - this.frame, lat };
  }

  /** @param {any} styling */
  styleGeoJSONLayer(styling) {
    return { ...super.styleGeoJSONLayer(styling), coordsToLatLng: (/** @type {number[]} */ [lng, lat]) => this._lib.latLng(lat, lng + this.frame) };
  }

  /** @param {any} changes @param {any} styling */
  render(changes, styling) {
    super.render(changes, styling);
    // A layer that gets another style is made from its own description.
    for (const feature of [...changes.created, ...changes.updated]) this._layers[feature.id].toGeoJSON = () => feature;
  }
}
