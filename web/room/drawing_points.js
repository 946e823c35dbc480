// Points of a drawing, such as trees: a tap adds one, a tap on a point removes it, and a drag moves it.

import { TerraDrawPointMode } from "../vendor/terra_draw.js";
import { isSame } from "./drawing.js";

/** @import { TerraDraw } from "../vendor/terra_draw.js" */
/** @typedef {NonNullable<NonNullable<ConstructorParameters<typeof TerraDrawPointMode>[0]>["validation"]>} Validation */

/** @typedef {{lng: number, lat: number}} Place as terra-draw has it */

// Pixels within which a tap hits a point, for a mouse and for a finger.
const SPOT = matchMedia("(pointer: coarse)").matches ? 18 : 11;
// Milliseconds between the taps of a double tap, which adds one point.
const DOUBLE = 400;

/** @type {any} */
const LOOK = { pointWidth: 7, pointColor: "#1a5fb4", pointOutlineColor: "#ffffff", pointOutlineWidth: 2 };
/** Look of a selected point. @type {any} */
export const SELECTED = { selectedPointWidth: 9, selectedPointColor: "#1a5fb4", selectedPointOutlineColor: "#ffffff", selectedPointOutlineWidth: 3 };

export class Points {
  /**
   * @param {() => TerraDraw} draw @param {(place: Place) => {distanceTo: (other: any) => number}} pixels a place on the screen
   * @param {() => void} changed called after a point was removed, or added without a pointer
   */
  constructor(draw, pixels, changed) {
    this.draw = draw;
    this.pixels = pixels;
    this.changed = changed;
    this.addedAt = 0;
  }

  /** The mode that adds them. @param {number} reach pixels within which a drag takes a point along */
  mode(reach) {
    const isAllowed = { rightClick: true, contextMenu: false, onDragStart: true, onDrag: true, onDragEnd: true };
    return new TerraDrawPointMode({
      editable: true, pointerDistance: reach, styles: LOOK, validation: this.isApart,
      pointerEvents: { ...isAllowed, leftClick: (/** @type {any} */ event) => !this.removeAt(event) },
    });
  }

  /** Keeps points from places that have one, where they would be priced twice. At the end of a drag, the place has the point itself. @type {Validation} */
  isApart = ({ geometry }, { updateType }) =>
    ({ valid: updateType === "finish" || !this.all().some((other) => isSame(other.geometry.coordinates, geometry.coordinates)) });

  all() {
    return this.draw().getSnapshot().filter(({ geometry, properties }) => geometry.type === "Point" && properties.mode === "point");
  }

  /** Removes the point that a tap hits, unless a double tap has just added it. Returns false if there is none. @param {Place} place */
  removeAt(place) {
    const found = this.at(place), isDouble = Date.now() - this.addedAt < DOUBLE;
    if (found === undefined) this.addedAt = Date.now();
    else if (!isDouble) {
      this.draw().removeFeatures([found]);
      this.changed();
    }
    return found !== undefined;
  }

  /** Adds a point without a pointer, or removes the one that is there. @param {Place} place */
  toggle(place) {
    if (this.removeAt(place)) return;
    this.draw().addFeatures([{ type: "Feature", geometry: { type: "Point", coordinates: [place.lng, place.lat] }, properties: { mode: "point" } }]);
    this.changed();
  }

  /** The id of the closest point that a tap hits. @param {Place} place */
  at(place) {
    const here = this.pixels(place);
    const near = this.all().map(({ id, geometry }) => {
      const [lng, lat] = /** @type {number[]} */ (geometry.coordinates);
      return { id, distance: here.distanceTo(this.pixels({ lng, lat })) };
    });
    return near.filter(({ distance }) => distance <= SPOT).sort((one, other) => one.distance - other.distance)[0]?.id;
  }
}
