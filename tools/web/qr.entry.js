// The parts of uqr that the room uses, which `make web` bundles into web/vendor/qr.js.
export { encode } from "uqr";
