// Start and end of a design's diagrams. You move your own with the pointer or the arrow keys; others' are read-only.

import { element, swatch } from "../map/elements.js";
import { dayNumber, dayText, inMonths, setDays } from "./days.js";
import { openFull } from "./full_dialog.js";
import { reasonOf } from "./reasons.js";
import { day, labelled, t } from "./texts.js";
import { inSteps } from "./steps.js";

/** @import { Project } from "./project.js" */
/** @import { Diagram } from "./diagram.js" */

/** @typedef {"start" | "end" | "both"} Part */
/** @typedef {{start: number, end: number}} Span numbers of days */

// Milliseconds from the last key to sending the days: while a key is held, only the last position counts.
const KEY_PAUSE = 700;
// Share of the width, in percent, beyond which a year stands before its mark.
const LATE = 85;

/**
 * @param {Project} project @param {string} title @param {number[]} ids
 * @param {(text: string) => void} failed called with refusals that come after the timeline was closed
 */
export function openTimeline(project, title, ids, failed) {
  const timeline = new Timeline(project, ids, failed);
  const { closing } = openFull("timeline", t("timelineOf", { title }), [timeline.element]);
  project.addEventListener("diagrams", (event) => {
    const { changed, removed } = /** @type {CustomEvent} */ (event).detail;
    if ([...changed, ...removed].some((id) => timeline.ids.includes(id))) void timeline.show();
  }, { signal: closing });
  closing.addEventListener("abort", () => timeline.sendNow());
  void timeline.show();
}

class Timeline {
  /** @param {Project} project @param {number[]} ids @param {(text: string) => void} failed */
  constructor(project, ids, failed) {
    this.project = project;
    this.ids = ids;
    this.failed = failed;
    /** @type {Map<number, {start: string | null, end: string | null}>} days that were sent since the bars were drawn */
    this.sent = new Map();
    /** @type {Promise<void>} one after the other, because each is compared with what was there before */
    this.sending = Promise.resolve();
    /** @type {Map<string, string>} what somebody has typed and not sent, by field */
    this.typed = new Map();
    this.turn = 0;
    /** The data of the drawn rows, as JSON. */
    this.drawn = "";
    /** True while a bar is dragged: nothing is redrawn then. */
    this.isMoving = false;
    /** Number of bars being sent: the service's data is older until it has them. */
    this.pending = 0;
    /** @type {{diagram: Diagram, span: Span} | null} moved by keys and not sent yet */
    this.waiting = null;
    this.timer = 0;
    this.trouble = element("p", { className: "trouble", role: "alert" });
    this.scale = element("div", { className: "scale", ariaHidden: "true" });
    this.list = element("ul", { className: "spans" });
    this.undated = element("section");
    this.element = element("div", { className: "page" }, element("p", { className: "quiet" }, t(project.isMember ? "timelineHelp" : "timelineNote")),
      this.trouble, this.scale, this.list, this.undated);
  }

  async show() {
    if (this.isBusy()) return;
    const diagrams = this.ids.flatMap((id) => this.project.diagrams.get(id) ?? []);
    const drawn = JSON.stringify(diagrams.map(({ id, title, author, sysid, start, end }) => [id, title, author, sysid, start, end]));
    // Unchanged rows are kept: a member may be pointing at them.
    if (drawn === this.drawn) return;
    const turn = (this.turn += 1);
    const dated = diagrams.filter(({ start, end }) => start && end).sort((a, b) => String(a.start).localeCompare(String(b.start)) || a.id - b.id);
    const spans = dated.map((diagram) => spanOf(diagram));
    // A year before and after, as space to move bars.
    this.first = Math.min(...spans.map(({ start }) => inMonths(start, -12)));
    this.last = Math.max(...spans.map(({ end }) => inMonths(end, 12)));
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.id;
    const rows = await inSteps((function* (/** @type {Timeline} */ line) {
      for (const diagram of dated) yield line.row(diagram);
    })(this), () => turn === this.turn);
    // A drag may have begun in the meantime; its end redraws everything.
    if (!rows || this.isBusy()) return;
    this.drawn = drawn;
    this.sent.clear();
    this.scale.replaceChildren(...(dated.length ? this.years() : []));
    this.list.replaceChildren(...rows);
    const open = diagrams.filter(({ start, end }) => !start || !end).map((diagram) => this.undatedRow(diagram));
    this.undated.replaceChildren(...(open.length ? [element("h2", {}, t("undated", { count: open.length })), element("ul", {}, ...open)] : []));
    if (!dated.length) this.list.append(element("li", { className: "quiet" }, t("noDays")));
    if (focused) document.getElementById(focused)?.focus();
  }

  isBusy() {
    return this.isMoving || this.waiting !== null || this.pending > 0;
  }

  /** A day's position, as a share of the width. @param {number} number */
  place(number) {
    const { first = 0, last = 1 } = this;
    return `${(number - first) / (last - first) * 100}%`;
  }

  years() {
    const [from, to] = [this.first ?? 0, this.last ?? 0].map((number) => Number(dayText(number).slice(0, 4)));
    const step = [1, 2, 5, 10, 20, 50, 100].find((years) => (to - from) / years <= 6) ?? 1000;
    const marks = [];
    for (let year = Math.ceil((from + 1) / step) * step; year <= to; year += step) {
      const place = this.place(dayNumber(`${String(year).padStart(4, "0")}-01-01`)), isLate = parseFloat(place) > LATE;
      const mark = element("span", { className: isLate ? "late" : "" }, String(year));
      if (isLate) mark.style.insetInlineEnd = `calc(100% - ${place})`;
      else mark.style.insetInlineStart = place;
      marks.push(mark);
    }
    return marks;
  }

  /** @param {Diagram} diagram */
  color({ sysid }) {
    return this.project.systems.find(({ id }) => id === sysid)?.color || "#777777";
  }

  /** @param {Diagram} diagram */
  isOwn({ author }) {
    return this.project.isMember && author === this.project.me;
  }

  /** @param {Diagram} diagram */
  row(diagram) {
    const title = diagram.title || t("untitled");
    const span = spanOf(diagram);
    const bar = element("div", { className: "span" });
    bar.style.setProperty("--hue", this.color(diagram));
    const days = element("span", { className: "quiet days" });
    /** @type {HTMLElement[]} */
    const handles = [];
    const draw = (/** @type {Span} */ { start, end }) => {
      bar.style.insetInlineStart = this.place(start);
      bar.style.inlineSize = `calc(${this.place(end)} - ${this.place(start)})`;
      days.textContent = `${day(dayText(start))} – ${day(dayText(end))}`;
      const ends = [start, end];
      handles.forEach((handle, place) => {
        handle.setAttribute("aria-valuemin", String(place ? start : this.first));
        handle.setAttribute("aria-valuemax", String(place ? this.last : end));
        handle.setAttribute("aria-valuenow", String(ends[place]));
        handle.setAttribute("aria-valuetext", day(dayText(ends[place])));
      });
    };
    const track = element("div", { className: "track" }, bar);
    if (this.isOwn(diagram)) {
      bar.classList.add("own");
      handles.push(...["start", "end"].map((part) => element("span", { id: `${part}-${diagram.id}`, className: `handle ${part}`, role: "slider", tabIndex: 0,
        ariaLabel: t(part === "start" ? "startOf" : "endOf", { title }) })));
      bar.append(...handles);
      this.drag(diagram, span, bar, track, draw);
      handles.forEach((handle, place) => handle.addEventListener("keydown", (event) => this.press(event, diagram, span, place ? "end" : "start", draw)));
    }
    draw(span);
    const who = this.isOwn(diagram) ? null : element("span", { className: "quiet" }, diagram.author ? t("daysOfOther", { name: diagram.author }) : t("daysToRead"));
    const row = element("li", {}, element("div", { className: "text" }, swatch(this.color(diagram)), element("b", {}, title), " ", days, " ", who), track);
    row.dataset.id = String(diagram.id);
    return row;
  }

  /** @param {Diagram} diagram @param {Span} span @param {HTMLElement} bar @param {HTMLElement} track @param {(span: Span) => void} draw */
  drag(diagram, span, bar, track, draw) {
    bar.addEventListener("pointerdown", (event) => {
      const handle = /** @type {HTMLElement} */ (event.target);
      const part = handle.classList.contains("start") ? "start" : handle.classList.contains("end") ? "end" : "both";
      const rightToLeft = getComputedStyle(track).direction === "rtl" ? -1 : 1;
      const perPixel = ((this.last ?? 0) - (this.first ?? 0)) / track.clientWidth * rightToLeft;
      const from = event.clientX;
      const before = { ...span };
      event.preventDefault();
      if (part !== "both") handle.focus();
      bar.setPointerCapture(event.pointerId);
      this.isMoving = true;
      const move = (/** @type {PointerEvent} */ now) => {
        Object.assign(span, this.moved(before, part, Math.round((now.clientX - from) * perPixel)));
        draw(span);
      };
      const over = new AbortController();
      bar.addEventListener("pointermove", move, { signal: over.signal });
      for (const name of ["pointerup", "pointercancel"]) bar.addEventListener(name, () => {
        over.abort();
        this.isMoving = false;
        if (name === "pointerup" && (span.start !== before.start || span.end !== before.end)) {
          this.send(diagram, span);
          return;
        }
        // If the operating system cancels the pointer, nothing is moved.
        Object.assign(span, before);
        draw(span);
        void this.show();
      }, { signal: over.signal });
    });
  }

  /** Moves a span so that neither end passes the other or leaves the timeline. @param {Span} span @param {Part} part @param {number} days @returns {Span} */
  moved({ start, end }, part, days) {
    const { first = start, last = end } = this;
    const within = (/** @type {number} */ low, /** @type {number} */ high) => Math.max(low, Math.min(high, days));
    if (part === "start") return { start: start + within(first - start, end - start), end };
    if (part === "end") return { start, end: end + within(start - end, last - end) };
    const step = within(first - start, last - end);
    return { start: start + step, end: end + step };
  }

  /** Arrow keys are months, with Shift days; Page Up and Page Down are years. @param {KeyboardEvent} event @param {Diagram} diagram @param {Span} span @param {"start" | "end"} part @param {(span: Span) => void} draw */
  press(event, diagram, span, part, draw) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 12, PageDown: -12 }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = event.shiftKey ? span[part] + Math.sign(step) : inMonths(span[part], step);
    Object.assign(span, this.moved(span, part, to - span[part]));
    draw(span);
    if (this.waiting && this.waiting.diagram !== diagram) this.sendNow();
    this.waiting = { diagram, span };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sendNow(), KEY_PAUSE);
  }

  /** Sends the spans moved by keys. */
  sendNow() {
    clearTimeout(this.timer);
    const { waiting } = this;
    this.waiting = null;
    if (waiting) this.send(waiting.diagram, waiting.span);
  }

  /** @param {Diagram} diagram as it was shown @param {Span} span */
  send(diagram, span) {
    const next = { start: dayText(span.start), end: dayText(span.end) };
    this.pending += 1;
    this.sending = this.sending.then(() => this.sendOne(diagram, next));
  }

  /** @param {Diagram} diagram @param {{start: string, end: string}} next */
  async sendOne(diagram, next) {
    this.trouble.textContent = "";
    try {
      await setDays(this.project, diagram.id, this.sent.get(diagram.id) ?? diagram, next);
      this.sent.set(diagram.id, next);
    } catch (error) {
      const text = labelled(diagram.title, reasonOf(error));
      if (this.element.isConnected) this.trouble.textContent = text;
      else this.failed(text);
      this.drawn = "";
    }
    this.pending -= 1;
    // Shows the actual days, not the intended ones.
    void this.show();
  }

  /** @param {Diagram} diagram */
  undatedRow(diagram) {
    const title = diagram.title || t("untitled");
    const name = element("div", { className: "text" }, swatch(this.color(diagram)), element("b", {}, title), " ", element("span", { className: "quiet" }, diagram.author));
    if (!this.isOwn(diagram)) return element("li", {}, name);
    const [start, end] = ["startOf", "endOf"].map((part) => {
      const made = element("input", { type: "date", required: true, id: `${part}-${diagram.id}`, ariaLabel: t(/** @type {any} */ (part), { title }) });
      made.value = this.typed.get(made.id) ?? "";
      made.addEventListener("input", () => this.typed.set(made.id, made.value));
      return made;
    });
    const form = element("form", { className: "buttons" }, start, "–", end, element("button", { type: "submit" }, t("setDays")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (end.value < start.value) this.trouble.textContent = labelled(title, t("endBeforeStart"));
      else this.send(diagram, { start: dayNumber(start.value), end: dayNumber(end.value) });
    });
    return element("li", {}, name, form);
  }
}

/** @param {Diagram} diagram that has days @returns {Span} */
const spanOf = ({ start, end }) => ({ start: dayNumber(start ?? ""), end: dayNumber(end ?? "") });
