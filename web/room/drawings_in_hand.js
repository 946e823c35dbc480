// Unfinished drawings. Each has its own name, so that two browser tabs neither overwrite nor send each other's drawing.

import { randomId } from "./session.js";

/** @import { Keeper, Session } from "./session.js" */

// Milliseconds in which other tabs report their drawings.
const ANSWER = 250;

export class Drafts {
  /** @param {Keeper} keeper @param {Session} session @param {string} project */
  constructor(keeper, session, project) {
    this.keeper = keeper;
    this.start = `draft:${session.name}:${project}:`;
    /** Name of this page's drawing. */
    this.name = "";
    /** @type {Set<string>} those of other tabs */
    this.others = new Set();
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(`geodesign:${keeper.prefix}${this.start}`);
    if (this.channel) this.channel.onmessage = ({ data }) => {
      if (data) this.others.add(data);
      else if (this.name) this.channel?.postMessage(this.name);
    };
  }

  /** Begins a drawing. @param {string} [name] of one that was left behind */
  begin(name = `${this.start}${Date.now().toString(36)}-${randomId()}`) {
    this.name = name;
    this.channel?.postMessage(name);
  }

  /** Stores the drawing. @param {any} drawing @returns {boolean} whether it outlives the page */
  keep(drawing) {
    return this.keeper.keep(this.name, drawing);
  }

  /** Discards the drawing. */
  drop() {
    this.keeper.drop(this.name);
  }

  /** The oldest drawing left behind, such as by a closed page; null if there is none. @returns {Promise<{name: string, drawing: any} | null>} */
  async left() {
    if (!this.keeper.names(this.start).length) return null;
    this.others.clear();
    this.channel?.postMessage("");
    await new Promise((resolve) => setTimeout(resolve, ANSWER * (1 + Math.random())));
    const name = this.keeper.names(this.start).find((known) => known !== this.name && !this.others.has(known));
    const drawing = name && this.keeper.read(name);
    return drawing ? { name, drawing } : null;
  }

  close() {
    this.name = "";
    this.channel?.close();
  }
}
