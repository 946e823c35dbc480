// Metres on the ground around a place: a transverse Mercator projection of the ellipsoid, true to scale at the place in all directions.

/** @typedef {[x: number, y: number]} Point metres */

// The ellipsoid WGS 84: metres to the equator, and the eccentricity.
const EQUATOR = 6_378_137;
const ECCENTRICITY = 0.0818191908426215;
const RADIAN = Math.PI / 180;

/** Isometric latitude of the sphere that keeps the ellipsoid's angles. @param {number} sine of the latitude */
const isometric = (sine) => Math.atanh(sine) - ECCENTRICITY * Math.atanh(ECCENTRICITY * sine);

/** The sine of the latitude with this isometric latitude. @param {number} isometric */
function sineOf(isometric) {
  let sine = Math.tanh(isometric);
  for (let step = 0; step < 5; step += 1) sine = Math.tanh(isometric + ECCENTRICITY * Math.atanh(ECCENTRICITY * sine));
  return sine;
}

export class Ground {
  /** @param {number} lon degrees, of the middle @param {number} lat */
  constructor(lon, lat) {
    const sine = Math.sin(lat * RADIAN);
    const onSphere = Math.atan(Math.sinh(isometric(sine)));
    this.lon = lon;
    this.north = onSphere;
    /** Radius of the sphere on which the middle has its true scale. */
    this.radius = EQUATOR * Math.cos(lat * RADIAN) / Math.sqrt(1 - (ECCENTRICITY * sine) ** 2) / Math.cos(onSphere);
  }

  /** @param {number[]} position longitude, latitude @returns {Point} */
  toMetres([lon, lat]) {
    const onSphere = Math.atan(Math.sinh(isometric(Math.sin(lat * RADIAN)))), east = (lon - this.lon) * RADIAN;
    return [this.radius * Math.atanh(Math.cos(onSphere) * Math.sin(east)), this.radius * (Math.atan2(Math.tan(onSphere), Math.cos(east)) - this.north)];
  }

  /** @param {Point} point @returns {[lon: number, lat: number]} */
  toDegrees([x, y]) {
    const eastward = x / this.radius, northward = y / this.radius + this.north;
    const sine = sineOf(Math.atanh(Math.sin(northward) / Math.cosh(eastward)));
    return [this.lon + Math.atan2(Math.sinh(eastward), Math.cos(northward)) / RADIAN, Math.asin(sine) / RADIAN];
  }
}
