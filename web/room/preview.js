// A preview by the service while you draw: the drawing's costs, land, collisions and targets.

import { button, element } from "../map/elements.js";
import { buildingOf, collectionOf } from "./drawing.js";
import { classMark, classWord } from "./evaluation_classes.js";
import { Refused } from "./failures.js";
import { goodLandList } from "./impacts.js";
import { amountsLine } from "./quantities.js";
import { hectares, listed, money, percent, sizes, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { Drawing, Values } from "./drawing.js" */

// Milliseconds between two requests.
const PAUSE = 350;
/** Hectares or kilometres. Less is not shown. */
const LEAST = 0.001;

export class Preview {
  /**
   * @param {Project} project
   * @param {() => void} showFaults called when the drawing's faults are known @param {() => void} clip called to propose the drawing beside constraints
   */
  constructor(project, showFaults, clip) {
    this.project = project;
    this.showFaults = showFaults;
    this.clip = clip;
    this.element = element("div", { className: "preview", role: "status", ariaLabel: t("preview") });
    /** Shown while nothing is drawn. */
    this.helpText = "";
    this.isEmpty = true;
    /** @type {{reason: string, code: string | null, position: number[] | null}[]} why the drawing would be refused */
    this.faults = [];
    /** @type {{drawing: Drawing & Values, isDrawing: boolean, key: string} | null} */
    this.next = null;
    this.asked = "";
    this.timer = 0;
    this.isAsking = false;
    this.hasClosed = false;
  }

  /** @param {string} text how to draw with the current tool */
  help(text) {
    this.helpText = text;
    if (this.isEmpty) this.showText(text);
  }

  /** @param {Drawing & Values} drawing @param {boolean} isDrawing whether a part is not finished yet */
  ask(drawing, isDrawing) {
    const { features, sysid, policy, building, cost, costType } = drawing;
    const key = JSON.stringify([features.map(({ geometry }) => geometry), sysid, policy, building, cost, costType, isDrawing]);
    if (key === this.asked) return;
    this.asked = key;
    // Those of an earlier drawing refuse nothing.
    this.faults = [];
    this.next = { drawing: { ...drawing }, isDrawing, key };
    if (!this.timer && !this.isAsking) this.timer = setTimeout(() => void this.send(), PAUSE);
  }

  async send() {
    this.timer = 0;
    const asked = this.next;
    this.next = null;
    if (!asked || this.hasClosed) return;
    const { drawing, isDrawing, key } = asked;
    if (!drawing.features.length) {
      this.show(null, drawing, isDrawing);
      return;
    }
    this.isAsking = true;
    try {
      const land = this.project.countsInside ? "inside" : "all";
      const body = { geometry: collectionOf(drawing.features), kind: drawing.policy ? "policy" : "project", land, ...buildingOf(drawing.building) };
      const answer = await this.project.service.send("POST", `${this.project.path}systems/${drawing.sysid}/preview/`, body);
      // Results for an older drawing are not shown.
      if (key === this.asked || isDrawing) this.show(answer.body, drawing, isDrawing);
    } catch (error) {
      // The service may be away, or have no previews; the drawing is checked when it is sent.
      if (key === this.asked) {
        this.faults = [];
        this.asked = "";
        this.showFaults();
        this.showText(error instanceof Refused ? error.message : t("previewOffline"));
      }
    }
    this.isAsking = false;
    if (this.next) this.timer = setTimeout(() => void this.send(), PAUSE);
  }

  /** @param {any} answer of the service; null where nothing is drawn @param {Values} drawing @param {boolean} isDrawing */
  show(answer, drawing, isDrawing) {
    if (this.hasClosed) return;
    // While a part is drawn, it may cross itself for a moment.
    this.faults = isDrawing || !answer ? [] : answer.faults;
    this.isEmpty = !answer;
    this.showFaults();
    if (!answer || answer.area_ha === null) {
      this.showText(answer ? t("noPreview") : this.helpText);
      return;
    }
    const { area_ha: area, length_km: length, pieces, share_outside: outside, evaluation, conflicts, conflicts_ha: conflict, constraints } = answer;
    const whole = area || length || pieces;
    const { cost, rate } = priceOf(drawing, answer, whole);
    const part = (/** @type {any} */ row) => (area > 0 ? row.area_ha : length > 0 ? row.length_km : row.pieces);
    const unit = area > 0 ? "perHectare" : length > 0 ? "perKilometre" : "perPiece";
    const classes = evaluation.filter((/** @type {any} */ row) => part(row) > 0)
      .map((/** @type {any} */ row) => element("li", {}, classMark(row.areatype), `${classWord(row.areatype)} ${percent(part(row) / whole)}`));
    const shownCost = element("b", {}, cost === null ? t("noRate") : money(cost));
    shownCost.dataset.cost = String(cost);
    this.element.replaceChildren(
      element("p", {}, sizes({ area, length, pieces }), " · ", shownCost,
        rate === null ? "" : element("span", { className: "quiet rate" }, ` ${t(unit, { rate: money(rate) })}`)),
      amountsLine(answer.quantities),
      classes.length ? element("ul", { className: "classes" }, ...classes) : "",
      goodLandList(this.project, answer.good_land ?? []),
      outside > 0.0005 ? element("p", { className: "trouble" }, t(answer.outside_ha === undefined ? "outside" : "outsideNotCounted", { share: percent(outside) })) : "",
      this.onConstraints(constraints, isDrawing),
      conflicts.length ? element("p", { className: "trouble" }, t("conflicts", {
        land: hectares(conflict), titles: listed(conflicts.slice(0, 3).map((/** @type {any} */ row) => String(row.description || row.diagramid))),
      })) : "");
  }

  /**
   * Land where nothing can change, with an offer to leave it out.
   * @param {{area_ha: number, length_km: number, pieces: number, share: number} | null | undefined} part @param {boolean} isDrawing
   */
  onConstraints(part, isDrawing) {
    if (!part || (Math.max(part.area_ha, part.length_km) < LEAST && !part.pieces)) return "";
    const size = sizes({ area: part.area_ha, length: part.length_km, pieces: part.pieces });
    return element("p", { className: "trouble constrained" }, t("onConstraints", { size, share: percent(part.share) }),
      ...(isDrawing || part.share > 0.9999 ? [] : [" ", button(t("clip"), this.clip)]));
  }

  /** The drawing's faults, in words for the member. */
  faultTexts() {
    /** @type {Record<string, string>} */
    const known = { crosses_itself: t("crossesItself"), on_constraints: t("refusedOnConstraints") };
    return this.faults.map(({ reason, code }) => known[code ?? ""] ?? reason);
  }

  /** @param {string} text */
  showText(text) {
    this.element.replaceChildren(element("p", { className: "quiet" }, text));
  }

  close() {
    this.hasClosed = true;
    clearTimeout(this.timer);
  }
}

/** What a drawing costs: as its own cost says, else at its system's rate. @param {Values} drawing @param {any} answer of the service @param {number} size */
function priceOf({ cost, costType, policy }, { cost: usual, rate }, size) {
  const own = Number(cost);
  if (!own) return { cost: usual, rate };
  if (costType === "t") return { cost: own, rate: null };
  return policy ? { cost: 0, rate: null } : { cost: own * size, rate: own };
}
