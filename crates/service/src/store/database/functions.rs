//! SQL functions for geometries and texts.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{FromSqlError, ValueRef};

use super::values::to_geometry;
use crate::cql2::Pattern;
use geodesign_geometry::{Geometry, Outline, TimeIsOver};

/// Adds functions to a connection: `fold(text)` converts any script to lower case; `resembles(text, pattern)` is true if the text matches a
/// pattern of LIKE; and `meets(geometry, other)` is true if the two have a point in common. Geometries are GeoJSON; one that is null, has
/// no positions or cannot be read meets nothing. SQLite does not check the time while a function runs: slow functions ask `is_over`, and
/// end the statement as SQLite does.
pub fn add_functions(
    connection: &Connection,
    is_over: impl Fn() -> bool + Send + Sync + std::panic::RefUnwindSafe + 'static,
) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("fold", 1, flags, |context| {
        Ok(context.get::<Option<String>>(0)?.map(|text| text.to_lowercase()))
    })?;
    connection.create_scalar_function("resembles", 2, flags, |context| {
        let pattern: Arc<Pattern> =
            context.get_or_create_aux(1, |pattern| Ok::<_, FromSqlError>(Pattern::parse(pattern.as_str()?)))?;
        Ok(context.get::<Option<String>>(0)?.map(|text| pattern.matches(&text)))
    })?;
    connection.create_scalar_function("meets", 2, flags, move |context| {
        // The other one is the same for all rows of a query.
        let outline: Arc<Option<Outline>> = context.get_or_create_aux(1, |_| {
            let outline = geometry(context, 1).and_then(|geometry| Outline::of(&geometry));
            Ok::<_, rusqlite::Error>(outline)
        })?;
        let Some(outline) = outline.as_ref() else { return Ok(false) };
        let meets = geometry(context, 0).map_or(Ok(false), |geometry| outline.meets(&geometry, &is_over));
        meets.map_err(|TimeIsOver| interrupted())
    })
}

/// The error of a statement that SQLite ended early.
fn interrupted() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT), None)
}

fn geometry(context: &Context, argument: usize) -> Option<Geometry> {
    match context.get_raw(argument) {
        ValueRef::Text(text) => to_geometry(str::from_utf8(text).ok()?).ok().flatten(),
        _ => None,
    }
}
