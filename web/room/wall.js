// The wall: one page for the projector, readable from the last row, with nothing to click.

import { element, swatch, the } from "../map/elements.js";
import { codeName } from "./evening_panel.js";
import { Project } from "./project.js";
import { qrCode } from "./qr.js";
import { RoomMap } from "./room_map.js";
import { money, t } from "./texts.js";

/** @import { Settings } from "./workspace.js" */

const NEWEST = 3;

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
  const legend = element("div", { className: "panel", hidden: true });
  // Whoever scans it comes in by the code of walk-ins, if this browser opened the door, else to where a link is asked for.
  const code = keeper.read(codeName(project));
  const joining = element("figure", {}, qrCode(code ? `${home.href}join/#${code}` : home.href, t("scanToJoin"), 4),
    element("figcaption", {}, code ? `${home.host} · ${code}` : home.host));
  const whole = element("main", { className: "wall" },
    element("header", {}, element("h1", {}, project.title), state, clock),
    element("div", { className: "stage" }, views),
    element("aside", {}, element("section", {}, element("h2", {}, t("costs")), money_), element("section", {}, element("h2", {}, t("teams")), teams),
      element("section", {}, element("h2", {}, t("drawnLast")), newest), joining), legend);
  /** @type {number[]} the newest first */
  let order = [...project.diagrams.keys()].sort((a, b) => b - a).slice(0, NEWEST);

  const showClock = () => {
    const { isOpen, message } = project.mayDo("drawing");
    const ends = project.activities.drawing?.closes_at;
    const left = isOpen && ends ? new Date(`${ends.replace(/Z$/, "")}Z`).getTime() - Date.now() : null;
    const seconds = left === null ? 0 : Math.max(0, Math.round(left / 1000));
    clock.textContent = left !== null ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
      : new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(new Date());
    state.textContent = !project.isCurrent ? t("offline") : isOpen ? "" : message ? t("drawingClosedBecause", { message }) : t("drawingClosed");
  };
  const showCosts = () => {
    const rows = (project.costs?.systems ?? []).map((row) => {
      const isOver = row.budget && row.cost > row.budget;
      return element("tr", { className: isOver ? "over" : "" }, element("th", { scope: "row" }, swatch(row.color || "#777777"), row.name),
        element("td", {}, row.cost === null ? t("noCost") : money(row.cost)), element("td", {}, row.budget ? `${isOver ? "▲" : "≤"} ${money(row.budget)}` : ""));
    });
    money_.replaceChildren(element("caption", { className: "unseen" }, t("costs")), element("tbody", {}, ...rows));
  };
  const showNewest = () => newest.replaceChildren(...order.flatMap((number) => {
    const diagram = project.diagrams.get(number);
    if (!diagram) return [];
    const color = project.systems.find((system) => system.id === diagram.sysid)?.color || "#777777";
    return [element("li", {}, swatch(color), diagram.title || t("untitled"), element("span", { className: "quiet" }, ` ${diagram.author}`))];
  }));
  // Of each team the latest design, against the budgets of all systems.
  const showTeams = async () => {
    const latest = project.teams.flatMap((team) => project.designs.filter(({ teamid }) => teamid === team.id).slice(-1));
    const rows = await Promise.all(latest.map(async (design) => {
      const costs = await service.get(`${project.path}cteams/${design.teamid}/${design.id}/costs/`).catch(() => null);
      const over = (costs?.systems ?? []).filter((/** @type {any} */ row) => row.budget && row.cost > row.budget).length;
      return element("li", {}, element("b", {}, design.team), ` ${design.title}`, element("div", {},
        costs ? [costs.total === null ? t("noCost") : money(costs.total), over ? t("systemsOver", { count: over }) : costs.unpriced ? "" : t("withinBudgets"),
          costs.unpriced ? t("unpriced", { count: costs.unpriced }) : ""].filter(Boolean).join(" · ") : ""));
    }));
    teams.replaceChildren(...rows);
  };
  const tick = setInterval(showClock, 1000);
  project.addEventListener("costs", () => {
    showCosts();
    void showTeams();
  });
  project.addEventListener("designs", () => void showTeams());
  project.addEventListener("diagrams", (event) => {
    const { changed, removed } = /** @type {CustomEvent} */ (event).detail;
    order = [...changed, ...order.filter((number) => !changed.includes(number) && !removed.includes(number))].slice(0, NEWEST);
    showNewest();
  });
  for (const name of ["activities", "state"]) project.addEventListener(name, showClock);
  project.addEventListener("ended", (event) => ended(/** @type {CustomEvent} */ (event).detail.reason));
  /** @type {RoomMap | null} */
  let room = null;
  return {
    element: whole,
    shown() {
      room = new RoomMap(project, the("#views", whole), legend, { patterns, basemap: about.basemap, home, tap: () => {} });
      showClock();
      showCosts();
      showNewest();
      void showTeams();
    },
    close() {
      clearInterval(tick);
      room?.close();
      project.close();
      service.close();
    },
  };
}
