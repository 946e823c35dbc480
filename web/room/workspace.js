// The room of a project: its map, the table of diagrams, costs and drawing.

import { button, element, the } from "../map/elements.js";
import { icon, iconButton, labelledButton } from "../map/icons.js";
import { ask } from "./ask.js";
import { Balance } from "./balance.js";
import { CommentPins, openThreads } from "./comment_pins.js";
import { openCard } from "./card.js";
import { openComparison } from "./comparison.js";
import { CostsPanel } from "./costs_panel.js";
import { DesignsPanel } from "./designs_panel.js";
import { Drafts } from "./drawings_in_hand.js";
import { DrawingPanel } from "./drawing_panel.js";
import { EveningPanel } from "./evening_panel.js";
import { openMenu } from "./menu.js";
import { Outbox } from "./outbox.js";
import { Outlines, OwnOutline } from "./outlines.js";
import { Panel, narrow } from "./panel.js";
import { savePicture } from "./picture.js";
import { PresenceRow } from "./presence.js";
import { Project } from "./project.js";
import { Refused } from "./failures.js";
import { reasonOf } from "./reasons.js";
import { AskedOfYou } from "./reviews.js";
import { RoomMap } from "./room_map.js";
import { openSheet } from "./sheet.js";
import { Undoing, stepOf } from "./undoing.js";
import { drawingOf } from "./drawing.js";
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

const ACTIVITIES = /** @type {const} */ (["drawing", "selecting", "designing", "commenting"]);

/** Whether this browser shows the legend. */
const LEGEND = "legend open";

/** Announces a change elsewhere on the page to screen readers. @param {string} text */
export function announce(text) {
  the("#announcer").textContent = text;
}

/** Key under which it is stored that a person runs the evening of a project. @param {string} name @param {string} project */
export const runsName = (name, project) => `runs:${name}:${project}`;

/** @param {Settings} settings */
export async function openWorkspace(settings) {
  const { service, session, keeper, about, home } = settings;
  const runs = runsName(session.name, settings.project);
  const project = new Project(service, settings.project, session.name, keeper.read(runs) === true);
  const [patterns] = await Promise.all([
    fetch(new URL("web/map/patterns.json", home)).then((response) => response.json()), project.open(),
  ]);
  document.title = project.title;
  const outbox = new Outbox(service, keeper, project.id, session.name);
  const ownOutline = new OwnOutline(project);
  const drafts = new Drafts(keeper, session, project.id);

  // The page's parts.
  const notice = element("p", { className: "notice", role: "status" });
  const waiting = element("div", { className: "waiting" });
  const state = element("span", { className: "state", role: "status" });
  const views = element("div", { id: "views" });
  const legend = element("div", { className: "panel" });
  const legendHolder = element("details", { className: "legend" }, element("summary", {}, icon("Layers"), t("legend")), legend);
  const choice = element("select", { ariaLabel: t("about") });
  const draw = labelledButton("Pencil", t("draw"), () => void startDrawing(), { className: "main" });
  const comment = iconButton("MessageSquarePlus", t("commentOnPlace"), () => {
    panel.view("map");
    pins.choose();
  }, { className: "place" });
  const undoing = new Undoing((error) => say(reasonOf(error)));
  const prints = () => [
    iconButton("Image", t("picture"), () => savePicture(room, project), { title: t("pictureHelp") }),
    iconButton("Printer", t("print"), () => openSheet(project, room, home).catch((error) => say(reasonOf(error))), { title: t("printHelp") }),
  ];
  const toolbar = element("div", { className: "tools" },
    element("label", { className: "about" }, element("span", { className: "unseen" }, t("about")), choice), undoing.back, undoing.forth, draw, comment,
    element("span", { className: "prints" }, ...prints()), new PresenceRow(project).element,
    button(session.name || t("guest"), () => openMenu(settings, project, room, { runEvening: () => void runEvening(), prints: prints() }), { className: "who", ariaLabel: t("menuOf", { name: session.name }) }));

  const table = new DiagramTable(project, patterns, {
    show: (id) => {
      panel.view("map");
      room.find(id);
    },
    card: (id) => card(id),
    failed: (error) => say(reasonOf(error)),
  });
  const balance = new Balance(project, {
    show: (ids) => {
      panel.view("map");
      room.findAll(ids);
    },
    failed: (error) => say(reasonOf(error)),
  });
  const costs = new CostsPanel(project);
  const compare = (/** @type {Design} */ a, /** @type {Design} */ b) => void openComparison(project, room, a, b).catch((error) => say(reasonOf(error)));
  const sideBySide = () => void openSideBySide(project, room, { compare, again: sideBySide }).catch((error) => say(reasonOf(error)));
  const talk = (/** @type {Design} */ design) => openThreads(project, outbox, { design: design.id }, design.title || t("untitled"));
  const designs = new DesignsPanel(project, { failed: say, compare, sideBySide, talk });
  const evening = project.isAdministrator ? new EveningPanel(project, { home, key: session.key, keeper, failed: say, preview: (features) => room?.preview(features) }) : null;
  /** @type {import("./panel.js").Part[]} */
  const parts = [["diagrams", t("diagrams"), table.element], ["costs", t("costs"), costs.element], ["designs", t("designs"), designs.element]];
  if (evening) parts.push(["evening", t("evening"), evening.element]);
  /** @type {Panel} */
  const panel = new Panel(project.title, parts, keeper, { head: [state], between: element("div", { className: "between" }, new AskedOfYou(project, { card: (id) => card(id), talk }).element, waiting), changed: () => requestAnimationFrame(() => room?.map.settle()) });
  if (evening) the("#tab-evening", panel.element).addEventListener("click", () => evening.show());
  const stage = element("div", { className: "stage" }, views);
  const main = element("main", { className: "workspace" }, panel.element, toolbar, legendHolder, stage);
  const whole = element("div", { className: "whole" }, main, notice);
  // On a phone, what a choice costs is below the diagrams.
  const placeBalance = () => (narrow.matches ? table.element.append(balance.element) : stage.before(balance.element));
  placeBalance();
  const closing = new AbortController();
  narrow.addEventListener("change", placeBalance, { signal: closing.signal });
  addEventListener("keydown", (event) => {
    if (!drawing) undoing.pressed(event);
  }, { signal: closing.signal });
  project.addEventListener("did", (event) => undoing.note(/** @type {CustomEvent} */ (event).detail));

  stage.addEventListener("dragover", (event) => event.preventDefault());
  stage.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer?.files || [];
    if (!file || !project.isMember) return;
    await startDrawing();
    await drawing?.takeFile(file);
  });

  /** What lies over the map, so that everything is shown beside it. @returns {import("../map/map.js").Covered} */
  function covered() {
    const map = stage.getBoundingClientRect(), side = panel.element.getBoundingClientRect(), bar = toolbar.getBoundingClientRect();
    const top = bar.height ? bar.bottom - map.top : 0;
    if (narrow.matches) return { left: 0, top, right: 0, bottom: panel.shown === "map" ? map.bottom - side.top : 0 };
    const isAtLeft = side.left - map.left < map.right - side.right;
    if (panel.isFolded) return { left: 0, top, right: 0, bottom: 52 };
    return { left: isAtLeft ? side.right - map.left : 0, top, right: isAtLeft ? 0 : map.right - side.left, bottom: 52 };
  }

  /** @type {RoomMap} made when the page is shown, where it can be measured */
  let room;
  /** @type {CommentPins} */
  let pins;
  /** @type {DrawingPanel | null} */
  let drawing = null;
  let isOpening = false;
  /** The system of the last drawing, with which the next one begins. @type {number | undefined} */
  let lastSystem;

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
    openCard(project, outbox, id, {
      show: (found) => {
        panel.view("map");
        room.find(found);
      },
      edit: (found) => void startDrawing(found),
      copy: (found) => void copyDiagram(found),
      failed: (error) => say(reasonOf(error)),
    });
  }

  /** Begins a new drawing with the shapes and values of somebody's diagram. @param {number} id */
  async function copyDiagram(id) {
    try {
      const { id: _, etag: __, before: ___, ...values } = await drawingOf(project, id);
      await startDrawing(undefined, { ...values, title: t("copyOf", { title: values.title }), start: "", end: "" });
    } catch (error) {
      say(reasonOf(error));
    }
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
      drawing = await DrawingPanel.open({ project, room, ownOutline, sysid: lastSystem, outbox, drafts, id: left ? left.drawing.id : id, kept: kept || left?.drawing, closed: () => {
        lastSystem = drawing?.drawing.sysid;
        drawing?.element.remove();
        drawing = null;
        delete whole.dataset.drawing;
        panel.take(null);
        draw.focus();
      } });
    } catch (error) {
      drafts.name = "";
      say(reasonOf(error));
      return false;
    } finally {
      isOpening = false;
    }
    whole.dataset.drawing = "yes";
    panel.take(drawing.element);
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
      parcel.refusal && parcel.drawing && button(t("openAgain"), () => {
        // The service may have accepted the diagram, and refused its days or tags.
        const id = parcel.drawing.id ?? parcel.diagram ?? undefined;
        void startDrawing(id, { ...parcel.drawing, id, etag: undefined }).then((isOpen) => isOpen && outbox.drop(parcel.key));
      }),
      parcel.refusal && button(t("discard"), async () => {
        if (await ask(t("discardSure"), t("discard"))) outbox.drop(parcel.key);
      })));
    waiting.replaceChildren(...(rows.length ? [element("h2", {}, t("notAcknowledged")), element("ul", {}, ...rows)] : []));
    showState();
  }

  function showActivities() {
    const { isOpen, message } = project.mayDo("drawing");
    draw.hidden = !project.isMember;
    comment.hidden = !project.isMember || !project.mayDo("commenting").isOpen && !project.isAdministrator;
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
    document.title = panel.title.textContent = project.title;
  });
  for (const name of ["designs", "about", "selection", "reread"]) project.addEventListener(name, showAbout);
  project.addEventListener("ended", (event) => settings.ended(/** @type {CustomEvent} */ (event).detail.reason));
  outbox.addEventListener("ended", () => settings.ended(t("tokenRefused")));
  outbox.addEventListener("change", showWaiting);
  outbox.addEventListener("refused", (event) => announce(t("refused", { reason: /** @type {CustomEvent} */ (event).detail.refusal.detail })));
  outbox.addEventListener("arrived", (event) => {
    const parcel = /** @type {CustomEvent<import("./outbox.js").Parcel>} */ (event).detail;
    if (!parcel.drawing) {
      project.soon("comments", () => project.readComments());
      announce(t("commentArrived"));
      return;
    }
    project.readSoon(Number(parcel.diagram));
    undoing.note(stepOf(project, outbox, parcel));
    // What a member drew belongs to the own choice, unless choosing is closed.
    if (parcel.drawing.id === undefined) project.choose(Number(parcel.diagram), true, false).catch(() => {});
    announce(t("arrived"));
    say("");
  });

  say("");
  showAbout();
  showWaiting();
  showActivities();
  legendHolder.open = keeper.read(LEGEND) ?? matchMedia("(min-width: 1600px)").matches;
  legendHolder.addEventListener("toggle", () => keeper.keep(LEGEND, legendHolder.open));

  return {
    element: whole,
    /** Called when the element is on the page. */
    shown() {
      room = new RoomMap(project, views, legend, { patterns, basemap: about.basemap, home, tap: tapped, covered });
      pins = new CommentPins(project, outbox, room, say);
      new Outlines(project, room.leaflet);
      // For the console of the browser.
      Object.assign(window, { geodesignRoom: room });
      void outbox.send();
      // A project that was just begun is prepared first.
      if (evening && !project.systems.length) the("#tab-evening", panel.element).click();
      // Loaded before drawing begins, because the service may be away then.
      if (project.isMember) DrawingPanel.prepare().catch(() => {});
      if (project.isMember) void drafts.left().then((left) => left && startDrawing());
    },
    close() {
      drawing?.leave();
      drafts.close();
      closing.abort();
      room.close();
      outbox.close();
      project.close();
      service.close();
    },
  };

  /** @param {number[]} ids */
  function tapped(ids) {
    if (pins.isChoosing) return;
    if (ids.length === 1) card(ids[0]);
    else if (ids.length) openCard(project, outbox, ids, { show: (id) => room.find(id), edit: (id) => void startDrawing(id), copy: (id) => void copyDiagram(id), failed: (error) => say(reasonOf(error)) });
  }
}
