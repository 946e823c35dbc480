//! Flat lists of rings, sorted into polygons.

use super::geometry::{EsriLine, EsriPosition};

/// Sorts a flat list of rings into polygons. Each is its exterior, counter-clockwise, followed by its holes, clockwise.
pub fn into_polygons<'r>(rings: impl Iterator<Item = &'r EsriLine>) -> Vec<Vec<EsriLine>> {
    let (exteriors, holes): (Vec<&EsriLine>, Vec<&EsriLine>) = rings.partition(|ring| signed_area(ring) <= 0.0);
    let mut polygons: Vec<Vec<EsriLine>> =
        exteriors.iter().map(|ring| vec![oriented((*ring).clone(), false)]).collect();
    let exteriors = polygons.len();
    for hole in holes {
        let surrounding = (0..exteriors)
            .filter(|&at| surrounds(&polygons[at][0], hole))
            .min_by(|&a, &b| signed_area(&polygons[a][0]).total_cmp(&signed_area(&polygons[b][0])));
        match surrounding {
            Some(at) => polygons[at].push(oriented(hole.clone(), true)),
            // No exterior surrounds it: some programs write exteriors counter-clockwise.
            None => polygons.push(vec![hole.clone()]),
        }
    }
    polygons
}

/// Twice the planar area, positive where the ring is counter-clockwise.
fn signed_area(ring: &[EsriPosition]) -> f64 {
    edges(ring)
        .map(|(a, b)| (a[0] - ring[0][0]) * (b[1] - ring[0][1]) - (b[0] - ring[0][0]) * (a[1] - ring[0][1]))
        .sum()
}

/// The ring, reversed where its orientation is not the wanted one.
pub fn oriented(mut ring: EsriLine, clockwise: bool) -> EsriLine {
    if (signed_area(&ring) < 0.0) != clockwise {
        ring.reverse();
    }
    ring
}

fn edges(ring: &[EsriPosition]) -> impl Iterator<Item = (&EsriPosition, &EsriPosition)> {
    ring.iter().zip(ring.iter().cycle().skip(1))
}

/// Whether `inner` lies inside `outer`. The first vertex or middle of an edge of `inner` that is not on `outer` decides.
fn surrounds(outer: &[EsriPosition], inner: &[EsriPosition]) -> bool {
    let vertices = inner.iter().map(|position| [position[0], position[1]]);
    let middles = edges(inner).map(|(a, b)| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]);
    vertices.chain(middles).find_map(|point| side(outer, point)).unwrap_or(false)
}

/// `Some(true)` inside, `Some(false)` outside, `None` on the ring.
fn side(ring: &[EsriPosition], [x, y]: [f64; 2]) -> Option<bool> {
    let mut inside = false;
    for (a, b) in edges(ring) {
        let cross = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
        let within = |low: f64, high: f64, value: f64| low.min(high) <= value && value <= low.max(high);
        if cross == 0.0 && within(a[0], b[0], x) && within(a[1], b[1], y) {
            return None;
        }
        if (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
            inside = !inside;
        }
    }
    Some(inside)
}
