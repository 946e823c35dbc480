//! Faults of a geometry, and the component that has them.

use std::fmt;

/// Reasons why a geometry cannot be drawn as a diagram. Positions are longitude, latitude in degrees.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidGeometry {
    #[error("{component} has no positions; leave it out or draw it")]
    Empty { component: ComponentPath },

    /// `index` counts the positions of the line or ring from 0.
    #[error(
        "{component} has a number that is NaN or infinite in position {index}, {position:?}; \
         correct it, and give every position a height or none"
    )]
    NotFinite { component: ComponentPath, index: usize, position: [f64; 2] },

    /// `index` counts the positions of the line or ring from 0.
    #[error(
        "{component} has position {index} at {position:?}, beyond longitude -180..=180, latitude -90..=90; \
         write degrees, longitude first, and reproject other coordinates to WGS 84 (EPSG:4326)"
    )]
    OutOfRange { component: ComponentPath, index: usize, position: [f64; 2] },

    #[error(
        "{component} has too few positions, near {position:?}: a line needs two that differ; a ring needs four, \
         three that differ and the first again; add positions or remove it"
    )]
    TooShort { component: ComponentPath, position: [f64; 2] },

    #[error(
        "{component} is not closed, it starts at {position:?} and ends at {last:?}; \
         end it with its first position again, height included"
    )]
    Unclosed { component: ComponentPath, position: [f64; 2], last: [f64; 2] },

    #[error(
        "{component} crosses or touches itself at {position:?}; \
         move its edges apart there, or repair it with a tool such as shapely.make_valid, ST_MakeValid or \"Fix geometries\""
    )]
    CrossesItself { component: ComponentPath, position: [f64; 2] },

    /// The ring joins longitude -180 to longitude 180, other than around one pole: the area it would surround on the globe does not
    /// exist, or cannot be distinguished from the rest of the Earth.
    #[error(
        "{component} goes around the whole Earth at {position:?}; \
         cut it into polygons of less than 180 degrees of longitude, or, around a pole, add positions in between"
    )]
    AroundTheEarth { component: ComponentPath, position: [f64; 2] },

    /// An edge of more than 180 degrees of longitude: the shorter way is across the antimeridian.
    #[error(
        "{component} crosses longitude 180 at {position:?}; \
         cut it there into a part on each side, as GeoJSON requires (RFC 7946, 3.1.9), or add positions in between"
    )]
    AcrossAntimeridian { component: ComponentPath, position: [f64; 2] },

    /// `other` is the ring, of the same polygon, that `component` crosses.
    #[error(
        "{component} crosses ring {other} at {position:?}; \
         keep holes separate and within the exterior, or repair it with a tool such as shapely.make_valid, ST_MakeValid or \"Fix geometries\""
    )]
    RingsCross { component: ComponentPath, other: usize, position: [f64; 2] },

    /// `other` is a ring of the same polygon.
    #[error(
        "{component} shares an edge with ring {other} at {position:?}; \
         let rings touch at single positions only, and leave out a ring that is repeated"
    )]
    RingsShareEdge { component: ComponentPath, other: usize, position: [f64; 2] },

    #[error(
        "{component} is a hole that lies outside the exterior, ring 0, at {position:?}; \
         put the exterior first, and make a polygon of a ring that is not a hole"
    )]
    HoleOutside { component: ComponentPath, position: [f64; 2] },

    /// `other` is the hole, of the same polygon, in which `component` lies.
    #[error(
        "{component} is a hole inside another hole, ring {other}, at {position:?}; \
         leave it out, or make a polygon of it if there is land inside the hole"
    )]
    HoleInHole { component: ComponentPath, other: usize, position: [f64; 2] },

    #[error(
        "{component} touches other rings so that the interior is divided at {position:?}; \
         make a polygon of each area, or repair it with a tool such as shapely.make_valid, ST_MakeValid or \"Fix geometries\""
    )]
    InteriorDivided { component: ComponentPath, position: [f64; 2] },

    /// `other` is the part of the same multi-polygon that `component` overlaps, repeats, contains or lies in.
    #[error(
        "{component} overlaps part {other} at {position:?}; \
         dissolve the parts into one, or leave out a part that is repeated"
    )]
    PartsOverlap { component: ComponentPath, other: usize, position: [f64; 2] },

    /// `other` is a part of the same multi-polygon.
    #[error(
        "{component} shares an edge with part {other} at {position:?}; \
         dissolve the parts into one, for example with shapely.union_all"
    )]
    PartsShareEdge { component: ComponentPath, other: usize, position: [f64; 2] },

    /// `other` is a feature of the same diagram, counted from 0.
    #[error(
        "{component} covers the same land as feature {other} of its diagram, which is measured and priced twice; \
         dissolve the features into one"
    )]
    SameLand { component: ComponentPath, other: usize, position: [f64; 2] },
}

impl InvalidGeometry {
    /// The component that is wrong.
    pub fn component(&self) -> &ComponentPath {
        self.place().0
    }

    /// Longitude and latitude in degrees of the fault; `None` if the component has no positions.
    pub fn position(&self) -> Option<[f64; 2]> {
        self.place().1
    }

    fn place(&self) -> (&ComponentPath, Option<[f64; 2]>) {
        match self {
            Self::Empty { component } => (component, None),
            Self::NotFinite { component, position, .. }
            | Self::OutOfRange { component, position, .. }
            | Self::TooShort { component, position }
            | Self::Unclosed { component, position, .. }
            | Self::CrossesItself { component, position }
            | Self::AroundTheEarth { component, position }
            | Self::AcrossAntimeridian { component, position }
            | Self::RingsCross { component, position, .. }
            | Self::RingsShareEdge { component, position, .. }
            | Self::HoleOutside { component, position }
            | Self::HoleInHole { component, position, .. }
            | Self::InteriorDivided { component, position }
            | Self::PartsOverlap { component, position, .. }
            | Self::PartsShareEdge { component, position, .. }
            | Self::SameLand { component, position, .. } => (component, Some(*position)),
        }
    }
}

/// A component of a geometry: a member of a collection, a part of a multi-geometry, a ring of a polygon. All are counted from 0. The
/// empty path is the geometry itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComponentPath {
    /// The index in the collection, then in the collection nested there, and so on.
    pub members: Vec<usize>,
    /// The point, line or polygon in a multi-geometry; 0 for a single one.
    pub part: Option<usize>,
    /// The ring in the polygon; 0 is the exterior.
    pub ring: Option<usize>,
}

impl fmt::Display for ComponentPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let members = self.members.iter().map(|index| ("member", *index));
        let within = self.part.map(|index| ("part", index)).into_iter().chain(self.ring.map(|index| ("ring", index)));
        let steps: Vec<_> = members.chain(within).map(|(name, index)| format!("{name} {index}")).collect();
        f.write_str(if steps.is_empty() { "the geometry" } else { "" })?;
        f.write_str(&steps.join(", "))
    }
}
