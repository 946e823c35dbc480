// Draws the data of the page with Leaflet. Texts of the service become text nodes only, never markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const TILE = 256;
// Milliseconds of one frame for drawing tiles; what is left is drawn in the next frame.
const FRAME = 10;
// Pixels: how far beside a line the pointer may be.
const REACH = 6;
const MAX_TIPS = 4;
const style = getComputedStyle(document.body);
const ink = style.getPropertyValue("--ink").trim();
const land = style.getPropertyValue("--land").trim();
const shown = { systems: data.systems.map(() => true), projects: true, policies: true, boundary: true, constraints: true, evaluation: -1 };
const views = [];
