// Bundles the libraries of the pages into web/vendor/, and the program of a page with a map into web/bundled/. With --check it
// only compares: the committed files must equal the built ones.

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const here = (name) => new URL(name, import.meta.url);
const web = (name) => new URL(`../../web/${name}`, import.meta.url);
const isCheck = process.argv.includes("--check");
const stale = [];

async function bundle(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry.pathname], bundle: true, minify: true, write: false, target: "es2020", legalComments: "none", ...options,
  });
  return outputFiles[0].text;
}

async function put(name, text) {
  const known = await readFile(web(name), "utf8").catch(() => "");
  if (known === text) return;
  if (isCheck) stale.push(name);
  else await writeFile(web(name), text);
}

const digest = (text) => createHash("sha256").update(text).digest("hex");
const versionOf = async (name) => JSON.parse(await readFile(here(`node_modules/${name}/package.json`), "utf8"));

// Parts of protomaps-leaflet's bundle.
const DRAWN_WITH = ["@mapbox/point-geometry", "@mapbox/vector-tile", "color2k", "pbf", "potpack", "quickselect", "rbush"];

const leaflet = await bundle(here("leaflet.entry.js"), { format: "esm" });
const css = (await readFile(here("node_modules/leaflet/dist/leaflet.css"), "utf8"))
  // Pictures of markers and of a layers control, which no page uses.
  .replaceAll("\r\n", "\n").replace(/^\s*background-image: url\(images\/[^)]*\);\n/gm, "");
const terraDraw = await bundle(here("terra_draw.entry.js"), { format: "esm" });
const qr = await bundle(here("qr.entry.js"), { format: "esm" });
const clipper = await bundle(here("clipper.entry.js"), { format: "esm" });
const icons = await bundle(here("icons.entry.js"), { format: "esm" });
const unused = here("unused.js").pathname;
const vectorTiles = await bundle(here("vector_tiles.entry.js"), { format: "esm", alias: { pmtiles: unused, "@protomaps/basemaps": unused } });
await put("vendor/leaflet.js", leaflet);
await put("vendor/leaflet.css", css);
await put("vendor/terra_draw.js", terraDraw);
await put("vendor/qr.js", qr);
await put("vendor/clipper.js", clipper);
await put("vendor/icons.js", icons);
await put("vendor/vector_tiles.js", vectorTiles);
// Only the service's own pages have vector tiles.
const external = ["../vendor/vector_tiles.js"];
// The map of a page contains Leaflet.
// The notebook widget: the map and the room's drawing tools, in one file, as anywidget expects.
const cell = { external, format: "esm", target: "es2022", charset: "utf8", loader: { ".css": "text", ".json": "json" } };
await put("bundled/widget.js", await bundle(web("widget/widget.js"), cell));
// The board contains no map.
await put("bundled/board.js", await bundle(web("widget/board.js"), cell));
await put("bundled/map_page.js", await bundle(web("map/page.js"), { external, format: "iife" }));

const rows = [];
for (const [file, text, names] of [
  ["clipper.js", clipper, ["clipper2-ts"]], ["icons.js", icons, ["lucide"]], ["leaflet.js", leaflet, ["leaflet"]], ["leaflet.css", css, ["leaflet"]],
  ["qr.js", qr, ["uqr"]], ["terra_draw.js", terraDraw, ["terra-draw", "terra-draw-leaflet-adapter"]],
  ["vector_tiles.js", vectorTiles, ["protomaps-leaflet", ...DRAWN_WITH]],
]) {
  const libraries = await Promise.all(names.map(versionOf));
  rows.push({ file, from: libraries.map(({ name, version, license }) => `${name} ${version} (${license})`), sha256: digest(text) });
}
await put("vendor/SOURCES.json", JSON.stringify(rows, null, 2) + "\n");
if (stale.length) {
  console.error(`${stale.join(", ")}: not what \`make web\` makes of the sources. Run it and commit what changes.`);
  process.exit(1);
}
