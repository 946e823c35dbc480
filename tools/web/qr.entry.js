// What the room uses of uqr. `make web` bundles it into web/vendor/qr.js.
export { encode } from "uqr";
