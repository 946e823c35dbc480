//! The check of a whole geometry, component by component.

use super::edge::{Corner, Edge, LonLat, sweep_order, turns_back};
use super::error::{ComponentPath, InvalidGeometry};
use super::sweep::{Intersection, sweep};
use crate::geometry::shape::{Geometry, Shape, ShapeKind};

/// Checks that any GIS can read, draw and fill a geometry: positions on the globe, lines with a length, closed rings that neither
/// touch nor cross themselves, and rings of a polygon that do not cross each other.
///
/// Lines may cross themselves, rings of a polygon may touch, and polygons may overlap. Heights need only be finite and,
/// at both ends of a ring, the same.
pub fn check(geometry: &Geometry) -> Result<(), InvalidGeometry> {
    Checker::default().geometry(geometry)
}

/// The component that is being checked, and buffers that are reused for every polygon.
#[derive(Default)]
struct Checker {
    component: ComponentPath,
    /// The vertices of one ring, without repeated positions.
    vertices: Vec<LonLat>,
    /// Twice the planar area of each ring of one polygon.
    areas: Vec<f64>,
    /// The edges and corners of all rings of one polygon.
    edges: Vec<Edge>,
    corners: Vec<Corner>,
}

impl Checker {
    fn geometry(&mut self, geometry: &Geometry) -> Result<(), InvalidGeometry> {
        self.component.part = None;
        match geometry {
            Geometry::Shape(shape) => self.shape(shape),
            Geometry::Collection(members) if members.is_empty() => self.empty(),
            Geometry::Collection(members) => members.iter().enumerate().try_for_each(|(index, member)| {
                self.component.members.push(index);
                self.geometry(member)?;
                self.component.members.pop();
                Ok(())
            }),
        }
    }

    fn shape(&mut self, shape: &Shape) -> Result<(), InvalidGeometry> {
        if shape.ordinates.is_empty() {
            return self.empty();
        }
        let stride = shape.stride();
        match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => {
                shape.ordinates.chunks_exact(stride).enumerate().try_for_each(|(part, position)| {
                    self.component.part = Some(part);
                    self.positions(position, stride)
                })
            }
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                shape.lines().enumerate().try_for_each(|(part, line)| {
                    self.component.part = Some(part);
                    self.line(line, stride)
                })
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let mut rings = shape.lines();
                shape.rings_per_polygon().into_iter().enumerate().try_for_each(|(part, count)| {
                    self.component.part = Some(part);
                    self.polygon(rings.by_ref().take(count), stride)
                })
            }
        }
    }

    fn positions(&self, ordinates: &[f64], stride: usize) -> Result<(), InvalidGeometry> {
        if ordinates.is_empty() {
            return self.empty();
        }
        for (index, ordinates) in ordinates.chunks_exact(stride).enumerate() {
            let position = lon_lat(ordinates);
            if !ordinates.iter().all(|ordinate| ordinate.is_finite()) {
                return Err(InvalidGeometry::NotFinite { component: self.component.clone(), index, position });
            }
            if position[0].abs() > 180.0 || position[1].abs() > 90.0 {
                return Err(InvalidGeometry::OutOfRange { component: self.component.clone(), index, position });
            }
        }
        Ok(())
    }

    fn line(&self, line: &[f64], stride: usize) -> Result<(), InvalidGeometry> {
        self.positions(line, stride)?;
        let position = lon_lat(line);
        match line.chunks_exact(stride).any(|other| lon_lat(other) != position) {
            true => Ok(()),
            false => Err(InvalidGeometry::TooShort { component: self.component.clone(), position }),
        }
    }

    fn polygon<'r>(&mut self, rings: impl Iterator<Item = &'r [f64]>, stride: usize) -> Result<(), InvalidGeometry> {
        self.areas.clear();
        self.edges.clear();
        self.corners.clear();
        for (index, ring) in rings.enumerate() {
            self.component.ring = Some(index);
            self.ring(ring, index, stride)?;
        }
        self.component.ring = None;
        match self.edges.last().map(|edge| edge.ring) {
            None => self.empty(),
            Some(0) => Ok(()),
            Some(_) => self.check_rings_apart().and_then(|()| self.check_holes_fit()),
        }
    }

    fn ring(&mut self, ring: &[f64], index: usize, stride: usize) -> Result<(), InvalidGeometry> {
        self.positions(ring, stride)?;
        let (first, last) = (&ring[..stride], &ring[ring.len() - stride..]);
        let position = lon_lat(first);
        if first != last {
            return Err(InvalidGeometry::Unclosed { component: self.component.clone(), position, last: lon_lat(last) });
        }
        self.vertices.clear();
        self.vertices.extend(ring.chunks_exact(stride).map(lon_lat));
        self.vertices.dedup();
        self.vertices.pop();
        if self.vertices.len() < 3 {
            return Err(InvalidGeometry::TooShort { component: self.component.clone(), position });
        }
        self.areas.push(doubled_area(&self.vertices));
        match self.self_contact(index) {
            None => Ok(()),
            Some(position) => Err(InvalidGeometry::CrossesItself { component: self.component.clone(), position }),
        }
    }

    /// Adds the edges and corners of the ring in `vertices`, and returns a position where the ring touches or crosses itself.
    fn self_contact(&mut self, ring: usize) -> Option<LonLat> {
        let (first_edge, first_corner) = (self.edges.len(), self.corners.len());
        let count = self.vertices.len();
        for (index, &at) in self.vertices.iter().enumerate() {
            let (before, after) = ((index + count - 1) % count, (index + 1) % count);
            let (from, to) = (self.vertices[before], self.vertices[after]);
            if turns_back(from, at, to) {
                return Some(at);
            }
            self.corners.push(Corner { at, edges: [first_edge + before, first_edge + index] });
            self.edges.push(Edge::new(at, to, first_edge + index, ring));
        }
        let corners = &mut self.corners[first_corner..];
        corners.sort_unstable_by(|a, b| sweep_order(a.at, b.at));
        if let Some(twice) = corners.windows(2).find(|pair| pair[0].at == pair[1].at) {
            return Some(twice[0].at);
        }
        // All corners differ, so edges that share an end are neighbours in the ring. None turns back, so they share only that end.
        let contact = |a: &Edge, b: &Edge| if a.shares_end(b) { None } else { a.contact(b) };
        sweep(&self.edges, corners, contact).map(|intersection| intersection.at)
    }

    /// Checks that no two rings cross. Each ring has been found simple; `edges` and `corners` are those of all rings.
    fn check_rings_apart(&mut self) -> Result<(), InvalidGeometry> {
        // The stable sort is fast here, since the corners of each ring are sorted already.
        self.corners.sort_by(|a, b| sweep_order(a.at, b.at));
        match sweep(&self.edges, &self.corners, Edge::crossing) {
            None => Ok(()),
            Some(Intersection { at, rings: [a, b] }) => {
                let component = ComponentPath { ring: Some(a.max(b)), ..self.component.clone() };
                Err(InvalidGeometry::RingsCross { component, other: a.min(b), position: at })
            }
        }
    }

    /// Checks that the holes together are no larger than the exterior. It does not check that they lie inside it.
    fn check_holes_fit(&self) -> Result<(), InvalidGeometry> {
        match self.areas.split_first() {
            Some((exterior, holes)) if holes.iter().sum::<f64>() > *exterior => {
                Err(InvalidGeometry::HolesTooLarge { component: self.component.clone() })
            }
            _ => Ok(()),
        }
    }

    fn empty(&self) -> Result<(), InvalidGeometry> {
        Err(InvalidGeometry::Empty { component: self.component.clone() })
    }
}

/// Twice the planar area of a simple ring of either orientation.
fn doubled_area(vertices: &[LonLat]) -> f64 {
    let [x, y] = vertices[0];
    let triangle = |pair: &[LonLat]| (pair[0][0] - x) * (pair[1][1] - y) - (pair[1][0] - x) * (pair[0][1] - y);
    vertices.windows(2).map(triangle).sum::<f64>().abs()
}

/// Longitude and latitude; adding 0 turns -0 into 0.
fn lon_lat(ordinates: &[f64]) -> LonLat {
    [ordinates[0] + 0.0, ordinates[1] + 0.0]
}
