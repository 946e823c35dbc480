// A diagram's card: its details, and actions on it.

import { button, element, swatch } from "../map/elements.js";
import { iconButton } from "../map/icons.js";
import { ask } from "./ask.js";
import { Threads } from "./comments.js";
import { storeysOf } from "./drawing.js";
import { amountsText } from "./quantities.js";
import { day, exactMoney, hectares, kilometres, listed, squareMetres, t, wordFor } from "./texts.js";
import { readVotes, showVotes } from "./votes.js";

/** @import { Project } from "./project.js" */
/** @import { Outbox } from "./outbox.js" */

/**
 * Opens a dialog about a diagram, or one to choose among several at a place.
 * @param {Project} project @param {Outbox} outbox @param {number | number[]} which
 * @param {{show: (id: number) => void, edit: (id: number) => void, copy: (id: number) => void, failed: (error: unknown) => void}} actions
 */
export function openCard(project, outbox, which, actions) {
  const dialog = element("dialog", { className: "card" });
  const close = () => dialog.close();
  const closing = new AbortController();
  dialog.addEventListener("close", () => {
    closing.abort();
    dialog.remove();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  const shut = iconButton("X", t("close"), close, { className: "close" });

  /** @param {number} id */
  const about = (id) => {
    const diagram = project.diagrams.get(id);
    if (!diagram) return close();
    const system = project.systems.find((known) => known.id === diagram.sysid);
    const figures = project.figures.get(id);
    const tags = diagram.tags.map((code) => project.tags.find((tag) => tag.code === code)?.name || code);
    const mayChange = project.isMember && (diagram.author === project.me || project.isAdministrator || project.administers);
    const isChosen = project.selection.has(id);
    const [above, below] = storeysOf(diagram.row.building_data);
    /** @type {[string, string | Node][]} */
    const facts = [
      [t("system"), element("span", {}, swatch(system?.color || "#777777"), system?.name || "")],
      [t("kind"), t(diagram.policy ? "policy" : "project")],
      [t("author"), diagram.author],
      [t("area"), figures && figures.area > 0 ? hectares(figures.area) : ""],
      [t("length"), figures && figures.length > 0 ? kilometres(figures.length) : ""],
      [t("storeys"), above || below ? t("storeysShown", { above: Number(above), below: Number(below) }) : ""],
      [t("floorArea"), figures?.floor ? squareMetres(figures.floor) : ""],
      [t("quantities"), amountsText(figures?.quantities)],
      [t("points"), figures?.pieces ? t("pieceCount", { count: figures.pieces }) : ""],
      [t("cost"), figures ? (figures.cost === null ? `${t("noCost")}${figures.problem ? `: ${figures.problem}` : ""}` : exactMoney(figures.cost)) : ""],
      [t("funding"), wordFor("funding", diagram.funding)],
      [t("days"), diagram.start && diagram.end ? `${day(diagram.start)} – ${day(diagram.end)}` : ""],
      [t("tags"), listed(tags)],
      [t("notes"), diagram.notes],
    ];
    const rows = facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
    const does = [button(t("showOnMap"), () => {
      close();
      actions.show(id);
    })];
    if (project.isMember) {
      does.unshift(button(isChosen ? t("unchoose") : t("choose"), () => {
        close();
        project.choose(id, !isChosen).catch(actions.failed);
      }, { className: "main" }));
    }
    if (project.isMember && diagram.geojson?.features?.length) {
      does.push(button(t("copyDiagram"), () => {
        close();
        actions.copy(id);
      }, { title: t("copyDiagramHelp") }));
    }
    if (mayChange) {
      does.push(button(t("change"), () => {
        close();
        actions.edit(id);
      }), button(t("withdraw"), async () => {
        if (!(await ask(t("withdrawSure", { title: diagram.title }), t("withdraw")))) return;
        close();
        try {
          await project.withdraw(id);
        } catch (error) {
          actions.failed(error);
        }
      }));
    }
    const votes = element("div", { className: "votes" });
    void fillVotes(project, id, votes);
    project.addEventListener("activities", () => void fillVotes(project, id, votes), { signal: closing.signal });
    dialog.setAttribute("aria-labelledby", "card-title");
    dialog.replaceChildren(shut, element("h2", { id: "card-title" }, diagram.title || t("untitled")), element("dl", {}, ...rows),
      votes, element("div", { className: "buttons" }, ...does), new Threads(project, outbox, { diagram: id }, closing.signal).element);
  };

  if (typeof which === "number") about(which);
  else {
    dialog.setAttribute("aria-labelledby", "card-title");
    dialog.replaceChildren(shut, element("h2", { id: "card-title" }, t("severalHere")), element("ul", { className: "several" },
      ...which.map((id) => {
        const diagram = project.diagrams.get(id);
        const system = project.systems.find((known) => known.id === diagram?.sysid);
        const choose = button("", () => about(id));
        choose.append(swatch(system?.color || "#777777"), diagram?.title || t("untitled"));
        return element("li", {}, choose);
      })));
  }
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Project} project @param {number} id @param {HTMLElement} holder */
async function fillVotes(project, id, holder) {
  const votes = await readVotes(project);
  if (votes) showVotes(project, id, holder, votes.get(id) ?? [], () => void fillVotes(project, id, holder));
}
