// Drawings and comments that the service has not acknowledged. They stay in this browser until then, and take effect once: each has a key by
// which the service recognises it.

import { isAs } from "./drawing.js";
import { randomId } from "./session.js";
import { Refused, Unreachable } from "./failures.js";

/** @import { Keeper } from "./session.js" */
/** @import { Service } from "./service.js" */

/**
 * Requests to send, as steps in order. In a path, `{id}` stands for the diagram that the first step made.
 * @typedef {object} Parcel
 * @property {string} key
 * @property {string} project
 * @property {string} title of a drawing; the text of a comment
 * @property {any} drawing the form's values, so that it can be opened again; null for a comment
 * @property {{method: string, path: string, body: any, ifMatch?: string}[]} steps
 * @property {number} done number of steps that the service has acknowledged
 * @property {number} [unsure] the step that was sent without an answer: the service may have done it
 * @property {number | null} diagram
 * @property {{status: number, detail: string} | null} refusal
 */

const FIRST_PAUSE = 1000;
const MAX_PAUSE = 15000;

/** Events: `change`; `arrived` (detail: the parcel, which has the id of the diagram); `refused` (detail: the parcel); `ended`: the token is not valid any more. */
export class Outbox extends EventTarget {
  /** @param {Service} service @param {Keeper} keeper @param {string} project @param {string} name whose drawings they are */
  constructor(service, keeper, project, name) {
    super();
    this.service = service;
    this.keeper = keeper;
    this.start = `sent:${name}:${project}:`;
    this.project = project;
    this.isSending = false;
    this.pause = FIRST_PAUSE;
    this.timer = 0;
    this.count = 0;
    this.hasClosed = false;
  }

  /** @returns {Parcel[]} the oldest first */
  parcels() {
    return this.keeper.names(this.start).map((name) => this.keeper.read(name)).filter(Boolean);
  }

  /** The oldest parcel that may be accepted. */
  next() {
    return this.parcels().find(({ refusal }) => !refusal);
  }

  /**
   * Stores a drawing, and sends it as soon as the service can be reached.
   * @param {Pick<Parcel, "title" | "drawing" | "steps" | "diagram">} what
   */
  put(what) {
    const order = `${Date.now().toString(36)}-${String((this.count += 1)).padStart(4, "0")}`;
    /** @type {Parcel} */
    const parcel = { ...what, key: `${order}-${randomId()}`, project: this.project, done: 0, refusal: null };
    this.keeper.keep(this.start + parcel.key, parcel);
    this.dispatchEvent(new Event("change"));
    void this.send();
    return parcel.key;
  }

  /** Sends a drawing, and waits until the service has it. @param {Pick<Parcel, "title" | "drawing" | "steps" | "diagram">} what @returns {Promise<number | null>} its id */
  arrival(what) {
    const key = this.put(what);
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      this.addEventListener("arrived", (event) => {
        const { detail } = /** @type {CustomEvent<Parcel>} */ (event);
        if (detail.key === key) over.abort(resolve(detail.diagram));
      }, { signal: over.signal });
      this.addEventListener("refused", (event) => {
        const { detail } = /** @type {CustomEvent<Parcel>} */ (event);
        if (detail.key === key) over.abort(reject(new Refused(detail.refusal?.status ?? 0, detail.refusal?.detail ?? "")));
      }, { signal: over.signal });
    });
  }

  /** @param {string} key */
  drop(key) {
    this.keeper.drop(this.start + key);
    this.dispatchEvent(new Event("change"));
  }

  /** Sends waiting parcels. */
  async send() {
    if (this.isSending || this.hasClosed) return;
    this.isSending = true;
    clearTimeout(this.timer);
    try {
      // Others may be put in while one is sent.
      for (let parcel = this.next(); parcel; parcel = this.next()) await this.sendOne(parcel);
      this.pause = FIRST_PAUSE;
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Refused)) throw error;
      if (error instanceof Refused) this.dispatchEvent(new Event("ended"));
      this.timer = setTimeout(() => void this.send(), this.pause * (0.75 + Math.random() / 2));
      this.pause = Math.min(this.pause * 2, MAX_PAUSE);
    } finally {
      this.isSending = false;
    }
    this.dispatchEvent(new Event("change"));
  }

  /** @param {Parcel} parcel */
  async sendOne(parcel) {
    while (parcel.done < parcel.steps.length) {
      const { method, path, body, ifMatch } = parcel.steps[parcel.done];
      /** @type {Record<string, string>} */
      const headers = ifMatch ? { "If-Match": ifMatch } : {};
      if (method === "POST" && /\/(add|comments)\//.test(path)) headers["Idempotency-Key"] = parcel.key;
      try {
        const answer = await this.service.send(method, path.replace("{id}", String(parcel.diagram)), body, headers);
        if (answer.body?.diagram_id) parcel.diagram = Number(answer.body.diagram_id);
      } catch (error) {
        // A new card may have another token.
        if (!(error instanceof Refused) || error.status === 401) {
          parcel.unsure = parcel.done;
          this.keep(parcel);
          throw error;
        }
        // Another tab may have sent it in the meantime.
        if (!this.keeper.read(this.start + parcel.key)) return;
        if (error.status === 412 && parcel.unsure === parcel.done && await this.isDone(parcel)) {
          parcel.done += 1;
          continue;
        }
        parcel.refusal = { status: error.status, detail: error.message };
        this.keeper.keep(this.start + parcel.key, parcel);
        this.dispatchEvent(new CustomEvent("refused", { detail: parcel }));
        return;
      }
      parcel.done += 1;
      if (parcel.done < parcel.steps.length) this.keep(parcel);
    }
    this.keeper.drop(this.start + parcel.key);
    this.dispatchEvent(new CustomEvent("arrived", { detail: parcel }));
  }

  /** Stores a drawing's state, unless another tab has sent it. @param {Parcel} parcel */
  keep(parcel) {
    if (this.keeper.read(this.start + parcel.key)) this.keeper.keep(this.start + parcel.key, parcel);
  }

  /** True if the diagram already is as the waiting step would make it. @param {Parcel} parcel */
  async isDone({ project, diagram, steps, done }) {
    return isAs((await this.service.send("GET", `projects/${project}/diagrams/${diagram}/`)).body, steps[done].body);
  }

  close() {
    this.hasClosed = true;
    clearTimeout(this.timer);
  }
}
