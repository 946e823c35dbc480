// The legend, which switches layers.

import { button, element, swatch } from "./elements.js";
import { hatch, overlay, pen } from "./paint.js";

/** @import { Scene, System } from "./scene.js" */
/** @import { Look, Pen } from "./paint.js" */

/** Texts of the legend, which a page can replace by those of another language. */
export const LEGEND_TEXTS = {
  all: "All", none: "None", others: "Also on the map", projects: "Projects", policies: "Policies", boundary: "Study area",
  constraints: "Constraints", context: "Places and context", evaluation: "Evaluation map", strength: "Strength",
};

/** Pixels of the side of a sample. */
export const SAMPLE = 14;

/** @param {(context: CanvasRenderingContext2D) => void} draw */
function sample(draw) {
  const made = element("canvas", { className: "swatch", width: 2 * SAMPLE, height: 2 * SAMPLE });
  const context = pen(made);
  context.scale(2, 2);
  draw(context);
  return made;
}

/** The colour of a system with its pattern. @param {System} system @param {number} patternSize @param {string} ink */
export function systemSample(system, patternSize, ink) {
  return system.pattern ? sample((context) => drawSystem(context, system, patternSize, ink)) : swatch(system.color);
}

/** @param {Pen} context @param {System} system @param {number} patternSize @param {string} ink */
export function drawSystem(context, { color, pattern }, patternSize, ink) {
  context.fillStyle = color;
  context.fillRect(0, 0, SAMPLE, SAMPLE);
  if (!pattern) return;
  context.fillStyle = overlay(context, pattern, patternSize, ink, 0.5) || color;
  context.fillRect(0, 0, SAMPLE, SAMPLE);
}

/** What a legend switches beside systems. @typedef {"projects" | "policies" | "boundary" | "constraints" | "context"} Kind */

/** @param {Pen} context @param {Kind} kind @param {string} ink */
export function drawLook(context, kind, ink) {
  context.strokeStyle = context.fillStyle = ink;
  if (kind === "constraints") {
    context.fillStyle = hatch(context, ink) || ink;
    context.fillRect(0, 0, SAMPLE, SAMPLE);
    return;
  }
  if (kind === "context") {
    context.globalAlpha = 0.5;
    context.lineWidth = 1.5;
    context.strokeRect(-2, 5, 18, 12);
    return;
  }
  context.globalAlpha = 0.6;
  if (kind === "projects") context.fillRect(1, 1, 12, 12);
  context.globalAlpha = 1;
  if (kind === "policies") context.setLineDash([4, 2.5]);
  context.lineWidth = 1.5;
  context.strokeRect(1, 1, 12, 12);
}

/** @param {string} title @param {...Node} children */
function group(title, ...children) {
  return element("fieldset", {}, element("legend", {}, title), ...children);
}

/**
 * Returns the elements of a scene's legend; none if there is nothing to switch.
 * @param {Scene} scene @param {Look} look @param {() => void} changed called after each switch
 * @param {typeof LEGEND_TEXTS} texts
 * @returns {HTMLElement[]}
 */
export function legend(scene, look, changed, texts = LEGEND_TEXTS) {
  const { shown } = scene;
  /** @type {HTMLElement[]} */
  const groups = [];
  /**
   * @param {string} text @param {Node} picture @param {boolean} isOn @param {(isOn: boolean) => void} change
   * @param {string} [count] @returns {[HTMLLabelElement, HTMLInputElement]}
   */
  const toggle = (text, picture, isOn, change, count) => {
    const box = element("input", { type: "checkbox", checked: isOn });
    box.addEventListener("change", () => {
      change(box.checked);
      changed();
    });
    const name = element("span", { className: "name" }, text);
    if (count) name.append(" ", element("small", {}, count));
    return [element("label", {}, box, picture, name), box];
  };
  const named = scene.systems.flatMap((system, number) => (system.name ? [{ system, number }] : []));
  if (named.length) {
    const made = named.map(({ system, number }) =>
      toggle(system.name, systemSample(system, scene.patternSize, look.ink), shown.systems[number],
        (isOn) => (shown.systems[number] = isOn), system.count));
    const all = (/** @type {boolean} */ isOn) => () => {
      made.forEach(([, box]) => (box.checked = isOn));
      named.forEach(({ number }) => (shown.systems[number] = isOn));
      changed();
    };
    const both = element("div", {}, button(texts.all, all(true)), button(texts.none, all(false)));
    groups.push(group(scene.legend, ...made.map(([label]) => label), ...(named.length > 1 ? [both] : [])));
  }
  /** @type {Kind[]} */
  const kinds = [];
  if ([...scene.diagrams.values()].some((diagram) => diagram.policy)) kinds.push("projects", "policies");
  if (scene.boundary.length) kinds.push("boundary");
  if (scene.constraints.length) kinds.push("constraints");
  if (scene.context.length || scene.places.length) kinds.push("context");
  if (kinds.length) {
    const others = kinds.map((kind) =>
      toggle(texts[kind], sample((context) => drawLook(context, kind, look.ink)), shown[kind], (isOn) => (shown[kind] = isOn))[0]);
    groups.push(group(texts.others, ...others));
  }
  if (scene.evaluations.length) {
    const choice = element("select", { ariaLabel: texts.evaluation }, element("option", { value: "-1" }, texts.none));
    scene.evaluations.forEach((map, number) => choice.append(element("option", { value: String(number) }, map.name)));
    const classes = element("ul");
    const slider = element("input", { type: "range", min: "0.1", max: "1", step: "0.1", value: String(shown.strength) });
    slider.addEventListener("input", () => {
      shown.strength = Number(slider.value);
      changed();
    });
    const strength = element("label", { className: "strength" }, texts.strength, slider);
    const show = () => {
      strength.hidden = shown.evaluation < 0 || !scene.shapes.length;
      choice.value = String(shown.evaluation);
      const map = scene.evaluations[shown.evaluation];
      classes.replaceChildren(...(map ? map.classes.map((kind) => element("li", {}, swatch(kind.color), kind.name)) : []));
    };
    choice.addEventListener("change", () => {
      shown.evaluation = Number(choice.value);
      show();
      changed();
    });
    show();
    groups.push(group(texts.evaluation, choice, classes, strength));
  }
  return groups;
}
