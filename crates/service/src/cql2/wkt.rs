//! Well-known text as filters use it: positions of two numbers.

use super::words::Words;
use super::{FilterError, Result, rectangle};
use geodesign_geometry::{Crs, Geometry, Shape, ShapeKind};

/// Reads the geometry that a word such as `POLYGON` begins; `None` if the word begins none.
pub fn geometry(words: &mut Words, name: &str, crs: Crs) -> Result<Option<Geometry>> {
    let kind = match name.to_ascii_uppercase().as_str() {
        "BBOX" => return bbox(words, crs).map(Some),
        "GEOMETRYCOLLECTION" => return collection(words, crs).map(Some),
        "POINT" => ShapeKind::Point,
        "MULTIPOINT" => ShapeKind::MultiPoint,
        "LINESTRING" => ShapeKind::LineString,
        "MULTILINESTRING" => ShapeKind::MultiLineString,
        "POLYGON" => ShapeKind::Polygon,
        "MULTIPOLYGON" => ShapeKind::MultiPolygon,
        _ => return Ok(None),
    };
    let mut shape = Shape::empty(kind);
    match kind {
        ShapeKind::Point => {
            words.sign("(")?;
            position(words, &mut shape, crs)?;
            words.sign(")")?;
        }
        // Each position may be in parentheses.
        ShapeKind::MultiPoint => words.list(|words| {
            let is_enclosed = words.take_sign("(");
            position(words, &mut shape, crs)?;
            if is_enclosed { words.sign(")") } else { Ok(()) }
        })?,
        ShapeKind::LineString => line(words, &mut shape, crs)?,
        ShapeKind::MultiLineString | ShapeKind::Polygon => words.list(|words| ring(words, &mut shape, crs))?,
        ShapeKind::MultiPolygon => words.list(|words| {
            words.list(|words| ring(words, &mut shape, crs))?;
            shape.polygon_ends.push(shape.line_ends.len());
            Ok(())
        })?,
    }
    Ok(Some(Geometry::Shape(shape)))
}

fn position(words: &mut Words, shape: &mut Shape, crs: Crs) -> Result<()> {
    let position = [words.number()?, words.number()?];
    shape.ordinates.extend(crs.unproject(position));
    Ok(())
}

fn line(words: &mut Words, shape: &mut Shape, crs: Crs) -> Result<()> {
    words.list(|words| position(words, shape, crs))
}

fn ring(words: &mut Words, shape: &mut Shape, crs: Crs) -> Result<()> {
    line(words, shape, crs)?;
    shape.line_ends.push(shape.positions());
    Ok(())
}

fn collection(words: &mut Words, crs: Crs) -> Result<Geometry> {
    let mut members = Vec::new();
    words.list(|words| {
        let name = words.name("a geometry")?;
        let member = geometry(words, &name, crs)?;
        members.push(member.ok_or_else(|| FilterError::Geometry(format!("{name:?} is not a geometry type")))?);
        Ok(())
    })?;
    Ok(Geometry::Collection(members))
}

fn bbox(words: &mut Words, crs: Crs) -> Result<Geometry> {
    let mut numbers = Vec::new();
    words.list(|words| {
        numbers.push(words.number()?);
        Ok(())
    })?;
    match *numbers.as_slice() {
        [west, south, east, north] | [west, south, _, east, north, _] => Ok(rectangle(crs, [west, south, east, north])),
        _ => Err(FilterError::Geometry("a BBOX must have four numbers".to_owned())),
    }
}
