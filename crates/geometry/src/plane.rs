//! A plane on which geodesics are straight. The ellipsoid is projected from the point where the normal at the plane's middle meets the
//! Earth's axis. Land across the antimeridian or around a pole is like any other, and two edges cross where their geodesics do.
//!
//! A straight line of the plane is a section of the ellipsoid by a plane through that centre. Near the middle, these planes contain the
//! ellipsoid's normals, as geodesics do. Further away they are inclined to them, so edges get points on their geodesics; between two
//! such points, an edge is within a micrometre of its geodesic. Coordinates are whole numbers of 6 nm, so that overlays are exact.

use std::collections::HashSet;

use geodesign_overlay::Point;
use geographiclib_rs::{DirectGeodesic, InverseGeodesic};

use super::ellipsoid::WGS84;
use super::region::LonLat;
use super::short_edges::E2;

/// West, south, east and north on the plane.
pub(super) type Extent = [i64; 4];
type Vector = [f64; 3];

/// Steps of a coordinate per Earth radius at the middle of the plane, or per degree if the plane is longitude and latitude.
const STEPS: f64 = (1_u64 << 50) as f64;
const STEPS_PER_DEGREE: f64 = (1_u64 << 43) as f64;
/// Cosine of the largest distance of land from the middle of the plane: 80 degrees.
const MIN_COSINE_FROM_MIDDLE: f64 = 0.17;
/// Longest edge without points, at the equator. Elsewhere the limit shrinks with the parallel, like the limit of the series for areas.
const MAX_EDGE_METRES: f64 = 3_500.0;
/// Largest distance of a straight line from its geodesic, times eight Earth radii: a micrometre.
const MAX_BEND: f64 = 51.0;
const METRES_PER_DEGREE: f64 = 111_320.0;
/// Keeps the number of points finite for edges that end at a pole.
const MIN_COSINE: f64 = 4e-3;
const HALF_TURN: f64 = 180.0;
const TURN: f64 = 360.0;

/// The ends of an edge as bits, the same for both directions.
type Border = [[u64; 2]; 2];

/// Edges that are not geodesics.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Straight(HashSet<Border>);

impl Straight {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, from: LonLat, to: LonLat) -> bool {
        !self.0.is_empty() && self.0.contains(&border(from, to))
    }

    pub fn add(&mut self, polygon: &[Vec<LonLat>]) {
        let edges = polygon.iter().flat_map(|ring| ring.windows(2));
        self.0.extend(edges.map(|ends| border(ends[0], ends[1])));
    }

    pub fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

fn border(from: LonLat, to: LonLat) -> Border {
    let ends = [from, to].map(|end| end.map(f64::to_bits));
    if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] }
}

#[derive(Debug, Clone)]
pub(super) struct Plane {
    /// The normal at the middle, east and north. `None` for land more than 80 degrees from the middle: then the plane is longitude and
    /// latitude.
    axes: Option<[Vector; 3]>,
    /// The centre of the projection, on the Earth's axis, in equatorial radii; the longitude and latitude of the middle.
    centre: f64,
    middle: LonLat,
}

impl Plane {
    /// Makes a plane around the middle of positions.
    pub fn around(positions: impl Iterator<Item = LonLat> + Clone) -> Self {
        let sum = positions
            .clone()
            .map(|at| surface(at, 0.0))
            .fold([0.0; 3], |sum, one| [0, 1, 2].map(|axis| sum[axis] + one[axis]));
        let [x, y, z] = unit(sum);
        let (longitude, latitude) = (y.atan2(x), z.atan2((1.0 - E2) * x.hypot(y)));
        let (east, west) = longitude.sin_cos();
        let (sine, cosine) = latitude.sin_cos();
        let axes = [[cosine * west, cosine * east, sine], [-east, west, 0.0], [-sine * west, -sine * east, cosine]];
        let centre = -E2 * sine / (1.0 - E2 * sine * sine).sqrt();
        let is_near = |at| dot(unit(surface(at, centre)), axes[0]) > MIN_COSINE_FROM_MIDDLE;
        match positions.clone().all(is_near) {
            true => Plane { axes: Some(axes), centre, middle: [longitude.to_degrees(), latitude.to_degrees()] },
            false => Plane { axes: None, centre: 0.0, middle: [0.0, 0.0] },
        }
    }

    pub fn is_flat(&self) -> bool {
        self.axes.is_none()
    }

    /// Moves a position to the longitude within half a turn of the middle.
    pub fn nearest(&self, [longitude, latitude]: LonLat) -> LonLat {
        [self.turned(longitude), latitude]
    }

    pub fn point(&self, [longitude, latitude]: LonLat) -> Point {
        let whole = |number: f64| number.round() as i64;
        let Some([middle, east, north]) = self.axes else {
            return Point::new(whole(self.turned(longitude) * STEPS_PER_DEGREE), whole(latitude * STEPS_PER_DEGREE));
        };
        let direction = surface([longitude, latitude], self.centre);
        let scale = STEPS / dot(direction, middle);
        Point::new(whole(dot(direction, east) * scale), whole(dot(direction, north) * scale))
    }

    /// Returns the longitude, within half a turn of the middle, and the latitude.
    pub fn lon_lat(&self, point: Point) -> LonLat {
        let Some([middle, east, north]) = self.axes else {
            return [point.x as f64 / STEPS_PER_DEGREE, point.y as f64 / STEPS_PER_DEGREE];
        };
        let (x, y) = (point.x as f64 / STEPS, point.y as f64 / STEPS);
        let along = [0, 1, 2].map(|axis| middle[axis] + x * east[axis] + y * north[axis]);
        // Where the line from the centre leaves the ellipsoid.
        let scaled = along[2] / (1.0 - E2);
        let squares = along[0] * along[0] + along[1] * along[1] + along[2] * scaled;
        let half = self.centre * scaled;
        let beyond = self.centre * self.centre / (1.0 - E2) - 1.0;
        let distance = ((half * half - squares * beyond).sqrt() - half) / squares;
        let [x, y, z] = [along[0] * distance, along[1] * distance, self.centre + along[2] * distance];
        [self.turned(y.atan2(x).to_degrees()), z.atan2((1.0 - E2) * x.hypot(y)).to_degrees()]
    }

    /// Returns the longitude within half a turn of the middle.
    fn turned(&self, longitude: f64) -> f64 {
        let turns = ((longitude - self.middle[0]) / TURN).round();
        if (longitude - self.middle[0]).abs() > HALF_TURN { longitude - TURN * turns } else { longitude }
    }

    /// Projects a closed ring, without its last position. Long edges get points on their geodesics, or on the straight line.
    pub fn ring(&self, ring: &[LonLat], straight: &Straight) -> Vec<Point> {
        let mut points = Vec::with_capacity(ring.len());
        for pair in ring.windows(2) {
            points.push(self.point(pair[0]));
            let pieces = self.pieces(pair[0], pair[1]);
            if pieces == 1 {
                continue;
            }
            // The same points from either end, so that neighbours share them.
            let is_turned = pair[0] > pair[1];
            let [from, to] = if is_turned { [pair[1], pair[0]] } else { [pair[0], pair[1]] };
            let shares =
                (1..pieces).map(|piece| f64::from(if is_turned { pieces - piece } else { piece }) / f64::from(pieces));
            if straight.contains(from, to) {
                points.extend(
                    shares.map(|share| self.point([0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share))),
                );
                continue;
            }
            let (metres, azimuth, _, _): (f64, f64, f64, f64) = WGS84.inverse(from[1], from[0], to[1], to[0]);
            points.extend(shares.map(|share| {
                let (latitude, longitude): (f64, f64) = WGS84.direct(from[1], from[0], azimuth, metres * share);
                self.point([longitude + TURN * ((from[0] - longitude) / TURN).round(), latitude])
            }));
        }
        points
    }

    /// Returns the bounds of a ring without the points of long edges, which are within a hundredth of the ring's size.
    pub fn extent(&self, ring: &[LonLat]) -> Extent {
        let [mut west, mut south, mut east, mut north] = [i64::MAX, i64::MAX, i64::MIN, i64::MIN];
        for Point { x, y } in ring.iter().map(|position| self.point(*position)) {
            (west, south, east, north) = (west.min(x), south.min(y), east.max(x), north.max(y));
        }
        let margin = ((east - west).max(north - south)) / 100;
        [west - margin, south - margin, east + margin, north + margin]
    }

    /// Number of pieces that an edge is cut into. An edge from one end of a world map to the other is not meant as a geodesic.
    pub fn pieces(&self, from: LonLat, to: LonLat) -> u32 {
        let mut east = (to[0] - from[0]).abs();
        if self.is_flat() && east >= HALF_TURN {
            return 1;
        }
        east = (east - TURN * (east / TURN).round()).abs();
        let cosine = from[1].abs().max(to[1].abs()).to_radians().cos().max(MIN_COSINE);
        let metres = METRES_PER_DEGREE * (east * cosine).hypot(to[1] - from[1]);
        let inclined = E2 * (from[1] - self.middle[1]).abs().max((to[1] - self.middle[1]).abs()).to_radians();
        let longest = (MAX_EDGE_METRES * cosine).min((MAX_BEND / inclined).sqrt());
        ((metres / longest).ceil() as u32).max(1)
    }
}

/// The vector from a place on the Earth's axis to one on the ellipsoid, in equatorial radii.
fn surface([longitude, latitude]: LonLat, centre: f64) -> Vector {
    let (sine, cosine) = latitude.to_radians().sin_cos();
    let (east, west) = longitude.to_radians().sin_cos();
    let normal = 1.0 / (1.0 - E2 * sine * sine).sqrt();
    [normal * cosine * west, normal * cosine * east, normal * (1.0 - E2) * sine - centre]
}

fn unit(vector: Vector) -> Vector {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 { vector.map(|part| part / length) } else { [1.0, 0.0, 0.0] }
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
