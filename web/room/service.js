// The service as a transport: it sends requests, listens to a project, and closes.

import { Refused, Unreachable } from "./failures.js";
import { SharedStream, Stream } from "./stream.js";

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body JSON
 * @property {string | null} etag
 * @property {number | null} total length of a list, on all pages
 */

/** @import { Listener } from "./stream.js" */

const REQUEST_SECONDS = 30;
const PAGE_SIZE = 1000;

export class Service {
  /** @param {string} root the address of the API, which ends in a slash @param {string} token */
  constructor(root, token) {
    this.root = root;
    this.token = token;
    this.closing = new AbortController();
    /** Milliseconds by which the service's clock is ahead of this machine's, which may be wrong. */
    this.ahead = 0;
  }

  /** The time of the service. */
  now() {
    return Date.now() + this.ahead;
  }

  /**
   * Sends a request. Throws `Refused` or `Unreachable`.
   * @param {string} method @param {string} path below the root
   * @param {any} [body] sent as JSON
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async send(method, path, body, headers = {}) {
    let response;
    let text;
    try {
      response = await fetch(this.root + path, {
        method,
        headers: {
          ...(this.token ? { Authorization: `Token ${this.token}` } : {}),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(REQUEST_SECONDS * 1000)]),
        credentials: "omit",
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable(String(error));
    }
    const date = Date.parse(response.headers.get("Date") || "");
    if (date) this.ahead = date - Date.now();
    let answer = null;
    try {
      answer = text ? JSON.parse(text) : null;
    } catch {
      throw new Unreachable(`the answer to ${method} ${path} is no JSON`);
    }
    if (!response.ok) {
      const detail = answer?.detail ?? answer?.status ?? answer?.message ?? `HTTP ${response.status}`;
      if (response.status >= 500 || response.status === 429 || response.status === 408) throw new Unreachable(detail);
      throw new Refused(response.status, String(detail));
    }
    const total = response.headers.get("X-Total-Count");
    return { status: response.status, body: answer, etag: response.headers.get("ETag"), total: total === null ? null : Number(total) };
  }

  /**
   * Returns a file: a response with any content. Throws `Refused` or `Unreachable`.
   * @param {string} path below the root, or an address @param {Blob | string} [content] the body to send, if any @param {AbortSignal} [given] ends it
   * @returns {Promise<Blob>}
   */
  async file(path, content, given) {
    let response;
    try {
      response = await fetch(new URL(path, this.root), {
        method: content === undefined ? "GET" : "POST", body: content, credentials: "omit",
        headers: { Authorization: `Token ${this.token}` }, signal: AbortSignal.any([this.closing.signal, ...(given ? [given] : [])]),
      });
      if (response.ok) return await response.blob();
    } catch (error) {
      throw new Unreachable(String(error));
    }
    const detail = (await response.json().catch(() => null))?.detail ?? `HTTP ${response.status}`;
    if (response.status >= 500 || response.status === 429) throw new Unreachable(detail);
    throw new Refused(response.status, detail);
  }

  /** The body of a response. @param {string} path */
  async get(path) {
    return (await this.send("GET", path)).body;
  }

  /** A complete list. @param {string} path @param {Record<string, string>} [filters] @returns {Promise<any[]>} */
  async list(path, filters = {}) {
    /** @type {any[]} */
    const rows = [];
    for (let page = 1; ; page += 1) {
      const { body, total } = await this.send("GET", `${path}?${new URLSearchParams({ page_size: String(PAGE_SIZE), page: String(page), ...filters })}`);
      rows.push(...body);
      if (total === null || rows.length >= total || !body.length) return rows;
    }
  }

  /**
   * Reports all changes of a project from now on, also after a time without the service. A browser's tabs share one stream.
   * @param {string} project @param {Listener} listener
   * @returns {() => void} ends it
   */
  listen(project, listener) {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.closing.signal]);
    if (typeof BroadcastChannel === "undefined") void new Stream(this, project, signal).run(listener);
    else new SharedStream(this, project, listener, signal);
    return () => ended.abort();
  }

  close() {
    this.closing.abort();
  }
}
