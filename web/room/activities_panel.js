// Switches for what members may do, with a message for all and a clock.

import { button, element } from "../map/elements.js";
import { Facilitating } from "./facilitating.js";
import { labelled, moment, t, timeOf } from "./texts.js";

export const ACTIVITIES = /** @type {const} */ (["drawing", "selecting", "designing", "commenting"]);
const MINUTE = 60_000;
/** Milliseconds between two looks at the clock. */
const TICK = 15_000;

export class ActivitiesPanel extends Facilitating {
  /** @param {import("./project.js").Project} project @param {(text: string) => void} said */
  constructor(project, said) {
    super(project, said);
    this.message = element("input", { type: "text", maxLength: 200, ariaLabel: t("message"), placeholder: t("message") });
    this.minutes = element("input", { type: "number", min: "1", max: "600", inputMode: "numeric", ariaLabel: t("minutes"), placeholder: t("minutes") });
    this.rows = element("ul", { className: "switches" });
    this.element = element("section", {}, element("h2", {}, t("whatIsOpen")), this.rows, element("div", { className: "buttons" }, this.message, this.minutes));
    project.addEventListener("activities", () => this.show());
    this.show();
    setInterval(() => this.element.isConnected && this.tick(), TICK);
  }

  show() {
    this.rows.replaceChildren(...ACTIVITIES.map((what) => this.row(what)), this.switchRow("votes_hidden", this.project.votesHidden, t("hideVotes"), t(this.project.votesHidden ? "votesHidden" : "votesShown")),
      this.switchRow("drawings_shown", this.project.drawingsShown, t("showDrawings"), t(this.project.drawingsShown ? "drawingsShown" : "drawingsNotShown")));
    this.tick();
  }

  /** @param {typeof ACTIVITIES[number]} what */
  row(what) {
    const { isOpen, message } = this.project.mayDo(what);
    const change = (/** @type {any} */ body) => this.change({ [what]: body });
    const turn = () => void change(isOpen ? { open: false, message: this.message.value } : { open: true, closes_at: null, message: "" });
    const later = () => {
      const wait = Number(this.minutes.value) * MINUTE;
      if (wait > 0) void this.try(this.project.timeIn(wait).then((closes_at) => change({ open: true, closes_at, message: this.message.value })));
      else this.said(t("noMinutes"));
    };
    return element("li", {},
      button("", turn, { role: "switch", className: "switch", "aria-checked": String(isOpen), ariaLabel: t(what) }),
      element("b", {}, t(what)), element("span", { className: isOpen ? "state" : "state trouble", "data-what": what }, isOpen ? "" : `${t("isClosed")} ${message}`),
      isOpen ? button(t("closeIn"), later, { ariaLabel: labelled(t("closeIn"), t(what)) }) : null);
  }

  /** @param {string} field @param {boolean} isOn @param {string} name @param {string} state */
  switchRow(field, isOn, name, state) {
    const turn = () => void this.change({ [field]: !isOn });
    return element("li", {}, button("", turn, { role: "switch", className: "switch setting", "aria-checked": String(isOn), ariaLabel: name }),
      element("b", {}, name), element("span", { className: "quiet" }, state));
  }

  /** @param {any} body */
  change(body) {
    return this.try(this.send("PATCH", "activities/", body).then(() => this.project.readActivities()));
  }

  /** Shows how long what is open stays so. */
  tick() {
    for (const state of /** @type {NodeListOf<HTMLElement>} */ (this.rows.querySelectorAll(".state:not(.trouble)"))) {
      const ends = this.project.activities[state.dataset.what ?? ""]?.closes_at;
      const minutes = ends ? Math.max(1, Math.ceil((timeOf(ends).getTime() - this.project.service.now()) / MINUTE)) : 0;
      state.textContent = ends ? t("openUntilIn", { time: moment(ends), count: minutes }) : t("isOpen");
    }
  }
}
