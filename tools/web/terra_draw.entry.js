// The parts of terra-draw that the room uses, which `make web` bundles into web/vendor/terra_draw.js.
export {
  TerraDraw, TerraDrawFreehandMode, TerraDrawLineStringMode, TerraDrawModeUndoRedo, TerraDrawPointMode, TerraDrawPolygonMode,
  TerraDrawRectangleMode, TerraDrawSelectMode,
} from "terra-draw";
export { TerraDrawLeafletAdapter } from "terra-draw-leaflet-adapter";
