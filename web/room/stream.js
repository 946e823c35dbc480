// A project's changes as they happen: a stream that reconnects whenever it breaks, one for all tabs of a browser, and polling where
// something on the way holds the stream back.

import { Refused, Unreachable } from "./failures.js";
import { randomId } from "./session.js";

/** @import { Service } from "./service.js" */

/** @typedef {{id: string, event: string, data: any}} ServiceEvent */

/** How changes arrive: at once, at intervals, or not at all. @typedef {"streams" | "asks" | "away"} Arrival */

/**
 * @typedef {object} Listener
 * @property {(event: ServiceEvent) => void} event
 * @property {(arrival: Arrival, administers: boolean) => void} state `administers` is true if the service has said so to another tab
 */

// The service sends something every 15 seconds.
const SILENCE_SECONDS = 40;
// The service greets at once. Virus scanners and proxies that pass on complete responses only never deliver the greeting.
const GREETING_SECONDS = 4;
// Interval of polling in place of a stream, and the number of polls after which the stream is tried again.
const QUESTION_SECONDS = 3;
const QUESTIONS_PER_STREAM = 20;
const QUESTION_TIMEOUT_SECONDS = 20;
// Interval at which a tab asks for the tab with the stream, and its time to respond; also at the start, when most tabs find none.
const ASK_SECONDS = 15;
const ANSWER_SECONDS = 3;
const FIRST_ANSWER_SECONDS = 0.2;

/** One stream for a browser's tabs: one tab leads and informs the others. If two lead, the one that began later continues. */
export class SharedStream {
  /** @param {Service} service @param {string} project @param {Listener} listener @param {AbortSignal} ended */
  constructor(service, project, listener, ended) {
    this.service = service;
    this.project = project;
    this.listener = listener;
    this.ended = ended;
    /** Time when this tab began to lead; empty while another one does. */
    this.claim = "";
    this.leading = new AbortController();
    /** @type {Arrival} */
    this.arrival = "away";
    /** Position from which this tab continues if the leading one is closed. */
    this.last = "";
    this.isAnswered = false;
    this.administers = false;
    this.channel = new BroadcastChannel(`geodesign:${service.root}${project}:${service.token.slice(0, 8)}`);
    this.channel.onmessage = ({ data }) => this.hear(data);
    this.ask(FIRST_ANSWER_SECONDS);
    const timer = setInterval(() => document.hidden || this.ask(), ASK_SECONDS * 1000);
    document.addEventListener("visibilitychange", () => document.hidden || this.ask(), { signal: ended });
    addEventListener("pagehide", () => this.leave(), { signal: ended });
    addEventListener("pageshow", ({ persisted }) => persisted && this.ask(), { signal: ended });
    ended.addEventListener("abort", () => {
      clearInterval(timer);
      this.leave();
      this.channel.close();
    });
  }

  /** The leading tab's message about itself. */
  sayState() {
    this.channel.postMessage({ claim: this.claim, arrival: this.arrival, last: this.last, administers: this.administers });
  }

  /** @param {any} data */
  hear(data) {
    if (data.asks) {
      if (this.claim) this.sayState();
      return;
    }
    if (data.leaves) {
      // The first waiting tab that asks leads the others.
      this.ask(FIRST_ANSWER_SECONDS);
      return;
    }
    this.isAnswered = true;
    if (this.claim > data.claim) {
      this.sayState();
      return;
    }
    this.stop();
    this.last = data.last;
    if (data.event) this.listener.event(data.event);
    if (!data.arrival) return;
    this.arrival = data.arrival;
    this.administers = data.administers;
    this.listener.state(data.arrival, data.administers);
  }

  /** Asks for the leading tab. A phone may have put it to sleep together with the stream: then this one takes over. */
  ask(seconds = ANSWER_SECONDS) {
    if (this.claim || this.ended.aborted) return;
    this.isAnswered = false;
    this.channel.postMessage({ asks: true });
    setTimeout(() => {
      if (!this.isAnswered && !this.claim && !this.ended.aborted) this.lead();
    }, seconds * 1000 * (1 + Math.random()));
  }

  lead() {
    this.claim = `${Date.now().toString(36)}-${randomId()}`;
    this.leading = new AbortController();
    this.sayState();
    const { claim } = this;
    const stream = new Stream(this.service, this.project, AbortSignal.any([this.ended, this.leading.signal]));
    stream.last = this.last;
    void stream.run({
      event: (event) => {
        if (claim !== this.claim) return;
        this.last = stream.last;
        this.channel.postMessage({ claim, event, last: this.last });
        this.listener.event(event);
        if (event.event !== "hello") return;
        this.administers = event.data.administrator === true;
        this.sayState();
      },
      state: (arrival) => {
        if (claim !== this.claim) return;
        this.arrival = arrival;
        this.sayState();
        this.listener.state(arrival, this.administers);
      },
    });
  }

  stop() {
    this.claim = "";
    this.leading.abort();
  }

  /** The page closes, or is put away. */
  leave() {
    if (this.claim) this.channel.postMessage({ leaves: true });
    this.stop();
  }
}

/** Something on the way passes on complete responses only. */
class HeldBack extends Error {}

/** A project's changes, from a stream that reconnects whenever it breaks. */
export class Stream {
  /** @param {Service} service @param {string} project @param {AbortSignal} ended */
  constructor(service, project, ended) {
    this.service = service;
    this.project = project;
    this.ended = ended;
    this.last = "";
  }

  /** @param {Listener} listener */
  async run(listener) {
    let pause = 250, questions = 0;
    const told = (/** @type {ServiceEvent} */ event) => {
      pause = 250;
      listener.event(event);
    };
    while (!this.ended.aborted) {
      const asks = questions > 0;
      try {
        await this.read(asks, told, () => listener.state(asks ? "asks" : "streams", false));
        if (asks) {
          questions -= 1;
          await soon(QUESTION_SECONDS * 1000 * (0.75 + Math.random() / 2), this.ended);
          continue;
        }
      } catch (error) {
        if (error instanceof Refused) {
          listener.event({ id: "", event: "end", data: { reason: error.message, status: error.status } });
          return;
        }
        if (error instanceof HeldBack) {
          questions = QUESTIONS_PER_STREAM;
          continue;
        }
      }
      if (this.ended.aborted) return;
      listener.state("away", false);
      await soon(pause * (0.75 + Math.random() / 2), this.ended);
      pause = Math.min(pause * 2, 5000);
    }
  }

  /**
   * Reads the stream, or polls once for the changes since the last event.
   * @param {boolean} asks @param {(event: ServiceEvent) => void} told @param {() => void} greeted called when the first bytes arrive
   */
  async read(asks, told, greeted) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(asks ? undefined : new HeldBack()), (asks ? QUESTION_TIMEOUT_SECONDS : GREETING_SECONDS) * 1000);
    try {
      const response = await fetch(`${this.service.root}projects/${this.project}/events/${asks ? "?ends=true" : ""}`, {
        headers: { Authorization: `Token ${this.service.token}`, ...(this.last ? { "Last-Event-ID": this.last } : {}) },
        signal: AbortSignal.any([this.ended, silence.signal]),
        cache: "no-store",
        credentials: "omit",
      });
      if (!response.ok || !response.body) {
        const detail = (await response.json().catch(() => ({}))).detail;
        // Refusals by anything between this page and the service look different, and are temporary.
        if (detail && [401, 403, 404].includes(response.status)) throw new Refused(response.status, String(detail || response.status));
        throw new Unreachable(String(detail || response.status));
      }
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (let isFirst = true; ; isFirst = false) {
        const { done, value } = await reader.read();
        if (done) return;
        if (isFirst) greeted();
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_SECONDS * 1000);
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop() || "";
        for (const block of blocks) {
          const event = eventOf(block);
          if (!event) continue;
          this.last = event.id || this.last;
          told(event);
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Waits, but no longer than until the browser has a network again.
 * @param {number} milliseconds @param {AbortSignal} ended
 */
function soon(milliseconds, ended) {
  return new Promise((resolve) => {
    const over = new AbortController();
    const wake = () => {
      over.abort();
      clearTimeout(timer);
      resolve(null);
    };
    const timer = setTimeout(wake, milliseconds);
    addEventListener("online", wake, { signal: over.signal });
    ended.addEventListener("abort", wake, { signal: over.signal });
  });
}

/** @param {string} block lines of one event @returns {ServiceEvent | null} */
function eventOf(block) {
  const found = { id: "", event: "", data: "" };
  for (const line of block.split("\n")) {
    const [, field, value] = /^(id|event|data): ?(.*)$/.exec(line) || [];
    if (field) /** @type {any} */ (found)[field] += value;
  }
  return found.event ? { ...found, data: JSON.parse(found.data || "{}") } : null;
}
