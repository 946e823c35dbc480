// The legend, which switches layers, and the start of the page.

function repaint() {
  leave();
  for (const view of views) view.layer.repaint();
}

function toggle(text, sample, isOn, change, count) {
  const box = element("input", { type: "checkbox", checked: isOn });
  box.addEventListener("change", () => {
    change(box.checked);
    repaint();
  });
  const name = element("span", { className: "name" }, text);
  if (count) name.append(" ", element("small", {}, count));
  return [element("label", {}, box, ...(sample ? [sample] : []), name), box];
}

function lookSample(kind) {
  const made = element("canvas", { className: "swatch", width: 28, height: 28 });
  const context = made.getContext("2d");
  context.scale(2, 2);
  context.strokeStyle = ink;
  context.fillStyle = ink;
  if (kind === "constraints") {
    context.fillStyle = hatch(context);
    context.fillRect(0, 0, 14, 14);
  } else {
    context.globalAlpha = 0.6;
    if (kind === "projects") context.fillRect(1, 1, 12, 12);
    context.globalAlpha = 1;
    if (kind === "policies") context.setLineDash([4, 2.5]);
    context.lineWidth = 1.5;
    context.strokeRect(1, 1, 12, 12);
  }
  return made;
}

function group(title, ...children) {
  return element("fieldset", {}, element("legend", {}, title), ...children);
}

function legend() {
  const panel = document.querySelector(".panel");
  const named = data.systems.map((system, number) => [system, number]).filter(([system]) => system.name);
  if (named.length) {
    const made = named.map(([system, number]) =>
      toggle(system.name, swatch(system.color), true, (isOn) => (shown.systems[number] = isOn), system.count));
    const all = (isOn) => () => {
      made.forEach(([, box]) => (box.checked = isOn));
      named.forEach(([, number]) => (shown.systems[number] = isOn));
      repaint();
    };
    const buttons = element("div", {});
    for (const [text, isOn] of [["all", true], ["none", false]]) {
      const button = element("button", { type: "button" }, text);
      button.addEventListener("click", all(isOn));
      buttons.append(button);
    }
    panel.append(group(data.legend, ...made.map(([label]) => label), ...(named.length > 1 ? [buttons] : [])));
  }
  const others = [];
  const add = (name, text) => others.push(toggle(text, lookSample(name), true, (isOn) => (shown[name] = isOn))[0]);
  if (data.diagrams.some((diagram) => diagram.policy)) {
    add("projects", "Projects");
    add("policies", "Policies");
  }
  if (boundary.length) add("boundary", "Study area");
  if (constraints.length) add("constraints", "Constraints");
  if (others.length) panel.append(group("Also on the map", ...others));
  if (data.evaluations.length) {
    const choice = element("select", { ariaLabel: "Evaluation map" }, element("option", { value: -1 }, "none"));
    data.evaluations.forEach((map, number) => choice.append(element("option", { value: number }, map.name)));
    const classes = element("ul", {});
    choice.addEventListener("change", () => {
      shown.evaluation = Number(choice.value);
      const map = data.evaluations[shown.evaluation];
      classes.replaceChildren(...(map ? map.classes.map((kind) => element("li", {}, swatch(kind.color), kind.name)) : []));
      repaint();
    });
    panel.append(group("Evaluation map", choice, classes));
  }
  if (!panel.childElementCount) document.querySelector("aside").remove();
  // On a narrow screen the legend opens on request.
  else if (matchMedia("(max-width: 699px)").matches) document.querySelector("details").open = false;
}

legend();
start();
// For tests, and for whoever looks under the bonnet.
window.pygeodesign = { views, shown, data, shapes };
