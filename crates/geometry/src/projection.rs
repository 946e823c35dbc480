//! Coordinate reference systems for geometries in requests and responses: WGS 84, Web Mercator and the UTM zones.
//!
//! UTM uses Krüger's series to the sixth order of the third flattening, with the coefficients of Karney (2011), Transverse Mercator
//! with an accuracy of a few nanometers, equations 35 and 36. It agrees with PROJ to less than a micrometre within the zone.

use super::shape::{Geometry, Shape};

/// A coordinate reference system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crs {
    /// Longitude, latitude on WGS 84, as in GeoJSON (OGC CRS84).
    Crs84,
    /// Latitude, longitude on WGS 84 (EPSG:4326).
    Epsg4326,
    /// Web Mercator, in metres (EPSG:3857).
    WebMercator,
    /// Metres in a UTM zone on WGS 84 (EPSG:32601 to 32660 and 32701 to 32760).
    Utm { zone: u8, north: bool },
}

/// Radius of the Web Mercator sphere, in metres (EPSG guidance note 7-2, method 1024).
const RADIUS: f64 = 6_378_137.0;
/// Web Mercator is a square up to this latitude.
const MAX_LATITUDE: f64 = 85.051_128_779_806_59;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
const SCALE: f64 = 0.9996;
const FALSE_EASTING: f64 = 500_000.0;
const FALSE_NORTHING: f64 = 10_000_000.0;

impl Crs {
    const CRS84: &str = "http://www.opengis.net/def/crs/OGC/1.3/CRS84";
    const EPSG: &str = "http://www.opengis.net/def/crs/EPSG/0/";

    /// Returns the UTM zone of a position: the south-west of Norway belongs to 32, and Svalbard has four wide zones.
    pub fn utm_of([longitude, latitude]: [f64; 2]) -> Self {
        let zone = match (latitude, longitude) {
            (56.0..64.0, 3.0..12.0) => 32,
            (72.0..=84.0, 0.0..9.0) => 31,
            (72.0..=84.0, 9.0..21.0) => 33,
            (72.0..=84.0, 21.0..33.0) => 35,
            (72.0..=84.0, 33.0..42.0) => 37,
            _ => ((longitude + 180.0) / 6.0).floor().clamp(0.0, 59.0) as u8 + 1,
        };
        Crs::Utm { zone, north: latitude >= 0.0 }
    }

    /// Its OGC API URI.
    pub fn uri(self) -> String {
        match self.epsg() {
            None => Self::CRS84.to_owned(),
            Some(code) => format!("{}{code}", Self::EPSG),
        }
    }

    /// Reads a URI, or text such as `EPSG:3857` or `[EPSG:3857]`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['<', '[']).trim_end_matches(['>', ']']);
        let is_crs84 = [Self::CRS84, "OGC:CRS84", "CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84"].contains(&text);
        if is_crs84 {
            return Some(Crs::Crs84);
        }
        let prefixes = [Self::EPSG, "https://www.opengis.net/def/crs/EPSG/0/", "EPSG:", "urn:ogc:def:crs:EPSG::"];
        let code = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        match code.parse().ok()? {
            4326 => Some(Crs::Epsg4326),
            3857 => Some(Crs::WebMercator),
            code @ 32_601..=32_660 => Some(Crs::Utm { zone: (code - 32_600) as u8, north: true }),
            code @ 32_701..=32_760 => Some(Crs::Utm { zone: (code - 32_700) as u8, north: false }),
            _ => None,
        }
    }

    /// Its EPSG code; `None` for CRS84.
    pub fn epsg(self) -> Option<u32> {
        match self {
            Crs::Crs84 => None,
            Crs::Epsg4326 => Some(4326),
            Crs::WebMercator => Some(3857),
            Crs::Utm { zone, north } => Some(if north { 32_600 } else { 32_700 } + u32::from(zone)),
        }
    }

    /// Converts from longitude and latitude.
    pub fn project(self, [longitude, latitude]: [f64; 2]) -> [f64; 2] {
        match self {
            Crs::Crs84 => [longitude, latitude],
            Crs::Epsg4326 => [latitude, longitude],
            Crs::WebMercator => {
                let latitude = latitude.clamp(-MAX_LATITUDE, MAX_LATITUDE).to_radians();
                [RADIUS * longitude.to_radians(), RADIUS * latitude.sin().atanh()]
            }
            Crs::Utm { zone, north } => {
                let [x, y] = transverse_mercator(longitude - central_meridian(zone), latitude);
                [FALSE_EASTING + x, y + if north { 0.0 } else { FALSE_NORTHING }]
            }
        }
    }

    /// Converts to longitude and latitude.
    pub fn unproject(self, [x, y]: [f64; 2]) -> [f64; 2] {
        match self {
            Crs::Crs84 => [x, y],
            Crs::Epsg4326 => [y, x],
            Crs::WebMercator => [(x / RADIUS).to_degrees(), (y / RADIUS).tanh().asin().to_degrees()],
            Crs::Utm { zone, north } => {
                let y = y - if north { 0.0 } else { FALSE_NORTHING };
                let [longitude, latitude] = inverse_transverse_mercator(x - FALSE_EASTING, y);
                [longitude + central_meridian(zone), latitude]
            }
        }
    }
}

impl Geometry {
    /// Returns the geometry with converted positions. Heights stay.
    pub fn map_positions(&self, map: &impl Fn([f64; 2]) -> [f64; 2]) -> Geometry {
        match self {
            Geometry::Shape(shape) => {
                let mut ordinates = shape.ordinates.clone();
                for position in ordinates.chunks_exact_mut(shape.stride()) {
                    let mapped = map([position[0], position[1]]);
                    position[..2].copy_from_slice(&mapped);
                }
                Geometry::Shape(Shape { ordinates, ..shape.clone() })
            }
            Geometry::Collection(members) => {
                Geometry::Collection(members.iter().map(|member| member.map_positions(map)).collect())
            }
        }
    }
}

fn central_meridian(zone: u8) -> f64 {
    6.0 * f64::from(zone) - 183.0
}

const N: f64 = FLATTENING / (2.0 - FLATTENING);
/// The radius of a circle as long as a meridian.
const RECTIFYING_RADIUS: f64 =
    RADIUS / (1.0 + N) * (1.0 + N * N / 4.0 + N * N * N * N / 64.0 + N * N * N * N * N * N / 256.0);

const fn power(base: f64, exponent: u32) -> f64 {
    let (mut product, mut left) = (1.0, exponent);
    while left > 0 {
        product *= base;
        left -= 1;
    }
    product
}

/// Karney (2011), equation 35.
const ALPHA: [f64; 6] = [
    N / 2.0 - 2.0 / 3.0 * power(N, 2) + 5.0 / 16.0 * power(N, 3) + 41.0 / 180.0 * power(N, 4)
        - 127.0 / 288.0 * power(N, 5)
        + 7891.0 / 37_800.0 * power(N, 6),
    13.0 / 48.0 * power(N, 2) - 3.0 / 5.0 * power(N, 3) + 557.0 / 1440.0 * power(N, 4) + 281.0 / 630.0 * power(N, 5)
        - 1_983_433.0 / 1_935_360.0 * power(N, 6),
    61.0 / 240.0 * power(N, 3) - 103.0 / 140.0 * power(N, 4)
        + 15_061.0 / 26_880.0 * power(N, 5)
        + 167_603.0 / 181_440.0 * power(N, 6),
    49_561.0 / 161_280.0 * power(N, 4) - 179.0 / 168.0 * power(N, 5) + 6_601_661.0 / 7_257_600.0 * power(N, 6),
    34_729.0 / 80_640.0 * power(N, 5) - 3_418_889.0 / 1_995_840.0 * power(N, 6),
    212_378_941.0 / 319_334_400.0 * power(N, 6),
];

/// Karney (2011), equation 36.
const BETA: [f64; 6] = [
    N / 2.0 - 2.0 / 3.0 * power(N, 2) + 37.0 / 96.0 * power(N, 3)
        - 1.0 / 360.0 * power(N, 4)
        - 81.0 / 512.0 * power(N, 5)
        + 96_199.0 / 604_800.0 * power(N, 6),
    1.0 / 48.0 * power(N, 2) + 1.0 / 15.0 * power(N, 3) - 437.0 / 1440.0 * power(N, 4) + 46.0 / 105.0 * power(N, 5)
        - 1_118_711.0 / 3_870_720.0 * power(N, 6),
    17.0 / 480.0 * power(N, 3) - 37.0 / 840.0 * power(N, 4) - 209.0 / 4480.0 * power(N, 5)
        + 5569.0 / 90_720.0 * power(N, 6),
    4397.0 / 161_280.0 * power(N, 4) - 11.0 / 504.0 * power(N, 5) - 830_251.0 / 7_257_600.0 * power(N, 6),
    4583.0 / 161_280.0 * power(N, 5) - 108_847.0 / 3_991_680.0 * power(N, 6),
    20_648_693.0 / 638_668_800.0 * power(N, 6),
];

/// The first eccentricity of WGS 84.
fn eccentricity() -> f64 {
    (FLATTENING * (2.0 - FLATTENING)).sqrt()
}

/// Easting and northing of a position. Its longitude counts from the central meridian.
fn transverse_mercator(longitude: f64, latitude: f64) -> [f64; 2] {
    let e = eccentricity();
    let (lambda, phi) = (wrapped(longitude).to_radians(), latitude.to_radians());
    let tau = phi.tan();
    let sigma = (e * (e * tau / tau.hypot(1.0)).atanh()).sinh();
    let conformal = tau * sigma.hypot(1.0) - sigma * tau.hypot(1.0);
    let xi = conformal.atan2(lambda.cos());
    let eta = (lambda.sin() / conformal.hypot(lambda.cos())).asinh();
    let (mut x, mut y) = (eta, xi);
    for (alpha, j) in ALPHA.iter().zip(1..) {
        let double = 2.0 * f64::from(j);
        y += alpha * (double * xi).sin() * (double * eta).cosh();
        x += alpha * (double * xi).cos() * (double * eta).sinh();
    }
    [SCALE * RECTIFYING_RADIUS * x, SCALE * RECTIFYING_RADIUS * y]
}

fn inverse_transverse_mercator(x: f64, y: f64) -> [f64; 2] {
    let e = eccentricity();
    let (xi, eta) = (y / (SCALE * RECTIFYING_RADIUS), x / (SCALE * RECTIFYING_RADIUS));
    let (mut xi_of_sphere, mut eta_of_sphere) = (xi, eta);
    for (beta, j) in BETA.iter().zip(1..) {
        let double = 2.0 * f64::from(j);
        xi_of_sphere -= beta * (double * xi).sin() * (double * eta).cosh();
        eta_of_sphere -= beta * (double * xi).cos() * (double * eta).sinh();
    }
    let conformal = xi_of_sphere.sin() / eta_of_sphere.sinh().hypot(xi_of_sphere.cos());
    let longitude = eta_of_sphere.sinh().atan2(xi_of_sphere.cos());
    // Newton's method, exact to the last bit after two or three steps (equations 19 to 21).
    let e2 = e * e;
    let mut tau = conformal / (1.0 - e2);
    for _ in 0..5 {
        let sigma = (e * (e * tau / tau.hypot(1.0)).atanh()).sinh();
        let found = tau * sigma.hypot(1.0) - sigma * tau.hypot(1.0);
        let slope = (1.0 + (1.0 - e2) * tau * tau) / ((1.0 - e2) * tau.hypot(1.0) * found.hypot(1.0));
        tau += (conformal - found) * slope;
    }
    [longitude.to_degrees(), tau.atan().to_degrees()]
}

/// Returns the longitude between -180 and 180 degrees.
fn wrapped(longitude: f64) -> f64 {
    if (-180.0..=180.0).contains(&longitude) { longitude } else { (longitude + 180.0).rem_euclid(360.0) - 180.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from PROJ 9.7.
    const KNOWN: [(Crs, [f64; 2], [f64; 2]); 4] = [
        (Crs::WebMercator, [-74.15, 40.57], KNOWN_MERCATOR),
        (Crs::Utm { zone: 18, north: true }, [-74.15, 40.57], KNOWN_18N),
        (Crs::Utm { zone: 56, north: false }, [151.2, -33.9], KNOWN_56S),
        (Crs::Epsg4326, [-74.15, 40.57], [40.57, -74.15]),
    ];
    const KNOWN_MERCATOR: [f64; 2] = [-8254340.242321236, 4949122.165604688];
    const KNOWN_18N: [f64; 2] = [571949.2743559426, 4491371.883931409];
    const KNOWN_56S: [f64; 2] = [333568.9410115521, 6247473.33684402];

    #[test]
    fn positions_are_those_of_proj() {
        for (crs, position, expected) in KNOWN {
            let [x, y] = crs.project(position);
            assert!((x - expected[0]).hypot(y - expected[1]) < 1e-6, "{crs:?}: {x} {y}");
        }
    }

    #[test]
    fn there_and_back_is_the_same_place() {
        for longitude in [-178.0, -74.15, -3.0, 0.0, 12.5, 179.9] {
            for latitude in [-79.0, -33.0, 0.0, 1e-9, 48.2, 83.5] {
                let position = [longitude, latitude];
                for crs in [Crs::Crs84, Crs::Epsg4326, Crs::WebMercator, Crs::utm_of(position)] {
                    let [x, y] = crs.unproject(crs.project(position));
                    assert!((x - longitude).abs() < 1e-11 && (y - latitude).abs() < 1e-11, "{crs:?} {position:?}");
                }
            }
        }
    }

    #[test]
    fn a_reference_system_is_named_in_several_ways() {
        for name in [
            "http://www.opengis.net/def/crs/EPSG/0/32618",
            "EPSG:32618",
            "<http://www.opengis.net/def/crs/EPSG/0/32618>",
        ] {
            assert_eq!(Crs::parse(name), Some(Crs::Utm { zone: 18, north: true }), "{name}");
        }
        for crs in [Crs::Crs84, Crs::Epsg4326, Crs::WebMercator, Crs::utm_of([151.2, -33.9])] {
            assert_eq!(Crs::parse(&crs.uri()), Some(crs));
        }
        assert_eq!((Crs::parse("EPSG:32661"), Crs::parse("EPSG:25832"), Crs::parse("")), (None, None, None));
    }

    #[test]
    fn norway_and_svalbard_have_wide_zones_of_utm() {
        let places = [([5.3, 60.4], 32), ([2.9, 60.0], 31), ([5.3, 55.9], 31), ([5.3, 64.0], 31), ([15.6, 78.2], 33)];
        let more = [([8.9, 78.0], 31), ([20.9, 79.0], 33), ([21.0, 79.0], 35), ([33.0, 80.0], 37), ([41.9, 71.9], 37)];
        for (position, zone) in places.into_iter().chain(more) {
            assert_eq!(Crs::utm_of(position), Crs::Utm { zone, north: true }, "{position:?}");
        }
    }
}
