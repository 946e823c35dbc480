//! The parts of lines inside an area.

use std::collections::BTreeSet;

use geodesign_overlay::{Piece, Point, cut_edges, sides};
use geographiclib_rs::InverseGeodesic;

use super::ellipsoid::WGS84;
use super::geodesic::total;
use super::ground::{Ground, MIN_LANDS_OF_A_THREAD, TooMuch};
use super::land::{Land, NOWHERE, around, clipped, united};
use super::region::LonLat;
use super::shape::{Geometry, Shape, ShapeKind};
use geodesign_common::parallel::map_chunks;

/// A line's part inside an area.
#[derive(Debug, Clone, PartialEq)]
pub struct LineInside {
    /// The length of the whole line.
    pub metres: f64,
    /// The part of its length that is inside, from 0 to 1.
    pub share: f64,
    /// The positions of each part inside, in the line's direction.
    pub parts: Vec<Vec<LonLat>>,
}

/// Returns the part of each geometry's lines inside an area.
pub fn inside(geometries: &[&Geometry], area: &[Geometry]) -> Result<Vec<Vec<LineInside>>, TooMuch> {
    let lines: Vec<Vec<Vec<LonLat>>> = geometries.iter().map(|geometry| lines_of(geometry)).collect();
    let all: Vec<&Vec<LonLat>> = lines.iter().flatten().collect();
    if all.is_empty() {
        return Ok(vec![Vec::new(); geometries.len()]);
    }
    let rings: Vec<Geometry> = all.iter().map(|line| there_and_back(line)).collect();
    let rows: Vec<Option<&Geometry>> = rings.iter().chain(area).map(Some).collect();
    let map = all.len();
    let (ground, lands) = Ground::of(&rows, map, usize::MAX)?;
    let areas: BTreeSet<u32> = (map as u32..rows.len() as u32).collect();
    let area = united(lands[map..].iter().flat_map(|land| &land.parts));
    let mut found = map_chunks(map, MIN_LANDS_OF_A_THREAD, |chunk| {
        let of_line = |at: usize| {
            let own = BTreeSet::from([at as u32]);
            let beside = ground.meet(&own, &areas).then(|| ground.under([&own, &areas])[1].clone());
            let ring = ground.ring(at as u32, &areas);
            let there: Vec<Point> = ring.iter().cycle().take(ring.len() / turns(all[at]) + 1).copied().collect();
            let pieces = pieces(&there, beside.as_ref().unwrap_or(&area));
            line_inside(metres(all[at]), &pieces, |point| ground.plane.lon_lat(point))
        };
        chunk.map(of_line).collect()
    })
    .into_iter();
    Ok(lines.iter().map(|lines| found.by_ref().take(lines.len()).collect()).collect())
}

/// Returns the positions of each line that has a length.
fn lines_of(geometry: &Geometry) -> Vec<Vec<LonLat>> {
    let mut lines = Vec::new();
    geometry.for_each_shape(&mut |shape| {
        if matches!(shape.kind, ShapeKind::LineString | ShapeKind::MultiLineString) {
            lines.extend(shape.lines().map(|line| {
                let mut line: Vec<LonLat> = line.chunks_exact(shape.stride()).map(|at| [at[0], at[1]]).collect();
                line.dedup();
                line
            }));
        }
    });
    lines.retain(|line| line.len() > 1);
    lines
}

/// Returns a line as the ring of a polygon without land.
fn there_and_back(line: &[LonLat]) -> Geometry {
    let once = line.iter().chain(line[1..line.len() - 1].iter().rev());
    let ordinates: Vec<f64> =
        once.clone().cycle().take(turns(line) * (line.len() - 1)).chain(&line[..1]).flatten().copied().collect();
    let line_ends = vec![ordinates.len() / 2];
    Geometry::Shape(Shape { ordinates, line_ends, ..Shape::empty(ShapeKind::Polygon) })
}

/// Number of times that the ring runs along the line. A ring has at least four positions.
fn turns(line: &[LonLat]) -> usize {
    if line.len() == 2 { 4 } else { 2 }
}

/// Returns the pieces of a line between the border's points on it, in the line's direction, each with true if it is inside.
fn pieces(points: &[Point], area: &Land) -> Vec<([Point; 2], bool)> {
    let extent = points.iter().map(|at| [at.x, at.y, at.x, at.y]).fold(NOWHERE, around);
    let border = clipped(&area.parts, extent);
    let of_ring = |ring: &'_ Vec<Point>| {
        ring.iter().zip(ring.iter().cycle().skip(1)).map(|(from, to)| (0, [*from, *to])).collect::<Vec<_>>()
    };
    let edges = border
        .iter()
        .flat_map(of_ring)
        .chain((1..).zip(points.windows(2)).map(|(edge, ends)| (edge, [ends[0], ends[1]])));
    let across = |below: &bool, along: &[Piece]| *below != along.iter().any(|piece| piece.owner == 0);
    let mut found: Vec<(Piece, bool)> = Vec::new();
    sides(&cut_edges(edges), &false, across, |along, below, above| {
        let own = along.iter().filter(|piece| piece.owner > 0);
        found.extend(own.map(|piece| (*piece, *below || *above)));
    });
    found.sort_unstable_by_key(|(piece, _)| (piece.owner, piece.from));
    let directed = |of_edge: &[(Piece, bool)]| -> Vec<([Point; 2], bool)> {
        let edge = of_edge[0].0.owner as usize;
        let pieces = of_edge.iter().map(|(piece, is_inside)| ([piece.from, piece.to], *is_inside));
        if points[edge - 1] < points[edge] {
            pieces.collect()
        } else {
            pieces.rev().map(|([from, to], is_inside)| ([to, from], is_inside)).collect()
        }
    };
    found.chunk_by(|(one, _), (other, _)| one.owner == other.owner).flat_map(directed).collect()
}

fn line_inside(metres: f64, pieces: &[([Point; 2], bool)], position: impl Fn(Point) -> LonLat) -> LineInside {
    let length = |ends: &[Point; 2]| distance(ends.map(&position));
    let all = total(pieces.iter().map(|(ends, _)| length(ends)));
    let inside = || pieces.iter().filter(|(_, is_inside)| *is_inside).map(|(ends, _)| ends);
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for [from, to] in inside() {
        match parts.last_mut() {
            Some(part) if part.last() == Some(from) => part.push(*to),
            _ => parts.push(vec![*from, *to]),
        }
    }
    let share = if all > 0.0 { total(inside().map(length)) / all } else { 0.0 };
    LineInside {
        metres,
        share,
        parts: parts.into_iter().map(|part| part.into_iter().map(&position).collect()).collect(),
    }
}

fn metres(line: &[LonLat]) -> f64 {
    total(line.windows(2).map(|ends| distance([ends[0], ends[1]])))
}

fn distance([from, to]: [LonLat; 2]) -> f64 {
    WGS84.inverse(from[1], from[0], to[1], to[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(positions: &[LonLat]) -> Geometry {
        let ordinates = positions.as_flattened().to_vec();
        Geometry::Shape(Shape { ordinates, ..Shape::empty(ShapeKind::LineString) })
    }

    fn square(west: f64, south: f64, size: f64) -> Geometry {
        let (east, north) = (west + size, south + size);
        let ordinates = vec![west, south, east, south, east, north, west, north, west, south];
        Geometry::Shape(Shape { ordinates, line_ends: vec![5], ..Shape::empty(ShapeKind::Polygon) })
    }

    fn in_square(positions: &[LonLat]) -> LineInside {
        inside(&[&line(positions)], &[square(10.0, 40.0, 0.1)]).unwrap().remove(0).remove(0)
    }

    #[test]
    fn a_line_that_leaves_and_comes_back_has_two_parts_in_its_direction() {
        let found = in_square(&[[10.09, 40.01], [10.11, 40.01], [10.11, 40.02], [10.09, 40.02]]);
        assert!((0.25..0.75).contains(&found.share), "{found:?}");
        assert_eq!(found.parts.len(), 2);
        let near = |at: LonLat, place: LonLat| (at[0] - place[0]).abs() < 1e-6 && (at[1] - place[1]).abs() < 1e-6;
        let [one, two] = [&found.parts[0], &found.parts[1]];
        assert!(near(one[0], [10.09, 40.01]) && near(one[one.len() - 1], [10.1, 40.01]), "{one:?}");
        assert!(near(two[0], [10.1, 40.02]) && near(two[two.len() - 1], [10.09, 40.02]), "{two:?}");
    }

    #[test]
    fn a_line_along_the_border_is_inside_wherever_its_corners_are() {
        for west in [10.0, 10.02] {
            assert_eq!(in_square(&[[west, 40.1], [10.07, 40.1]]).share, 1.0);
            assert_eq!(in_square(&[[west, 40.0], [10.07, 40.0]]).share, 1.0);
        }
    }

    #[test]
    fn each_way_along_the_same_path_counts() {
        let [there, back] = [[10.05, 40.05], [10.15, 40.05]];
        let once = in_square(&[there, back]);
        let twice = in_square(&[there, back, there]);
        assert!((twice.metres * twice.share / (once.metres * once.share) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_line_far_away_is_outside() {
        let found = in_square(&[[11.0, 40.0], [11.0, 41.0]]);
        assert_eq!((found.share, found.parts.len()), (0.0, 0));
    }
}
