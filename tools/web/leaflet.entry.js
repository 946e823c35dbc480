// Leaflet as a module, which `make web` bundles into web/vendor/leaflet.js.
export { default } from "leaflet/dist/leaflet-src.js";
