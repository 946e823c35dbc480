// The parts of protomaps-leaflet that draw vector tiles, which `make web` bundles into web/vendor/vector_tiles.js. They take Leaflet
// from `window.L`, where it puts itself.
export { Static, labelRules, leafletLayer, paintRules } from "protomaps-leaflet";
