// In place of libraries that protomaps-leaflet has and no page uses: the service reads the file, and colours are the page's.
export const PMTiles = undefined, namedFlavor = undefined;
