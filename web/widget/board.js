// A what-if board: sliders for rates, budgets and targets, and next to them the kernel's results for these values.

import { button, element, swatch } from "../map/elements.js";
import boardStyle from "./board.css";
import { frameIn } from "./frame.js";

/** @import { Model } from "./kernel_service.js" */

/** @typedef {"rates" | "budgets" | "targets"} Kind */
/** @typedef {Record<Kind, Record<string, number | null>>} State the assumptions for each system, by the kernel's name for it */
/** @typedef {{key: string, name: string, color: string | null, follows: number, most: Record<Kind, number>}} System */
/** @typedef {{text: string, status: string, word: string, more: string}} Cell */
/** @typedef {{caption: string, columns: string[], rows: {name: string, color: string | null, isTotal: boolean, cells: Cell[]}[]}} Table */
/** @typedef {{range: HTMLInputElement, box: HTMLInputElement}} Slider */

/** Significant digits of a slider's value; its box takes any number. */
const DIGITS = 3;
/** Significant digits of a box: further ones come from rounding acres. */
const BOX_DIGITS = 9;
/** Maximum of a slider, as a multiple of a value beyond its current range. */
const ROOM = 2;

class Board {
  /** @param {Model} model @param {HTMLElement} holder */
  constructor(model, holder) {
    this.model = model;
    /** @type {{title: string, theme: string | null, kinds: {kind: Kind, title: string, unit: string, scale: number}[], systems: System[], initial: State}} */
    this.settings = model.get("settings");
    const { frame } = frameIn(holder, this.settings.theme, boardStyle);
    /** @type {Map<string, Slider>} by kind and system */
    this.sliders = new Map();
    // On narrow screens, the keyboard scrolls it.
    this.tables = element("div", { className: "tables", role: "region", "aria-label": "Figures", tabIndex: 0 });
    this.best = element("p", { className: "best", role: "status" });
    const reset = button("As in the project", () => this.take(structuredClone(this.settings.initial)));
    frame.classList.add("board");
    frame.append(
      element("div", { className: "head" }, element("h2", {}, this.settings.title), element("span", { className: "buttons" }, reset)),
      element("div", { className: "beside" },
        element("form", { className: "sliders" }, ...this.settings.kinds.map((kind, place) => this.group(kind, place === 0))),
        element("div", { className: "answers" }, this.best, this.tables)),
    );
    this.told = { state: () => this.fill(), answer: () => this.show() };
    model.on("change:state", this.told.state);
    model.on("change:answer", this.told.answer);
    this.fill();
    this.show();
  }

  /** @param {{kind: Kind, title: string, unit: string, scale: number}} about @param {boolean} isOpen */
  group({ kind, title, unit, scale }, isOpen) {
    const rows = this.settings.systems.map((system) => {
      const { key, name, color, follows } = system;
      const range = element("input", { type: "range", min: "0", step: "any", "aria-label": `${title} of ${name}, ${unit}` });
      const box = element("input", { type: "number", min: "0", step: "any", placeholder: "none", "aria-label": `${title} of ${name}, ${unit}, as a number` });
      this.sliders.set(`${kind} ${key}`, { range, box });
      range.addEventListener("input", () => this.set(kind, key, Number((Number(range.value) / scale).toPrecision(DIGITS))));
      box.addEventListener("input", () => {
        if (box.validity.valid) this.set(kind, key, box.value === "" ? null : box.valueAsNumber / scale);
      });
      const note = kind === "rates" && !follows ? element("small", {}, "no diagram follows it") : null;
      return element("div", { className: "slider" }, element("span", { className: "name" }, swatch(color ?? "transparent"), name, note), range, box);
    });
    const group = element("details", { open: isOpen }, element("summary", {}, `${title}s, ${unit}`), ...rows);
    group.dataset.kind = kind;
    return group;
  }

  /** @param {Kind} kind @param {string} key @param {number | null} value */
  set(kind, key, value) {
    const state = this.model.get("state");
    this.take({ ...state, [kind]: { ...state[kind], [key]: value } });
  }

  /** Sends these values to the kernel. Newer values wait for its response, and only the last of them are sent. @param {State} state */
  take(state) {
    this.model.set("state", state);
    this.model.save_changes();
    this.fill();
  }

  /** Moves the sliders to the values. */
  fill() {
    const state = /** @type {State} */ (this.model.get("state"));
    for (const { kind, scale } of this.settings.kinds) {
      for (const { key, most } of this.settings.systems) {
        const slider = this.sliders.get(`${kind} ${key}`);
        if (!slider) continue;
        const value = state[kind][key];
        const shown = value === null ? null : value * scale;
        const longest = Math.max(most[kind] * scale, Number(slider.range.max) || 0);
        slider.range.max = String(shown !== null && shown > longest ? ROOM * shown : longest);
        slider.range.value = String(shown ?? 0);
        // Text that is being typed is not replaced.
        if (isShown(slider.box, shown)) continue;
        slider.box.value = shown === null ? "" : String(scale === 1 ? shown : Number(shown.toPrecision(BOX_DIGITS)));
      }
    }
  }

  /** Shows the kernel's response. */
  show() {
    const { tables, best } = /** @type {{tables: Table[], best: string}} */ (this.model.get("answer"));
    if (this.best.textContent !== best) this.best.textContent = best;
    this.tables.replaceChildren(...tables.map(tableOf));
  }

  close() {
    this.model.off("change:state", this.told.state);
    this.model.off("change:answer", this.told.answer);
  }
}

/** @param {HTMLInputElement} box @param {number | null} value */
function isShown({ value: text, valueAsNumber }, value) {
  return value === null ? text === "" : Math.abs(valueAsNumber - value) <= Math.abs(value) * 10 ** -BOX_DIGITS;
}

/** @param {Table} table */
function tableOf({ caption, columns, rows }) {
  const head = element("tr", {}, element("th", { scope: "col", className: "text" }, "System"), ...columns.map((name) => element("th", { scope: "col" }, name)));
  return element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...rows.map(({ name, color, isTotal, cells }) =>
    element("tr", { className: isTotal ? "total" : "" }, element("th", { scope: "row", className: "text" }, color && swatch(color), name), ...cells.map(cellOf)))));
}

/** @param {Cell} cell */
function cellOf({ text, status, word, more }) {
  return element("td", { className: status, title: more || undefined }, text, word && element("span", { className: "unseen" }, ` ${word}`));
}

export default {
  /** @param {{model: Model, el: HTMLElement}} view */
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.close();
  },
};
