//! Filters in the Common Query Language (OGC 21-065, CQL2), as text or as JSON: comparisons, logic, LIKE, BETWEEN, IN, IS NULL, dates,
//! and `S_INTERSECTS`.

mod json;
mod pattern;
mod text;
mod wkt;
mod words;

use geodesign_geometry::{Crs, Geometry};

pub use json::parse_json;
pub use pattern::Pattern;
pub use text::parse_text;

/// A condition on features.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Compare {
        left: Operand,
        how: Comparison,
        right: Operand,
    },
    Between {
        value: Operand,
        low: Operand,
        high: Operand,
    },
    In {
        value: Operand,
        list: Vec<Operand>,
    },
    /// The pattern is the text of a [`Pattern`].
    Like {
        value: Operand,
        pattern: String,
    },
    IsNull(Operand),
    /// The geometry of this name has a point in common with another one, which is in WGS 84.
    Intersects {
        property: String,
        geometry: Geometry,
    },
    /// A value or a property that is true or false by itself.
    Is(Operand),
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Property(String),
    Text(String),
    Number(f64),
    Boolean(bool),
    /// A day in ISO 8601, such as `2037-10-01`.
    Date(String),
    /// A moment in UTC in ISO 8601 without a zone, such as `2026-03-02T11:48:51`.
    Timestamp(String),
    /// Another operand's text, ignoring case. The other is not itself case-folded.
    CaseFolded(Box<Operand>),
}

impl Operand {
    /// Ignores the case of the operand's text. A second call changes nothing.
    fn case_folded(self) -> Self {
        match self {
            folded @ Operand::CaseFolded(_) => folded,
            other => Operand::CaseFolded(Box::new(other)),
        }
    }
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
}

/// Reasons why a filter is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    #[error("the filter is longer than {MAX_BYTES} bytes")]
    TooLong,
    #[error("the filter is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("the filter ends where {expected} is expected")]
    Ended { expected: &'static str },
    #[error("{found:?} at character {position} of the filter, where {expected} is expected")]
    Unexpected { found: String, position: usize, expected: &'static str },
    #[error("the filter is not JSON: {0}")]
    Json(String),
    #[error("{0:?} is not an operator of this service; {OPERATORS}")]
    Operator(String),
    #[error("{0} in the filter: {1}")]
    Argument(String, &'static str),
    #[error("{0:?} is not a date or a time such as 2037-10-01 or 2026-03-02T11:48:51Z")]
    Time(String),
    #[error("a geometry in the filter: {0}")]
    Geometry(String),
}

const OPERATORS: &str =
    "the operators are and, or, not, =, <>, <, <=, >, >=, like, between, in, isNull, casei, s_intersects";

/// Maximum bytes of a filter.
pub const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 50;

type Result<T> = std::result::Result<T, FilterError>;

impl Comparison {
    /// Returns the comparison of a CQL2 operator.
    fn of(sign: &str) -> Option<Self> {
        Some(match sign {
            "=" => Comparison::Equal,
            "<>" => Comparison::NotEqual,
            "<" => Comparison::Less,
            ">" => Comparison::Greater,
            "<=" => Comparison::LessOrEqual,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    /// Returns the operator, which is the same in CQL2 and SQL.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::LessOrEqual => "<=",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

/// Reads a day, such as `2037-10-01`.
pub fn date(text: &str) -> Result<Operand> {
    let date: jiff::civil::Date = text.parse().map_err(|_| FilterError::Time(text.to_owned()))?;
    if text.len() > 10 { Err(FilterError::Time(text.to_owned())) } else { Ok(Operand::Date(date.to_string())) }
}

/// Reads a moment, such as `2026-03-02T11:48:51Z`. Without a zone it is in UTC.
pub fn timestamp(text: &str) -> Result<Operand> {
    let moment = match text.parse::<jiff::Timestamp>() {
        Ok(moment) => Ok(moment.to_zoned(jiff::tz::TimeZone::UTC).datetime()),
        Err(_) => text.parse::<jiff::civil::DateTime>(),
    };
    let moment = moment.map_err(|_| FilterError::Time(text.to_owned()))?;
    Ok(Operand::Timestamp(moment.to_string()))
}

/// Reads a day or a moment.
pub fn date_or_timestamp(text: &str) -> Result<Operand> {
    // GDAL writes a day as `2037-10-01T`.
    date(text.strip_suffix('T').unwrap_or(text)).or_else(|_| timestamp(text))
}

/// Returns a rectangle between two corners in a reference system as a polygon in WGS 84. Where straight lines differ between the two
/// systems, its sides have many points.
pub fn rectangle(crs: Crs, [x0, y0, x1, y1]: [f64; 4]) -> Geometry {
    use geodesign_geometry::{Shape, ShapeKind};

    let steps = if matches!(crs, Crs::Crs84 | Crs::Epsg4326) { 1 } else { 32 };
    let corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]];
    let mut ordinates = Vec::new();
    for ends in corners.windows(2) {
        for step in 0..steps {
            let share = f64::from(step) / f64::from(steps);
            let at = |axis: usize| ends[0][axis] + (ends[1][axis] - ends[0][axis]) * share;
            ordinates.extend(crs.unproject([at(0), at(1)]));
        }
    }
    ordinates.extend(crs.unproject(corners[0]));
    let line_ends = vec![ordinates.len() / 2];
    Geometry::Shape(Shape { ordinates, line_ends, ..Shape::empty(ShapeKind::Polygon) })
}
