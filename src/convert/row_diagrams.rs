//! One diagram for each row of a frame or a file, and the outcome of adding them, row by row.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString};

use super::arguments::{Argument, Choice, choice, moment_from_text, moment_of_cell};
use super::errors::input_error;
use super::geometries::{
    AboutDiagram, BadRows, Dates, Feature, UnfitGeometry, building_data_of, diagram, message, read_features,
};
use super::results::Listed;
use super::to_python::Json;
use geodesign::model::{
    AddedDiagram, DayOf, DiagramId, DiagramKind, DrawnGeometry, FeatureType, FundingType, UtcMillis,
};
use geodesign_client::{Error, NewDiagram, Outside};

/// A frame, or anything else with geometries, that is read when the layer of a file is known.
pub struct FeatureSource(Py<PyAny>);

impl Argument for FeatureSource {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(FeatureSource(object.to_owned().unbind()))
    }
}

/// The sources of the titles and types of a frame's diagrams: each is the name of a column, or one value for all rows.
pub struct DiagramColumns {
    pub title: String,
    pub kind: String,
    pub funding: String,
    pub feature_type: Option<String>,
    pub start_date: Option<DateSource>,
    pub end_date: Option<DateSource>,
}

/// One date for all rows, or the name of a column.
pub enum DateSource {
    Date(UtcMillis),
    Text(String),
}

impl Argument for DateSource {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => Ok(DateSource::Text(text.to_string())),
            Err(_) => UtcMillis::from_object(object).map(DateSource::Date),
        }
    }
}

impl DateSource {
    /// The date of a row; `None` if its cell is empty.
    fn date(&self, cells: &Bound<'_, PyDict>, what: &str, day_of: DayOf) -> PyResult<Option<UtcMillis>> {
        let text = match self {
            DateSource::Date(date) => return Ok(Some(*date)),
            DateSource::Text(text) => text,
        };
        let Some(cell) = cells.get_item(text)? else { return Ok(moment_from_text(text).ok()) };
        if cell.is_none() || cell.extract::<&str>().is_ok_and(str::is_empty) {
            return Ok(None);
        }
        let date = moment_of_cell(&cell.str()?.to_string(), day_of);
        date.map(Some).map_err(|error| match message(cells.py(), error) {
            Ok(problem) => input_error(format!("{what}: {problem}")),
            Err(interrupt) => interrupt,
        })
    }
}

/// The rows, and the diagrams of those that can be sent.
#[derive(Default)]
pub struct RowDiagrams {
    rows: Vec<UploadRow>,
    pub diagrams: Vec<NewDiagram>,
    /// The row of each of `diagrams`, counted from 0.
    positions: Vec<usize>,
}

struct UploadRow {
    label: Py<PyAny>,
    title: Option<String>,
    /// The reason why it cannot be sent, with the name of the row.
    problem: Option<String>,
    /// The existing diagram with the same geometry.
    same: Option<DiagramId>,
}

type Row = Feature<Result<DrawnGeometry, UnfitGeometry>>;

impl RowDiagrams {
    pub fn read(
        source: &FeatureSource,
        layer: Option<&str>,
        columns: &DiagramColumns,
        outside: Outside,
    ) -> PyResult<Self> {
        Python::attach(|py| {
            let rows = read_features(source.0.bind(py), layer)?;
            columns.check(py, &rows)?;
            let mut read = RowDiagrams::default();
            for (index, row) in rows.into_iter().enumerate() {
                let label = row.label.clone_ref(py);
                let (title, problem) = match columns.diagram(py, row, outside) {
                    Ok((title, diagram)) => {
                        read.positions.push(index);
                        read.diagrams.push(diagram);
                        (Some(title), None)
                    }
                    Err(error) => (None, Some(message(py, error)?)),
                };
                read.rows.push(UploadRow { label, title, problem, same: None });
            }
            Ok(read)
        })
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The name of a diagram's row, for errors.
    pub fn name(&self, diagram: usize) -> PyResult<String> {
        Python::attach(|py| row_name(self.rows[self.positions[diagram]].label.bind(py)))
    }

    /// Adds a diagram's row to those that cannot be sent.
    pub fn add_problem(&mut self, diagram: usize, problem: &str) -> PyResult<()> {
        let problem = format!("{}: {problem}", self.name(diagram)?);
        self.rows[self.positions[diagram]].problem.get_or_insert(problem);
        Ok(())
    }

    /// Leaves a diagram out because it already exists.
    pub fn set_same(&mut self, diagram: usize, same: DiagramId) {
        self.rows[self.positions[diagram]].same = Some(same);
    }

    /// Drops the diagrams that are not to be sent.
    pub fn drop_unsent(&mut self) {
        let is_sent = |position: &usize| self.rows[*position].problem.is_none() && self.rows[*position].same.is_none();
        let diagrams = std::mem::take(&mut self.diagrams).into_iter().zip(std::mem::take(&mut self.positions));
        (self.diagrams, self.positions) = diagrams.filter(|(_, position)| is_sent(position)).unzip();
    }

    /// Fails if there are rows that cannot be sent; the error names them and has them as data.
    pub fn check(&self) -> PyResult<()> {
        let mut bad = BadRows::default();
        let problems = self.rows.iter().map(|row| row.problem.as_ref()).enumerate();
        problems.for_each(|(position, problem)| problem.into_iter().for_each(|problem| bad.push(position, problem)));
        bad.check(self.rows.len(), "rows").map_err(|error| {
            Python::attach(|py| {
                let rows = self.rows.iter().enumerate().filter(|(_, row)| row.problem.is_some());
                let rows = rows.map(|(position, row)| row.outcome(py, position, None)).collect::<PyResult<Vec<_>>>();
                match rows.and_then(|rows| error.value(py).setattr("rows", rows)) {
                    Ok(()) => error,
                    Err(failure) => failure,
                }
            })
        })
    }

    /// The report; `outcomes` are for `diagrams`, or empty if nothing was sent.
    pub fn report(self, outcomes: Vec<Result<AddedDiagram, Error>>) -> UploadReport {
        let outcomes = self.positions.iter().copied().zip(outcomes).collect();
        UploadReport { rows: self.rows, outcomes }
    }
}

impl UploadRow {
    /// An `UploadedRow` dict.
    fn outcome<'py>(
        &self,
        py: Python<'py>,
        position: usize,
        outcome: Option<Result<AddedDiagram, Error>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (added, error) = match outcome {
            Some(Err(Error::WithoutDates { added, source })) => (Some(*added), Some(format!("its dates: {source}"))),
            Some(Ok(added)) => (Some(added), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, self.problem.clone()),
        };
        let constraints = added.as_ref().and_then(|added| added.constraints);
        let (id, grid_location) = added.map(|added| (added.diagram_id, added.grid_location)).unzip();
        let row = PyDict::new(py);
        row.set_item("position", position)?;
        row.set_item("row", &self.label)?;
        row.set_item("title", self.title.as_deref().unwrap_or_default())?;
        row.set_item("diagram_id", id.or(self.same).map(|id| id.0))?;
        row.set_item("grid_location", grid_location.flatten())?;
        row.set_item("error", error)?;
        row.set_item("constraints", Json(constraints))?;
        Ok(row)
    }
}

impl DiagramColumns {
    /// Refuses names of columns that no row has, once and not for every row.
    fn check(&self, py: Python<'_>, rows: &[Row]) -> PyResult<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        let is_column = |name: &str| -> PyResult<bool> {
            rows.iter().try_fold(false, |found, row| Ok(found || row.properties.bind(py).contains(name)?))
        };
        if !is_column(&self.title)? {
            let columns = first.properties.bind(py).keys();
            let missing = format!("there is no column {:?} for the titles", self.title);
            return Err(input_error(if columns.is_empty() {
                format!("{missing}: the rows have geometries and no columns")
            } else {
                format!("{missing}; the columns are {columns}")
            }));
        }
        check_choice::<DiagramKind>(&self.kind, &is_column)?;
        check_choice::<FundingType>(&self.funding, &is_column)?;
        for (what, source) in [("start_date", &self.start_date), ("end_date", &self.end_date)] {
            if let Some(DateSource::Text(text)) = source
                && moment_from_text(text).is_err()
                && !is_column(text)?
            {
                return Err(input_error(format!("{what} {text:?} is neither a date nor the name of a column")));
            }
        }
        self.feature_type.as_deref().map_or(Ok(()), |name| check_choice::<FeatureType>(name, &is_column))
    }

    /// The first and the last day of a row. A single one stands for both: a year from its first day to its last.
    fn dates(&self, cells: &Bound<'_, PyDict>) -> PyResult<Dates> {
        let day = |source: &Option<DateSource>, what, day_of| {
            source.as_ref().map_or(Ok(None), |date| date.date(cells, what, day_of))
        };
        let start = |day_of| day(&self.start_date, "start_date", day_of);
        let end = |day_of| day(&self.end_date, "end_date", day_of);
        match (start(DayOf::First)?, end(DayOf::Last)?) {
            (Some(first), None) => Ok((Some(first), start(DayOf::Last)?)),
            (None, Some(last)) => Ok((end(DayOf::First)?, Some(last))),
            both => Ok(both),
        }
    }

    /// The title and the diagram of a row; errors name the row.
    fn diagram(&self, py: Python<'_>, row: Row, outside: Outside) -> PyResult<(String, NewDiagram)> {
        let name = row_name(row.label.bind(py))?;
        let Feature { label, properties, geometry } = row;
        let geometry = geometry.map_err(|problem| input_error(problem.of(&name)))?;
        let cells = properties.bind(py);
        let title = cells.get_item(&self.title)?.filter(|title| !title.is_none());
        let title = title
            .ok_or_else(|| input_error(format!("{name} has no value for its title in the column {:?}", self.title)))?;
        let title = title_text(&title)?;
        let make = || {
            let kind = value_or_cell(cells, &self.kind)?;
            let funding = value_or_cell(cells, &self.funding)?;
            let feature_type = self.feature_type.as_deref().map(|name| value_or_cell(cells, name)).transpose()?;
            let dates = self.dates(cells)?;
            let data = building_data_of(cells)?;
            let feature = Feature { label, properties: properties.clone_ref(py), geometry }.into_drawn(py)?;
            let geometry = [feature].into_iter().collect();
            let title = title.clone();
            diagram(geometry, AboutDiagram { title, kind, funding, feature_type, outside, dates, building_data: data })
        };
        match make() {
            Ok(diagram) => Ok((title, diagram)),
            Err(error) => Err(input_error(format!("{name}: {}", message(py, error)?))),
        }
    }
}

/// The text of a title. An integer that a column with gaps holds as a float is written as an integer.
fn title_text(title: &Bound<'_, PyAny>) -> PyResult<String> {
    let is_whole = title.is_instance_of::<PyFloat>() && title.call_method0("is_integer")?.extract()?;
    let title = if is_whole { title.call_method0("__int__")? } else { title.clone() };
    Ok(title.str()?.to_string())
}

fn row_name(label: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(format!("row {}", label.repr()?))
}

fn check_choice<C: Choice>(name: &str, is_column: &impl Fn(&str) -> PyResult<bool>) -> PyResult<()> {
    if C::known(name).is_some() || is_column(name)? {
        return Ok(());
    }
    Err(input_error(format!("{}, and there is no column of that name", C::problem(&format!("{name:?}")))))
}

/// The value of that name if there is one, else this row's value in the column of that name.
fn value_or_cell<C: Choice>(properties: &Bound<'_, PyDict>, name: &str) -> PyResult<C> {
    match (C::known(name), properties.get_item(name)?) {
        (None, Some(cell)) => choice(&cell.str()?.to_string()),
        _ => choice(name),
    }
}

/// In Python a list of `UploadedRow` dicts, in the order of the rows.
pub struct UploadReport {
    rows: Vec<UploadRow>,
    /// The outcomes by the positions of the rows.
    outcomes: HashMap<usize, Result<AddedDiagram, Error>>,
}

impl<'py> IntoPyObject<'py> for UploadReport {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows.iter().enumerate();
        let rows = rows.map(|(position, row)| row.outcome(py, position, self.outcomes.remove(&position)));
        Listed(rows.collect::<PyResult<Vec<_>>>()?).into_pyobject(py)
    }
}
