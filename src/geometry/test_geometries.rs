//! Random geometries for property tests of conversions.

use proptest::prelude::*;

use super::shape::{Geometry, Shape, ShapeKind};

/// Which positions of a geometry have a height.
#[derive(Clone, Copy, PartialEq)]
pub enum Heights {
    None,
    All,
    /// Those of some shapes, and in them all or only some.
    Any,
}

/// Geometries of all types, nested collections included. Rings are closed; points have a position.
pub fn geometry(heights: Heights) -> impl Strategy<Value = Geometry> {
    let leaf = shape(heights).prop_map(Geometry::Shape);
    leaf.prop_recursive(2, 8, 3, |member| prop::collection::vec(member, 0..4).prop_map(Geometry::Collection))
}

fn shape(heights: Heights) -> impl Strategy<Value = Shape> {
    let has_height = match heights {
        Heights::None => Just(false).boxed(),
        Heights::All => Just(true).boxed(),
        Heights::Any => any::<bool>().boxed(),
    };
    has_height.prop_flat_map(move |has_height| {
        let position = position(has_height, heights);
        let line = |sizes| prop::collection::vec(position.clone(), sizes);
        let ring = || {
            line(3..6).prop_map(|mut ring| {
                ring.push(ring[0].clone());
                ring
            })
        };
        let rings = || prop::collection::vec(ring(), 0..3);
        let single = |kind| move |line: Vec<Vec<f64>>| build(kind, has_height, &[vec![line]]);
        let several = |kind| move |lines| build(kind, has_height, &[lines]);
        prop_oneof![
            line(1..2).prop_map(single(ShapeKind::Point)),
            line(0..4).prop_map(single(ShapeKind::MultiPoint)),
            line(0..4).prop_map(single(ShapeKind::LineString)),
            prop::collection::vec(line(0..4), 0..3).prop_map(several(ShapeKind::MultiLineString)),
            rings().prop_map(several(ShapeKind::Polygon)),
            prop::collection::vec(rings(), 0..3).prop_map(move |polygons| build(
                ShapeKind::MultiPolygon,
                has_height,
                &polygons
            )),
        ]
    })
}

fn position(has_height: bool, heights: Heights) -> BoxedStrategy<Vec<f64>> {
    let height = match heights {
        Heights::Any => prop_oneof![3 => -10.0..3000.0, 1 => Just(f64::NAN)].boxed(),
        Heights::None | Heights::All => (-10.0..3000.0).boxed(),
    };
    let lon_lat = (-180.0..180.0, -90.0..90.0);
    (lon_lat, height)
        .prop_map(move |((longitude, latitude), height)| {
            [longitude, latitude].into_iter().chain(has_height.then_some(height)).collect()
        })
        .boxed()
}

/// A shape in the form that reading gives it: with heights only where at least one is known.
fn build(kind: ShapeKind, has_height: bool, polygons: &[Vec<Vec<Vec<f64>>>]) -> Shape {
    let mut positions = polygons.iter().flatten().flatten();
    let has_height = has_height && positions.any(|position| !position[2].is_nan());
    let mut shape = Shape { has_height, ..Shape::empty(kind) };
    for polygon in polygons {
        for line in polygon {
            let stride = shape.stride();
            shape.ordinates.extend(line.iter().flat_map(|position| &position[..stride]));
            if kind.nesting() > 1 {
                shape.line_ends.push(shape.positions());
            }
        }
        if kind == ShapeKind::MultiPolygon {
            shape.polygon_ends.push(shape.line_ends.len());
        }
    }
    shape
}
