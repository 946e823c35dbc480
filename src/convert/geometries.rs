//! Geometries from Python. `pygeodesign._inputs` extracts them from frames, shapes and GeoJSON; here they are read and
//! checked, all of them before anything is sent.

use std::fmt::Display;
use std::path::Path;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBool, PyDict, PyString};
use serde::de::DeserializeSeed;

use super::arguments::Argument;
use super::errors::input_error;
use super::from_python::{attributes_from_python, from_python};
use crate::engine::interrupts::{compute, is_interrupt, look};
use crate::engine::package::of_package;
use geodesign::costs::CountedLand;
use geodesign::json::in_words_of_python;
use geodesign::model::{
    self, ContextGeometry, DesignReference, DiagramKind, DrawnDiagram, DrawnFeatures, DrawnGeometry, DrawnProperties,
    EvaluationFeatures, EvaluationProperties, FeatureType, FundingType, GeojsonCollection, InvalidContext,
    InvalidDiagram, InvalidDrawing, JsonObject, PreviewedDrawing, UncheckedGeometry, UtcMillis, VolumeInformation,
};
use geodesign_client::{NewDiagram, Outside};
use geodesign_geometry::{
    Geometry, GeometrySeed, InvalidGeometry, WkbError, check, cut_at_antimeridian, read_wkb_or_reason,
};

/// Rows converted between two checks for Ctrl-C: some milliseconds.
const ROWS_PER_LOOK: usize = 256;
/// The first and the last day of a diagram. A single one stands for both.
pub type Dates = (Option<UtcMillis>, Option<UtcMillis>);

/// Geometries of fewer bytes are checked too fast for another thread to be worth it.
const LARGE_GEOMETRIES: usize = 64 * 1024;

/// The features of a GeoDataFrame, a shape, GeoJSON, an Arrow stream or a file, in WGS 84.
pub struct Features<G = DrawnGeometry>(Vec<Feature<G>>);

/// A feature with its label in the index and its attributes.
pub struct Feature<G = DrawnGeometry> {
    pub label: Py<PyAny>,
    pub properties: Py<PyDict>,
    pub geometry: G,
}

/// A geometry from `_inputs`. The bytes are Python's own.
#[derive(FromPyObject)]
pub enum Encoded {
    Wkb(PyBackedBytes),
    Geojson(PyBackedStr),
}

/// A geometry that was checked for its use.
pub trait CheckedGeometry: Sized + Send + 'static {
    fn checked(geometry: &Geometry) -> Result<Self, UnfitGeometry>;
}

impl CheckedGeometry for DrawnGeometry {
    fn checked(geometry: &Geometry) -> Result<Self, UnfitGeometry> {
        Ok(DrawnGeometry::new(geometry)?)
    }
}

impl CheckedGeometry for ContextGeometry {
    fn checked(geometry: &Geometry) -> Result<Self, UnfitGeometry> {
        Ok(ContextGeometry::new(geometry)?)
    }
}

/// The reason why a feature's geometry cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnfitGeometry {
    #[error(transparent)]
    Wkb(#[from] WkbError),
    /// A reason from the file's reader.
    #[error("{0}")]
    Unread(String),
    #[error("{}", in_words_of_python(&.0.to_string()))]
    Geojson(#[from] serde_json::Error),
    #[error("it has no geometry")]
    Missing,
    #[error(
        "position {0:?} is beyond longitude -180..=180, latitude -90..=90; if it is in metres or feet, say in which CRS: \
         GeoSeries(…, crs=…) or .set_crs(…, allow_override=True)"
    )]
    BeyondEarth([f64; 2]),
    #[error(transparent)]
    Drawing(#[from] InvalidDrawing),
    #[error(transparent)]
    Context(#[from] InvalidContext),
}

impl Encoded {
    /// Decodes the geometry, without checking it.
    pub fn decode(&self) -> Result<Geometry, UnfitGeometry> {
        match self {
            Encoded::Wkb(wkb) => Ok(read_wkb_or_reason(wkb)?.with_known_heights(f64::is_nan)),
            Encoded::Geojson(text) => {
                let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text));
                geometry?.ok_or(UnfitGeometry::Missing)
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Encoded::Wkb(wkb) => wkb.len(),
            Encoded::Geojson(text) => text.len(),
        }
    }

    fn check<G: CheckedGeometry>(&self) -> Result<G, UnfitGeometry> {
        G::checked(&self.decode()?)
    }
}

impl UnfitGeometry {
    /// The message about the feature of this name.
    pub fn of(&self, name: &str) -> String {
        match self {
            UnfitGeometry::Missing => format!("{name} has no geometry; leave it out"),
            _ => format!("{name}: {self}"),
        }
    }
}

/// Reads features without refusing those whose geometry is unfit. `layer` is a layer of a file.
pub fn read_features<G: CheckedGeometry>(
    source: &Bound<'_, PyAny>,
    layer: Option<&str>,
) -> PyResult<Vec<Feature<Result<G, UnfitGeometry>>>> {
    let py = source.py();
    let rows = of_package(py, "rows")?.call1((source, layer))?;
    let (mut attributes, mut encoded) = (Vec::new(), Vec::new());
    for (index, row) in rows.try_iter()?.enumerate() {
        look_sometimes(py, index)?;
        let mut row: Row = row?.extract()?;
        encoded.push(row.take_geometry()?);
        attributes.push((row.0, row.2));
    }
    let rows = attributes.into_iter().zip(checked(py, encoded)?);
    Ok(rows.map(|((label, properties), geometry)| Feature { label, properties, geometry }).collect())
}

/// A `Row` of Python: its label, its geometry, its attributes, and the reason if it cannot be used.
#[derive(FromPyObject)]
struct Row<'py>(Py<PyAny>, Option<Encoded>, Py<PyDict>, Option<Bound<'py, PyAny>>);

impl Row<'_> {
    /// The geometry; the outer error is a Python error.
    fn take_geometry(&mut self) -> PyResult<Result<Encoded, UnfitGeometry>> {
        match &self.3 {
            Some(problem) => Ok(Err(UnfitGeometry::Unread(problem.str()?.to_string()))),
            None => Ok(self.1.take().ok_or(UnfitGeometry::Missing)),
        }
    }
}

/// The features of a file of any format, as a FeatureCollection in WGS 84.
pub fn read_as_geojson(py: Python<'_>, path: &Path) -> PyResult<String> {
    of_package(py, "read_as_geojson")?.call1((path,))?.extract()
}

/// Rows as the text of a FeatureCollection. An error names unusable ones; a feature without a geometry is kept.
pub fn feature_collection(rows: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = rows.py();
    let (mut features, mut bad) = (Vec::new(), BadRows::default());
    for (index, row) in rows.try_iter()?.enumerate() {
        look_sometimes(py, index)?;
        let mut row: Row = row?.extract()?;
        let geometry = match row.take_geometry()?.and_then(|encoded| encoded.decode()) {
            Ok(geometry) => Some(cut_at_antimeridian(&geometry).into_owned()),
            Err(UnfitGeometry::Missing) => None,
            Err(problem) => {
                bad.push(index, problem.of(&format!("row {index}")));
                continue;
            }
        };
        let properties: JsonObject = pythonize::depythonize(row.2.bind(py))?;
        features.push(model::Feature::new(properties, geometry));
    }
    bad.check(features.len(), "rows")?;
    let features: GeojsonCollection<JsonObject, Option<Geometry>> = features.into_iter().collect();
    serde_json::to_string(&features).map_err(|problem| input_error(problem.to_string()))
}

/// Each geometry, or the reason why it cannot be drawn.
fn checked<G: CheckedGeometry>(
    py: Python<'_>,
    encoded: Vec<Result<Encoded, UnfitGeometry>>,
) -> PyResult<Vec<Result<G, UnfitGeometry>>> {
    let check_all = |encoded: Vec<Result<Encoded, UnfitGeometry>>, is_over: &dyn Fn() -> bool| {
        let checks = encoded.into_iter().take_while(|_| !is_over());
        checks.map(|encoded| encoded?.check()).collect()
    };
    if encoded.iter().flatten().map(Encoded::bytes).sum::<usize>() < LARGE_GEOMETRIES {
        return Ok(py.detach(|| check_all(encoded, &|| false)));
    }
    compute(py, move |interrupted| check_all(encoded, &|| interrupted.is_set()))
}

/// Checks for Ctrl-C now and then; `index` is the row's.
pub fn look_sometimes(py: Python<'_>, index: usize) -> PyResult<()> {
    if index % ROWS_PER_LOOK == ROWS_PER_LOOK - 1 { look(py) } else { Ok(()) }
}

impl<G: CheckedGeometry> Argument for Features<G> {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let checked =
            |py: Python<'_>, index, Feature { label, properties, geometry }: Feature<Result<_, UnfitGeometry>>| {
                let name = || feature_name(index, label.bind(py));
                let geometry = geometry.or_else(|problem| Err(input_error(problem.of(&name()?))))?;
                Ok(Feature { label, properties, geometry })
            };
        each(read_features::<G>(&object, None)?, checked).map(Features)
    }
}

/// Geometries of the same sources, whatever their faults; `None` for features without one.
pub struct UncheckedShapes(Vec<Option<Geometry>>);

impl Argument for UncheckedShapes {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let rows = of_package(py, "rows")?.call1((object, py.None()))?;
        let mut geometries = Vec::new();
        for (index, row) in rows.try_iter()?.enumerate() {
            look_sometimes(py, index)?;
            let mut row: Row = row?.extract()?;
            let geometry = match row.take_geometry()?.and_then(|encoded| encoded.decode()) {
                Ok(geometry) => Ok(Some(cut_at_antimeridian(&geometry).into_owned())),
                Err(UnfitGeometry::Missing) => Ok(None),
                Err(problem) => Err(problem),
            };
            let name = || feature_name(index, row.0.bind(py));
            let geometry = geometry.or_else(|problem| Err(input_error(problem.of(&name()?))))?;
            // JSON cannot express it.
            if let Some(Err(problem @ InvalidGeometry::NotFinite { .. })) = geometry.as_ref().map(check) {
                return Err(input_error(format!("{}: {problem}", name()?)));
            }
            geometries.push(geometry);
        }
        Ok(UncheckedShapes(geometries))
    }
}

impl UncheckedShapes {
    pub fn into_drawing(
        self,
        kind: DiagramKind,
        design: Option<DesignReference>,
        land: CountedLand,
        building_data: Option<JsonObject>,
    ) -> PreviewedDrawing {
        let features = self.0.into_iter().map(|geometry| model::Feature::new(None, UncheckedGeometry(geometry)));
        PreviewedDrawing { geometry: features.collect(), kind, design, land, building_data }
    }
}

impl Features {
    /// One diagram that consists of all features.
    pub fn into_diagram(self, about: AboutDiagram) -> PyResult<NewDiagram> {
        let drawn = |py: Python<'_>, index, feature: Feature| {
            let name = feature_name(index, feature.label.bind(py))?;
            let data = building_data_of(feature.properties.bind(py));
            let drawn = data.and_then(|data| Ok((data, feature.into_drawn(py)?)));
            drawn.or_else(|error| Err(input_error(format!("{name}: {}", message(py, error)?))))
        };
        let (data, features): (Vec<_>, Vec<_>) = each(self.0, drawn)?.into_iter().unzip();
        let building_data = match about.building_data {
            Some(given) => Some(given),
            None => common(data)?,
        };
        diagram(features.into_iter().collect(), AboutDiagram { building_data, ..about })
    }

    /// An evaluation map; every feature has an `areatype`.
    pub fn into_evaluation(self) -> PyResult<EvaluationFeatures> {
        let advice = "an evaluation map has an areatype, such as \"green\", for each area";
        let properties = |feature: &Feature, py: Python<'_>, name: &str| {
            let properties: PyResult<EvaluationProperties> = attributes_from_python(feature.properties.bind(py), name);
            properties.or_else(|error| Err(input_error(format!("{}; {advice}", message(py, error)?))))
        };
        self.with_properties(properties)
    }
}

impl<G> Features<G> {
    /// A map, with any properties of the features.
    pub fn into_map(self) -> PyResult<GeojsonCollection<Option<JsonObject>, G>> {
        self.with_properties(|feature, py, name| {
            let properties: JsonObject = attributes_from_python(feature.properties.bind(py), name)?;
            Ok(Some(properties))
        })
    }

    fn with_properties<P>(
        self,
        properties: impl Fn(&Feature<G>, Python<'_>, &str) -> PyResult<P>,
    ) -> PyResult<GeojsonCollection<P, G>> {
        let feature = |py: Python<'_>, index, feature: Feature<G>| {
            let properties = properties(&feature, py, &format!("feature {index}"))?;
            Ok(model::Feature::new(properties, feature.geometry))
        };
        Ok(each(self.0, feature)?.into_iter().collect())
    }
}

/// The results of `make` for each feature. If some are errors, one error names them all.
fn each<G, T>(
    features: Vec<Feature<G>>,
    make: impl Fn(Python<'_>, usize, Feature<G>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let (total, mut made, mut bad) = (features.len(), Vec::with_capacity(features.len()), BadRows::default());
    Python::attach(|py| {
        for (index, feature) in features.into_iter().enumerate() {
            look_sometimes(py, index)?;
            match make(py, index, feature) {
                Ok(item) => made.push(item),
                Err(error) => bad.push(index, message(py, error)?),
            }
        }
        PyResult::Ok(())
    })?;
    bad.check(total, "features")?;
    Ok(made)
}

impl Feature {
    /// The feature with its heights, the only attributes that a diagram keeps.
    pub fn into_drawn(self, py: Python<'_>) -> PyResult<model::Feature<Option<DrawnProperties>, DrawnGeometry>> {
        let volume_information = volume_information(self.properties.bind(py))?;
        let properties = volume_information
            .map(|volume| DrawnProperties { volume_information: Some(volume), ..DrawnProperties::default() });
        Ok(model::Feature::new(properties, self.geometry))
    }
}

/// A new diagram except for its geometry.
pub struct AboutDiagram {
    pub title: String,
    pub kind: DiagramKind,
    pub funding: FundingType,
    /// The type of the geometry if it is missing.
    pub feature_type: Option<FeatureType>,
    pub outside: Outside,
    pub dates: Dates,
    /// That of the geometry's attributes if it is missing.
    pub building_data: Option<JsonObject>,
}

/// A new diagram, with all checks that need no request.
pub fn diagram(geometry: DrawnFeatures, about: AboutDiagram) -> PyResult<NewDiagram> {
    let AboutDiagram { title, kind, funding, feature_type, outside, dates, building_data } = about;
    let featuretype = match feature_type {
        Some(feature_type) => feature_type,
        None => geometry.feature_type().map_err(|problem| input_error(problem.to_string()))?,
    };
    let drawn = DrawnDiagram { geometry, featuretype, description: title, fundingtype: funding, building_data };
    let dates = match dates {
        (None, None) => None,
        (Some(start), Some(end)) => Some((start, end)),
        (Some(day), None) | (None, Some(day)) => Some((day, day)),
    };
    let diagram = NewDiagram { kind, drawn, outside, dates };
    // Features are compared with each other, which takes long for many.
    let (diagram, checked) = Python::attach(|py| match diagram.drawn.geometry.features.len() {
        ..ROWS_PER_LOOK => Ok(with_check(diagram)),
        _ => compute(py, |_| with_check(diagram)),
    })?;
    checked.map_err(|problem| input_error(problem.to_string()))?;
    Ok(diagram)
}

fn with_check(diagram: NewDiagram) -> (NewDiagram, Result<(), InvalidDiagram>) {
    let checked = diagram.check();
    (diagram, checked)
}

/// The heights of a feature in metres: from its attribute `volume_information` (a dict, or the dict as JSON text, as in frames of
/// diagrams), else from its attributes `min_height` and `max_height`. None without either.
pub fn volume_information(attributes: &Bound<'_, PyDict>) -> PyResult<Option<VolumeInformation>> {
    match attributes.get_item("volume_information")?.filter(|value| !is_missing(value)) {
        Some(value) => heights_in(&as_dict("volume_information", &value, HEIGHTS)?),
        None => heights_in(attributes),
    }
}

/// The building data of a row: its attribute `building_data` (a dict, or the dict as JSON text, as in frames of diagrams), or else an object of
/// its attributes `storeys_above_ground` and `storeys_below_ground`. None without any.
pub fn building_data_of(attributes: &Bound<'_, PyDict>) -> PyResult<Option<JsonObject>> {
    if let Some(value) = attributes.get_item("building_data")?.filter(|value| !is_missing(value)) {
        let data: JsonObject = from_python(
            as_dict("building_data", &value, "storeys_above_ground and storeys_below_ground")?.as_any(),
            "building_data",
        )?;
        return Ok(Some(data).filter(|data| !data.0.is_empty()));
    }
    let mut data = JsonObject::new();
    for name in ["storeys_above_ground", "storeys_below_ground"] {
        if let Some(value) = attributes.get_item(name)?.filter(|value| !is_missing(value)) {
            // A column with gaps holds integers as floats.
            let whole = value.extract::<f64>().ok().filter(|number| number.fract() == 0.0);
            let value = whole.map_or_else(|| from_python(&value, name), |whole| Ok((whole as i64).into()))?;
            data.0.insert(name.to_owned(), value);
        }
    }
    Ok(Some(data).filter(|data| !data.0.is_empty()))
}

/// The building data of a diagram's features, which are the same for all that have some.
fn common(data: Vec<Option<JsonObject>>) -> PyResult<Option<JsonObject>> {
    let mut given = data.into_iter().flatten();
    let first = given.next();
    match given.any(|other| Some(other) != first) {
        true => {
            Err(input_error("its features have different storeys; a diagram has one building_data for all of them"))
        }
        false => Ok(first),
    }
}

const HEIGHTS: &str = "min_height and max_height, in metres above the ground";

fn as_dict<'py>(name: &str, value: &Bound<'py, PyAny>, wanted: &str) -> PyResult<Bound<'py, PyDict>> {
    let py = value.py();
    let parsed = if value.is_instance_of::<PyString>() {
        py.import("json")?.call_method1("loads", (value,))
    } else {
        Ok(value.clone())
    };
    match parsed.and_then(|parsed| Ok(parsed.cast_into()?)) {
        Err(error) if !is_interrupt(py, &error) => {
            Err(input_error(format!("{name} {} is not a dict with {wanted}", value.repr()?)))
        }
        dict => dict,
    }
}

/// A feature with a `max_height` alone stands on the ground.
fn heights_in(attributes: &Bound<'_, PyDict>) -> PyResult<Option<VolumeInformation>> {
    match (height(attributes, "min_height")?, height(attributes, "max_height")?) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(input_error("it has a min_height and no max_height; give both, in metres")),
        (min_height, Some(max_height)) => {
            let heights = VolumeInformation { min_height: min_height.unwrap_or_default(), max_height };
            heights.check().map_err(|problem| input_error(problem.to_string()))?;
            Ok(Some(heights))
        }
    }
}

fn height(attributes: &Bound<'_, PyDict>, name: &str) -> PyResult<Option<f64>> {
    let Some(value) = attributes.get_item(name)?.filter(|value| !is_missing(value)) else {
        return Ok(None);
    };
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract::<f64>().ok() };
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok(Some(number)),
        None => Err(input_error(format!("{name} {} is not a number of metres", value.repr()?))),
    }
}

/// True for a missing value: None, NaN, or one of pandas.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none() || value.extract::<f64>().is_ok_and(f64::is_nan)
}

/// The most rows that an error names.
const MAX_NAMED: usize = 20;

/// The rows that cannot be sent, each with its name and the reason.
#[derive(Debug, Default)]
pub struct BadRows(Vec<BadRow>);

#[derive(Debug)]
struct BadRow {
    index: usize,
    problem: String,
}

impl BadRows {
    /// `problem` names the row. `index` is the row's.
    pub fn push(&mut self, index: usize, problem: impl Display) {
        self.0.push(BadRow { index, problem: problem.to_string() });
    }

    /// Fails if there are bad rows, and names them in order. `total` is the number of all rows or features, called `what`.
    pub fn check(mut self, total: usize, what: &str) -> PyResult<()> {
        self.0.sort_by_key(|row| row.index);
        match &self.0[..] {
            [] => Ok(()),
            [only] => Err(input_error(&only.problem)),
            rows => {
                let named = rows.iter().take(MAX_NAMED).map(|row| format!("\n- {}", row.problem)).collect::<String>();
                let more = rows.len().saturating_sub(MAX_NAMED);
                let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
                Err(input_error(format!("{} of {total} {what} cannot be used:{named}{more}", rows.len())))
            }
        }
    }
}

/// A feature's name in errors: its number, and its label in the index if that is different.
pub fn feature_name(index: usize, label: &Bound<'_, PyAny>) -> PyResult<String> {
    let label = label.repr()?.to_string();
    Ok(if label == index.to_string() { format!("feature {index}") } else { format!("feature {index} (row {label})") })
}

/// The message of an exception, without its class. An interrupt is not a problem of a row, so it is returned as an error.
pub fn message(py: Python<'_>, error: PyErr) -> PyResult<String> {
    if is_interrupt(py, &error) { Err(error) } else { Ok(error.value(py).str()?.to_string()) }
}
