//! The parameters of requests for features.

use axum::extract::Query;
use axum::http::Uri;

use crate::cql2::{Filter, FilterError, Operand, date_or_timestamp, parse_json, parse_text, rectangle};
use crate::http::error::{ApiError, Result};
use crate::store::{Collection, ItemKey, ItemsQuery, Period};
use geodesign::model::Bounds;
use geodesign_geometry::{Crs, Geometry, Shape, ShapeKind};

/// Features per page, unless a request gives the number.
pub const DEFAULT_LIMIT: usize = 100;
/// At most this many features per page.
pub const MAX_LIMIT: usize = 10_000;

/// Reads the name-value pairs of a query.
pub fn pairs(uri: &Uri) -> Result<Vec<(String, String)>> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
    pairs.map(|Query(pairs)| pairs).map_err(|_| ApiError::invalid("the query cannot be read"))
}

/// Refuses an unknown parameter (OGC API – Features, Part 1, requirement 7), and `f` if it is given twice. For the features of a
/// collection, any other name may be a property, which is looked up there.
pub fn check_names(uri: &Uri) -> Result<()> {
    let segments: Vec<&str> = uri.path().trim_end_matches('/').rsplit('/').collect();
    let pairs = pairs(uri)?;
    if pairs.iter().filter(|(name, _)| name == "f").count() > 1 {
        return Err(invalid("f", "given more than once"));
    }
    let known: &[&str] = match segments.as_slice() {
        ["items", ..] => return Ok(()),
        [_, "items", ..] => &["f", "crs"],
        _ => &["f"],
    };
    match pairs.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, _)) => Err(invalid(name, &format!("unknown parameter; this path takes {}", known.join(" and ")))),
        None => Ok(()),
    }
}

/// Parameters of a request for the features of a collection.
pub struct Parameters {
    pub query: ItemsQuery,
    pub crs: Crs,
    /// The pairs that the next page's link repeats.
    pub kept: Vec<(String, String)>,
}

/// The reference systems of a project: those of the whole Earth, and its study area's UTM zone.
pub fn reference_systems(bounds: Option<Bounds>) -> Vec<Crs> {
    let mut systems = vec![Crs::Crs84, Crs::Epsg4326, Crs::WebMercator];
    systems.extend(
        bounds.map(|Bounds { west, south, east, north }| Crs::utm_of([(west + east) / 2.0, (south + north) / 2.0])),
    );
    systems
}

impl Parameters {
    /// Reads the query of a request for the features of a collection.
    pub fn read(uri: &Uri, collection: Collection, systems: &[Crs]) -> Result<Self> {
        let pairs = pairs(uri)?;
        let one = |name: &str| {
            let mut values = pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
            let first = values.next();
            if values.next().is_some() { Err(invalid(name, "given more than once")) } else { Ok(first) }
        };
        let reference_system = |name: &str| match one(name)? {
            None => Ok(Crs::Crs84),
            Some(text) => {
                let crs = Crs::parse(text).filter(|crs| systems.contains(crs));
                crs.ok_or_else(|| {
                    let known: Vec<String> = systems.iter().map(|crs| crs.uri()).collect();
                    invalid(name, &format!("{text} is unknown; choose from {}", known.join(", ")))
                })
            }
        };
        let whole = |name: &str| {
            one(name)?
                .map(|text| text.parse::<usize>().map_err(|_| invalid(name, "must be a whole number")))
                .transpose()
        };
        let limit = match whole("limit")? {
            Some(0) => return Err(invalid("limit", "must be 1 or more")),
            limit => limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT),
        };
        let after = one("after")?.map(|text| {
            ItemKey::decode(text, collection).ok_or_else(|| invalid("after", "not from a link of this collection"))
        });
        let bbox_crs = reference_system("bbox-crs")?;
        let filter_crs = reference_system("filter-crs")?;
        let read_filter = reader(one("filter-lang")?)?;
        let filter = one("filter")?.map(|text| read_filter(text, filter_crs)).transpose();
        let filter = filter.map_err(|error| invalid("filter", &error.to_string()))?;
        let query = ItemsQuery {
            limit,
            after: after.transpose()?,
            offset: whole("offset")?.unwrap_or_default(),
            bbox: one("bbox")?.map(|text| bbox(text, bbox_crs)).transpose()?,
            filter,
            // Any other name is a property, if the collection has one of that name.
            equal: pairs.iter().filter(|(name, _)| !NAMES.contains(&name.as_str())).cloned().collect(),
            period: one("datetime")?.map(period).transpose()?,
            id: None,
            counts: true,
        };
        let kept = pairs.iter().filter(|(name, _)| !["after", "offset"].contains(&name.as_str())).cloned().collect();
        Ok(Parameters { query, crs: reference_system("crs")?, kept })
    }
}

/// Names of parameters: a property with one of these names can be queried only by a filter.
pub const NAMES: [&str; 11] =
    ["f", "limit", "after", "offset", "bbox", "bbox-crs", "crs", "datetime", "filter", "filter-lang", "filter-crs"];

type ReadFilter = fn(&str, Crs) -> std::result::Result<Filter, FilterError>;

/// Returns the parser of a filter language.
fn reader(language: Option<&str>) -> Result<ReadFilter> {
    match language {
        None | Some("cql2-text" | "cql-text") => Ok(parse_text),
        Some("cql2-json") => Ok(parse_json),
        Some(other) => Err(invalid("filter-lang", &format!("must be cql2-text or cql2-json, not {other}"))),
    }
}

/// Reads four numbers, or six with heights. A rectangle in degrees whose west is greater than its east crosses the 180th meridian.
fn bbox(text: &str, crs: Crs) -> Result<Geometry> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
    let corners = match numbers.as_deref() {
        Some(&[x0, y0, x1, y1] | &[x0, y0, _, x1, y1, _]) => [x0, y0, x1, y1],
        _ => return Err(invalid("bbox", "must be four numbers, such as -74.3,40.4,-74.0,40.7")),
    };
    let [x0, y0, x1, y1] = corners;
    // The axis of the longitudes.
    let (east_west, south_north) = match crs {
        Crs::Epsg4326 => ([y0, y1], [x0, x1]),
        _ => ([x0, x1], [y0, y1]),
    };
    if south_north[0] > south_north[1] {
        return Err(invalid("bbox", "the south must not be greater than the north"));
    }
    if east_west[0] <= east_west[1] {
        return Ok(rectangle(crs, corners));
    }
    if !matches!(crs, Crs::Crs84 | Crs::Epsg4326) {
        return Err(invalid("bbox", "the west must not be greater than the east"));
    }
    let mut both = Shape::empty(ShapeKind::MultiPolygon);
    for [west, east] in [[east_west[0], 180.0], [-180.0, east_west[1]]] {
        if let Geometry::Shape(part) = rectangle(Crs::Crs84, [west, south_north[0], east, south_north[1]]) {
            both.ordinates.extend(part.ordinates);
            both.line_ends.push(both.ordinates.len() / 2);
            both.polygon_ends.push(both.line_ends.len());
        }
    }
    Ok(Geometry::Shape(both))
}

/// Reads a moment, or two separated by a slash; one of them may be `..` or empty.
fn period(text: &str) -> Result<Period> {
    let moment = |text: &str| match text {
        "" | ".." => Ok(None),
        text => match date_or_timestamp(text) {
            Ok(Operand::Date(time) | Operand::Timestamp(time)) => Ok(Some(time)),
            _ => Err(invalid(
                "datetime",
                &format!("{text:?} is not a date or a time such as 2037-10-01 or 2037-10-01T00:00:00Z"),
            )),
        },
    };
    let (start, end) = text.split_once('/').unwrap_or((text, text));
    let period = Period { start: moment(start)?, end: moment(end)? };
    match (&period.start, &period.end) {
        (None, None) => Err(invalid("datetime", "no time given; leave datetime out for features of any time")),
        (Some(start), Some(end)) if start > end => Err(invalid("datetime", "the start is after the end")),
        _ => Ok(period),
    }
}

fn invalid(name: &str, problem: &str) -> ApiError {
    ApiError::Invalid(format!("{name}: {problem}"))
}

/// The id of a collection: its project's id and its name.
pub fn collection_id(project: &str, collection: Collection) -> String {
    format!("{project}.{}", collection.name())
}
