// The service through a notebook's kernel, which has the address and the token: the browser needs neither, nor a connection to it.

import { Refused, Unreachable } from "../room/failures.js";
import { Service } from "../room/service.js";
import { randomId } from "../room/session.js";

/** @import { Answer } from "../room/service.js" */
/** @import { Listener } from "../room/stream.js" */

/**
 * A widget's model, as anywidget passes it.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(message: any, callbacks?: any, buffers?: ArrayBuffer[]) => void} send
 * @property {(event: string, heard: (...told: any[]) => void) => void} on
 * @property {(event: string, heard: (...told: any[]) => void) => void} off
 */

// A kernel responds between two cells: a cell that runs for long delays the response.
const ANSWER_SECONDS = 600;

export class KernelService extends Service {
  /** @param {Model} model */
  constructor(model) {
    super("kernel:/", "");
    this.model = model;
    /** @type {Map<string, (told: any, body: string) => void>} */
    this.waiting = new Map();
    /** @type {Map<string, Listener>} */
    this.listeners = new Map();
    this.heard = (/** @type {any} */ told, /** @type {DataView[]} */ buffers) => this.hear(told, buffers);
    model.on("msg:custom", this.heard);
  }

  /** @param {any} told @param {DataView[]} buffers */
  hear(told, buffers) {
    const body = buffers?.length ? new TextDecoder().decode(buffers[0]) : "";
    if (told.kind === "answer") {
      this.waiting.get(told.id)?.(told, body);
      this.waiting.delete(told.id);
    } else if (told.kind === "event") this.listeners.get(told.id)?.event({ id: "", event: told.event, data: told.data });
    else if (told.kind === "state") this.listeners.get(told.id)?.state(told.isOpen ? "streams" : "away", false);
  }

  /**
   * @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async send(method, path, body, headers = {}) {
    const id = randomId();
    const [told, text] = await new Promise((/** @type {(answer: [any, string]) => void} */ resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Unreachable("The kernel does not answer."));
      }, ANSWER_SECONDS * 1000);
      this.waiting.set(id, (answer, content) => {
        clearTimeout(timer);
        resolve([answer, content]);
      });
      this.model.send({ kind: "send", id, method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
    });
    if (told.problem) throw told.status ? new Refused(told.status, told.problem) : new Unreachable(told.problem);
    return { status: told.status, body: text ? JSON.parse(text) : null, etag: told.etag, total: told.total };
  }

  /** @param {string} _project @param {Listener} listener */
  listen(_project, listener) {
    const id = randomId();
    this.listeners.set(id, listener);
    this.model.send({ kind: "listen", id });
    return () => {
      this.listeners.delete(id);
      this.model.send({ kind: "leave", id });
    };
  }

  /** @param {string} path @returns {Promise<Blob>} */
  async file(path) {
    throw new Unreachable(`A notebook has no files of pages, such as ${path}.`);
  }

  close() {
    super.close();
    this.model.off("msg:custom", this.heard);
    this.waiting.clear();
  }
}
