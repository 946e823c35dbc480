// A rehearsal: its end undoes everything made since its start, so that the evening begins without a trace of it.

import { button, element } from "../map/elements.js";
import { ACTIVITIES } from "./activities_panel.js";
import { ask } from "./ask.js";
import { reasonOf } from "./reasons.js";
import { moment, t, timeOf } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Keeper } from "./session.js" */

/** Changes that are not reversed by undo. */
const REVERSED = new Set(["add_design", "edit_design", "remove_design", "set_activities"]);
// A design's time is in full seconds.
const CLOCK_SECONDS = 1;

export class Rehearsal {
  /** @param {Project} project @param {Keeper} keeper @param {(text: string) => void} failed */
  constructor(project, keeper, failed) {
    this.project = project;
    this.keeper = keeper;
    this.failed = failed;
    this.element = element("section");
    this.show();
  }

  get name() {
    return `rehearsal:${this.project.id}`;
  }

  /** The history's last entry at the start of the rehearsal. @returns {{entry: number, time: string} | null} */
  get begun() {
    return this.keeper.read(this.name);
  }

  show(text = "") {
    const { begun } = this;
    this.element.replaceChildren(element("h2", {}, t("rehearsal")), element("p", { className: "quiet" }, begun ? t("rehearsalSince", { time: moment(begun.time) }) : t("rehearsalNote")),
      element("div", { className: "buttons" }, begun
        ? button(t("endRehearsal"), () => void this.end(), { className: "main" })
        : button(t("beginRehearsal"), () => void this.begin()),
      begun && button(t("keepAll"), () => {
        this.keeper.drop(this.name);
        this.show();
      })), element("p", { role: "status" }, text));
  }

  async begin() {
    const { project } = this;
    try {
      const [last] = await project.service.get(`${project.path}history/?page_size=1`);
      this.keeper.keep(this.name, { entry: last?.id ?? 0, time: new Date(project.service.now()).toISOString() });
      this.show();
    } catch (error) {
      this.failed(reasonOf(error));
    }
  }

  /** Deletes the new designs, undoes what can be undone, newest first, and says how many changes stay. */
  async end() {
    const { project, begun } = this;
    if (!begun) return;
    const { service, path } = project;
    try {
      const entries = (await service.list(`${path}history/`)).filter(({ id }) => id > begun.entry);
      const designs = project.designs.filter(({ created }) => timeOf(created).getTime() >= timeOf(begun.time).getTime() - CLOCK_SECONDS * 1000);
      const undone = entries.filter(({ can_be_undone: can }) => can);
      if (!await ask(t("endRehearsalSure", { changes: undone.length, designs: designs.length }), t("endRehearsal"))) return;
      for (const { teamid, id } of designs) await service.send("DELETE", `${path}cteams/${teamid}/${id}/`);
      for (const { id } of undone) await service.send("POST", `${path}history/${id}/undo/`, {});
      await service.send("PATCH", `${path}activities/`, { ...Object.fromEntries(ACTIVITIES.map((what) => [what, { open: true, closes_at: null, message: "" }])), votes_hidden: false, drawings_shown: false });
      await project.readActivities();
      this.keeper.drop(this.name);
      const stays = entries.filter(({ can_be_undone: can, operation }) => !can && !REVERSED.has(operation)).length;
      this.show(t("rehearsalEnded", { changes: undone.length, designs: designs.length, count: stays }));
    } catch (error) {
      this.failed(reasonOf(error));
    }
  }
}
