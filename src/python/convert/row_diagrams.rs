//! One diagram for each row of a frame or a file, and the outcome of adding them, row by row.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::arguments::{Choice, choice};
use super::errors::input_error;
use super::geometries::{BadRows, Feature, UnfitGeometry, diagram, message, read_features};
use crate::client::{Error, NewDiagram, Outside};
use crate::model::{AddedDiagram, DiagramKind, DrawnGeometry, FeatureType, FundingType};

/// A frame, or anything else with geometries, that is read when the layer of a file is known.
pub struct FeatureSource(Py<PyAny>);

impl FromPyObject<'_, '_> for FeatureSource {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(FeatureSource(object.to_owned().unbind()))
    }
}

/// Where the titles and types of the diagrams of a frame are: each is the name of a column, or one value for all rows.
pub struct DiagramColumns {
    pub title: String,
    pub kind: String,
    pub funding: String,
    pub feature_type: Option<String>,
}

/// The label of a row in the index of its frame, and the title of its diagram.
pub type RowLabel = (Py<PyAny>, String);

/// The diagrams of the good rows, and what is wrong with the others.
#[derive(Default)]
pub struct RowDiagrams {
    /// The number of rows.
    pub total: usize,
    /// In the order of `diagrams`.
    pub labels: Vec<RowLabel>,
    pub diagrams: Vec<NewDiagram>,
    bad: BadRows,
    /// The row of each of `diagrams`, counted from 0.
    rows: Vec<usize>,
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
            let mut read = RowDiagrams { total: rows.len(), ..RowDiagrams::default() };
            for (index, row) in rows.into_iter().enumerate() {
                let label = row.label.clone_ref(py);
                match columns.diagram(py, row, outside) {
                    Ok((title, diagram)) => {
                        read.rows.push(index);
                        read.labels.push((label, title));
                        read.diagrams.push(diagram);
                    }
                    Err(error) => read.bad.push(index, message(py, error)?),
                }
            }
            Ok(read)
        })
    }

    pub fn has_bad_rows(&self) -> bool {
        !self.bad.is_empty()
    }

    /// Counts the row of a diagram among the bad ones.
    pub fn add_problem(&mut self, diagram: usize, problem: &dyn std::error::Error) -> PyResult<()> {
        let name = Python::attach(|py| row_name(self.labels[diagram].0.bind(py)))?;
        self.bad.push(self.rows[diagram], format!("{name}: {problem}"));
        Ok(())
    }

    /// An error that names the bad rows, if there are any.
    pub fn check(self) -> PyResult<(Vec<RowLabel>, Vec<NewDiagram>)> {
        self.bad.check(self.total, "rows")?;
        Ok((self.labels, self.diagrams))
    }
}

impl DiagramColumns {
    /// Refuses names that no row has a value for, once and not for every row.
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
        self.feature_type.as_deref().map_or(Ok(()), |name| check_choice::<FeatureType>(name, &is_column))
    }

    /// The title and the diagram of a row; errors name the row.
    fn diagram(&self, py: Python<'_>, row: Row, outside: Outside) -> PyResult<(String, NewDiagram)> {
        let name = row_name(row.label.bind(py))?;
        let Feature { label, properties, geometry } = row;
        let geometry = geometry.map_err(|problem| input_error(problem.of(&name)))?;
        let cells = properties.bind(py);
        let title = cells.get_item(&self.title)?.filter(|title| !title.is_none());
        let title = title
            .ok_or_else(|| input_error(format!("{name} has no {:?}, which is to be its title", self.title)))?
            .str()?
            .to_string();
        let make = || {
            let kind = value_or_cell(cells, &self.kind)?;
            let funding = value_or_cell(cells, &self.funding)?;
            let feature_type = self.feature_type.as_deref().map(|name| value_or_cell(cells, name)).transpose()?;
            let feature = Feature { label, properties: properties.clone_ref(py), geometry }.into_drawn(py)?;
            diagram([feature].into_iter().collect(), title.clone(), kind, funding, feature_type, outside)
        };
        match make() {
            Ok(diagram) => Ok((title, diagram)),
            Err(error) => Err(input_error(format!("{name}: {}", message(py, error)?))),
        }
    }
}

fn row_name(label: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(format!("row {}", label.repr()?))
}

fn check_choice<C: Choice>(name: &str, is_column: &impl Fn(&str) -> PyResult<bool>) -> PyResult<()> {
    if C::known(name).is_some() || is_column(name)? {
        return Ok(());
    }
    Err(input_error(format!("{}, and there is no column of that name", C::problem(name))))
}

/// The value of that name if there is one, else the value that the column of that name has in this row.
fn value_or_cell<C: Choice>(properties: &Bound<'_, PyDict>, name: &str) -> PyResult<C> {
    match (C::known(name), properties.get_item(name)?) {
        (None, Some(cell)) => choice(&cell.str()?.to_string()),
        _ => choice(name),
    }
}

/// In Python a list of `UploadedRow` dicts, in the order of the rows. The outcome is `None` where nothing was sent.
pub struct UploadReport(Vec<(RowLabel, Option<Result<AddedDiagram, Error>>)>);

impl UploadReport {
    /// The outcomes are in the order of the rows.
    pub fn new(rows: Vec<RowLabel>, outcomes: Vec<Result<AddedDiagram, Error>>) -> Self {
        UploadReport(rows.into_iter().zip(outcomes.into_iter().map(Some)).collect())
    }

    /// Of rows that could be sent, and were not.
    pub fn unsent(rows: Vec<RowLabel>) -> Self {
        UploadReport(rows.into_iter().map(|row| (row, None)).collect())
    }
}

impl<'py> IntoPyObject<'py> for UploadReport {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let report = PyList::empty(py);
        for ((label, title), outcome) in self.0 {
            let row = PyDict::new(py);
            row.set_item("row", label)?;
            row.set_item("title", title)?;
            let (added, error) = match outcome {
                Some(Ok(added)) => (Some(added), None),
                Some(Err(error)) => (None, Some(error.to_string())),
                None => (None, None),
            };
            let (id, grid_location) = added.map(|added| (added.diagram_id.0, added.grid_location)).unzip();
            row.set_item("diagram_id", id)?;
            row.set_item("grid_location", grid_location.flatten())?;
            row.set_item("error", error)?;
            report.append(row)?;
        }
        Ok(report)
    }
}
