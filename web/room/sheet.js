// A sheet of paper: the map's current view or a design, with figures, at a true scale.

import { button, element } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { lookOf } from "../map/paint.js";
import { qrDrawing } from "./qr.js";
import { MILLIMETRE, barOf, boxOfProject, boxOfView, diagramsOn, drawMap, extractOf } from "./sheet_map.js";
import { figuresOf, legendOf } from "./sheet_parts.js";
import { labelled, moment, number, t } from "./texts.js";

/** @import { Box } from "../map/world.js" */
/** @import { Project } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */

/** Millimetres of the short and the long side. @type {Record<string, [number, number]>} */
const PAPERS = { A4: [210, 297], A3: [297, 420] };
// Millimetres, at most.
const BAR = 45;
// Shares of the height of the paper.
const LEAST_MAP = 0.3;
// Shares of the font size: smaller ones are tried in turn until all text is on the paper.
const LETTERS = [1, 0.94, 0.88, 0.82, 0.76, 0.7, 0.64];

/**
 * Opens a sheet over the page, ready to be printed.
 * @param {Project} project @param {RoomMap} room @param {URL} home the address in its code
 */
export async function openSheet(project, room, home) {
  // The print has the service's latest figures.
  await project.readMembers();
  await project.readCosts();
  new Sheet(project, room, home).open();
}

class Sheet {
  /** @param {Project} project @param {RoomMap} room @param {URL} home */
  constructor(project, room, home) {
    this.project = project;
    this.room = room;
    this.home = home;
    this.paper = choice(t("paper"), Object.keys(PAPERS).map((name) => [name, name]));
    this.turn = choice(t("paperTurn"), [["landscape", t("landscape")], ["portrait", t("portrait")]]);
    this.part = choice(t("partOfLand"), [["view", t("asOnScreen")], ["all", t("showAll")]]);
    // A screen that shows everything has other proportions than the paper, which can show everything larger.
    this.part.value = isWithin(boxOfProject(room), boxOfView(room)) ? "all" : "view";
    this.sheet = element("article", { className: "paper light" });
    this.holder = element("div", { className: "desk" }, this.sheet);
    this.trouble = element("p", { className: "trouble unprinted", role: "alert" });
    this.page = new CSSStyleSheet();
    this.loaded = /** @type {Promise<unknown>} */ (Promise.resolve());
  }

  open() {
    const { project } = this;
    const dialog = element("dialog", { className: "full sheets", "aria-labelledby": "sheet-title" },
      element("header", { className: "bar" }, element("h1", { id: "sheet-title" }, t("printSheet")),
        button(t("print"), () => void this.print(), { className: "main" }),
        iconButton("X", t("close"), () => dialog.close())),
      element("div", { className: "buttons unprinted" }, ...[this.paper, this.turn, this.part].map((select) =>
        element("label", {}, element("span", {}, select.ariaLabel || ""), select))),
      this.trouble, this.holder);
    const show = () => this.show();
    for (const select of [this.paper, this.turn, this.part]) select.addEventListener("change", show);
    project.addEventListener("costs", show);
    const resized = new ResizeObserver(() => this.fit());
    dialog.addEventListener("close", () => {
      project.removeEventListener("costs", show);
      resized.disconnect();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.page);
      dialog.remove();
    });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.page];
    document.body.append(dialog);
    dialog.showModal();
    this.show();
    resized.observe(this.holder);
  }

  /** Millimetres of the paper. @returns {[number, number]} */
  get size() {
    const [short, long] = PAPERS[this.paper.value];
    return this.turn.value === "landscape" ? [long, short] : [short, long];
  }

  /** Shows the sheet again. */
  show() {
    const { project, room, sheet } = this;
    const [width, height] = this.size;
    this.page.replaceSync(`@page { size: ${this.paper.value} ${this.turn.value}; margin: 0; }`);
    sheet.dataset.turn = this.turn.value;
    sheet.style.setProperty("--width", `${width}mm`);
    sheet.style.setProperty("--height", `${height}mm`);
    // The font grows with the paper, so that an A3 sheet on a wall can be read from twice as far.
    const letter = Math.min(width, height) / 210 * 2.75;
    const frame = element("div", { className: "frame" });
    const legend = element("section", { className: "legend-of-sheet" });
    const figures = element("section", { className: "figures" }, ...figuresOf(project));
    const foot = element("p", { className: "foot" });
    const { about } = project;
    const subject = about.kind === "design" ? labelled(about.design.team, about.design.title || t("untitled"))
      : about.kind === "selection" ? labelled(t("mySelectionOnly"), project.me) : t("wholeProject");
    sheet.setAttribute("aria-label", labelled(project.title, subject));
    sheet.replaceChildren(
      element("header", {}, element("h2", {}, project.title), element("p", { className: "subject" }, subject)),
      frame, element("aside", {}, legend, figures,
        element("figure", {}, qrDrawing(this.home.href, this.home.href, 4), element("figcaption", {}, this.home.host))), foot);
    // A map squeezed out by a long title counts as cut.
    const overflows = () => [...sheet.children].some((child) => child.scrollHeight > child.clientHeight + 1 || child.scrollWidth > child.clientWidth + 1) ||
      sheet.scrollHeight > sheet.clientHeight + 1 || frame.clientHeight < sheet.clientHeight * LEAST_MAP;
    let isCut = true;
    for (const share of LETTERS) {
      sheet.style.setProperty("--letter", `${letter * share}mm`);
      frame.replaceChildren();
      this.fill(frame, legend, foot, subject);
      isCut = overflows();
      if (!isCut) break;
    }
    this.trouble.textContent = [isCut && t("sheetTooSmall"), room.layers.size && t("layersNotPrinted")].filter(Boolean).join(" ");
    this.fit();
  }

  /** Draws the map as large as its space allows. @param {HTMLElement} frame @param {HTMLElement} legend @param {HTMLElement} foot @param {string} subject */
  fill(frame, legend, foot, subject) {
    const { project, room, sheet } = this;
    const { ink, land } = lookOf(sheet), look = { ink, land };
    const draw = () => {
      const box = this.part.value === "view" ? boxOfView(room) : boxOfProject(room);
      const extract = extractOf(box, Math.max(1, frame.clientWidth), Math.max(1, frame.clientHeight));
      legend.replaceChildren(...legendOf(room, extract, look));
      const seen = diagramsOn(room, extract.box);
      const all = project.members ? [...project.members].filter((id) => project.diagrams.has(id)).length : project.diagrams.size;
      const bar = barOf(extract.scale, BAR * MILLIMETRE);
      const line = element("span", { className: "scalebar" });
      line.style.inlineSize = `${bar.pixels}px`;
      foot.replaceChildren(
        element("span", {}, line, " ", bar.metres < 1000 ? `${number(bar.metres)} m` : `${number(bar.metres / 1000)} km`),
        element("b", {}, t("scaleOnPaper", { scale: extract.scale, paper: this.paper.value })), element("b", {}, `▲ ${t("north")}`),
        element("span", {}, moment(new Date(project.service.now()).toISOString())),
        all > seen.size ? element("b", {}, t("notOnMap", { count: all - seen.size })) : "",
        room.basemap?.credits ? element("span", {}, room.basemap.credits) : "");
      return extract;
    };
    draw();
    // Twice: the legend depends on the map, and in portrait it takes height from the map.
    const extract = draw();
    const map = drawMap(room, extract, look, getComputedStyle(sheet).getPropertyValue("--water").trim(), labelled(t("map"), subject));
    this.loaded = map.loaded;
    frame.replaceChildren(map.element);
  }

  /** Scales the paper so that its full width is visible. */
  fit() {
    const { holder, sheet } = this;
    const share = Math.min(1, (holder.clientWidth - 24) / sheet.offsetWidth);
    sheet.style.setProperty("--share", String(share));
    holder.style.setProperty("--desk", `${sheet.offsetHeight * share + 24}px`);
  }

  /** Prints once the basemap's tiles are loaded. */
  async print() {
    await this.loaded;
    print();
  }
}

/** @param {Box} inner @param {Box} outer */
const isWithin = (inner, outer) => inner.west >= outer.west && inner.east <= outer.east && inner.north >= outer.north && inner.south <= outer.south;

/** @param {string} name @param {string[][]} options values and texts @returns {HTMLSelectElement} */
function choice(name, options) {
  return element("select", { ariaLabel: name }, ...options.map(([value, text]) => element("option", { value }, text)));
}
