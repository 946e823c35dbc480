//! Functions of the module, for the Python code of the package.

use std::borrow::Cow;
use std::collections::HashMap;

use http::{HeaderMap, Method};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio::time::timeout;

use super::project::{AsyncProject, CARD_TIMEOUT, Project};
use super::sandbox;
use crate::convert::arguments::LocalPath;
use crate::convert::errors::{Result, import_extras, input_error};
use crate::convert::geometries::{Encoded, UnfitGeometry, feature_collection};
use crate::engine::interrupts::compute;
use crate::engine::runtime;
use geodesign::model::operations::{ACCOUNT, Endpoint};
use geodesign::model::{EVALUATION_CLASSES, MAX_ROUNDING, evaluation_color};
use geodesign_client as client;
use geodesign_client::Forwarded;
use geodesign_common::csv;
use geodesign_common::parallel::{limit_processors, map_chunks};
use geodesign_common::regular_file::decode_text;
use geodesign_common::whole_files::{Readers, write_whole};
use geodesign_geometry::{
    Crs, GeojsonFeature, GeojsonFileLimits, Measure, around_the_earth, crs_name, read_geojson, write_wkb_as_is,
};
use geodesign_service::web_file;

/// The last part of the API root; the OGC API is next to it.
const API: &str = "api/v1/";
/// Steps for projecting the edges of bounds: a meridian or parallel is a curve in most reference systems.
const EDGE_STEPS: u32 = 8;

/// The project in an archive.
#[pyfunction]
pub fn _open(py: Python<'_>, path: LocalPath) -> Result<Project> {
    let LocalPath(path) = path;
    Ok(Project::from(py.detach(|| client::Project::open_archive(&path))?))
}

/// The project in an archive that this process has just written, without verifying the complete file.
#[pyfunction]
pub fn _open_own(py: Python<'_>, path: LocalPath) -> Result<Project> {
    let LocalPath(path) = path;
    Ok(Project::from(py.detach(|| client::Project::open_own_archive(&path))?))
}

/// The same project for asyncio.
#[pyfunction]
pub fn _awaited(project: &Project) -> PyResult<AsyncProject> {
    Ok(AsyncProject::from(project.handle()?))
}

/// Sends a map's request from a notebook about a project. Returns the status, the ETag, the number of items in the complete list, and
/// the body.
#[pyfunction]
pub fn _forward(
    py: Python<'_>,
    project: &Project,
    method: &str,
    path: &str,
    body: Option<Vec<u8>>,
    headers: Vec<(String, String)>,
) -> PyResult<Py<PyAny>> {
    let project = project.handle()?;
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query.to_owned())));
    let own = format!("projects/{}/", project.id());
    // An address may percent-encode the dots of a parent folder.
    let leads_up = path.contains("..") || path.to_ascii_lowercase().contains("%2e");
    if !(path.starts_with(&own) || path == ACCOUNT.path) || leads_up {
        return Err(input_error(format!("a map of project {} cannot request {path:?}", project.id())));
    }
    let method =
        Method::from_bytes(method.as_bytes()).map_err(|_| input_error(format!("{method:?} is not an HTTP method")))?;
    let endpoint = Endpoint { query, ..Endpoint::at_path(method, path) };
    let header = |(name, value): (String, String)| Some((name.parse().ok()?, value.parse().ok()?));
    let headers = headers.into_iter().filter_map(header).collect();
    runtime::wait(
        py,
        runtime::request(async move {
            let Forwarded { status, etag, total, content } =
                project.client().forward(endpoint, body.map(Into::into), headers).await?;
            Ok((status.as_u16(), etag, total, content.to_vec()))
        }),
    )
}

/// The root of the OGC API of a project's service, without a slash at the end, and its JSON at a path below.
#[pyfunction]
pub fn _ogc(py: Python<'_>, project: &Project, path: &str) -> PyResult<Py<PyAny>> {
    let project = project.handle()?;
    let root = format!("{}ogc", project.client().root().trim_end_matches(API));
    let endpoint = Endpoint::at_path(Method::GET, format!("../../ogc{path}")).with_query("f=json".to_owned());
    runtime::wait(
        py,
        runtime::request(async move {
            let found = project.client().forward(endpoint, None, HeaderMap::new()).await?;
            Ok((root, found.content.to_vec()))
        }),
    )
}

/// West, south, east and north in degrees as the least and greatest coordinates in a reference system, along the complete edge.
#[pyfunction]
pub fn _projected_bounds(epsg: u32, bounds: [f64; 4]) -> PyResult<[f64; 4]> {
    let crs = Crs::parse(&format!("EPSG:{epsg}"))
        .ok_or_else(|| input_error(format!("EPSG:{epsg} is not WGS 84, Web Mercator or a UTM zone")))?;
    let [west, south, east, north] = bounds;
    let mut projected = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for step in 0..=EDGE_STEPS {
        let share = f64::from(step) / f64::from(EDGE_STEPS);
        let (longitude, latitude) = (west + share * (east - west), south + share * (north - south));
        for position in [[longitude, south], [longitude, north], [west, latitude], [east, latitude]] {
            let [x, y] = crs.project(position);
            let [left, bottom, right, top] = projected;
            projected = [left.min(x), bottom.min(y), right.max(x), top.max(y)];
        }
    }
    Ok(projected)
}

/// The classes of evaluation maps, from where change is least wanted to where it is most: the code of each, its color, and its word in each
/// language.
#[pyfunction]
pub fn _evaluation_classes() -> Vec<(&'static str, &'static str, HashMap<&'static str, &'static str>)> {
    EVALUATION_CLASSES.iter().map(|class| (class.areatype, class.color, class.words().collect())).collect()
}

/// The color of a class of evaluation maps, by its code or its word.
#[pyfunction]
pub fn _evaluation_color(areatype: &str) -> &'static str {
    evaluation_color(areatype)
}

/// Escapes a string for a CSV cell, so that no spreadsheet runs it as a formula.
#[pyfunction]
pub fn _csv_cell(text: &str) -> Cow<'_, str> {
    csv::escaped(text)
}

/// The original string of an escaped CSV cell.
#[pyfunction]
pub fn _csv_text(cell: &str) -> &str {
    csv::unescaped(cell)
}

/// The text of a web file, such as `map/map.css`, for pages made in Python.
#[pyfunction]
pub fn _web_file(name: &str) -> PyResult<String> {
    web_file(name).ok_or_else(|| input_error(format!("{name:?} is not a text file in this package's folder web/")))
}

/// Writes a file, which appears when it is complete.
#[pyfunction]
pub fn _write_whole(path: LocalPath, content: &[u8]) -> PyResult<()> {
    let LocalPath(path) = path;
    let named = |problem: std::io::Error| {
        let text = format!("{}: {problem}", path.display());
        match problem.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
            _ => PyOSError::new_err(text),
        }
    };
    write_whole(&path, content, Readers::Usual).map_err(named)
}

/// For a card of a notebook: the result of a function with requests; None if it fails or takes too long.
#[pyfunction]
pub fn _for_card(py: Python<'_>, work: Py<PyAny>) -> Option<Py<PyAny>> {
    let called = runtime::in_python_thread(move |py| work.call0(py));
    runtime::wait_on_workers(py, async { Ok(timeout(CARD_TIMEOUT, called).await) }).ok()?.ok()?.ok()
}

/// Imports libraries. An error names missing ones, and the extra that installs them.
#[pyfunction]
#[pyo3(signature = (*libraries))]
pub fn _need(py: Python<'_>, libraries: Vec<String>) -> PyResult<()> {
    import_extras(py, &libraries.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A feature of GeoJSON: its geometry and its properties as text, the name of its CRS unless that is WGS 84, and true for the
/// type `Feature`.
type FeatureTexts = (Option<String>, Option<String>, Option<String>, bool);

/// The features of third-party GeoJSON. The text of a `ValueError` completes a sentence that begins with the file's name.
#[pyfunction]
pub fn _geojson_features(
    py: Python<'_>,
    content: Vec<u8>,
    max_features: usize,
    max_properties: usize,
) -> PyResult<Vec<FeatureTexts>> {
    let limits = GeojsonFileLimits { features: max_features, properties: max_properties };
    let read = move || {
        let text = decode_text(content).map_err(|problem| format!("is not GeoJSON: {problem}"))?;
        let features = read_geojson(&text, limits).map_err(|error| error.to_string())?;
        let texts = features.into_iter().map(|GeojsonFeature { geometry, properties, crs, is_feature }| {
            let geometry = geometry.filter(|text| text != "null").map(Cow::into_owned);
            (geometry, properties.map(str::to_owned), crs, is_feature)
        });
        Ok::<Vec<FeatureTexts>, String>(texts.collect())
    };
    compute(py, move |_| read())?.map_err(PyValueError::new_err)
}

/// The name in the member `crs` of GeoJSON, as JSON text; None for WGS 84.
#[pyfunction]
pub fn _crs_name(crs: &str) -> Option<String> {
    crs_name(Some(crs))
}

/// The geometries with other positions: `transform` converts pairs of numbers to pairs of longitude and latitude, as bytes of 64-bit
/// floats. An unreadable geometry is returned unchanged.
#[pyfunction]
pub fn _transformed<'py>(
    py: Python<'py>,
    geometries: Vec<Bound<'py, PyAny>>,
    transform: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut decoded = Vec::new();
    let mut positions: Vec<u8> = Vec::new();
    for geometry in &geometries {
        let geometry = geometry.extract::<Option<Encoded>>()?.and_then(|encoded| encoded.decode().ok());
        geometry.iter().for_each(|geometry| {
            geometry.for_each_shape(&mut |shape| {
                let numbers = shape.lon_lats().flat_map(|(x, y)| [x, y]);
                numbers.for_each(|number| positions.extend(number.to_ne_bytes()));
            });
        });
        decoded.push(geometry);
    }
    let moved: Vec<u8> = transform.call1((PyBytes::new(py, &positions),))?.extract()?;
    let mut moved = moved.as_chunks::<8>().0.iter().map(|number| f64::from_ne_bytes(*number));
    let placed = decoded.into_iter().zip(geometries).map(|(geometry, original)| {
        let Some(mut geometry) = geometry else { return original };
        geometry.for_each_position(&mut |position| {
            position.iter_mut().take(2).zip(&mut moved).for_each(|(old, new)| *old = new);
        });
        let mut wkb = Vec::new();
        write_wkb_as_is(&geometry, &mut wkb);
        PyBytes::new(py, &wkb).into_any()
    });
    Ok(placed.collect())
}

/// A height below this means no height in Shapefiles (ESRI Shapefile Technical Description, 1998, p. 2).
const NO_DATA: f64 = -1e38;

/// The geometries without placeholder heights: numbers below -1e38, and with `zero` heights that are all 0. An unreadable one is
/// returned unchanged.
#[pyfunction]
pub fn _with_known_heights<'py>(
    py: Python<'py>,
    geometries: Vec<Bound<'py, PyAny>>,
    zero: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let known = |original: Bound<'py, PyAny>| {
        let decoded = original.extract::<Option<Encoded>>()?.and_then(|encoded| encoded.decode().ok());
        let Some(mut geometry) = decoded else { return Ok(original) };
        let (mut is_flat, mut has_none) = (zero, false);
        geometry.for_each_position(&mut |position| {
            if let [_, _, height] = position {
                is_flat &= *height == 0.0;
                has_none |= *height < NO_DATA;
            }
        });
        if !is_flat && !has_none {
            return Ok(original);
        }
        let mut wkb = Vec::new();
        write_wkb_as_is(&geometry.with_known_heights(|height| is_flat || height < NO_DATA), &mut wkb);
        Ok(PyBytes::new(py, &wkb).into_any())
    };
    geometries.into_iter().map(known).collect()
}

/// Rows as the text of a FeatureCollection. An error names unusable rows.
#[pyfunction]
pub fn _geojson_of(rows: &Bound<'_, PyAny>) -> PyResult<String> {
    feature_collection(rows)
}

/// The least number of geometries worth a thread.
const MIN_CHUNK_GEOMETRIES: usize = 64;

/// Hectares, kilometres and points of each geometry, NaN without a geometry, and the rows of the polygons that go around
/// the whole Earth.
#[pyfunction]
pub fn _measure(py: Python<'_>, geometries: Vec<Option<Encoded>>) -> PyResult<([Vec<f64>; 3], Vec<usize>)> {
    let measured = compute(py, move |interrupted| {
        map_chunks(geometries.len(), MIN_CHUNK_GEOMETRIES, |rows| {
            let wanted = geometries[rows].iter().take_while(|_| !interrupted.is_set());
            wanted.map(|geometry| geometry.as_ref().map(measure).transpose()).collect()
        })
    })?;
    let (mut hectares, mut kilometres, mut pieces, mut around) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, measured) in measured.into_iter().enumerate() {
        let measured = measured.map_err(|problem| input_error(format!("feature {row}: {problem}")))?;
        hectares.push(measured.map_or(f64::NAN, |(measure, _)| measure.hectares()));
        kilometres.push(measured.map_or(f64::NAN, |(measure, _)| measure.kilometres()));
        let is_measured = measured.filter(|(measure, _)| !measure.square_metres.is_nan());
        pieces.push(is_measured.map_or(f64::NAN, |(measure, _)| measure.pieces as f64));
        around.extend(measured.filter(|(_, is_around)| *is_around).map(|_| row));
    }
    Ok(([hectares, kilometres, pieces], around))
}

/// The measure of a geometry, and true if it goes around the whole Earth. The measure is NaN if a position is NaN or infinite.
fn measure(geometry: &Encoded) -> Result<(Measure, bool), UnfitGeometry> {
    let geometry = geometry.decode()?;
    let (mut is_finite, mut beyond) = (true, None);
    geometry.for_each_shape(&mut |shape| {
        for (longitude, latitude) in shape.lon_lats() {
            is_finite &= longitude.is_finite() && latitude.is_finite();
            if longitude.abs() > 180.0 + MAX_ROUNDING || latitude.abs() > 90.0 + MAX_ROUNDING {
                beyond.get_or_insert([longitude, latitude]);
            }
        }
    });
    match beyond {
        _ if !is_finite => Ok((Measure { square_metres: f64::NAN, metres: f64::NAN, pieces: 0 }, false)),
        Some(position) => Err(UnfitGeometry::BeyondEarth(position)),
        None => Ok((Measure::of(&geometry).unwrap_or_default(), around_the_earth(&geometry).is_some())),
    }
}

/// For workers of a cluster, whose tasks have a thread each: from now on a computation uses at most `count` processors.
#[pyfunction]
pub fn _limit_processors(count: usize) {
    limit_processors(count);
}

/// Drops all requests in progress and stops the services of this process.
#[pyfunction]
pub fn _stop(py: Python<'_>) {
    py.detach(|| {
        runtime::stop();
        sandbox::stop_all();
    });
}
