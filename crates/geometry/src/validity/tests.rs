use serde::de::DeserializeSeed;

use super::InvalidGeometry::*;
use super::sweep::LonLat;
use super::*;
use crate::{Geometry, GeometrySeed, Shape, ShapeKind};

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
        ("Polygon", "[[[-180,-90],[0,-90],[0,90],[-180,90],[-180,-90]]]"),
        ("MultiPolygon", "[[[[0,0],[2,0],[0,2],[0,0]]],[[[2,0],[3,0],[2,2],[2,0]]]]"),
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

fn with_holes(holes: &str) -> Result<(), InvalidGeometry> {
    checked("Polygon", &format!("[[[0,0],[4,0],[4,4],[0,4],[0,0]],{holes}]"))
}

#[test]
fn rings_of_a_polygon_may_touch_at_a_position_but_not_cross() {
    assert_eq!(with_holes("[[1,1],[2,1],[1,2],[1,1]]"), Ok(()));
    assert_eq!(with_holes("[[0,0],[2,1],[1,2],[0,0]]"), Ok(()));
    assert_eq!(with_holes("[[0,2],[2,1],[1,2],[0,2]]"), Ok(()));
    assert_eq!(with_holes("[[1,1],[2,1],[1,2],[1,1]],[[2,1],[3,1],[3,0.5],[2,1]]"), Ok(()));
    let crossing = with_holes("[[1,1],[2,1],[1,2],[1,1]],[[2,2],[3,1],[3,5],[2,2]]");
    let Err(RingsCross { component: path, other: 0, position: [lon, 4.0] }) = crossing else { panic!("{crossing:?}") };
    assert!(path == component(0, Some(2)) && [3.0, 2.0 + 2.0 / 3.0].contains(&lon));
}

#[test]
fn a_hole_must_not_share_an_edge_with_another_ring_or_repeat_it() {
    let shared = |ring, other, position| Err(RingsShareEdge { component: component(0, Some(ring)), other, position });
    assert_eq!(with_holes("[[2,0],[3,0],[3,1],[2,0]]"), shared(1, 0, [2.0, 0.0]));
    assert_eq!(with_holes("[[0,0],[4,0],[4,4],[0,4],[0,0]]"), shared(1, 0, [0.0, 0.0]));
    let beside = "[[1,1],[2,1],[2,3],[1,3],[1,1]],[[2,2],[3,2],[3,3],[2,3],[2,2]]";
    assert_eq!(with_holes(beside), shared(2, 1, [2.0, 2.0]));
}

#[test]
fn a_hole_must_lie_inside_the_exterior() {
    let outside = |position| Err(HoleOutside { component: component(0, Some(1)), position });
    assert_eq!(with_holes("[[10,10],[11,10],[10,11],[10,10]]"), outside([10.0, 10.0]));
    assert_eq!(with_holes("[[-1,-1],[5,-1],[5,5],[-1,5],[-1,-1]]"), outside([-1.0, -1.0]));
    // It touches the exterior from outside; and it leaves the exterior through a corner, where no edges cross.
    assert_eq!(with_holes("[[4,1],[5,1],[5,2],[4,1]]"), outside([4.0, 1.0]));
    assert_eq!(with_holes("[[3,3],[4,4],[5,5],[3,4],[3,3]]").map_err(|fault| fault.component().ring), Err(Some(1)));
}

#[test]
fn a_hole_must_not_lie_inside_another_hole() {
    let outer = "[[1,1],[3,1],[3,3],[1,3],[1,1]]";
    let inner = "[[1.5,1.5],[2,1.5],[1.5,2],[1.5,1.5]]";
    let nested = |ring, other| Err(HoleInHole { component: component(0, Some(ring)), other, position: [1.5, 1.5] });
    assert_eq!(with_holes(&format!("{outer},{inner}")), nested(2, 1));
    assert_eq!(with_holes(&format!("{inner},{outer}")), nested(1, 2));
}

#[test]
fn touching_rings_must_not_divide_the_interior() {
    let divided = |ring, position| Err(InteriorDivided { component: component(0, Some(ring)), position });
    assert_eq!(with_holes("[[0,2],[2,1],[4,2],[2,3],[0,2]]"), divided(1, [4.0, 2.0]));
    let chain = "[[1,1],[2,1],[1,2],[1,1]],[[2,1],[3,1],[3,2],[2,1]],[[1,2],[3,2],[2,3],[1,2]]";
    assert_eq!(with_holes(chain), divided(3, [3.0, 2.0]));
    let at_one_position = "[[2,2],[1,1],[2,1],[2,2]],[[2,2],[3,1],[3,2],[2,2]],[[2,2],[2,3],[1,3],[2,2]]";
    assert_eq!(with_holes(at_one_position), Ok(()));
}

fn parts(polygons: &[&str]) -> Result<(), InvalidGeometry> {
    checked("MultiPolygon", &format!("[{}]", polygons.join(",")))
}

#[test]
fn parts_of_a_multi_polygon_must_not_overlap_repeat_or_contain_each_other() {
    let large = "[[[0,0],[4,0],[4,4],[0,4],[0,0]]]";
    let overlap = |position| Err(PartsOverlap { component: component(1, None), other: 0, position });
    assert_eq!(parts(&[large, large]), overlap([0.0, 0.0]));
    assert_eq!(parts(&[large, "[[[1,1],[2,1],[1,2],[1,1]]]"]), overlap([1.0, 1.0]));
    assert_eq!(parts(&["[[[1,1],[2,1],[1,2],[1,1]]]", large]), overlap([1.0, 1.0]));
    assert_eq!(parts(&[large, "[[[3,1],[6,1],[6,2],[3,1]]]"]), overlap([3.0, 1.0]));
    assert_eq!(parts(&[large, "[[[2,-1],[3,5],[3,-1],[2,-1]]]"]).map_err(|fault| fault.component().part), Err(Some(1)));
    assert_eq!(parts(&[large, "[[[0,0],[4,0],[4,1],[0,0]]]"]), overlap([0.0, 0.0]));
}

#[test]
fn parts_of_a_multi_polygon_may_touch_at_a_position_but_not_share_an_edge() {
    let square = "[[[0,0],[4,0],[4,4],[0,4],[0,0]]]";
    assert_eq!(parts(&[square, "[[[4,4],[5,4],[5,5],[4,4]]]"]), Ok(()));
    assert_eq!(parts(&[square, "[[[4,1],[5,0],[5,2],[4,1]]]", "[[[4,3],[5,2],[5,3],[4,3]]]"]), Ok(()));
    let shared = Err(PartsShareEdge { component: component(2, None), other: 0, position: [4.0, 1.0] });
    assert_eq!(parts(&[square, "[[[9,9],[10,9],[9,10],[9,9]]]", "[[[4,1],[5,1],[4,2],[4,1]]]"]), shared);
}

#[test]
fn a_part_may_lie_in_a_hole_of_another() {
    let with_lake = "[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[1,8],[8,8],[8,1],[1,1]]]";
    assert_eq!(parts(&[with_lake, "[[[2,2],[3,2],[2,3],[2,2]]]"]), Ok(()));
    assert_eq!(parts(&["[[[1,1],[8,4],[4,5],[1,1]]]", with_lake]), Ok(()));
    let filled = parts(&[with_lake, "[[[1,1],[1,8],[8,8],[8,1],[1,1]]]"]);
    assert_eq!(filled, Err(PartsShareEdge { component: component(1, None), other: 0, position: [1.0, 1.0] }));
}

#[test]
fn a_polygon_around_the_whole_earth_or_of_all_longitudes_is_rejected() {
    let around = |position| Err(AroundTheEarth { component: component(0, Some(0)), position });
    let earth = checked("Polygon", "[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]");
    assert_eq!(earth, around([180.0, -90.0]));
    let band = checked("Polygon", "[[[-180,10],[180,10],[180,20],[-180,20],[-180,10]]]");
    assert_eq!(band, around([180.0, 10.0]));
    let corners_between = "[[[-180,10],[-60,10],[60,10],[180,10],[180,20],[60,20],[-60,20],[-180,20],[-180,10]]]";
    assert_eq!(checked("Polygon", corners_between), around([180.0, 10.0]));
    let cap = checked("Polygon", "[[[-180,-90],[180,-90],[180,-60],[-180,-60],[-180,-90]]]");
    assert_eq!(cap, around([180.0, -60.0]));
}

#[test]
fn a_polygon_around_one_pole_in_short_edges_is_valid() {
    let cap = "[[[-180,-90],[180,-90],[180,-60],[60,-60],[-60,-60],[-180,-60],[-180,-90]]]";
    assert_eq!(checked("Polygon", cap), Ok(()));
}

#[test]
fn an_edge_across_the_antimeridian_is_to_be_cut_there() {
    let across = |position| Err(AcrossAntimeridian { component: component(0, Some(0)), position });
    let ring = "[[[179,-1],[-179,-1],[-179,1],[179,1],[179,-1]]]";
    assert_eq!(checked("Polygon", ring), across([179.0, -1.0]));
    let wide = "[[[-100,0],[100,0],[100,10],[-100,10],[-100,0]]]";
    assert_eq!(checked("Polygon", wide), across([-100.0, 0.0]));
    let cut = "[[[[179,-1],[180,-1],[180,1],[179,1],[179,-1]]],[[[-180,-1],[-179,-1],[-179,1],[-180,1],[-180,-1]]]]";
    assert_eq!(checked("MultiPolygon", cut), Ok(()));
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
    let message = with_holes("[[9,9],[10,9],[9,10],[9,9]]").unwrap_err().to_string();
    assert!(
        message.starts_with("part 0, ring 1 is a hole that lies outside the exterior, ring 0, at [9.0, 9.0]; put ")
    );
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

/// Many parts do not slow the check down, even if all their bounding boxes overlap.
#[test]
fn many_slanted_parts_side_by_side_pass() {
    let mut shape = Shape::empty(ShapeKind::MultiPolygon);
    for part in 0..10_000 {
        let south = f64::from(part) * 1e-3;
        shape
            .ordinates
            .extend([0.0, south, 60.0, south + 60.0, 60.0, south + 60.0005, 0.0, south].map(|degrees| degrees / 2.0));
        shape.line_ends.push(shape.positions());
        shape.polygon_ends.push(shape.line_ends.len());
    }
    assert_eq!(check(&Geometry::Shape(shape)), Ok(()));
}

/// Many rings touch at one position, and each one changes the neighbours of the others.
#[test]
fn many_parts_that_touch_at_one_position_pass() {
    let mut shape = Shape::empty(ShapeKind::MultiPolygon);
    for part in 0..20_000 {
        let north = f64::from(part) * 1e-3;
        shape.ordinates.extend([0.0, 0.0, 10.0, north, 10.0, north + 0.0005, 0.0, 0.0]);
        shape.line_ends.push(shape.positions());
        shape.polygon_ends.push(shape.line_ends.len());
    }
    assert_eq!(check(&Geometry::Shape(shape)), Ok(()));
}
