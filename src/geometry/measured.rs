//! What measuring a geometry comes to.

use std::ops::AddAssign;

use super::geodesic::Measure;
use super::shape::Geometry;
use super::validity::around_the_earth;

/// The measure of a geometry, or the sum of several, where one can be relied on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Measured {
    /// There are no positions to measure.
    #[default]
    Nothing,
    Known(Measure),
    /// A polygon [goes around the whole Earth](around_the_earth), so its geodesic area is not what its author saw on a flat map.
    AroundTheEarth,
}

impl Measured {
    pub fn of(geometry: &Geometry) -> Self {
        match around_the_earth(geometry) {
            Some(_) => Measured::AroundTheEarth,
            None => Measured::of_regional(geometry),
        }
    }

    /// The same, for a geometry of which it is known that it does not span 360 degrees of longitude.
    pub fn of_regional(geometry: &Geometry) -> Self {
        Measure::of(geometry).map_or(Measured::Nothing, Measured::Known)
    }
}

impl AddAssign for Measured {
    fn add_assign(&mut self, other: Self) {
        match (&mut *self, other) {
            (Measured::AroundTheEarth, _) | (_, Measured::Nothing) => {}
            (Measured::Known(sum), Measured::Known(measure)) => *sum += measure,
            (Measured::Nothing, _) | (_, Measured::AroundTheEarth) => *self = other,
        }
    }
}
