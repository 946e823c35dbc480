// A round of votes: every diagram under discussion with all votes and your own, in an order that shows what to discuss first.

import { button, element, swatch } from "../map/elements.js";
import { openFull } from "./full_dialog.js";
import { t } from "./texts.js";
import { inOrderOf, orderChoice, readVotes, showVotes } from "./votes.js";
import { inSteps } from "./steps.js";

/** @import { Project } from "./project.js" */
/** @import { Order, Votes } from "./votes.js" */

/** @param {Project} project */
export async function openVoteRound(project) {
  const latest = await Promise.all(project.latestDesigns().map((design) => project.diagramsOf(design)));
  const round = new VoteRound(project, [...new Set(latest.flat())]);
  const { closing } = openFull("round", t("voteRound"), [round.element]);
  round.isOpen = () => !closing.aborted;
  project.addEventListener("vote", () => project.soon("votes", () => round.read(), () => 300), { signal: closing });
  project.addEventListener("activities", () => project.soon("all votes", () => round.read(true)), { signal: closing });
  await round.read();
  await round.show();
}

class VoteRound {
  /** @param {Project} project @param {number[]} inDesigns the diagrams of the teams' latest designs */
  constructor(project, inDesigns) {
    this.project = project;
    this.inDesigns = inDesigns;
    /** True if all diagrams are listed, not only those in designs. */
    this.isAboutAll = !inDesigns.length;
    /** @type {Order} */
    this.order = "disagreed";
    /** @type {Votes} */
    this.votes = new Map();
    /** @type {Map<number, HTMLElement>} what a row says of votes */
    this.holders = new Map();
    this.turn = 0;
    this.isOpen = () => true;
    const about = element("select", {}, element("option", { value: "designs" }, t("inLatestDesigns")), element("option", { value: "all" }, t("allDiagrams")));
    about.value = this.isAboutAll ? "all" : "designs";
    about.addEventListener("change", () => {
      this.isAboutAll = about.value === "all";
      void this.show();
    });
    this.list = element("ol");
    this.status = element("p", { className: "quiet", role: "status" });
    this.element = element("div", { className: "page" }, element("p", { className: "quiet" }, t("voteRoundHelp")),
      element("div", { className: "buttons" }, element("label", {}, t("about"), " ", about),
        orderChoice(this.order, ["disagreed", "supported", "unvoted", "project"], (order) => {
          this.order = order;
          void this.show();
        }), button(t("orderAgain"), () => void this.show())), this.status, this.list);
  }

  /** Updates the rows in place, so that a tap never hits another diagram. @param {boolean} [all] also those with the same votes */
  async read(all = false) {
    const votes = await readVotes(this.project);
    if (!votes || !this.isOpen()) return;
    const before = this.votes;
    this.votes = votes;
    for (const [id, holder] of this.holders) {
      if ((all || JSON.stringify(before.get(id)) !== JSON.stringify(votes.get(id))) && !isTyping(holder)) this.fill(id, holder);
    }
    this.showStatus();
  }

  ids() {
    const { diagrams } = this.project;
    const all = this.isAboutAll ? [...diagrams.keys()] : this.inDesigns.filter((id) => diagrams.has(id));
    const rank = new Map(this.project.systems.map(({ id }, place) => [id, place]));
    const of = (/** @type {number} */ id) => diagrams.get(id);
    return all.sort((a, b) => (rank.get(of(a)?.sysid ?? -1) ?? 0) - (rank.get(of(b)?.sysid ?? -1) ?? 0) || (of(a)?.rank ?? 0) - (of(b)?.rank ?? 0) || a - b);
  }

  async show() {
    const turn = (this.turn += 1);
    const ids = inOrderOf(this.ids(), this.order, this.votes, this.project.me);
    this.shown = ids;
    this.holders.clear();
    this.list.replaceChildren();
    this.showStatus();
    const append = (/** @type {number} */ id) => {
      const holder = element("div", { className: "votes" });
      this.holders.set(id, holder);
      this.fill(id, holder);
      const diagram = this.project.diagrams.get(id);
      const system = this.project.systems.find((known) => known.id === diagram?.sysid);
      const row = element("li", {}, element("h2", {}, swatch(system?.color || "#777777"), diagram?.title || t("untitled"), " ",
        element("span", { className: "quiet" }, system?.name ?? "")), holder);
      row.dataset.id = String(id);
      this.list.append(row);
    };
    await inSteps((function* () {
      for (const id of ids) yield append(id);
    })(), () => turn === this.turn && this.isOpen());
  }

  showStatus() {
    const ids = this.shown ?? [];
    const mine = ids.filter((id) => this.votes.get(id)?.some(({ username }) => username === this.project.me)).length;
    this.status.textContent = t("votedOn", { count: ids.length, mine });
  }

  /** @param {number} id @param {HTMLElement} holder */
  fill(id, holder) {
    const focused = holder.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
    showVotes(this.project, id, holder, this.votes.get(id) ?? [], () => void this.read());
    // The buttons were replaced.
    if (focused) [...holder.querySelectorAll("button")].find((made) => made.ariaLabel === focused)?.focus();
  }
}

/** True while a comment is typed in it. @param {HTMLElement} holder */
const isTyping = (holder) => document.activeElement instanceof HTMLInputElement && holder.contains(document.activeElement);
