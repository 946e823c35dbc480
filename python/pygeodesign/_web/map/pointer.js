// What is under the pointer.

function contains(found, x, y) {
  let inside = false;
  for (const line of found.lines) {
    for (let at = 0, before = line.length - 2; at < line.length; before = at, at += 2) {
      const above = line[at + 1] > y;
      if (above !== line[before + 1] > y) {
        const cut = (line[before] - line[at]) * (y - line[at + 1]) / (line[before + 1] - line[at + 1]) + line[at];
        if (x < cut) inside = !inside;
      }
    }
  }
  return inside;
}

function isNear(found, x, y, reach) {
  const [line] = found.lines;
  for (let at = 2; at < line.length; at += 2) {
    const fromX = line[at - 2], fromY = line[at - 1];
    const alongX = line[at] - fromX, alongY = line[at + 1] - fromY;
    const length = alongX * alongX + alongY * alongY;
    const share = length ? Math.max(0, Math.min(1, ((x - fromX) * alongX + (y - fromY) * alongY) / length)) : 0;
    if (Math.hypot(x - fromX - share * alongX, y - fromY - share * alongY) <= reach) return true;
  }
  return false;
}

function hits(list, x, y, reach) {
  return list.filter((found) => {
    if (x < found.west - reach || x > found.east + reach || y < found.north - reach || y > found.south + reach) return false;
    return found.isLine ? isNear(found, x, y, reach) : contains(found, x, y);
  });
}

const extent = (found) => (found.isLine ? 0 : (found.east - found.west) * (found.south - found.north));

const tip = element("div", { className: "tip", hidden: true });
document.body.append(tip);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function swatch(color, name = "span") {
  const made = element(name, { className: "swatch" });
  made.style.background = color;
  return made;
}

function point(view, event) {
  const world = view.map.project(event.latlng, 0).divideBy(256);
  const reach = REACH / (256 * 2 ** view.map.getZoom());
  const found = hits(shapes, world.x, world.y, reach).filter((hit) => isShown(hit, view));
  // Small shapes first, which large ones might cover in a list that is limited.
  found.sort((a, b) => extent(a) - extent(b));
  const numbers = [...new Set(found.map((hit) => hit.number))];
  const items = numbers.slice(0, MAX_TIPS).map((number) => {
    const { id, title, facts, system } = data.diagrams[number];
    const [first, ...others] = title || id !== null ? [title || `Diagram ${id}`, ...facts] : facts;
    const head = element("b", {}, first || "");
    head.prepend(swatch(data.systems[system].color, "i"));
    return element("div", {}, head, ...others.map((text) => element("span", {}, text)));
  });
  if (numbers.length > MAX_TIPS) items.push(element("div", { className: "quiet" }, `and ${numbers.length - MAX_TIPS} more here`));
  const land = [];
  if (shown.evaluation >= 0) {
    const map = data.evaluations[shown.evaluation];
    for (const hit of hits(evaluations[shown.evaluation], world.x, world.y, 0)) land.push(`${map.name}: ${map.classes[hit.kind].name}`);
  }
  if (shown.constraints && hits(constraints, world.x, world.y, 0).length) land.push("constraints: no change here");
  if (land.length) items.push(element("div", { className: "quiet" }, [...new Set(land)].join(" · ")));
  mark(numbers.slice(0, MAX_TIPS));
  tip.replaceChildren(...items);
  tip.hidden = !items.length;
  if (items.length) place(event.originalEvent);
}

function place({ clientX, clientY }) {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const left = clientX + 14 + width > innerWidth ? clientX - 14 - width : clientX + 14;
  const top = clientY + 14 + height > innerHeight ? clientY - 14 - height : clientY + 14;
  tip.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(top, innerHeight - height - 4))}px`;
}

let marked = "";

// Marks the diagrams in every view that has them, so that designs can be compared.
function mark(numbers) {
  const key = numbers.join();
  if (key === marked) return;
  marked = key;
  for (const view of views) {
    view.marks.clearLayers();
    for (const found of shapes) {
      if (!numbers.includes(found.number) || !isShown(found, view)) continue;
      const corners = found.lines.map((line) => {
        const ends = [];
        for (let at = 0; at < line.length; at += 2) ends.push(view.map.unproject([line[at] * 256, line[at + 1] * 256], 0));
        return ends;
      });
      const look = { color: ink, weight: 2.5, fillOpacity: 0.12, interactive: false };
      view.marks.addLayer(found.isLine ? L.polyline(corners, { ...look, weight: 5, fill: false }) : L.polygon(corners, look));
    }
  }
}

function leave() {
  tip.hidden = true;
  mark([]);
}
