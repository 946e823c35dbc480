// The facilitator's day, in its order: prepare, rehearse, run, take home. Each is a page with its state.

import { element } from "../map/elements.js";
import { ACTIVITIES, ActivitiesPanel } from "./activities_panel.js";
import { HistoryPanel } from "./history_panel.js";
import { PeoplePanel } from "./people_panel.js";
import { PreparePanel } from "./prepare_panel.js";
import { Processes } from "./processes.js";
import { Rehearsal } from "./rehearsal.js";
import { TakeHome } from "./take_home.js";
import { listed, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Keeper } from "./session.js" */

const STEPS = /** @type {const} */ (["prepare", "rehearse", "run", "takeHome"]);

/** @typedef {typeof STEPS[number]} Step */

export class EveningPanel {
  /**
   * @param {Project} project
   * @param {{home: URL, key?: string, keeper: Keeper, failed: (text: string) => void, preview: (features: any[]) => void}} settings `preview` shows features of a file on the map
   */
  constructor(project, { home, key, keeper, failed, preview }) {
    this.project = project;
    this.keeper = keeper;
    const processes = new Processes(project.service, project.id);
    this.people = new PeoplePanel(project, { home, key, keeper, said: failed });
    this.history = new HistoryPanel(project, failed);
    this.takeHome = new TakeHome(project, processes, failed);
    this.prepare = new PreparePanel(project, processes, failed, preview);
    this.rehearsal = new Rehearsal(project, keeper, failed);
    /** @type {Record<Step, HTMLElement[]>} */
    this.parts = {
      prepare: [this.prepare.element], rehearse: [this.rehearsal.element],
      run: [new ActivitiesPanel(project, failed).element, this.people.element, this.history.element], takeHome: [this.takeHome.element],
    };
    this.states = STEPS.map(() => element("small"));
    this.buttons = STEPS.map((step, place) => {
      const made = element("button", { type: "button" }, element("span", {}, t(`step_${step}`)), this.states[place]);
      made.addEventListener("click", () => this.choose(step));
      return made;
    });
    this.content = element("div");
    this.element = element("div", { className: "page evening" },
      element("ol", { className: "steps", ariaLabel: t("evening") }, ...this.buttons.map((made) => element("li", {}, made))), this.content);
    for (const name of ["activities", "designs", "diagrams", "reread"]) project.addEventListener(name, () => this.showStates());
    this.rehearsal.element.addEventListener("click", () => this.showStates());
  }

  get name() {
    return `step:${this.project.id}`;
  }

  /** Shows the page that was open last; a project without diagrams is prepared first. Called when the panel is opened. */
  show() {
    const { project } = this;
    this.choose(this.keeper.read(this.name) ?? (project.diagrams.size ? "run" : "prepare"));
  }

  /** @param {Step} step */
  choose(step) {
    this.keeper.keep(this.name, step);
    this.content.replaceChildren(...this.parts[step]);
    this.buttons.forEach((made, place) => made.setAttribute("aria-current", STEPS[place] === step ? "step" : "false"));
    this.showStates();
    if (step === "prepare") this.prepare.show();
    if (step === "takeHome") void this.takeHome.show();
    if (step !== "run") return;
    void this.people.show();
    void this.history.show();
  }

  /** A word about each step: what is there, what is missing, what is open. */
  showStates() {
    const { project } = this;
    const hasArea = Boolean(project.boundaries?.features?.length);
    const closed = ACTIVITIES.filter((what) => !project.mayDo(what).isOpen).map((what) => t(what));
    const texts = [
      hasArea ? `${t("countOfSystems", { count: project.systems.length })} · ${t("countOfTeams", { count: project.teams.length })}` : t("noStudyArea"),
      this.rehearsal.begun ? t("isRehearsal") : t("noRehearsal"),
      closed.length ? t("closedNow", { what: listed(closed) }) : t("allOpen"),
      t("countOfDesigns", { count: project.designs.length }),
    ];
    this.states.forEach((state, place) => (state.textContent = texts[place]));
  }
}
