//! Checks that a geometry can be drawn as a diagram: the rules of OGC simple features (06-103r4, section 6.1).
//!
//! Decisions are exact for the given doubles: rounding neither creates nor hides a crossing. A sweep line (Shamos and Hoey, "Geometric
//! intersection problems", 1976) finds crossings and misplaced rings in n log n steps for any arrangement of n edges.

mod error;
#[cfg(test)]
mod random_tests;
mod sweep;
#[cfg(test)]
mod tests;

use super::antimeridian::edge_across;
use super::shape::{Geometry, Shape, ShapeKind};
use sweep::{
    Conflict, ConflictKind, ConflictSearch, Corner, Edge, LonLat, RingIndex, Search, is_counterclockwise, sweep,
    sweep_order, turns_back,
};

pub use error::{ComponentPath, InvalidGeometry};

/// Checks that any GIS can read, draw and fill a geometry: positions on the globe, lines with a length, closed rings that neither touch nor
/// cross themselves, holes inside their exterior, and no overlap between holes or between the parts of a multi-polygon.
///
/// Rings and parts may touch at single positions, unless that divides the interior of a polygon. Lines may cross themselves, and
/// members of a collection may overlap. No edge spans more than 180 degrees of longitude, except at a pole, and a ring may reach from
/// longitude -180 to 180 only around one pole. Heights need only be finite and, at both ends of a ring, the same.
pub fn check(geometry: &Geometry) -> Result<(), InvalidGeometry> {
    Checker::default().geometry(geometry)
}

/// The component that is being checked, and buffers that are reused for every shape.
#[derive(Default)]
struct Checker {
    component: ComponentPath,
    /// The vertices of one ring, without repeated positions.
    vertices: Vec<LonLat>,
    /// The edges and corners of all rings of one shape.
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
                self.edges.clear();
                self.corners.clear();
                let mut rings = shape.lines();
                let parts = shape.rings_per_polygon();
                for (part, count) in parts.iter().enumerate() {
                    self.component.part = Some(part);
                    self.polygon(rings.by_ref().take(*count), part, stride)?;
                }
                if parts.len() > 1 { self.check_parts() } else { Ok(()) }
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
        if line.chunks_exact(stride).all(|other| lon_lat(other) == position) {
            return Err(InvalidGeometry::TooShort { component: self.component.clone(), position });
        }
        self.edges_within_half_a_turn(line.chunks_exact(stride).map(lon_lat))
    }

    fn edges_within_half_a_turn(&self, positions: impl Iterator<Item = LonLat> + Clone) -> Result<(), InvalidGeometry> {
        let across = positions.clone().zip(positions.skip(1)).find(|(from, to)| edge_across(*from, *to));
        across.map_or(Ok(()), |(position, _)| {
            Err(InvalidGeometry::AcrossAntimeridian { component: self.component.clone(), position })
        })
    }

    fn polygon<'r>(
        &mut self,
        rings: impl Iterator<Item = &'r [f64]>,
        part: usize,
        stride: usize,
    ) -> Result<(), InvalidGeometry> {
        let (first_corner, mut count) = (self.corners.len(), 0);
        for ring in rings {
            self.component.ring = Some(count);
            self.ring(ring, RingIndex { part, ring: count }, stride)?;
            count += 1;
        }
        self.component.ring = None;
        match count {
            0 => self.empty(),
            1 => Ok(()),
            _ => self.check_rings(first_corner, count),
        }
    }

    fn ring(&mut self, ring: &[f64], index: RingIndex, stride: usize) -> Result<(), InvalidGeometry> {
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
        if let Some(position) = goes_around_the_earth(&self.vertices) {
            return Err(InvalidGeometry::AroundTheEarth { component: self.component.clone(), position });
        }
        self.edges_within_half_a_turn(ring.chunks_exact(stride).map(lon_lat))?;
        match self.self_contact(index) {
            None => Ok(()),
            Some(position) => Err(InvalidGeometry::CrossesItself { component: self.component.clone(), position }),
        }
    }

    /// Adds the edges and corners of the ring in `vertices`, and returns a position where the ring touches or crosses itself.
    fn self_contact(&mut self, ring: RingIndex) -> Option<LonLat> {
        let (first_edge, first_corner) = (self.edges.len(), self.corners.len());
        let count = self.vertices.len();
        // A polygon's interior lies inside its exterior and outside its holes.
        let interior_is_left = is_counterclockwise(&self.vertices) == (ring.ring == 0);
        for (index, &at) in self.vertices.iter().enumerate() {
            let (before, after) = ((index + count - 1) % count, (index + 1) % count);
            let (from, to) = (self.vertices[before], self.vertices[after]);
            if turns_back(from, at, to) {
                return Some(at);
            }
            self.corners.push(Corner { at, edges: [first_edge + before, first_edge + index] });
            self.edges.push(Edge::new(at, to, first_edge + index, ring, interior_is_left));
        }
        let corners = &mut self.corners[first_corner..];
        corners.sort_unstable_by(|a, b| sweep_order(a.at, b.at));
        if let Some(twice) = corners.windows(2).find(|pair| pair[0].at == pair[1].at) {
            return Some(twice[0].at);
        }
        sweep(&self.edges, corners, &mut SelfContactSearch)
    }

    /// Checks that a polygon's rings fit together. Each ring has been found simple; the corners are those from `first_corner`.
    fn check_rings(&mut self, first_corner: usize, rings: usize) -> Result<(), InvalidGeometry> {
        let corners = &mut self.corners[first_corner..];
        // The stable sort is fast here, since each ring's corners are already sorted.
        corners.sort_by(|a, b| sweep_order(a.at, b.at));
        let mut search = ConflictSearch::within_polygon(&self.edges, rings);
        let Some(Conflict { kind, at: position, ring, other }) = sweep(&self.edges, corners, &mut search) else {
            return Ok(());
        };
        let component = ComponentPath { ring: Some(ring.ring), ..self.component.clone() };
        let Some(RingIndex { ring: other, .. }) = other else {
            return Err(InvalidGeometry::HoleOutside { component, position });
        };
        Err(match kind {
            ConflictKind::Cross => InvalidGeometry::RingsCross { component, other, position },
            ConflictKind::ShareEdge => InvalidGeometry::RingsShareEdge { component, other, position },
            ConflictKind::Misplaced => InvalidGeometry::HoleInHole { component, other, position },
            ConflictKind::DivideInterior => InvalidGeometry::InteriorDivided { component, position },
        })
    }

    /// Checks that the polygons do not overlap. Each has been found valid.
    fn check_parts(&mut self) -> Result<(), InvalidGeometry> {
        self.corners.sort_by(|a, b| sweep_order(a.at, b.at));
        let mut search = ConflictSearch::between_polygons(&self.edges);
        let Some(Conflict { kind, at: position, ring, other }) = sweep(&self.edges, &self.corners, &mut search) else {
            return Ok(());
        };
        let component = ComponentPath { part: Some(ring.part), ..self.component.clone() };
        let other = other.map_or(0, |other| other.part);
        Err(match kind {
            ConflictKind::ShareEdge => InvalidGeometry::PartsShareEdge { component, other, position },
            _ => InvalidGeometry::PartsOverlap { component, other, position },
        })
    }

    fn empty(&self) -> Result<(), InvalidGeometry> {
        Err(InvalidGeometry::Empty { component: self.component.clone() })
    }
}

/// Searches for edges of one ring that meet. All its corners differ, so edges that share an end are neighbours in the ring; and none
/// turns back, so they share only that end.
struct SelfContactSearch;

impl<'e> Search<'e> for SelfContactSearch {
    type Found = LonLat;

    fn neighbours(&self, south: &'e Edge, north: &'e Edge) -> Option<LonLat> {
        if south.shares_end(north) { None } else { south.contact(north) }
    }
}

/// Returns a position at which a polygon goes around the whole Earth, so that its geodesic area, often 0, is not the one that a flat map
/// shows. `None` for all other geometries. Polygons that only [`Measure`](super::Measure) uses may do so.
pub fn around_the_earth(geometry: &Geometry) -> Option<LonLat> {
    let mut found = None;
    geometry.for_each_shape(&mut |shape| {
        if matches!(shape.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon) && found.is_none() {
            found = shape.lines().find_map(|ring| {
                let vertices = ring.chunks_exact(shape.stride()).map(lon_lat);
                // Most rings do not span all longitudes, and need no copy.
                let reaches_around = easternmost_of_all_longitudes(vertices.clone()).is_some();
                reaches_around.then(|| vertices.collect::<Vec<_>>()).and_then(|ring| goes_around_the_earth(&ring))
            });
        }
    });
    found
}

/// Returns a position at which a ring of all longitudes cannot be drawn on the globe: it goes around no pole or both, or an edge goes
/// half-way around the Earth or further, which a geodesic does not.
fn goes_around_the_earth(vertices: &[LonLat]) -> Option<LonLat> {
    let easternmost = easternmost_of_all_longitudes(vertices.iter().copied())?;
    let has_latitude = |latitude: f64| vertices.iter().any(|vertex| vertex[1] == latitude);
    if has_latitude(-90.0) == has_latitude(90.0) {
        return vertices.iter().find(|vertex| vertex[0] == easternmost).copied();
    }
    // A pole has any longitude.
    let is_long = |a: LonLat, b: LonLat| (a[0] - b[0]).abs() >= 180.0 && a[1].abs() < 90.0 && b[1].abs() < 90.0;
    let next = vertices.iter().cycle().skip(1);
    vertices.iter().zip(next).find(|(vertex, next)| is_long(**vertex, **next)).map(|(vertex, _)| *vertex)
}

/// The easternmost longitude of a ring that spans 360 degrees or more: from -180 to 180 or, if a service stores it so, from 0 to 360.
fn easternmost_of_all_longitudes(vertices: impl Iterator<Item = LonLat>) -> Option<f64> {
    let (mut west, mut east) = (f64::INFINITY, f64::NEG_INFINITY);
    for [longitude, _] in vertices {
        west = if longitude < west { longitude } else { west };
        east = if longitude > east { longitude } else { east };
    }
    (east - west >= 360.0).then_some(east)
}

/// Longitude and latitude; adding 0 turns -0 into 0.
fn lon_lat(ordinates: &[f64]) -> LonLat {
    [ordinates[0] + 0.0, ordinates[1] + 0.0]
}
