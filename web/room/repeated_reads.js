// Reading until the service responds: a change is reported only once.

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
   * Runs a task until the service responds, never twice at a time: further requests during a run make it run once more.
   * @param {string} name @param {() => Promise<void>} does @param {() => number} [wait] milliseconds before each run
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
            // A refusal would be repeated; everything else is a bug.
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
