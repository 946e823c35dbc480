// The maps, one or several that move together; what is under the pointer; and the legend, which switches layers.

function contains(found, x, y) {
  let inside = false;
  for (const line of found.lines) {
    for (let index = 0, before = line.length - 2; index < line.length; before = index, index += 2) {
      const above = line[index + 1] > y;
      if (above !== line[before + 1] > y) {
        const cut = (line[before] - line[index]) * (y - line[index + 1]) / (line[before + 1] - line[index + 1]) + line[index];
        if (x < cut) inside = !inside;
      }
    }
  }
  return inside;
}

function isNear(found, x, y, reach) {
  const [line] = found.lines;
  for (let index = 2; index < line.length; index += 2) {
    const fromX = line[index - 2], fromY = line[index - 1];
    const alongX = line[index] - fromX, alongY = line[index + 1] - fromY;
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
        for (let index = 0; index < line.length; index += 2) ends.push(view.map.unproject([line[index] * 256, line[index + 1] * 256], 0));
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

function addView(settings) {
  const holder = element("div", { className: "map" });
  const name = settings.title ? [element("h2", {}, settings.title, ...(settings.facts ? [element("span", {}, settings.facts)] : []))] : [];
  document.getElementById("views").append(element("section", { className: "view" }, ...name, holder));
  const linked = data.views.length > 1;
  const map = L.map(holder, {
    attributionControl: false, zoomControl: false, zoomSnap: 0.25, zoomAnimation: !linked, inertia: !linked, minZoom: 1, maxZoom: 20,
    worldCopyJump: false,
  });
  const view = { map, members: settings.members && new Set(settings.members), marks: L.featureGroup() };
  holder.setAttribute("aria-label", settings.title ? `Map of ${settings.title}` : "Map");
  if (data.basemap) basemap(data.basemap).addTo(map);
  L.control.zoom({ position: "topleft" }).addTo(map);
  const home = element("a", { href: "#", title: "Show everything", textContent: "⌂", role: "button" });
  L.DomEvent.on(home, "click", (event) => {
    L.DomEvent.stop(event);
    showAll();
  });
  holder.querySelector(".leaflet-control-zoom").append(home);
  L.control.scale({ metric: data.units === "metric", imperial: data.units !== "metric", maxWidth: 110 }).addTo(map);
  const north = L.control({ position: "bottomleft" });
  north.onAdd = () => element("div", { className: "north", textContent: "▲ N" });
  north.addTo(map);
  view.layer = new Shapes(view);
  views.push(view);
  return view;
}

// Tiles of a server, or those that the page has.
function basemap({ url, tiles, min_zoom: minNativeZoom, max_zoom: maxNativeZoom }) {
  if (!tiles) return L.tileLayer(url, { maxNativeZoom, maxZoom: 20 });
  const layer = L.tileLayer("", { minNativeZoom, maxNativeZoom, maxZoom: 20 });
  layer.getTileUrl = ({ x, y, z }) => tiles[`${z}/${x}/${y}`] || NO_TILE;
  return layer;
}

function showAll() {
  const [west, south, east, north] = data.bounds;
  // The others follow. Titles of several lines leave some views less height than others.
  const [smallest] = [...views].sort((a, b) => a.map.getSize().y - b.map.getSize().y);
  const margins = { paddingTopLeft: [10, 10], paddingBottomRight: [10, 30], animate: false };
  smallest.map.fitBounds([[south, west], [north, east]], margins);
}

let moving = false;

function follow(source) {
  if (moving) return;
  moving = true;
  for (const view of views) {
    if (view !== source) view.map.setView(source.map.getCenter(), source.map.getZoom(), { animate: false });
  }
  moving = false;
}

function start() {
  const count = data.views.length;
  const columns = count < 4 ? count : Math.ceil(Math.sqrt(count));
  document.getElementById("views").style.setProperty("--columns", columns);
  data.views.forEach(addView);
  for (const view of views) view.map.on("move zoomend", () => follow(view));
  showAll();
  for (const view of views) {
    view.layer.addTo(view.map);
    view.marks.addTo(view.map);
    view.map.on("mousemove click", (event) => point(view, event));
    view.map.on("mouseout movestart zoomstart", leave);
  }
  let touched = false;
  for (const view of views) view.map.on("dragstart zoomstart", () => (touched = true));
  // A notebook may give the page its size late: until a user moves the map, it shows everything.
  new ResizeObserver(() => {
    for (const view of views) view.map.invalidateSize({ animate: false });
    if (!touched) showAll();
  }).observe(document.getElementById("views"));
}

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

function systemSample({ color, pattern }) {
  if (!pattern) return swatch(color);
  const made = element("canvas", { className: "swatch", width: 28, height: 28 });
  const context = made.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = color;
  context.fillRect(0, 0, 14, 14);
  context.fillStyle = overlay(context, pattern, 0.5);
  context.fillRect(0, 0, 14, 14);
  return made;
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
      toggle(system.name, systemSample(system), true, (isOn) => (shown.systems[number] = isOn), system.count));
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
// For tests, and for the console of the browser.
window.pygeodesign = { views, shown, data, shapes };
