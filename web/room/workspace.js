// The room of a project: its map, the table of diagrams, costs and drawing.

import { button, element, the } from "../map/elements.js";
import { Balance } from "./balance.js";
import { openCard } from "./card.js";
import { openComparison } from "./comparison.js";
import { CostsPanel } from "./costs_panel.js";
import { DesignsPanel } from "./designs_panel.js";
import { Drafts } from "./drawings_in_hand.js";
import { DrawingPanel } from "./drawing_panel.js";
import { EveningPanel } from "./evening_panel.js";
import { openMenu } from "./menu.js";
import { Outbox } from "./outbox.js";
import { savePicture } from "./picture.js";
import { Project } from "./project.js";
import { Refused } from "./failures.js";
import { reasonOf } from "./reasons.js";
import { RoomMap } from "./room_map.js";
import { openSheet } from "./sheet.js";
import { openSideBySide } from "./side_by_side.js";
import { DiagramTable } from "./table.js";
import { t } from "./texts.js";

/** @import { Design } from "./project.js" */
/** @import { Service } from "./service.js" */
/** @import { Keeper, Session } from "./session.js" */

/**
 * @typedef {object} Settings
 * @property {Service} service
 * @property {Session} session
 * @property {string} project its id
 * @property {Keeper} keeper
 * @property {{version?: string, basemap?: any, allowed_hosts?: string[]}} about the service's description of itself
 * @property {URL} home
 * @property {() => void} signOut
 * @property {(() => void) | null} otherProjects
 * @property {(reason: string) => void} ended
 */

const ACTIVITIES = /** @type {const} */ (["drawing", "selecting", "designing"]);

/** Announces a change elsewhere on the page to screen readers. @param {string} text */
export function announce(text) {
  the("#announcer").textContent = text;
}

/** @param {Settings} settings */
export async function openWorkspace(settings) {
  const { service, session, keeper, about, home } = settings;
  const runs = `runs:${session.name}:${settings.project}`;
  const project = new Project(service, settings.project, session.name, keeper.read(runs) === true);
  const [patterns] = await Promise.all([
    fetch(new URL("web/map/patterns.json", home)).then((response) => response.json()), project.open(),
  ]);
  document.title = project.title;
  const outbox = new Outbox(service, keeper, project.id, session.name);
  const drafts = new Drafts(keeper, session, project.id);

  // The page's parts.
  const notice = element("p", { className: "notice", role: "status" });
  const waiting = element("div", { className: "waiting" });
  const state = element("span", { className: "state", role: "status" });
  const heading = element("h1", {}, project.title);
  const header = element("header", { className: "bar" },
    heading, state,
    button(session.name || t("guest"), () => openMenu(settings, project, room, () => void runEvening()), { className: "who", ariaLabel: t("menuOf", { name: session.name }) }));
  const views = element("div", { id: "views" });
  const legend = element("div", { className: "panel" });
  const legendHolder = element("details", { className: "legend" }, element("summary", {}, t("legend")), legend);
  const choice = element("select", { ariaLabel: t("about") });
  const draw = button(t("draw"), () => void startDrawing(), { className: "main" });
  const toolbar = element("div", { className: "tools" },
    element("label", { className: "about" }, element("span", {}, t("about")), choice), draw,
    button(t("picture"), () => savePicture(room, project), { title: t("pictureHelp") }),
    button(t("print"), () => openSheet(project, room, home).catch((error) => say(reasonOf(error))), { title: t("printHelp") }));
  const mapSide = element("div", { className: "mapside" }, toolbar,
    element("div", { className: "stage" }, views, legendHolder));

  mapSide.addEventListener("dragover", (event) => event.preventDefault());
  mapSide.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer?.files || [];
    if (!file || !project.isMember) return;
    await startDrawing();
    await drawing?.takeFile(file);
  });

  const table = new DiagramTable(project, patterns, {
    show: (id) => {
      view("map");
      room.find(id);
    },
    card: (id) => card(id),
    failed: (error) => say(reasonOf(error)),
  });
  const balance = new Balance(project, { show: (ids) => {
    view("map");
    room.findAll(ids);
  } });
  table.element.append(balance.element);
  const costs = new CostsPanel(project);
  const compare = (/** @type {Design} */ a, /** @type {Design} */ b) => void openComparison(project, room, a, b).catch((error) => say(reasonOf(error)));
  const sideBySide = () => void openSideBySide(project, room, { compare, again: sideBySide }).catch((error) => say(reasonOf(error)));
  const designs = new DesignsPanel(project, { failed: say, compare, sideBySide });
  const evening = project.isAdministrator ? new EveningPanel(project, { home, key: session.key, keeper, failed: say }) : null;
  /** @type {[string, string, HTMLElement][]} */
  const pages = [["diagrams", t("diagrams"), table.element], ["costs", t("costs"), costs.element],
    ["designs", t("designs"), designs.element]];
  if (evening) pages.push(["evening", t("evening"), evening.element]);
  const tabs = pages.map(([name, text]) => button(text, () => view(name), { role: "tab", id: `tab-${name}`, "aria-controls": `page-${name}` }));
  // The keyboard can scroll parts that are longer than the window.
  pages.forEach(([name, , page]) => Object.assign(page, { id: `page-${name}`, tabIndex: 0 }).setAttribute("role", "tabpanel"));
  pages.forEach(([name, , page]) => page.setAttribute("aria-labelledby", `tab-${name}`));
  const mapTab = button(t("map"), () => view("map"), { className: "maptab", "aria-pressed": "false" });
  const tablist = element("div", { className: "tabs", role: "tablist", ariaLabel: t("parts") }, ...tabs);
  const side = element("section", { className: "side", ariaLabel: t("parts") },
    element("div", { className: "tabbar" }, mapTab, tablist), waiting, ...pages.map(([, , page]) => page));
  const main = element("main", { className: "workspace" }, side, mapSide);
  const whole = element("div", { className: "whole" }, header, notice, main);

  /** @type {RoomMap} made when the page is shown, where it can be measured */
  let room;
  /** @type {DrawingPanel | null} */
  let drawing = null;
  let isOpening = false;

  /** Shows a part of the page; on a wide page the map is always there. @param {string} name */
  function view(name) {
    whole.dataset.view = name;
    const shown = name === "map" ? whole.dataset.page || "diagrams" : name;
    whole.dataset.page = shown;
    pages.forEach(([known, , page], place) => {
      page.hidden = known !== shown || drawing !== null;
      tabs[place].setAttribute("aria-selected", String(known === shown));
      tabs[place].tabIndex = known === shown ? 0 : -1;
    });
    mapTab.setAttribute("aria-pressed", String(name === "map"));
    if (name === "evening") evening?.show();
  }
  tablist.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(/** @type {any} */ (document.activeElement)) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });

  /** No response says who runs the workshop, so this is tried once, when somebody asks for it, and stored. */
  async function runEvening() {
    try {
      await service.get(`${project.path}walk_ins/`);
    } catch (error) {
      say(reasonOf(error));
      return;
    }
    keeper.keep(runs, true);
    location.reload();
  }

  const closedNow = () => ACTIVITIES.filter((what) => !project.mayDo(what).isOpen);
  /** Activities closed when the notice was shown, which may be its reason. @type {(typeof ACTIVITIES[number])[]} */
  let closedThen = [];

  /** @param {string} text */
  function say(text) {
    notice.textContent = text;
    notice.hidden = !text;
    closedThen = closedNow();
  }

  /** @param {number} id */
  function card(id) {
    openCard(project, id, {
      show: (found) => {
        view("map");
        room.find(found);
      },
      edit: (found) => void startDrawing(found),
      failed: (error) => say(reasonOf(error)),
    });
  }

  /**
   * @param {number} [id] the diagram to change; none for a new one, or for one that was unfinished when a page was left
   * @param {any} [kept] a form's values
   * @returns {Promise<boolean>} true if it is open now
   */
  async function startDrawing(id, kept) {
    const { isOpen, message } = project.mayDo("drawing");
    if (!isOpen) {
      say(message ? t("drawingClosedBecause", { message }) : t("drawingClosed"));
      return false;
    }
    if (drawing || isOpening) return false;
    isOpening = true;
    say("");
    try {
      const left = id === undefined && !kept ? await drafts.left() : null;
      drafts.begin(left?.name);
      drawing = await DrawingPanel.open({ project, room, outbox, drafts, id: left ? left.drawing.id : id, kept: kept || left?.drawing, closed: () => {
        drawing?.element.remove();
        drawing = null;
        delete whole.dataset.drawing;
        view(whole.dataset.view || "map");
        draw.focus();
      } });
    } catch (error) {
      drafts.name = "";
      say(reasonOf(error));
      return false;
    } finally {
      isOpening = false;
    }
    side.append(drawing.element);
    whole.dataset.drawing = "yes";
    view("map");
    drawing.focus();
    return true;
  }

  function showAbout() {
    const options = [element("option", { value: "project" }, t("wholeProject"))];
    if (project.isMember) options.push(element("option", { value: "selection" }, t("mySelection", { count: project.selection.size })));
    /** @type {Map<string, HTMLOptGroupElement>} */
    const teams = new Map();
    project.designs.forEach((design, place) => {
      if (!teams.has(design.team)) teams.set(design.team, element("optgroup", { label: design.team || t("team") }));
      teams.get(design.team)?.append(element("option", { value: String(place) }, design.title || t("untitled")));
    });
    choice.replaceChildren(...options, ...teams.values());
    const { about: now } = project;
    choice.value = now.kind === "design" ? String(project.designs.findIndex(({ id }) => id === now.design.id)) : now.kind;
  }
  choice.addEventListener("change", () => {
    const design = project.designs[Number(choice.value)];
    const next = choice.value === "project" || choice.value === "selection" ? { kind: choice.value } : { kind: "design", design };
    project.setAbout(/** @type {any} */ (next)).catch((error) => say(reasonOf(error)));
  });

  function showState() {
    const count = outbox.parcels().filter(({ refusal }) => !refusal).length;
    const asks = project.arrival === "asks";
    state.textContent = !project.isCurrent ? t("offline") : count ? t("sending", { count }) : asks ? t("asks") : "";
    state.title = asks ? t("asksHelp") : "";
    state.dataset.is = project.isCurrent ? "online" : "offline";
  }

  function showWaiting() {
    const rows = outbox.parcels().map((parcel) => element("li", {},
      element("b", {}, parcel.title || t("untitled")), " ",
      element("span", { className: parcel.refusal ? "trouble" : "quiet" }, parcel.refusal ? t("refused", { reason: parcel.refusal.detail }) : t("notYetSent")),
      parcel.refusal && button(t("openAgain"), () => {
        // The service may have accepted the diagram, and refused its days or tags.
        const id = parcel.drawing.id ?? parcel.diagram ?? undefined;
        void startDrawing(id, { ...parcel.drawing, id, etag: undefined }).then((isOpen) => isOpen && outbox.drop(parcel.key));
      }),
      parcel.refusal && button(t("discard"), () => {
        if (confirm(t("discardSure"))) outbox.drop(parcel.key);
      })));
    waiting.replaceChildren(...(rows.length ? [element("h2", {}, t("notAcknowledged")), element("ul", {}, ...rows)] : []));
    showState();
  }

  function showActivities() {
    const { isOpen, message } = project.mayDo("drawing");
    draw.hidden = !project.isMember;
    draw.setAttribute("aria-disabled", String(!isOpen));
    draw.title = isOpen ? "" : message || t("drawingClosed");
    const closed = closedNow();
    if (closedThen.some((what) => !closed.includes(what))) say("");
    if (!isOpen && message) say(t("drawingClosedBecause", { message }));
  }

  project.addEventListener("state", () => {
    showState();
    announce(project.isCurrent ? t("online") : t("offline"));
    if (!project.isCurrent) return;
    void outbox.send();
    drawing?.changed();
  });
  project.addEventListener("activities", showActivities);
  project.addEventListener("reread", () => {
    document.title = heading.textContent = project.title;
  });
  for (const name of ["designs", "about", "selection", "reread"]) project.addEventListener(name, showAbout);
  project.addEventListener("ended", (event) => settings.ended(/** @type {CustomEvent} */ (event).detail.reason));
  outbox.addEventListener("ended", () => settings.ended(t("tokenRefused")));
  outbox.addEventListener("change", showWaiting);
  outbox.addEventListener("refused", (event) => announce(t("refused", { reason: /** @type {CustomEvent} */ (event).detail.refusal.detail })));
  outbox.addEventListener("arrived", (event) => {
    const id = /** @type {CustomEvent} */ (event).detail;
    project.readSoon(id);
    announce(t("arrived"));
    say("");
  });

  say("");
  showAbout();
  showWaiting();
  showActivities();
  view(matchMedia("(max-width: 799px)").matches ? "map" : "diagrams");
  legendHolder.open = matchMedia("(min-width: 1000px)").matches;

  return {
    element: whole,
    /** Called when the element is on the page. */
    shown() {
      room = new RoomMap(project, views, legend, { patterns, basemap: about.basemap, home, tap: tapped });
      // For the console of the browser.
      Object.assign(window, { geodesignRoom: room });
      void outbox.send();
      // Loaded before drawing begins, because the service may be away then.
      if (project.isMember) DrawingPanel.prepare().catch(() => {});
      if (project.isMember) void drafts.left().then((left) => left && startDrawing());
    },
    close() {
      drawing?.leave();
      drafts.close();
      room.close();
      outbox.close();
      project.close();
      service.close();
    },
  };

  /** @param {number[]} ids */
  function tapped(ids) {
    if (ids.length === 1) card(ids[0]);
    else if (ids.length) openCard(project, ids, { show: (id) => room.find(id), edit: (id) => void startDrawing(id), failed: (error) => say(reasonOf(error)) });
  }
}
