// Leaflet as a module. `make web` bundles it into web/vendor/leaflet.js.
export { default } from "leaflet/dist/leaflet-src.js";
