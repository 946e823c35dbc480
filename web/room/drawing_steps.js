// Undo and redo of a drawing. Each step has everything that is drawn, so that one step may replace some shapes by others.

import { isSame } from "./drawing.js";

/** @import { Given } from "./drawing_shapes.js" */
/** @import { GeoJSONStoreFeatures, TerraDraw } from "../vendor/terra_draw.js" */

/** @typedef {{given: Given[], shapes: GeoJSONStoreFeatures[]}} State */
/** @typedef {Parameters<import("../vendor/terra_draw.js").TerraDrawSessionUndoRedo["register"]>[0]} Registered */

/** Takes the place of terra-draw's history of finished shapes. */
export class Steps {
  /** @param {() => State} read @param {(state: State) => void} restore */
  constructor(read, restore) {
    this.read = read;
    this.restore = restore;
    /** @type {State[]} */
    this.states = [{ given: [], shapes: [] }];
    this.place = 0;
  }

  /** @param {Registered} drawing */
  register({ draw, onHistoryChange }) {
    this.draw = draw;
    this.tell = (/** @type {"undo" | "redo" | "push"} */ cause) =>
      onHistoryChange({ cause, stack: "session", undoStackSize: this.undoSize(), redoStackSize: this.redoSize() });
    draw.on("finish", () => this.note());
    // The Delete key.
    draw.on("change", (_, type, context) => {
      if (type === "delete" && !(context && "origin" in context)) this.note();
    });
  }

  /** Adds a step if something has changed. */
  note() {
    const state = this.read();
    if (isSame(state, this.states[this.place])) return;
    this.states = [...this.states.slice(0, this.place + 1), state];
    this.place += 1;
    this.tell?.("push");
  }

  /** Everything drawn is the initial state: there is nothing to undo. */
  clearHistory() {
    this.states = [this.read()];
    this.place = 0;
  }

  /** True if terra-draw's own history of corners is asked. */
  get isDrawing() {
    return this.draw?.getModeState() === "drawing";
  }

  undoSize() {
    return this.place;
  }

  redoSize() {
    return this.states.length - 1 - this.place;
  }

  canUndo() {
    return !this.isDrawing && this.undoSize() > 0;
  }

  canRedo() {
    return !this.isDrawing && this.redoSize() > 0;
  }

  undo() {
    return this.go(-1);
  }

  redo() {
    return this.go(1);
  }

  /** @param {-1 | 1} way */
  go(way) {
    if (!this.states[this.place + way]) return false;
    this.place += way;
    this.restore(this.states[this.place]);
    this.tell?.(way < 0 ? "undo" : "redo");
    return true;
  }
}
