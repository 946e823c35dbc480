// The room: members sign in with a card's link, with a code, or with name and token, and work on a project.

import { button, element, the } from "../map/elements.js";
import { beginProject } from "./begin_project.js";
import { Refused } from "./failures.js";
import { Service } from "./service.js";
import { Keeper, linkOf } from "./session.js";
import { signIn } from "./sign_in.js";
import { OPERATOR } from "./take_home.js";
import { chooseLanguage, currentLanguage, direction, t } from "./texts.js";
import { openWorkspace, runsName } from "./workspace.js";

/** @import { Session } from "./session.js" */

/** The service's description of itself. @typedef {{version?: string, basemap?: any, allowed_hosts?: string[]}} About */

/** @type {About} */
const about = JSON.parse(the("#service").textContent || "{}");
const home = new URL("./", document.baseURI);
const root = new URL("api/v1/", home).href;
const keeper = new Keeper(home.pathname);
const app = the("#app");
const isWall = new URLSearchParams(location.search).has("wall");
/** @type {() => void} takes down what is shown */
let close = () => {};

/** Replaces the page. @param {...Node} content */
function show(...content) {
  close();
  close = () => {};
  app.replaceChildren(...content);
}

/** @param {string} text @param {...Node} more */
function message(text, ...more) {
  show(element("main", { className: "plain" }, element("h1", {}, "Geodesign"), element("p", {}, text), ...more));
}

/** @param {string} [problem] @param {string} [code] */
function showSignIn(problem, code) {
  turn += 1;
  document.title = t("signInTitle");
  show(signIn({ root, home, problem, code, done: (session) => void enter(session) }));
}

/** Shows the sign-in page, and deletes everything stored. */
function signOut() {
  showSignIn();
  keeper.empty();
}

/** Number of sign-ins: a later one cancels the opening of a page for an earlier one. */
let turn = 0;

/** @param {Session} session @param {string} [reason] why another project is to be chosen @param {boolean} [chooses] true to choose even where there is one alone */
async function enter(session, reason, chooses = Boolean(reason)) {
  const mine = (turn += 1);
  message(t("opening"));
  const service = new Service(root, session.token);
  let projects;
  try {
    projects = await service.list("projects/");
  } catch (error) {
    if (mine !== turn) return;
    if (!(error instanceof Refused)) waiting(session, t("noService"));
    // The service says so to a member who waits to be admitted.
    else if (error.status === 403) waiting(session, error.message);
    else {
      // An old card replaces no other session.
      if (keeper.read("session")?.token === session.token) keeper.drop("session");
      showSignIn(reason || (error.status === 401 ? t("tokenRefused") : error.message));
    }
    return;
  }
  if (mine !== turn) return;
  keeper.keep("session", session);
  const chosen = projects.length === 1 ? projects[0] : projects.find(({ id }) => id === session.project);
  if (chosen && !chooses) await open(service, session, chosen, projects.length > 1 || session.name === OPERATOR);
  else chooseProject(service, session, projects, reason);
}

/** Tries again by itself. @param {Session} session @param {string} reason */
function waiting(session, reason) {
  keeper.keep("session", session);
  message(reason, element("p", { className: "quiet" }, t("triesAgain")), button(t("signOut"), signOut));
  const timer = setTimeout(() => void enter(session), 3000);
  close = () => clearTimeout(timer);
}

/** @param {Service} service @param {Session} session @param {any[]} projects @param {string} [reason] */
function chooseProject(service, session, projects, reason = "") {
  document.title = t("yourProjects");
  const rows = projects.map((project) => element("li", {},
    button(project.projecttitle || project.id, () => void open(service, session, project, true)), element("p", {}, project.projectdesc)));
  show(element("main", { className: "plain" },
    element("h1", {}, t("yourProjects")), element("p", { className: "trouble", role: "alert" }, reason),
    rows.length ? element("ul", { className: "projects" }, ...rows) : element("p", {}, t("noProjects")),
    beginProject(service, session.name, (project) => {
      keeper.keep(runsName(session.name, project), true);
      void open(service, session, { id: project }, true);
    }),
    button(t("signOut"), signOut)));
}

/** @param {Service} service @param {Session} session @param {{id: string, language?: string}} chosen @param {boolean} hasOthers */
async function open(service, session, { id: project, language }, hasOthers) {
  const mine = (turn += 1);
  const now = { ...session, project };
  keeper.keep("session", now);
  await speak(language);
  if (mine !== turn) return;
  message(t("opening"));
  try {
    const open = isWall ? (await import("./wall.js")).openWall : openWorkspace;
    const workspace = await open({
      service, session: now, project, keeper, about, home, signOut,
      otherProjects: hasOthers ? () => void enter({ ...session, project: undefined }, "", true) : null,
      // The token may be good for other projects.
      ended: (reason) => void enter({ ...session, project: undefined }, reason),
    });
    if (mine !== turn) {
      workspace.close();
      return;
    }
    show(workspace.element);
    close = workspace.close;
    workspace.shown();
  } catch (error) {
    service.close();
    if (mine !== turn) return;
    if (error instanceof Refused && error.status !== 403) {
      keeper.keep("session", { ...session, project: undefined });
      message(error.message, button(t("signOut"), signOut));
    } else waiting(now, error instanceof Refused ? error.message : t("noService"));
  }
}

/** Takes the reader's language, then the project's, then the browser's. The wall has no reader: the project's comes first. @param {string} [ofProject] */
async function speak(ofProject) {
  const ofReader = keeper.read("language");
  await chooseLanguage([...(isWall ? [ofProject, ofReader] : [ofReader, ofProject]), ...navigator.languages].filter(Boolean));
  Object.assign(document.documentElement, { lang: currentLanguage(), dir: direction() });
}

/** Reads a link, and removes its secrets from the address. */
function start() {
  const link = linkOf(location.hash.slice(1));
  if (link || location.pathname !== home.pathname) history.replaceState(null, "", home.href + location.search);
  if (link && "session" in link) void enter(link.session);
  else if (link && "problem" in link) showSignIn(t(link.problem === "cut" ? "linkCut" : "linkWithoutToken"));
  else if (link) showSignIn("", link.code);
  else {
    const session = keeper.read("session");
    if (session) void enter(session);
    else showSignIn();
  }
}

await speak();
addEventListener("hashchange", () => {
  if (location.hash.length > 1) start();
});
start();
