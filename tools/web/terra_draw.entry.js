// What the room uses of terra-draw. `make web` bundles it into web/vendor/terra_draw.js.
export {
  TerraDraw, TerraDrawFreehandMode, TerraDrawLineStringMode, TerraDrawModeUndoRedo, TerraDrawPolygonMode, TerraDrawRectangleMode,
  TerraDrawSelectMode, TerraDrawSessionUndoRedo,
} from "terra-draw";
export { TerraDrawLeafletAdapter } from "terra-draw-leaflet-adapter";
