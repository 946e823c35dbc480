// The panel that lies over the map, with a tab for each of its parts. On a laptop it folds away, on a phone it is pulled up.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { t } from "./texts.js";

/** @import { Keeper } from "./session.js" */

/** A part: its name in the page, its title and its content. @typedef {[name: string, title: string, content: HTMLElement]} Part */

/** A page on which the panel is a sheet at the bottom. */
export const narrow = matchMedia("(max-width: 799px)");

const FOLDED = "panel folded";

export class Panel {
  /**
   * @param {string} title of the project @param {Part[]} parts @param {Keeper} keeper
   * @param {{head: HTMLElement[], between: HTMLElement, changed: () => void}} settings `head` is beside the title, `between` below the
   * tabs; `changed` is called when the panel covers more or less of the map
   */
  constructor(title, parts, keeper, { head, between, changed }) {
    this.parts = parts;
    this.keeper = keeper;
    this.changed = changed;
    this.title = element("h1", {}, title);
    this.fold = iconButton("PanelLeft", t("foldPanel"), () => this.setFolded(!this.isFolded), { className: "fold", "aria-expanded": "true" });
    this.tabs = parts.map(([name, text]) => button(text, () => this.view(name), { role: "tab", id: `tab-${name}`, "aria-controls": `page-${name}` }));
    for (const [name, , content] of parts) {
      // The keyboard can scroll parts that are longer than the window.
      Object.assign(content, { id: `page-${name}`, tabIndex: 0 }).setAttribute("role", "tabpanel");
      content.setAttribute("aria-labelledby", `tab-${name}`);
    }
    this.map = button(t("map"), () => this.view("map"), { className: "maptab", "aria-pressed": "false" });
    const tablist = element("div", { className: "tabs", role: "tablist", ariaLabel: t("parts") }, ...this.tabs);
    tablist.addEventListener("keydown", (event) => this.step(event));
    this.element = element("section", { className: "side", ariaLabel: t("parts") },
      element("header", { className: "bar" }, this.title, ...head, this.fold),
      element("div", { className: "tabbar" }, this.map, tablist), between, ...parts.map(([, , content]) => content));
    this.element.dataset.page = parts[0][0];
    this.showFolded(keeper.read(FOLDED) === true);
    this.view(narrow.matches ? "map" : parts[0][0]);
  }

  /** True while a form takes the place of the parts. */
  isTaken = false;

  /** Shows a part, or only the map. @param {string} name */
  view(name) {
    const { element: { dataset }, parts, tabs } = this;
    dataset.view = name;
    if (name !== "map" && name !== dataset.page) {
      dataset.page = name;
      // Parts are wide or narrow.
      this.changed();
    }
    parts.forEach(([known, , content], place) => {
      const isShown = known === dataset.page;
      content.hidden = !isShown || this.isTaken;
      tabs[place].setAttribute("aria-selected", String(isShown));
      tabs[place].tabIndex = isShown ? 0 : -1;
    });
    this.map.setAttribute("aria-pressed", String(name === "map"));
  }

  /** The part that is shown, or `map`. */
  get shown() {
    return this.element.dataset.view ?? "map";
  }

  get isFolded() {
    return this.element.dataset.folded !== undefined;
  }

  /** Puts a form in the place of the parts, or takes it away. @param {HTMLElement | null} form */
  take(form) {
    this.isTaken = form !== null;
    if (form) this.element.append(form);
    this.view(form ? "map" : this.shown);
    this.showFolded(!form && this.keeper.read(FOLDED) === true);
  }

  /** Folds the panel away or opens it, and remembers that. @param {boolean} isFolded */
  setFolded(isFolded) {
    this.keeper.keep(FOLDED, isFolded);
    this.showFolded(isFolded);
    this.changed();
  }

  /** @param {boolean} isFolded */
  showFolded(isFolded) {
    this.element.toggleAttribute("data-folded", isFolded && !narrow.matches);
    this.fold.setAttribute("aria-expanded", String(!isFolded));
  }

  /** The arrow keys choose a tab. @param {KeyboardEvent} event */
  step({ key }) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const { tabs } = this;
    const next = tabs[(tabs.indexOf(/** @type {any} */ (document.activeElement)) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }
}
