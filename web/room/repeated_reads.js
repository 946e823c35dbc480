// Reading until the service answers: a change that was told is never told again.

import { Refused, Unreachable } from "./failures.js";

const FIRST_PAUSE = 500;
const MAX_PAUSE = 5000;

export class RepeatedReads {
  constructor() {
    /** @type {Map<string, () => Promise<void>>} what is to be done, by its name */
    this.wanted = new Map();
    /** @type {Set<string>} */
    this.running = new Set();
    this.hasClosed = false;
  }

  /**
   * Does something until the service answers, never twice at a time: what is asked for meanwhile is done once more afterwards.
   * @param {string} name @param {() => Promise<void>} does @param {() => number} [wait] milliseconds before it is done
   */
  async soon(name, does, wait) {
    this.wanted.set(name, does);
    if (this.running.has(name)) return;
    this.running.add(name);
    try {
      for (let pause = FIRST_PAUSE; ;) {
        if (wait) await sleep(wait());
        const next = this.wanted.get(name);
        if (!next || this.hasClosed) return;
        this.wanted.delete(name);
        try {
          await next();
          pause = FIRST_PAUSE;
        } catch (error) {
          if (!(error instanceof Unreachable)) {
            // What is refused would be refused again; all else is a mistake of ours.
            if (!(error instanceof Refused)) reportError(error);
            continue;
          }
          if (!this.wanted.has(name)) this.wanted.set(name, next);
          await sleep(pause);
          pause = Math.min(pause * 2, MAX_PAUSE);
        }
      }
    } finally {
      this.running.delete(name);
    }
  }

  close() {
    this.hasClosed = true;
  }
}

/** @param {number} milliseconds */
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
