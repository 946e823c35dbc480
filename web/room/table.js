// The list of diagrams by system: a card for each diagram, under a heading that stays in view.

import { button, element } from "../map/elements.js";
import { icon, iconButton } from "../map/icons.js";
import { paintAlone, pen } from "../map/paint.js";
import { isSame } from "./drawing.js";
import { reviewMark } from "./reviews.js";
import { money, sizes, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Diagram } from "./diagram.js" */

// Milliseconds per frame for making cells.
const FRAME = 10;
const THUMBNAIL = { width: 64, height: 48 };

export class DiagramTable {
  /**
   * @param {Project} project @param {{path: string}[]} patterns
   * @param {{show: (id: number) => void, card: (id: number) => void, failed: (error: unknown) => void}} actions
   */
  constructor(project, patterns, actions) {
    this.project = project;
    this.patterns = patterns;
    this.actions = actions;
    /** @type {Map<number, HTMLElement>} */
    this.cells = new Map();
    /** @type {number[]} diagrams whose cells are not made yet, the last first */
    this.waiting = [];
    /** @type {Map<number, {list: HTMLElement, count: HTMLElement}>} */
    this.columns = new Map();
    this.filters = { text: "", author: "", tag: "", kind: "", chosen: false };
    // Thumbnails are drawn when their cells come into view.
    this.seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        this.seen.unobserve(target);
        this.drawThumbnail(/** @type {HTMLElement} */ (target));
      }
    }, { rootMargin: "200px" });
    /** @type {HTMLSelectElement | null} the filter by author */
    this.author = null;
    this.bar = element("div", { className: "filters", role: "search", ariaLabel: t("filters") });
    this.grid = element("div", { className: "columns" });
    this.found = element("p", { className: "quiet", role: "status" });
    this.element = element("div", { className: "page table" }, this.bar, this.found, this.grid);
    this.build();
    project.addEventListener("diagrams", (event) => this.changed(/** @type {CustomEvent} */ (event).detail));
    project.addEventListener("selection", () => this.showChosen());
    for (const name of ["costs", "comments"]) {
      project.addEventListener(name, (event) => /** @type {CustomEvent} */ (event).detail.forEach((/** @type {number} */ id) => this.showCell(id)));
    }
    project.addEventListener("reread", () => this.build());
  }

  build() {
    const { project } = this;
    this.cells.clear();
    this.columns.clear();
    this.seen.disconnect();
    this.grid.replaceChildren(...project.systems.map(({ id, name, color, description }) => {
      const list = element("ul");
      const count = element("span", { className: "quiet" });
      this.columns.set(id, { list, count });
      const column = element("section", { className: "column", title: description }, element("h2", {}, name, " ", count), list);
      column.style.setProperty("--hue", color);
      return column;
    }));
    this.buildFilters();
    this.waiting = [...project.diagrams.values()].sort((a, b) => a.rank - b.rank).map(({ id }) => id).reverse();
    this.work();
  }

  /** Makes cells for a few milliseconds, and the others in the next frames. */
  work() {
    const begin = performance.now();
    while (this.waiting.length && performance.now() - begin < FRAME) {
      const diagram = this.project.diagrams.get(this.waiting.pop() ?? NaN);
      if (diagram && !this.cells.has(diagram.id)) this.put(diagram);
    }
    if (this.waiting.length) requestAnimationFrame(() => this.work());
    else this.filter();
  }

  authors() {
    return [...new Set([...this.project.diagrams.values()].map(({ author }) => author).filter(Boolean))].sort();
  }

  buildFilters() {
    const { project, filters } = this;
    const text = element("input", { type: "search", value: filters.text, placeholder: t("findTitle"), ariaLabel: t("findTitle") });
    text.addEventListener("input", () => this.filter({ text: text.value.toLowerCase() }));
    /** @param {"author" | "tag" | "kind"} name @param {string} title @param {[string, string][]} options */
    const choice = (name, title, options) => {
      const made = element("select", { ariaLabel: title }, element("option", { value: "" }, title),
        ...options.map(([value, shown]) => element("option", { value }, shown)));
      made.value = filters[name];
      made.addEventListener("change", () => this.filter({ [name]: made.value }));
      return made;
    };
    const chosen = element("input", { type: "checkbox", checked: filters.chosen });
    chosen.addEventListener("change", () => this.filter({ chosen: chosen.checked }));
    const more = element("details", { className: "morefilters", name: "filters" }, element("summary", {}, icon("ListFilter"), t("filter")),
      this.author = choice("author", t("anyAuthor"), []),
      ...(project.tags.length ? [choice("tag", t("anyTag"), project.tags.map(({ code, name }) => [code, name]))] : []),
      choice("kind", t("anyKind"), [["project", t("projects")], ["policy", t("policies")]]),
      ...(project.isMember ? [element("label", {}, chosen, t("onlyChosen"))] : []));
    this.bar.replaceChildren(text, more);
    this.offerAuthors();
  }

  /** Offers the authors in the filter, if there are several. */
  offerAuthors() {
    const authors = this.authors(), { author, filters } = this;
    if (!author || isSame(authors, [...author.options].slice(1).map(({ value }) => value))) return;
    author.replaceChildren(author.options[0], ...authors.map((name) => element("option", { value: name }, name)));
    author.value = filters.author;
    author.hidden = authors.length < 2;
  }

  /** Adds or replaces a cell. @param {Diagram} diagram */
  put(diagram) {
    const column = this.columns.get(diagram.sysid);
    const before = this.cells.get(diagram.id);
    if (!column) {
      before?.remove();
      return;
    }
    const picture = element("canvas", { className: "thumbnail", width: THUMBNAIL.width * 2, height: THUMBNAIL.height * 2, ariaHidden: "true" });
    const text = element("span", { className: "text" }, element("b", {}, diagram.title || t("untitled")), element("span", { className: "facts quiet" }));
    const show = button("", () => this.actions.show(diagram.id), { className: "show", title: t("showOnMap") });
    show.append(picture, text);
    const cell = element("li", { className: `cell${diagram.policy ? " policy" : ""}` }, show, this.project.isMember && this.box(diagram),
      iconButton("Ellipsis", t("aboutDiagram", { title: diagram.title }), () => this.actions.card(diagram.id), { className: "more" }));
    cell.dataset.id = String(diagram.id);
    cell.dataset.rank = String(diagram.rank);
    this.cells.set(diagram.id, cell);
    if (before && before.parentElement === column.list) before.replaceWith(cell);
    else {
      before?.remove();
      let last = column.list.lastElementChild;
      while (last && Number(/** @type {HTMLElement} */ (last).dataset.rank) > diagram.rank) last = last.previousElementSibling;
      if (last) last.after(cell);
      else column.list.prepend(cell);
    }
    this.seen.observe(cell);
    this.showCell(diagram.id);
  }

  /** The box that takes a diagram into your choice. @param {Diagram} diagram */
  box({ id, title }) {
    const box = element("input", { type: "checkbox", className: "choose", title: t("chooseHelp"), ariaLabel: t("chooseDiagram", { title: title || t("untitled") }) });
    box.addEventListener("change", () => void this.choose(id));
    return box;
  }

  /** @param {HTMLElement} cell */
  drawThumbnail(cell) {
    const diagram = this.project.diagrams.get(Number(cell.dataset.id));
    const canvas = cell.querySelector("canvas");
    const hue = this.project.systems.find(({ id }) => id === diagram?.sysid)?.color || "#777777";
    if (!diagram?.box || !canvas) return;
    const context = pen(canvas);
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, THUMBNAIL.width, THUMBNAIL.height);
    paintAlone(context, diagram.shapes, diagram.box, hue, diagram.policy, THUMBNAIL.width, THUMBNAIL.height);
  }

  /** @param {number} id */
  showCell(id) {
    const cell = this.cells.get(id);
    const diagram = this.project.diagrams.get(id);
    if (!cell || !diagram) return;
    const figures = this.project.figures.get(id);
    const size = sizes(figures ?? {});
    const cost = figures ? (figures.cost === null ? t("noCost") : figures.cost ? money(figures.cost) : "") : "";
    const open = this.project.openThreads.get(id) ?? [];
    const facts = [diagram.policy ? t("policy") : "", size, cost, diagram.author, open.length ? t("commentsOpen", { count: open.length }) : ""].filter(Boolean).join(" · ");
    const shown = cell.querySelector(".facts");
    shown?.replaceChildren(facts, element("span", { className: "review" }, reviewMark(this.project, open)));
    this.showBox(id, cell);
  }

  /** @param {number} id @param {HTMLElement} cell */
  showBox(id, cell) {
    const box = cell.querySelector("input");
    if (box) box.checked = this.project.selection.has(id);
  }

  showChosen() {
    for (const [id, cell] of this.cells) this.showBox(id, cell);
    if (this.filters.chosen) this.filter();
  }

  /** @param {number} id */
  async choose(id) {
    try {
      await this.project.choose(id, !this.project.selection.has(id));
    } catch (error) {
      this.actions.failed(error);
    }
  }

  /** @param {{changed: number[], removed: number[]}} change */
  changed({ changed, removed }) {
    for (const id of removed) {
      this.cells.get(id)?.remove();
      this.cells.delete(id);
    }
    for (const id of changed) {
      const diagram = this.project.diagrams.get(id);
      if (diagram) this.put(diagram);
    }
    this.offerAuthors();
    this.filter();
  }

  /** Shows the diagrams that match all filters. @param {Partial<DiagramTable["filters"]>} [changes] */
  filter(changes = {}) {
    Object.assign(this.filters, changes);
    const { text, author, tag, kind, chosen } = this.filters;
    /** @type {Map<number, number>} */
    const counts = new Map();
    let all = 0;
    for (const [id, cell] of this.cells) {
      const diagram = this.project.diagrams.get(id);
      const isFound = diagram !== undefined && (!text || diagram.title.toLowerCase().includes(text)) && (!author || diagram.author === author) &&
        (!tag || diagram.tags.includes(tag)) && (!kind || diagram.policy === (kind === "policy")) && (!chosen || this.project.selection.has(id));
      cell.hidden = !isFound;
      if (!isFound) continue;
      all += 1;
      counts.set(diagram.sysid, (counts.get(diagram.sysid) || 0) + 1);
    }
    for (const [sysid, { count }] of this.columns) count.textContent = String(counts.get(sysid) || 0);
    const { size } = this.cells;
    this.found.textContent = !size ? t("noDiagrams", { draw: t("draw") }) : all === size ? "" : t("foundOf", { count: all, all: size });
  }
}
