// The map's current view as a PNG, with title, scale and north.

import { element } from "../map/elements.js";
import { paint, pen } from "../map/paint.js";
import { saveFile } from "./save_file.js";
import { kilometres, metres, t } from "./texts.js";

/** @import { Project } from "./project.js" */
/** @import { RoomMap } from "./room_map.js" */

/** @param {RoomMap} room @param {Project} project */
export async function savePicture(room, project) {
  const canvas = drawPicture(room, project);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob) saveFile(blob, `${project.title || "map"}.png`);
}

/** @param {RoomMap} room @param {Project} project */
function drawPicture(room, project) {
  const { leaflet, scene } = room;
  const view = room.map.views[0];
  const style = getComputedStyle(room.holder);
  const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const { x: width, y: height } = leaflet.getSize();
  const top = 44, ratio = 2;
  const canvas = element("canvas", { width: width * ratio, height: (height + top) * ratio });
  const context = pen(canvas);
  context.scale(ratio, ratio);
  context.fillStyle = color("--paper");
  context.fillRect(0, 0, width, top);
  context.fillStyle = color("--ink");
  context.font = "600 18px system-ui, sans-serif";
  context.fillText(project.title, 10, 28, width - 20);
  context.translate(0, top);
  context.fillStyle = color("--water");
  context.fillRect(0, 0, width, height);
  // Tiles of the basemap come from the service itself, so that the picture may be saved.
  const holder = leaflet.getContainer().getBoundingClientRect();
  for (const tile of leaflet.getContainer().querySelectorAll(".leaflet-tile-pane .leaflet-tile-loaded")) {
    const box = tile.getBoundingClientRect();
    // Canvases have the service's vector tiles.
    if (!(tile instanceof HTMLImageElement) || new URL(tile.src).origin === location.origin) {
      context.drawImage(/** @type {HTMLImageElement | HTMLCanvasElement} */ (tile), box.left - holder.left, box.top - holder.top, box.width, box.height);
    }
  }
  const origin = leaflet.project(leaflet.containerPointToLatLng([0, 0]));
  context.save();
  paint(context, scene, view.members, { left: origin.x, top: origin.y, width, height, size: 256 * 2 ** leaflet.getZoom() }, room.map.look);
  context.restore();
  context.globalAlpha = 1;
  context.setLineDash([]);
  drawScale(context, leaflet, height, color("--ink"), color("--paper"));
  return canvas;
}

/** @param {CanvasRenderingContext2D} context @param {any} leaflet @param {number} height @param {string} ink @param {string} paper */
function drawScale(context, leaflet, height, ink, paper) {
  const middle = leaflet.getSize().y / 2;
  const reach = leaflet.distance(leaflet.containerPointToLatLng([0, middle]), leaflet.containerPointToLatLng([110, middle]));
  const power = 10 ** Math.floor(Math.log10(reach));
  const round = [5, 3, 2, 1].map((step) => step * power).find((length) => length <= reach) || power;
  const pixels = 110 * round / reach;
  context.strokeStyle = ink;
  context.lineWidth = 2;
  context.font = "600 13px system-ui, sans-serif";
  context.beginPath();
  context.moveTo(10, height - 18);
  context.lineTo(10, height - 10);
  context.lineTo(10 + pixels, height - 10);
  context.lineTo(10 + pixels, height - 18);
  context.stroke();
  const text = `${round >= 1000 ? kilometres(round / 1000) : metres(round)}   ▲ ${t("north")}`;
  context.lineWidth = 3;
  context.strokeStyle = paper;
  context.strokeText(text, 14, height - 22);
  context.fillStyle = ink;
  context.fillText(text, 14, height - 22);
}
