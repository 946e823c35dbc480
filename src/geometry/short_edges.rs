//! The area inside a ring of short edges, at a fraction of what a full inverse geodesic for every edge costs.
//!
//! Between a parallel of reference and an edge from (λ₁, φ₁) to (λ₂, φ₂) lies the integral of q(φ) − q₀ over λ, where q(φ) is
//! the area between the equator and φ per radian of longitude (Snyder 1987, Map Projections, eq. 3-12, there for a = 1). The
//! trapezoid through both ends misses the sliver between the geodesic and a straight line in the plane of λ and q. A geodesic
//! has λ′ = sin α / P and q′ = P cos α, with the azimuth α and the radius P of the parallel, and by Clairaut α′ = sin α sin φ / P;
//! thence λ′q″ − λ″q′ = −(sin φ sin α / P)(1 + 2 cos² α), and the sliver is
//!
//! ```text
//! Δλ sin φ / 12 · (P² Δλ² + 3 Δq² / P²)        at the middle of the edge
//! ```
//!
//! up to terms of the fifth order in the length of the edge over the radius of the Earth.

use std::slice::ChunksExact;

/// WGS 84: the equatorial radius in metres, and the flattening.
const A: f64 = 6_378_137.0;
const F: f64 = 1.0 / 298.257_223_563;
const E2: f64 = F * (2.0 - F);
/// Metres, at the equator; elsewhere in proportion to the radius of the parallel less, since parallels bend more there. What is
/// left out is below 2e-5 m² for every edge then.
const MAX_EDGE: f64 = 4_000.0;
/// Radians, at the equator; elsewhere in proportion to the cosine of the latitude less. So far from a parallel its series are
/// good: for q to one part in 10¹², for the rest, which makes but the sliver, to one in 10⁸.
const REACH: f64 = 0.001;
/// Edges that are measured side by side, as processors like it.
const STRETCH: usize = 15;
/// Square metres for each edge, times the root of their number: so far may the full geodesics be off by rounding.
const ROUNDING: f64 = 3e-5;
/// A part of the area: how far the result may be from that of full geodesics.
const AGREEMENT: f64 = 5e-10;

/// An area, and the number of its edges, which says how far from it that of full geodesics may be.
#[derive(Clone, Copy)]
pub struct RingArea {
    pub square_metres: f64,
    pub edges: f64,
}

/// The area inside a ring, whichever way it turns; positions of `stride` ordinates begin with longitude and latitude in
/// degrees. `None` where an edge is long, or crosses the antimeridian.
pub fn ring_area(ring: &[f64], stride: usize) -> Option<RingArea> {
    let first = ring.get(..stride)?;
    let mut near = Near::at(first[1])?;
    let q0 = near.q[0];
    let count = ring.len() / stride;
    let (mut area, mut edges) = (0.0, 0);
    while edges < count {
        let mut stretch = Stretch::of(ring[edges * stride..].chunks_exact(stride), first);
        if !stretch.is_in_reach_of(&near) {
            near = Near::at(stretch.latitudes[0])?;
            stretch.end_in_reach_of(&near);
        }
        area += stretch.area(&near, q0)?;
        edges += stretch.edges;
    }
    Some(RingArea { square_metres: area.abs(), edges: edges as f64 })
}

/// The area of a polygon out of those of its rings, the exterior first; `None` where too little is left of them to be sure
/// that full geodesics would give the same.
pub fn polygon_area(rings: impl IntoIterator<Item = Option<RingArea>>) -> Option<f64> {
    let mut rings = rings.into_iter();
    let Some(exterior) = rings.next() else { return Some(0.0) };
    let mut whole = exterior?;
    for hole in rings {
        let hole = hole?;
        whole = RingArea { square_metres: whole.square_metres - hole.square_metres, edges: whole.edges + hole.edges };
    }
    (ROUNDING * whole.edges.sqrt() <= AGREEMENT * whole.square_metres).then_some(whole.square_metres)
}

/// A parallel, and what is known of those near it: polynomials in the difference of the sines of their latitudes.
struct Near {
    /// Radians, as is the reach.
    latitude: f64,
    reach: f64,
    sine: f64,
    cosine: f64,
    /// Square metres per radian.
    q: [f64; 4],
    /// P², and 1 / P².
    radius2: [f64; 3],
    inverse2: [f64; 3],
}

impl Near {
    /// `None` where there is no such latitude, in degrees.
    fn at(latitude: f64) -> Option<Self> {
        let (sine, cosine) = latitude.to_radians().sin_cos();
        let x = E2 * sine * sine;
        let w = 1.0 - x;
        // q = a² (1 − e²) ∫ cos φ dφ / w², as a series in e² sin² φ whose ninth term is below one part in 10¹⁷, and what is
        // under the integral, by sin φ, with its derivatives.
        let series = (0..9).rev().fold(0.0, |sum, k| sum * x + f64::from(k + 1) / f64::from(2 * k + 1));
        let scale = A * A * (1.0 - E2);
        let slope = scale / (w * w);
        let q =
            [scale * sine * series, slope, slope * 2.0 * E2 * sine / w, slope * E2 * (2.0 + 10.0 * x) / (3.0 * w * w)];
        let radius2 = [A * A * (1.0 - sine * sine) / w, -2.0 * slope * sine, -slope * (1.0 + 3.0 * x) / w];
        let [p0, p1, p2] = radius2;
        let inverse2 = [1.0 / p0, -p1 / (p0 * p0), (p1 * p1 / p0 - p2) / (p0 * p0)];
        let near = Near { latitude: latitude.to_radians(), reach: REACH * cosine, sine, cosine, q, radius2, inverse2 };
        (latitude.abs() <= 90.0).then_some(near)
    }

    /// Degrees.
    fn reaches(&self, latitude: f64) -> bool {
        (latitude.to_radians() - self.latitude).abs() <= self.reach
    }
}

/// Positions of a ring, one after the other, the last repeated to fill up. Degrees.
struct Stretch {
    longitudes: [f64; STRETCH + 1],
    latitudes: [f64; STRETCH + 1],
    /// Those between different positions.
    edges: usize,
}

impl Stretch {
    /// Up to the last of the positions, and from there to the first of the ring.
    fn of(positions: ChunksExact<f64>, first: &[f64]) -> Self {
        let edges = positions.len().min(STRETCH);
        let (mut longitudes, mut latitudes) = ([first[0]; STRETCH + 1], [first[1]; STRETCH + 1]);
        for (at, position) in positions.take(STRETCH + 1).enumerate() {
            (longitudes[at], latitudes[at]) = (position[0], position[1]);
        }
        Stretch { longitudes, latitudes, edges }
    }

    fn is_in_reach_of(&self, near: &Near) -> bool {
        self.latitudes.iter().fold(true, |all, latitude| all & near.reaches(*latitude))
    }

    fn end_in_reach_of(&mut self, near: &Near) {
        let in_reach = self.latitudes.iter().take_while(|latitude| near.reaches(**latitude)).count();
        self.edges = self.edges.min(in_reach.saturating_sub(1));
        let (longitude, latitude) = (self.longitudes[self.edges], self.latitudes[self.edges]);
        self.longitudes[self.edges..].fill(longitude);
        self.latitudes[self.edges..].fill(latitude);
    }

    /// The area between its edges and the parallel where q is `q0`; `None` where an edge is long.
    fn area(&self, near: &Near, q0: f64) -> Option<f64> {
        let from_q0 = [near.q[0] - q0, near.q[1], near.q[2], near.q[3]];
        let (mut sines, mut qs) = ([0.0; STRETCH + 1], [0.0; STRETCH + 1]);
        for position in 0..=STRETCH {
            let north = self.latitudes[position].to_radians() - near.latitude;
            let north2 = north * north;
            let sine =
                near.cosine * north * (1.0 - north2 * (1.0 / 6.0)) - near.sine * north2 * (0.5 - north2 * (1.0 / 24.0));
            sines[position] = sine;
            qs[position] = polynomial(from_q0, sine);
        }
        let mut areas = [0.0; STRETCH];
        let mut excess: f64 = 0.0;
        for edge in 0..STRETCH {
            let east = (self.longitudes[edge + 1] - self.longitudes[edge]).to_radians();
            let north = qs[edge + 1] - qs[edge];
            let middle = (sines[edge] + sines[edge + 1]) * 0.5;
            let radius2 = polynomial(near.radius2, middle);
            let east2 = radius2 * east * east;
            let north2 = polynomial(near.inverse2, middle) * north * north;
            let trapezoid = (qs[edge] + qs[edge + 1]) * 0.5;
            areas[edge] = east * (trapezoid + (near.sine + middle) * (1.0 / 12.0) * (east2 + 3.0 * north2));
            excess = excess.max(east2 + north2 - radius2 * (MAX_EDGE / A) * (MAX_EDGE / A));
        }
        (self.edges > 0 && excess <= 0.0).then(|| areas.iter().sum())
    }
}

/// Coefficients of rising powers.
#[inline]
fn polynomial<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    for coefficient in coefficients[..N - 1].iter().rev() {
        sum = sum * x + coefficient;
    }
    sum
}
