//! The area inside a ring of short edges, much faster than with the inverse geodesic problem for every edge.
//!
//! The area between a reference parallel and an edge from (λ₁, φ₁) to (λ₂, φ₂) is the integral of q(φ) − q₀ over λ, where q(φ) is
//! the area between the equator and φ per radian of longitude (Snyder 1987, Map Projections, eq. 3-12, there for a = 1). The
//! trapezoid through both ends leaves out the sliver between the geodesic and a straight line in the plane of λ and q. A geodesic
//! has λ′ = sin α / P and q′ = P cos α, with the azimuth α and the radius P of the parallel, and by Clairaut α′ = sin α sin φ / P.
//! Hence λ′q″ − λ″q′ = −(sin φ sin α / P)(1 + 2 cos² α), and the area of the sliver is
//!
//! ```text
//! Δλ sin φ / 12 · (P² Δλ² + 3 Δq² / P²)        at the middle of the edge
//! ```
//!
//! up to terms of the fifth order in the length of the edge over the radius of the Earth.

use std::slice::ChunksExact;

/// The equatorial radius of WGS 84 in metres.
const A: f64 = 6_378_137.0;
/// Its flattening, and the square of its eccentricity.
const F: f64 = 1.0 / 298.257_223_563;
pub(super) const E2: f64 = F * (2.0 - F);
/// The longest edge, in metres, at the equator. Elsewhere the limit shrinks with the radius of the parallel, since parallels are
/// more curved there. Up to this length the error is below 2e-5 m² per edge.
const MAX_EDGE_METRES: f64 = 4_000.0;
/// Range of a series around its parallel, in radians of latitude at the equator; elsewhere times the cosine of the latitude. Within
/// that range q is accurate to one part in 10¹², and the terms of the sliver, which is small, to one in 10⁸.
const SERIES_RANGE: f64 = 0.001;
/// Number of edges measured together, so that the compiler can use SIMD instructions.
const BATCH_EDGES: usize = 15;
/// The rounding error of full geodesics: this many square metres times the square root of the number of edges.
const ROUNDING_SQUARE_METRES: f64 = 3e-5;
/// Largest accepted difference from full geodesics, as a fraction of the area.
pub const MAX_DIFFERENCE: f64 = 5e-10;

/// The area of a ring, and its number of edges, on which the rounding error depends.
#[derive(Clone, Copy)]
pub struct RingArea {
    pub square_metres: f64,
    pub edges: f64,
}

/// The area inside a ring of either orientation. Each position has `stride` ordinates, the first two of which are longitude and latitude in
/// degrees. `None` if an edge is long or crosses the antimeridian.
pub fn ring_area(ring: &[f64], stride: usize) -> Option<RingArea> {
    let first = ring.get(..stride)?;
    let mut series = ParallelSeries::at(first[1])?;
    let q0 = series.q[0];
    let count = ring.len() / stride;
    let (mut area, mut edges) = (0.0, 0);
    while edges < count {
        let mut batch = Batch::of(ring[edges * stride..].chunks_exact(stride), first);
        if !batch.is_in_range_of(&series) {
            series = ParallelSeries::at(batch.latitudes[0])?;
            batch.truncate_to_range_of(&series);
        }
        area += batch.area(&series, q0)?;
        edges += batch.edges;
    }
    Some(RingArea { square_metres: area.abs(), edges: edges as f64 })
}

/// Returns the area of a polygon from the areas of its rings, the exterior first. `None` if the result is so small that full geodesics
/// might differ by more than that fraction of it.
pub fn polygon_area(rings: impl IntoIterator<Item = Option<RingArea>>, max_difference: f64) -> Option<f64> {
    let mut rings = rings.into_iter();
    let Some(exterior) = rings.next() else { return Some(0.0) };
    let mut sum = exterior?;
    for hole in rings {
        let hole = hole?;
        sum = RingArea { square_metres: sum.square_metres - hole.square_metres, edges: sum.edges + hole.edges };
    }
    let rounding_error = ROUNDING_SQUARE_METRES * sum.edges.sqrt();
    (rounding_error <= max_difference * sum.square_metres).then_some(sum.square_metres)
}

/// Series for latitudes near a parallel: polynomials in the difference of the sines of the two latitudes.
struct ParallelSeries {
    /// The latitude of the parallel, and the range of the series around it, in radians.
    latitude: f64,
    range: f64,
    sine: f64,
    cosine: f64,
    /// The area between the equator and the latitude, in square metres per radian of longitude.
    q: [f64; 4],
    /// P², and 1 / P², with the radius P of the parallel in metres.
    radius2: [f64; 3],
    inverse2: [f64; 3],
}

impl ParallelSeries {
    /// The series around a latitude in degrees; `None` beyond the poles.
    fn at(latitude: f64) -> Option<Self> {
        let (sine, cosine) = latitude.to_radians().sin_cos();
        let x = E2 * sine * sine;
        let w = 1.0 - x;
        // q = a² (1 − e²) ∫ cos φ dφ / w² as a series in e² sin² φ, whose ninth term is below one part in 10¹⁷; then the derivatives
        // of q with respect to sin φ.
        let sum = (0..9).rev().fold(0.0, |sum, k| sum * x + f64::from(k + 1) / f64::from(2 * k + 1));
        let scale = A * A * (1.0 - E2);
        let slope = scale / (w * w);
        let q = [scale * sine * sum, slope, slope * 2.0 * E2 * sine / w, slope * E2 * (2.0 + 10.0 * x) / (3.0 * w * w)];
        let radius2 = [A * A * (1.0 - sine * sine) / w, -2.0 * slope * sine, -slope * (1.0 + 3.0 * x) / w];
        let [p0, p1, p2] = radius2;
        let inverse2 = [1.0 / p0, -p1 / (p0 * p0), (p1 * p1 / p0 - p2) / (p0 * p0)];
        let series = ParallelSeries {
            latitude: latitude.to_radians(),
            range: SERIES_RANGE * cosine,
            sine,
            cosine,
            q,
            radius2,
            inverse2,
        };
        (latitude.abs() <= 90.0).then_some(series)
    }

    /// True if the series may be used for a latitude in degrees.
    fn covers(&self, latitude: f64) -> bool {
        (latitude.to_radians() - self.latitude).abs() <= self.range
    }
}

/// Consecutive positions of a ring, in degrees. The last one is repeated to fill the arrays.
struct Batch {
    longitudes: [f64; BATCH_EDGES + 1],
    latitudes: [f64; BATCH_EDGES + 1],
    /// Number of edges, without those between repeated positions.
    edges: usize,
}

impl Batch {
    /// The edges between the positions. After the last of them comes `first`, the first of the ring, which closes it.
    fn of(positions: ChunksExact<f64>, first: &[f64]) -> Self {
        let edges = positions.len().min(BATCH_EDGES);
        let (mut longitudes, mut latitudes) = ([first[0]; BATCH_EDGES + 1], [first[1]; BATCH_EDGES + 1]);
        for (index, position) in positions.take(BATCH_EDGES + 1).enumerate() {
            (longitudes[index], latitudes[index]) = (position[0], position[1]);
        }
        Batch { longitudes, latitudes, edges }
    }

    fn is_in_range_of(&self, series: &ParallelSeries) -> bool {
        self.latitudes.iter().fold(true, |all, latitude| all & series.covers(*latitude))
    }

    /// Drops the edges from the first position that the series does not cover.
    fn truncate_to_range_of(&mut self, series: &ParallelSeries) {
        let covered = self.latitudes.iter().take_while(|latitude| series.covers(**latitude)).count();
        self.edges = self.edges.min(covered.saturating_sub(1));
        let (longitude, latitude) = (self.longitudes[self.edges], self.latitudes[self.edges]);
        self.longitudes[self.edges..].fill(longitude);
        self.latitudes[self.edges..].fill(latitude);
    }

    /// The area between the edges and the parallel at which q is `q0`; `None` if an edge is long.
    fn area(&self, series: &ParallelSeries, q0: f64) -> Option<f64> {
        let from_q0 = [series.q[0] - q0, series.q[1], series.q[2], series.q[3]];
        let (mut sines, mut qs) = ([0.0; BATCH_EDGES + 1], [0.0; BATCH_EDGES + 1]);
        for position in 0..=BATCH_EDGES {
            let north = self.latitudes[position].to_radians() - series.latitude;
            let north2 = north * north;
            let sine = series.cosine * north * (1.0 - north2 * (1.0 / 6.0))
                - series.sine * north2 * (0.5 - north2 * (1.0 / 24.0));
            sines[position] = sine;
            qs[position] = polynomial(from_q0, sine);
        }
        let mut areas = [0.0; BATCH_EDGES];
        let mut excess: f64 = 0.0;
        for edge in 0..BATCH_EDGES {
            let east = (self.longitudes[edge + 1] - self.longitudes[edge]).to_radians();
            let north = qs[edge + 1] - qs[edge];
            let middle = (sines[edge] + sines[edge + 1]) * 0.5;
            let radius2 = polynomial(series.radius2, middle);
            let east2 = radius2 * east * east;
            let north2 = polynomial(series.inverse2, middle) * north * north;
            let trapezoid = (qs[edge] + qs[edge + 1]) * 0.5;
            areas[edge] = east * (trapezoid + (series.sine + middle) * (1.0 / 12.0) * (east2 + 3.0 * north2));
            excess = excess.max(east2 + north2 - radius2 * (MAX_EDGE_METRES / A) * (MAX_EDGE_METRES / A));
        }
        (self.edges > 0 && excess <= 0.0).then(|| areas.iter().sum())
    }
}

/// The value of a polynomial at `x`; coefficients are in order of rising powers.
#[inline]
fn polynomial<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    for coefficient in coefficients[..N - 1].iter().rev() {
        sum = sum * x + coefficient;
    }
    sum
}
