// The wall: one page for the projector, readable from the last row, with nothing to click.

import { element, swatch, the } from "../map/elements.js";
import { codeName } from "./people_panel.js";
import { Project } from "./project.js";
import { qrCode } from "./qr.js";
import { RoomMap } from "./room_map.js";
import { number, t, timeOfDay } from "./texts.js";
import { WallDesigns, costsAgainstBudgets } from "./wall_designs.js";

/** @import { Settings } from "./workspace.js" */

const NEWEST = 3;
// Teams that have two lines each.
const MANY = 5;
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
  const drawn = element("table");
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
    element("aside", {}, element("div", { className: "facts" }, element("section", {}, element("h2", {}, t("teams")), teams), element("section", {}, element("h2", {}, t("diagrams")), drawn),
      element("section", {}, element("h2", {}, t("drawnLast")), newest)), joining), legend);
  const newestOf = () => [...project.diagrams.keys()].sort((a, b) => b - a).slice(0, NEWEST);
  /** The newest first. */
  let order = newestOf();

  const showClock = () => {
    const { isOpen, message } = project.mayDo("drawing");
    const ends = project.activities.drawing?.closes_at;
    const left = isOpen && ends ? new Date(`${ends.replace(/Z$/, "")}Z`).getTime() - service.now() : null;
    const seconds = left === null ? 0 : Math.max(0, Math.round(left / 1000));
    clock.textContent = left !== null ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
      : timeOfDay(service.now());
    state.textContent = !project.isCurrent ? t("offline") : isOpen ? "" : message ? t("drawingClosedBecause", { message }) : t("drawingClosed");
  };
  /** Diagrams by system. The sum of all alternatives costs what nobody plans: costs are those of designs. */
  const showDrawn = () => {
    const counts = new Map(project.systems.map(({ id }) => [id, 0]));
    for (const { sysid } of project.diagrams.values()) counts.set(sysid, (counts.get(sysid) ?? 0) + 1);
    const most = Math.max(1, ...counts.values());
    drawn.replaceChildren(element("caption", { className: "unseen" }, t("diagrams")), element("tbody", {}, ...project.systems.map(({ id, name, color }) => {
      const bar = element("i");
      bar.style.inlineSize = `${100 * (counts.get(id) ?? 0) / most}%`;
      bar.style.background = color;
      return element("tr", {}, element("th", { scope: "row" }, swatch(color), name), element("td", { className: "bars" }, bar), element("td", {}, number(counts.get(id) ?? 0)));
    })));
    fit();
  };
  /** Letters as large as all lines of the column allow. With many teams, each has one line, without the title of its design. */
  const fit = () => {
    const count = project.latestDesigns().length, areMany = count > MANY;
    teams.classList.toggle("many", areMany);
    whole.style.setProperty("--lines", String(6 + project.systems.length + (areMany ? 1.2 : 2.2) * count + 1.2 * NEWEST));
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
      element("b", {}, design.team), " ", element("span", {}, design.title), " ", element("div", {}, await costsAgainstBudgets(project, design)))));
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
  project.addEventListener("costs", () => void showTeams());
  project.addEventListener("designs", () => {
    void showTeams();
    fit();
    designs.first = 0;
    if (part === "designs") takeTurns();
  });
  project.addEventListener("diagrams", (event) => {
    const { changed, removed } = /** @type {CustomEvent} */ (event).detail;
    order = [...changed, ...order.filter((number) => !changed.includes(number) && !removed.includes(number))].slice(0, NEWEST);
    showNewest();
    showDrawn();
  });
  project.addEventListener("reread", () => {
    order = newestOf();
    showNewest();
    showDrawn();
  });
  for (const name of ["activities", "state"]) project.addEventListener(name, showClock);
  project.addEventListener("ended", (event) => ended(/** @type {CustomEvent} */ (event).detail.reason));
  return {
    element: whole,
    shown() {
      room = new RoomMap(project, the("#views", whole), legend, { patterns, basemap: about.basemap, home, tap: () => {} });
      showClock();
      showDrawn();
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
