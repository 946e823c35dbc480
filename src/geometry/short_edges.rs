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

/// WGS 84: the equatorial radius in metres, and the flattening.
const A: f64 = 6_378_137.0;
const F: f64 = 1.0 / 298.257_223_563;
const E2: f64 = F * (2.0 - F);
/// Metres, at the equator; nearer to a pole, where parallels bend more, in proportion to the cosine of the latitude less. What
/// is left out is below 2e-5 m² for every edge then.
const LONGEST_EDGE: f64 = 4_000.0;
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
    let on_earth = ring.chunks_exact(stride).all(|position| position[1].abs() <= 90.0);
    let positions = ring.chunks_exact(stride).map(|position| (position[0].to_radians(), Parallel::at(position[1])));
    let mut positions = on_earth.then_some(positions)?;
    let (first_longitude, first) = positions.next()?;
    let (mut longitude, mut from) = (first_longitude, first);
    let mut area = 0.0;
    let mut edges = 0.0;
    for (next_longitude, to) in positions.chain([(first_longitude, first)]) {
        area += edge_area(next_longitude - longitude, from, to, first.q)?;
        edges += 1.0;
        (longitude, from) = (next_longitude, to);
    }
    Some(RingArea { square_metres: area.abs(), edges })
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

/// A parallel, by the sine of its latitude and the area between it and the equator, in square metres per radian.
#[derive(Clone, Copy)]
struct Parallel {
    sine: f64,
    q: f64,
}

impl Parallel {
    fn at(latitude: f64) -> Self {
        let sine = latitude.to_radians().sin();
        // q = a² (1 − e²) ∫ cos φ dφ / (1 − e² sin² φ)², as a series in e² sin² φ whose ninth term is below one part in 10¹⁷.
        let x = E2 * sine * sine;
        let series = (0..9).rev().fold(0.0, |sum, k| sum * x + f64::from(k + 1) / f64::from(2 * k + 1));
        Parallel { sine, q: A * A * (1.0 - E2) * sine * series }
    }
}

/// The area between an edge and the parallel where q is `q0`; `None` where the edge is long.
fn edge_area(longitudes: f64, from: Parallel, to: Parallel, q0: f64) -> Option<f64> {
    let sine = (from.sine + to.sine) / 2.0;
    let sine2 = sine * sine;
    // P², the square of the radius of the parallel.
    let radius2 = A * A * (1.0 - sine2) / (1.0 - E2 * sine2);
    let east2 = radius2 * longitudes * longitudes;
    let north2 = (to.q - from.q) * (to.q - from.q) / radius2;
    let short = east2 + north2 <= LONGEST_EDGE * LONGEST_EDGE * (1.0 - sine2);
    let trapezoid = ((from.q - q0) + (to.q - q0)) / 2.0;
    short.then(|| longitudes * (trapezoid + sine / 12.0 * (east2 + 3.0 * north2)))
}
