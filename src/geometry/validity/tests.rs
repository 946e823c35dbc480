use proptest::prelude::*;
use serde::de::DeserializeSeed;

use super::InvalidGeometry::*;
use super::edge::LonLat;
use super::*;
use crate::geometry::{Geometry, GeometrySeed, Shape, ShapeKind};

fn checked(kind: &str, coordinates: &str) -> Result<(), InvalidGeometry> {
    checked_json(&format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#))
}

fn checked_json(json: &str) -> Result<(), InvalidGeometry> {
    let mut json = serde_json::Deserializer::from_str(json);
    check(&GeometrySeed.deserialize(&mut json).unwrap().unwrap())
}

fn component(part: usize, ring: Option<usize>) -> ComponentPath {
    ComponentPath { members: vec![], part: Some(part), ring }
}

fn crosses_itself(position: LonLat) -> Result<(), InvalidGeometry> {
    Err(CrossesItself { component: component(0, Some(0)), position })
}

#[test]
fn valid_shapes_of_every_kind_pass() {
    let shapes = [
        ("Point", "[5.1,52.1]"),
        ("MultiPoint", "[[5,52],[5,52]]"),
        ("LineString", "[[0,0],[0,0],[1,1]]"),
        ("LineString", "[[0,0],[2,2],[2,0],[0,2]]"),
        ("MultiLineString", "[[[0,0],[1,1]],[[0,1],[1,0],[0,1]]]"),
        ("Polygon", "[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]"),
        ("MultiPolygon", "[[[[0,0],[2,0],[0,2],[0,0]]],[[[1,0],[3,0],[1,2],[1,0]]]]"),
    ];
    shapes.iter().for_each(|(kind, coordinates)| assert_eq!(checked(kind, coordinates), Ok(()), "{coordinates}"));
}

#[test]
fn a_geometry_without_positions_is_reported_as_empty() {
    let whole = Err(Empty { component: ComponentPath::default() });
    for kind in ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"] {
        assert_eq!(checked(kind, "[]"), whole);
    }
    assert_eq!(checked("MultiPolygon", "[[],[[]]]"), whole);
    assert_eq!(checked_json(r#"{"type":"GeometryCollection","geometries":[]}"#), whole);
}

#[test]
fn a_part_without_positions_is_reported_as_empty_even_beside_parts_that_have_some() {
    let line = checked("MultiLineString", "[[[0,0],[1,1]],[]]");
    assert_eq!(line, Err(Empty { component: component(1, None) }));
    let polygon = checked("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[]]");
    assert_eq!(polygon, Err(Empty { component: component(1, None) }));
    let ring = checked("Polygon", "[[[0,0],[1,0],[1,1],[0,0]],[]]");
    assert_eq!(ring, Err(Empty { component: component(0, Some(1)) }));
}

#[test]
fn a_missing_or_infinite_height_is_reported_as_not_finite() {
    let missing = checked("LineString", "[[1,2,3],[4,5]]");
    assert_eq!(missing, Err(NotFinite { component: component(0, None), index: 1, position: [4.0, 5.0] }));
    let infinite =
        Shape { has_height: true, ordinates: vec![1.0, 2.0, f64::INFINITY], ..Shape::empty(ShapeKind::Point) };
    let infinite = check(&Geometry::Shape(infinite));
    assert_eq!(infinite, Err(NotFinite { component: component(0, None), index: 0, position: [1.0, 2.0] }));
}

#[test]
fn a_longitude_or_latitude_that_is_nan_is_reported_as_not_finite() {
    for ordinates in [[f64::NAN, 2.0], [1.0, f64::NAN]] {
        let point = Shape { ordinates: ordinates.to_vec(), ..Shape::empty(ShapeKind::Point) };
        assert!(matches!(check(&Geometry::Shape(point)), Err(NotFinite { index: 0, .. })));
    }
}

#[test]
fn metres_and_swapped_coordinates_are_out_of_range() {
    let metres = checked("MultiPoint", "[[5,52],[155000,463000]]");
    assert_eq!(metres, Err(OutOfRange { component: component(1, None), index: 0, position: [155_000.0, 463_000.0] }));
    let swapped = checked("LineString", "[[5,52],[52,151]]");
    assert_eq!(swapped, Err(OutOfRange { component: component(0, None), index: 1, position: [52.0, 151.0] }));
    assert!(matches!(checked("Point", "[-180.000001,0]"), Err(OutOfRange { .. })));
}

#[test]
fn lines_whose_positions_are_all_equal_are_too_short() {
    let short = Err(TooShort { component: component(0, None), position: [1.0, 2.0] });
    for line in ["[[1,2]]", "[[1,2],[1,2],[1,2]]", "[[1,2,0],[1,2,9]]"] {
        assert_eq!(checked("LineString", line), short);
    }
}

#[test]
fn rings_of_fewer_than_three_different_positions_are_too_short() {
    let short = Err(TooShort { component: component(0, Some(0)), position: [0.0, 0.0] });
    for ring in ["[[0,0]]", "[[0,0],[1,0],[0,0]]", "[[0,0],[1,0],[1,0],[0,0]]", "[[0,0],[0,0],[0,0],[0,0]]"] {
        assert_eq!(checked("Polygon", &format!("[{ring}]")), short);
    }
}

#[test]
fn a_ring_must_end_where_it_starts_height_included() {
    let open = checked("Polygon", "[[[0,0],[1,0],[1,1]]]");
    assert_eq!(open, Err(Unclosed { component: component(0, Some(0)), position: [0.0, 0.0], last: [1.0, 1.0] }));
    let closed = "[[0,0,7],[1,0,8],[1,1,9],[0,0,7]]";
    assert_eq!(checked("Polygon", &format!("[{closed}]")), Ok(()));
    let step = "[[0,0,7],[1,0,8],[1,1,9],[0,0,6]]";
    let step = checked("MultiPolygon", &format!("[[{closed}],[{closed},{step}]]"));
    assert_eq!(step, Err(Unclosed { component: component(1, Some(1)), position: [0.0, 0.0], last: [0.0, 0.0] }));
}

#[test]
fn repeated_positions_are_allowed_anywhere_in_a_ring() {
    for ring in [
        "[[0,0],[0,0],[2,0],[2,2],[2,2],[2,2],[0,0]]",
        "[[0,0],[2,0],[2,2],[0,0],[0,0],[0,0]]",
        "[[0,0,1],[2,0,1],[2,0,5],[2,2,1],[0,0,1]]",
        "[[0,0],[2,0],[2,2],[-0.0,-0.0],[0,0]]",
    ] {
        assert_eq!(checked("Polygon", &format!("[{ring}]")), Ok(()), "{ring}");
    }
}

#[test]
fn a_bow_tie_crosses_itself_in_the_middle() {
    assert_eq!(checked("Polygon", "[[[0,0],[2,2],[2,0],[0,2],[0,0]]]"), crosses_itself([1.0, 1.0]));
}

#[test]
fn a_figure_eight_with_a_corner_at_the_crossing_touches_itself() {
    let twice = "[[[0,0],[1,1],[2,0],[2,2],[1,1],[0,2],[0,0]]]";
    assert_eq!(checked("Polygon", twice), crosses_itself([1.0, 1.0]));
    let once = "[[[0,0],[1,1],[2,0],[2,2],[0,2],[0.5,1],[1,1],[0,0]]]";
    assert!(matches!(checked("Polygon", once), Err(CrossesItself { .. })));
}

#[test]
fn a_corner_that_lies_on_another_edge_is_reported() {
    for ring in ["[[0,0],[4,0],[4,4],[2,0],[0,4],[0,0]]", "[[0,0],[2,2],[4,0],[4,2],[0,2],[0,0]]"] {
        assert!(matches!(checked("Polygon", &format!("[{ring}]")), Err(CrossesItself { .. })), "{ring}");
    }
}

#[test]
fn spikes_and_rings_without_area_are_rejected() {
    assert_eq!(checked("Polygon", "[[[0,0],[2,0],[2,2],[2,0],[0,2],[0,0]]]"), crosses_itself([2.0, 2.0]));
    assert_eq!(checked("Polygon", "[[[0,0],[9,0],[2,0],[2,2],[0,0]]]"), crosses_itself([9.0, 0.0]));
    assert!(matches!(checked("Polygon", "[[[0,0],[1,1],[2,2],[0,0]]]"), Err(CrossesItself { .. })));
}

/// In doubles, 0.1 + 0.2 is not 0.3: it is the next number above.
#[test]
fn the_thinnest_possible_triangle_is_a_valid_ring() {
    let ring = |top: f64| checked("Polygon", &format!("[[[0,0],[0.1,0.1],[0.3,{top}],[0,0]]]"));
    assert_eq!(ring(0.1 + 0.2), Ok(()));
    assert!(matches!(ring(0.3), Err(CrossesItself { .. })));
}

#[test]
fn rings_of_a_polygon_may_touch_but_not_cross() {
    let with_hole = |hole: &str| checked("Polygon", &format!("[[[0,0],[4,0],[4,4],[0,4],[0,0]],{hole}]"));
    assert_eq!(with_hole("[[1,1],[2,1],[1,2],[1,1]]"), Ok(()));
    assert_eq!(with_hole("[[0,0],[2,1],[1,2],[0,0]]"), Ok(()));
    assert_eq!(with_hole("[[0,2],[2,1],[1,2],[0,2]]"), Ok(()));
    assert_eq!(with_hole("[[1,1],[2,1],[1,2],[1,1]],[[2,1],[3,1],[3,0.5],[2,1]]"), Ok(()));
    let crossing = with_hole("[[1,1],[2,1],[1,2],[1,1]],[[2,2],[3,1],[3,5],[2,2]]");
    let Err(RingsCross { component: path, other: 0, position: [lon, 4.0] }) = crossing else { panic!("{crossing:?}") };
    assert!(path == component(0, Some(2)) && [3.0, 2.0 + 2.0 / 3.0].contains(&lon));
}

#[test]
fn two_rings_along_one_line_do_not_hide_a_crossing_further_on() {
    let along = "[[0,0],[9,0],[9,9],[0,9],[0,0]],[[2,0],[4,0],[3,2],[2,0]]";
    assert_eq!(checked("Polygon", &format!("[{along}]")), Ok(()));
    let crossing = checked("Polygon", &format!("[{along},[[6,1],[7,-1],[8,1],[6,1]]]"));
    assert_eq!(crossing, Err(RingsCross { component: component(0, Some(2)), other: 0, position: [6.5, 0.0] }));
}

#[test]
fn holes_must_not_be_larger_than_their_exterior() {
    let with_hole = |hole: &str| checked("Polygon", &format!("[[[0,0],[4,0],[4,4],[0,4],[0,0]],{hole}]"));
    assert_eq!(with_hole("[[0,0],[4,0],[4,4],[0,4],[0,0]]"), Ok(()));
    let too_large = Err(HolesTooLarge { component: component(0, None) });
    assert_eq!(with_hole("[[-1,-1],[5,-1],[5,5],[-1,5],[-1,-1]]"), too_large);
    assert_eq!(
        with_hole("[[10,10],[10,15],[15,15],[10,10]],[[1,1],[2,1],[1,3],[1,1]],[[20,0],[24,0],[24,4],[20,0]]"),
        too_large
    );
}

#[test]
fn the_message_names_the_fault_the_component_and_a_repair() {
    let ring = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
    let point = r#"{"type":"Point","coordinates":[5,52]}"#;
    let inner = format!(r#"{{"type":"GeometryCollection","geometries":[{ring}]}}"#);
    let outer = format!(r#"{{"type":"GeometryCollection","geometries":[{point},{inner}]}}"#);
    let message = checked_json(&outer).unwrap_err().to_string();
    let beginning = "member 1, member 0, part 0, ring 0 crosses or touches itself at [1.0, 1.0]; ";
    assert!(message.starts_with(beginning) && message.contains("ST_MakeValid"), "{message}");
    let message = checked("Point", "[]").unwrap_err().to_string();
    assert!(message.starts_with("the geometry has no positions"), "{message}");
}

/// The bounding boxes of all edges of the teeth overlap, which is the worst case for checks that compare bounding boxes.
#[test]
fn a_slanted_comb_of_long_teeth_passes() {
    let teeth = 20_000;
    let tooth = |index: i32| [f64::from(index % 2), f64::from(index % 2) + f64::from(index) * 1e-5];
    let mut shape = Shape::empty(ShapeKind::Polygon);
    shape.ordinates.extend((0..teeth).flat_map(tooth));
    shape.ordinates.extend([2.0, 3.0, 2.0, -1.0, -1.0, -1.0, 0.0, 0.0]);
    shape.line_ends.push(shape.positions());
    assert_eq!(check(&Geometry::Shape(shape)), Ok(()));
}

type Corners = Vec<(i64, i64)>;

/// Integers so small that most rings touch, overlap or repeat positions.
fn corners(grid: i64, count: std::ops::Range<usize>) -> impl Strategy<Value = Corners> {
    prop::collection::vec((0..=grid, 0..=grid), count)
}

fn polygon(rings: &[Corners]) -> Geometry {
    let mut shape = Shape::empty(ShapeKind::Polygon);
    for ring in rings {
        let closed = ring.iter().chain(&ring[..1]);
        shape.ordinates.extend(closed.flat_map(|(x, y)| [*x as f64, *y as f64]));
        shape.line_ends.push(shape.positions());
    }
    Geometry::Shape(shape)
}

/// The same rules, checked for every pair of edges: the name of the fault and its ring.
fn fault(rings: &[Corners]) -> Option<(&'static str, usize)> {
    let edges: Vec<_> = rings.iter().map(ring_edges).collect();
    for (ring, edges) in edges.iter().enumerate() {
        if edges.len() < 3 {
            return Some(("short", ring));
        }
        for (first, a) in edges.iter().enumerate() {
            for (second, b) in edges.iter().enumerate().skip(first + 1) {
                let follows = |from: usize, to: usize| (from + 1) % edges.len() == to;
                let simple = match (follows(first, second), follows(second, first)) {
                    (true, _) => !turns_back(a, b),
                    (_, true) => !turns_back(b, a),
                    _ => !meets(a, b),
                };
                if !simple {
                    return Some(("itself", ring));
                }
            }
        }
    }
    // No two edges of one simple ring cross, so any crossing is between two rings.
    let all = edges.concat();
    let crossed = all.iter().any(|a| all.iter().any(|b| crosses(a, b)));
    let area = |edges: &Vec<Side>| edges.iter().map(|[a, b]| a.0 * b.1 - b.0 * a.1).sum::<i64>().abs();
    let holes = edges[1..].iter().map(area).sum::<i64>();
    match crossed {
        true => Some(("rings", 0)),
        false => (holes > area(&edges[0])).then_some(("holes", 0)),
    }
}

type Side = [(i64, i64); 2];

fn ring_edges(ring: &Corners) -> Vec<Side> {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(from, to)| [*from, *to]).filter(|[from, to]| from != to).collect()
}

fn orientation([a, b]: &Side, c: (i64, i64)) -> i64 {
    ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum()
}

fn turns_back(a: &Side, b: &Side) -> bool {
    let [(ax, ay), (bx, by)] = [a, b].map(|[from, to]| (to.0 - from.0, to.1 - from.1));
    ax * by == ay * bx && ax * bx + ay * by < 0
}

fn meets(a: &Side, b: &Side) -> bool {
    let apart = |axis: fn(&(i64, i64)) -> i64| {
        let [a, b] = [a, b].map(|side| side.each_ref().map(axis));
        a[0].max(a[1]) < b[0].min(b[1]) || b[0].max(b[1]) < a[0].min(a[1])
    };
    let on_one_side = |a: &Side, b: &Side| orientation(a, b[0]) * orientation(a, b[1]) > 0;
    !(apart(|end| end.0) || apart(|end| end.1) || on_one_side(a, b) || on_one_side(b, a))
}

fn crosses(a: &Side, b: &Side) -> bool {
    let separates = |a: &Side, b: &Side| orientation(a, b[0]) * orientation(a, b[1]) < 0;
    separates(a, b) && separates(b, a)
}

fn verdict(rings: &[Corners]) -> Option<(&'static str, usize)> {
    match check(&polygon(rings)) {
        Ok(()) => None,
        Err(TooShort { component, .. }) => Some(("short", component.ring?)),
        Err(CrossesItself { component, .. }) => Some(("itself", component.ring?)),
        Err(RingsCross { .. }) => Some(("rings", 0)),
        Err(HolesTooLarge { .. }) => Some(("holes", 0)),
        Err(other) => panic!("{other}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_sweep_finds_the_faults_of_a_ring_that_comparing_all_pairs_of_edges_finds(ring in corners(6, 1..10)) {
        prop_assert_eq!(verdict(std::slice::from_ref(&ring)), fault(&[ring]));
    }

    #[test]
    fn the_sweep_finds_the_faults_between_rings_that_comparing_all_pairs_of_edges_finds(
        rings in prop::collection::vec(corners(8, 3..6), 2..5),
    ) {
        prop_assert_eq!(verdict(&rings), fault(&rings));
    }
}
