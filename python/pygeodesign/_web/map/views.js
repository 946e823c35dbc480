// The maps, one or several that move together.

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
  if (data.basemap) {
    L.tileLayer(data.basemap.url, { maxNativeZoom: data.basemap.max_zoom, maxZoom: 20 }).addTo(map);
  }
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

function showAll() {
  const [west, south, east, north] = data.bounds;
  // The others follow. Titles of several lines leave some views less height than others.
  const [smallest] = [...views].sort((a, b) => a.map.getSize().y - b.map.getSize().y);
  const room = { paddingTopLeft: [10, 10], paddingBottomRight: [10, 30], animate: false };
  smallest.map.fitBounds([[south, west], [north, east]], room);
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
  // A notebook may give the page its size late: until somebody moves the map, it shows everything.
  new ResizeObserver(() => {
    for (const view of views) view.map.invalidateSize({ animate: false });
    if (!touched) showAll();
  }).observe(document.getElementById("views"));
}
