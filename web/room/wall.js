// The wall: one page for the projector, readable from the last row, with nothing to click.

import { element, swatch, the } from "../map/elements.js";
import { codeName } from "./evening_panel.js";
import { Project } from "./project.js";
import { qrCode } from "./qr.js";
import { RoomMap } from "./room_map.js";
import { money, t } from "./texts.js";
import { WallDesigns, costsAgainstBudgets } from "./wall_designs.js";

/** @import { Settings } from "./workspace.js" */

const NEWEST = 3;
// Seconds for the map, and then for the designs.
const TURN_SECONDS = 30;

/** @param {Settings} settings */
export async function openWall({ service, session, keeper, about, home, project: id, ended }) {
  const project = new Project(service, id, session.name);
  const [patterns] = await Promise.all([
    fetch(new URL("web/map/patterns.json", home)).then((response) => response.json()), project.open(),
  ]);
  document.title = project.title;
  const clock = element("time", { className: "clock" });
  const state = element("p", { className: "state", role: "status" });
  const money_ = element("table");
  const newest = element("ul", { className: "newest" });
  const teams = element("ul", { className: "teams" });
  const views = element("div", { id: "views" });
  const stage = element("div", { className: "stage" }, views);
  const legend = element("div", { className: "panel", hidden: true });
  // Scanning it opens the room with the walk-in code if this browser opened the door; otherwise the sign-in page.
  const code = keeper.read(codeName(project));
  const joining = element("figure", {}, qrCode(code ? `${home.href}join/#${code}` : home.href, t("scanToJoin"), 4),
    element("figcaption", {}, code ? `${home.host} · ${code}` : home.host));
  const whole = element("main", { className: "wall" },
    element("header", {}, element("h1", {}, project.title), state, clock),
    stage,
    element("aside", {}, element("div", { className: "facts" }, element("section", {}, element("h2", {}, t("costs")), money_),
      element("section", {}, element("h2", {}, t("teams")), teams), element("section", {}, element("h2", {}, t("drawnLast")), newest)), joining), legend);
  const newestOf = () => [...project.diagrams.keys()].sort((a, b) => b - a).slice(0, NEWEST);
  /** The newest first. */
  let order = newestOf();

  const showClock = () => {
    const { isOpen, message } = project.mayDo("drawing");
    const ends = project.activities.drawing?.closes_at;
    const left = isOpen && ends ? new Date(`${ends.replace(/Z$/, "")}Z`).getTime() - service.now() : null;
    const seconds = left === null ? 0 : Math.max(0, Math.round(left / 1000));
    clock.textContent = left !== null ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
      : new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(service.now());
    state.textContent = !project.isCurrent ? t("offline") : isOpen ? "" : message ? t("drawingClosedBecause", { message }) : t("drawingClosed");
  };
  const showCosts = () => {
    const rows = (project.costs?.systems ?? []).map((row) => {
      const isOver = row.budget_met === false;
      return element("tr", { className: isOver ? "over" : "" }, element("th", { scope: "row" }, swatch(row.color || "#777777"), row.name),
        element("td", {}, row.cost === null ? t("noCost") : money(row.cost)), element("td", {}, row.budget ? `${isOver ? "▲" : row.budget_met ? "≤" : "–"} ${money(row.budget)}` : ""));
    });
    money_.replaceChildren(element("caption", { className: "unseen" }, t("costs")), element("tbody", {}, ...rows));
  };
  const showNewest = () => newest.replaceChildren(...order.flatMap((number) => {
    const diagram = project.diagrams.get(number);
    if (!diagram) return [];
    const color = project.systems.find((system) => system.id === diagram.sysid)?.color || "#777777";
    return [element("li", {}, swatch(color), diagram.title || t("untitled"), element("span", { className: "quiet" }, ` ${diagram.author}`))];
  }));
  let asked = 0;
  const showTeams = async () => {
    const turn = (asked += 1);
    const rows = await Promise.all(project.latestDesigns().map(async (design) => element("li", {},
      element("b", {}, design.team), ` ${design.title}`, element("div", {}, await costsAgainstBudgets(project, design)))));
    // Responses may come in another order.
    if (turn === asked) teams.replaceChildren(...rows);
  };
  /** @type {RoomMap | null} */
  let room = null;
  const designs = new WallDesigns(project);
  stage.append(designs.element);
  const part = new URLSearchParams(location.search).get("wall");
  /** Shows the designs, or the map if there are none. @param {boolean} isWanted */
  const showDesigns = async (isWanted) => {
    const isShown = isWanted && room ? await designs.show(room) : false;
    if (!isShown) designs.hide();
    views.hidden = isShown;
  };
  /** Alternates between map and designs, unless the address fixes one; fewer than two designs are no comparison. */
  const takeTurns = () => {
    const isTheirTurn = part !== "map" && project.latestDesigns().length > 1 && designs.element.hidden;
    void showDesigns(part === "designs" || Boolean(isTheirTurn));
  };
  const tick = setInterval(showClock, 1000);
  const turns = setInterval(takeTurns, TURN_SECONDS * 1000);
  project.addEventListener("costs", () => {
    showCosts();
    void showTeams();
  });
  project.addEventListener("designs", () => {
    void showTeams();
    designs.first = 0;
    if (part === "designs") takeTurns();
  });
  project.addEventListener("diagrams", (event) => {
    const { changed, removed } = /** @type {CustomEvent} */ (event).detail;
    order = [...changed, ...order.filter((number) => !changed.includes(number) && !removed.includes(number))].slice(0, NEWEST);
    showNewest();
  });
  project.addEventListener("reread", () => {
    order = newestOf();
    showNewest();
  });
  for (const name of ["activities", "state"]) project.addEventListener(name, showClock);
  project.addEventListener("ended", (event) => ended(/** @type {CustomEvent} */ (event).detail.reason));
  return {
    element: whole,
    shown() {
      room = new RoomMap(project, the("#views", whole), legend, { patterns, basemap: about.basemap, home, tap: () => {} });
      showClock();
      showCosts();
      showNewest();
      void showTeams();
      if (part === "designs") takeTurns();
    },
    close() {
      clearInterval(tick);
      clearInterval(turns);
      designs.hide();
      room?.close();
      project.close();
      service.close();
    },
  };
}
