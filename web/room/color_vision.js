// Colours as people with each kind of colour blindness see them, to find those that look alike.
// Matrices: Machado, Oliveira and Fernandes 2009, severity 1. Distances: OKLab (Ottosson 2020).

const KINDS = [
  [1, 0, 0, 0, 1, 0, 0, 0, 1],
  [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
];
const CONES = [0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376, 0.6299787005];
const OKLAB = [0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371, 0.7827717662, -0.8086757660];
/** The smallest difference that is seen side by side is about 0.02. */
const LEAST = 0.025;

/** @param {number[]} matrix @param {number[]} vector */
const times = (matrix, vector) => [0, 3, 6].map((row) => matrix[row] * vector[0] + matrix[row + 1] * vector[1] + matrix[row + 2] * vector[2]);

/** @param {string} color #rrggbb @param {number[]} kind */
function seen(color, kind) {
  const light = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const cones = times(CONES, times(kind, light).map((part) => Math.max(0, Math.min(1, part))));
  return times(OKLAB, cones.map(Math.cbrt));
}

/** The smallest distance of two colours in OKLab, with any kind of sight. @param {string} one @param {string} other both #rrggbb */
export function distance(one, other) {
  return Math.min(...KINDS.map((kind) => {
    const [a, b] = [seen(one, kind), seen(other, kind)];
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }));
}

/**
 * Pairs that somebody cannot tell apart by colour.
 * @template {{color: string}} T
 * @param {T[]} things @returns {[T, T][]}
 */
export function lookAlike(things) {
  return things.flatMap((one, place) => things.slice(place + 1).filter((other) => distance(one.color, other.color) < LEAST)
    .map((other) => /** @type {[T, T]} */ ([one, other])));
}
