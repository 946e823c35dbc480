// The service as a transport: it sends requests of the wire, listens to a project, and closes.

/** The service refused a request. */
export class Refused extends Error {
  /** @param {number} status @param {string} detail what the service said */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** No answer came, or none that means anything for good: the request may be sent again. */
export class Unreachable extends Error {}

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body JSON
 * @property {string | null} etag
 * @property {number | null} total of a list, how many it has in all
 */

/** @typedef {{id: string, event: string, data: any}} ServiceEvent */

/**
 * @typedef {object} Listener
 * @property {(event: ServiceEvent) => void} event
 * @property {(isOpen: boolean) => void} state whether changes arrive
 */

const REQUEST_SECONDS = 30;
// The service sends something every 15 seconds.
const SILENCE_SECONDS = 40;
const PAGE_SIZE = 1000;
// How often a tab asks the one that has the stream, and for how long it waits for an answer.
const ASK_SECONDS = 15;
const ANSWER_SECONDS = 3;

export class Service {
  /** @param {string} root the address of the API, which ends in a slash @param {string} token */
  constructor(root, token) {
    this.root = root;
    this.token = token;
    this.closing = new AbortController();
    /** How many milliseconds the clock of the service is ahead of that of this machine, which may be wrong. */
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
   * A file: the content of an answer that may be anything. Throws `Refused` or `Unreachable`.
   * @param {string} path below the root, or an address @param {Blob | string} [content] what is sent, if something is @param {AbortSignal} [given] ends it
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

  /** The body of an answer. @param {string} path */
  async get(path) {
    return (await this.send("GET", path)).body;
  }

  /** A list, whole. @param {string} path @param {Record<string, string>} [filters] @returns {Promise<any[]>} */
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
   * Tells all changes of a project from now on, also after a time without the service. Tabs of a browser share one stream.
   * @param {string} project @param {Listener} listener
   * @returns {() => void} ends it
   */
  listen(project, listener) {
    const ended = new AbortController();
    if (!navigator.locks || typeof BroadcastChannel === "undefined") {
      // On pages without TLS each tab has a stream of its own.
      void new Stream(this, project, AbortSignal.any([ended.signal, this.closing.signal])).run(listener);
      return () => ended.abort();
    }
    const tabs = new SharedStream(this, project, listener, AbortSignal.any([ended.signal, this.closing.signal]));
    return () => {
      ended.abort();
      tabs.close();
    };
  }

  close() {
    this.closing.abort();
  }
}

/** One stream for the tabs of a browser: one of them leads, and tells the others. */
class SharedStream {
  /** @param {Service} service @param {string} project @param {Listener} listener @param {AbortSignal} ended */
  constructor(service, project, listener, ended) {
    this.service = service;
    this.project = project;
    this.listener = listener;
    this.ended = ended;
    this.name = `geodesign:${service.root}${project}:${service.token.slice(0, 8)}`;
    this.leads = false;
    this.isOpen = false;
    /** From where this tab goes on if the one that leads is closed. */
    this.last = "";
    this.isAnswered = false;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }) => this.hear(data);
    this.lead({ signal: ended });
    this.ask();
    this.timer = setInterval(() => this.ask(), ASK_SECONDS * 1000);
    document.addEventListener("visibilitychange", () => this.ask(), { signal: ended });
  }

  /** @param {any} data */
  hear(data) {
    if (data === "ask") {
      if (this.leads) this.channel.postMessage({ isOpen: this.isOpen, last: this.last });
      return;
    }
    this.isAnswered = true;
    if (this.leads) return;
    this.last = data.last || data.id || this.last;
    if ("isOpen" in data) this.listener.state(data.isOpen);
    else this.listener.event(data);
  }

  /** Asks the tab that leads. A phone may have put it to sleep, with the stream in its hands: then this one takes over. */
  ask() {
    if (this.leads || document.hidden) return;
    this.isAnswered = false;
    this.channel.postMessage("ask");
    setTimeout(() => {
      if (!this.isAnswered && !this.leads && !document.hidden && !this.ended.aborted) this.lead({ steal: true });
    }, ANSWER_SECONDS * 1000);
  }

  /** Leads as soon as it may. @param {LockOptions} options */
  lead(options) {
    const over = new AbortController();
    navigator.locks.request(this.name, options, async () => {
      if (this.leads) return;
      this.leads = true;
      const stream = new Stream(this.service, this.project, AbortSignal.any([this.ended, over.signal]));
      stream.last = this.last;
      const tell = (/** @type {any} */ data) => over.signal.aborted || this.channel.postMessage(data);
      await stream.run({
        event: (event) => {
          this.last = stream.last;
          tell(event);
          this.listener.event(event);
        },
        state: (isOpen) => {
          this.isOpen = isOpen;
          tell({ isOpen, last: this.last });
          this.listener.state(isOpen);
        },
      });
    }).catch(() => {
      // Another tab took over, because this one slept; or the page closes.
      over.abort();
      this.leads = false;
      if (!this.ended.aborted) this.lead({ signal: this.ended });
    });
  }

  close() {
    clearInterval(this.timer);
    this.channel.close();
  }
}

/** The stream of a project's changes, opened again whenever it breaks. */
class Stream {
  /** @param {Service} service @param {string} project @param {AbortSignal} ended */
  constructor(service, project, ended) {
    this.service = service;
    this.project = project;
    this.ended = ended;
    this.last = "";
  }

  /** @param {Listener} listener */
  async run(listener) {
    let pause = 250;
    while (!this.ended.aborted) {
      try {
        await this.read((event) => {
          pause = 250;
          listener.event(event);
        }, () => listener.state(true));
      } catch (error) {
        if (error instanceof Refused) {
          listener.event({ id: "", event: "end", data: { reason: error.message, status: error.status } });
          return;
        }
      }
      if (this.ended.aborted) return;
      listener.state(false);
      await soon(pause * (0.75 + Math.random() / 2), this.ended);
      pause = Math.min(pause * 2, 5000);
    }
  }

  /** @param {(event: ServiceEvent) => void} told @param {() => void} opened */
  async read(told, opened) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_SECONDS * 1000);
    try {
      const response = await fetch(`${this.service.root}projects/${this.project}/events/`, {
        headers: { Authorization: `Token ${this.service.token}`, ...(this.last ? { "Last-Event-ID": this.last } : {}) },
        signal: AbortSignal.any([this.ended, silence.signal]),
        cache: "no-store",
        credentials: "omit",
      });
      if (!response.ok || !response.body) {
        const detail = (await response.json().catch(() => ({}))).detail;
        // What is between this page and the service refuses in other words, and not for good.
        if (detail && [401, 403, 404].includes(response.status)) throw new Refused(response.status, String(detail || response.status));
        throw new Unreachable(String(detail || response.status));
      }
      opened();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
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
