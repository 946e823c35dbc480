//! `CostReport`.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::features::FeatureCollection;
use super::functions::_write_whole;
use crate::convert::arguments::{Arg, LocalPath};
use crate::convert::errors::{decode_error, import_extra, input_error};
use crate::convert::results::{Reduced, arrow_stream, pickled, unpickled};
use crate::convert::to_python::Json;
use crate::engine::package::of_package;
use geodesign::costs::{self, CostPage, CostTable, DiagramCost, SupposedSystem, SystemCost, Units};

/// The cost of diagrams, system by system, with the reason for each figure. Immutable.
///
/// It shows the project at the time of the call.
///
/// Examples:
///     >>> report = project.costs()
///     >>> report.systems[0]["name"], report.systems[0]["diagrams"]
///     ('Water', 20)
///     >>> [row["name"] for row in report.systems if row["budget_left"] is not None and row["budget_left"] < 0]
///     ['Water', 'Green infrastructure', 'Transport', 'Mixed use']
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct CostReport(costs::CostReport);

impl From<costs::CostReport> for CostReport {
    fn from(report: costs::CostReport) -> Self {
        CostReport(report)
    }
}

impl CostReport {
    fn shown_title(&self) -> String {
        self.0.subject.title().unwrap_or_else(|| "Cost report".to_owned())
    }
}

#[pymethods]
impl CostReport {
    /// One dict per system of the project, a new list each time.
    ///
    /// `sysid`, `name`, `color`, the counts `diagrams`, `projects` and `policies`, `area_ha` (hectares, policies included),
    /// `length_km`, `pieces` (the number of points), `cost` (the sum of the known costs), `unpriced` (the number of diagrams of unknown cost),
    /// `without_rate` (the number of diagrams that cost nothing or have no cost because no rate is set for the system),
    /// `lines_at_area_rate` (the number of lines to which the rate per hectare is applied per kilometre), `points_at_area_rate` (the number
    /// of diagrams of points to which it is applied by the piece), `budget`, `budget_left`
    /// (negative: over budget; both are None if the budget is missing or 0), `budget_met` (also None if nothing is planned, or if it
    /// depends on an unknown cost), `current_ha`, `target_ha`, `target_left_ha` (target minus current minus `area_ha`; 0 if the target is
    /// met) and `target_met` (also None if it depends on an unknown area). `target_ha`, `target_left_ha` and `target_met` are None if the
    /// target is missing or 0.
    #[getter]
    fn systems(&self) -> Json<&Vec<SystemCost>> {
        Json(&self.0.systems)
    }

    /// One dict per priced diagram, a new list each time.
    ///
    /// `diagramid`, `sysid`, `description`, `kind` (`project`, `policy`, or None if the service gives none: it is then
    /// priced as a project), `area_ha`, `area_source` (`geometry`, `external`, `service`, or `unknown`: then `area_ha` and `length_km` are
    /// None), `area_figure` (the service's own figure with its unit, if it was used; else None), `area_problem`
    /// (why they are unknown, such as metres; else None), `length_km`, `pieces` (the number of points), `rate` (None if there is none),
    /// `rate_source` (`total`, `policy`, `override`, `system`, or `unknown`: a value of the diagram is wrong or cannot be
    /// read), `cost` (None if it is unknown), `cost_problem` (why it is unknown; else None), `geometry_problem` (why the geometry is
    /// not valid, so that area and cost may be wrong; None if it is valid, or without `check=True`), `file_problem` (why the file of an
    /// external diagram could not be opened; None without `external=True`).
    ///
    /// With `land="inside"` there are four more: `outside_ha`, `outside_km` and `outside_pieces`, the sizes outside the study area, which are not in
    /// `area_ha`, `length_km` and `pieces` (None if they are unknown: then the diagram counts as a whole), and `outside_note` (the same in words;
    /// None if nothing is outside).
    #[getter]
    fn diagrams(&self) -> Json<&Vec<DiagramCost>> {
        Json(&self.0.diagrams)
    }

    /// The cost of all systems together: the sum of the known costs. `unpriced` is the number of unknown ones.
    #[getter]
    fn total(&self) -> f64 {
        self.0.total()
    }

    /// The subject of the report, for titles of pictures and pages: the title of the project, then the part that was priced.
    /// Empty if the service gives no title.
    ///
    /// Examples:
    ///     >>> project.costs().title
    ///     'Staten Island 2050'
    ///     >>> project.costs(member="amara.okafor").title
    ///     'Staten Island 2050: Selection of amara.okafor'
    #[getter]
    fn title(&self) -> String {
        self.0.subject.title().unwrap_or_default()
    }

    /// The title of the project. None if the service gives none.
    #[getter]
    fn project_title(&self) -> Option<&str> {
        self.0.subject.project.as_deref()
    }

    /// The currency of the project, such as `"USD"`. None if it has none.
    ///
    /// Examples:
    ///     >>> changed = project.edit(currency="USD")
    ///     >>> project.costs().currency
    ///     'USD'
    #[getter]
    fn currency(&self) -> Option<&str> {
        self.0.subject.currency.as_deref()
    }

    /// The diagrams that were priced, by the titles of team and design, or the name of the member. None for all diagrams.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]
    ///     >>> project.costs(team=1, design=design["id"]).selection == f"Conservation, {design['description']}"
    ///     True
    #[getter]
    fn selection(&self) -> Option<&str> {
        self.0.subject.selection.as_deref()
    }

    /// The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area.
    ///
    /// Examples:
    ///     >>> project.costs(land="inside").land
    ///     'inside'
    #[getter]
    fn land(&self) -> &'static str {
        self.0.land().name()
    }

    /// The number of diagrams of unknown cost, which `total` leaves out: the system whose rate they use has none, their area is unknown, or
    /// one of their values is wrong or unreadable. Each diagram's `cost_problem` says which.
    ///
    /// Examples:
    ///     >>> project.costs().unpriced
    ///     0
    #[getter]
    fn unpriced(&self) -> i64 {
        self.0.unpriced()
    }

    /// The number of diagrams that use their system's rate although the system has none. They cost 0 if the service sends a rate of 0, as
    /// in a new project. If it sends no rate, their cost is None.
    ///
    /// Examples:
    ///     >>> project.costs().without_rate
    ///     0
    #[getter]
    fn without_rate(&self) -> i64 {
        self.0.without_rate()
    }

    /// The number of diagrams with lines only, to which the rate per hectare is applied per kilometre: a service has one rate for both.
    ///
    /// Examples:
    ///     >>> project.costs().lines_at_area_rate
    ///     14
    #[getter]
    fn lines_at_area_rate(&self) -> i64 {
        self.0.lines_at_area_rate()
    }

    /// The number of diagrams with points only, to which the rate per hectare is applied by the piece: a service has one rate for both.
    ///
    /// Examples:
    ///     >>> project.costs().points_at_area_rate
    ///     0
    #[getter]
    fn points_at_area_rate(&self) -> i64 {
        self.0.points_at_area_rate()
    }

    /// The number of diagrams whose geometry is not valid, so that their area and cost may be wrong; None if the geometries were
    /// not checked. `Project.costs(check=True)` checks them.
    ///
    /// Examples:
    ///     >>> project.costs(check=True).invalid
    ///     0
    #[getter]
    fn invalid(&self) -> Option<i64> {
        self.0.invalid()
    }

    /// The report as a pandas DataFrame.
    ///
    /// Args:
    ///     rows: `"systems"` or `"diagrams"`.
    ///
    /// Returns:
    ///     A DataFrame with the columns of `systems`, or those of `diagrams` with `title` in place of `description`, and a column for each
    ///     quantity, such as `quantity_homes`.
    ///
    /// Raises:
    ///     InputError: `rows` has another value.
    ///     ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` installs it.
    ///
    /// Examples:
    ///     >>> project.costs().to_pandas().shape
    ///     (9, 22)
    ///     >>> project.costs().to_pandas("diagrams").shape
    ///     (180, 18)
    #[pyo3(signature = (rows: "Literal['systems', 'diagrams']" = "systems") -> "DataFrame")]
    fn to_pandas<'py>(&self, py: Python<'py>, rows: &str) -> PyResult<Bound<'py, PyAny>> {
        let (records, table) = match rows {
            "systems" => (self.systems().into_pyobject(py)?, self.0.systems_table()),
            "diagrams" => (self.diagrams().into_pyobject(py)?, self.0.diagrams_table()),
            _ => return Err(input_error(format!("rows must be \"systems\" or \"diagrams\", not {rows:?}"))),
        };
        let columns: Vec<&str> = table.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
        let named = PyDict::new(py);
        named.set_item("columns", columns)?;
        let frame = import_extra(py, "pandas")?.getattr("DataFrame")?.call((records,), Some(&named))?;
        if rows == "diagrams" {
            // The rows have a dict of them.
            for (name, amounts) in self.0.quantity_columns() {
                frame.set_item(name, amounts)?;
            }
        }
        // Computed frames say `title`, where the wire says `description`.
        frame.call_method("rename", (), Some(&dict!(py, columns = dict!(py, description = "title"))))
    }

    /// The systems as an Arrow stream (PyCapsule interface), for any library that reads Arrow.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer give its own schema.
        let _ = requested_schema;
        let table = self.0.systems_table();
        arrow_stream(py, table.schema(), vec![table])
    }

    /// The report as one HTML page, which works without a network and prints on A4.
    ///
    /// It has the systems with their budgets and targets, each diagram with its id and the origin of its cost, and a
    /// glossary.
    ///
    /// Args:
    ///     path: The file to write; an existing file is replaced. Default: return the page as a string.
    ///     title: The heading of the page. Default: the titles of the project, and of team and design, or the name of the
    ///         member.
    ///     currency: The currency of all amounts, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
    ///     units: `"metric"` (hectares, kilometres), or `"us"` for acres and miles, also in rates.
    ///
    /// Returns:
    ///     The page, or None if it was written to `path`.
    ///
    /// Raises:
    ///     InputError: The units are unknown.
    ///     OSError: The file cannot be written.
    ///
    /// Examples:
    ///     >>> project.costs().to_html("costs.html", currency="USD", units="us")
    ///     >>> "area (acres)</th>" in project.costs().to_html(units="us")
    ///     True
    #[pyo3(
        signature = (
            path=None, *, title: "str | None" = None, currency: "str | None" = None,
            units: "Literal['metric', 'us'] | None" = None
        ) -> "str | None",
        text_signature = "($self, path=None, *, title=None, currency=None, units=None)"
    )]
    fn to_html(
        &self,
        py: Python<'_>,
        path: Option<LocalPath>,
        title: Option<String>,
        currency: Option<String>,
        units: Option<Arg<Units>>,
    ) -> PyResult<Option<String>> {
        let currency = match currency.or_else(|| self.0.subject.currency.clone()) {
            Some(currency) => currency,
            None => or_option(py, None, "currency")?,
        };
        let currency = &currency;
        let Arg(units) = or_option(py, units, "units")?;
        let title = title.unwrap_or_else(|| self.shown_title());
        let page = py.detach(|| CostPage { report: &self.0, title: &title, currency, units }.to_string());
        let Some(LocalPath(path)) = path else { return Ok(Some(page)) };
        _write_whole(LocalPath(path), page.as_bytes())?;
        Ok(None)
    }

    /// For `to_excel`: the subject of the report.
    #[getter]
    fn _title(&self) -> String {
        self.shown_title()
    }

    /// For `to_geopandas`: the features of the diagrams.
    #[getter]
    fn _features(&self) -> FeatureCollection {
        self.0.features.clone().into()
    }

    /// The same report with other rates, budgets and targets, by the id of the system; for `Comparison.what_if`.
    #[pyo3(signature = (
        rates: "dict[int, float | None]", budgets: "dict[int, float | None]", targets: "dict[int, float | None]"
    ) -> "CostReport")]
    fn _what_if(
        &self,
        rates: HashMap<i64, Option<f64>>,
        budgets: HashMap<i64, Option<f64>>,
        targets: HashMap<i64, Option<f64>>,
    ) -> Self {
        let mut supposed: HashMap<i64, SupposedSystem> = HashMap::new();
        for (system, rate) in rates {
            supposed.entry(system).or_default().rate = Some(rate);
        }
        for (system, budget) in budgets {
            supposed.entry(system).or_default().budget = Some(budget);
        }
        for (system, target) in targets {
            supposed.entry(system).or_default().target_ha = Some(target);
        }
        CostReport(self.0.what_if(&supposed))
    }

    /// A pickled report includes the features, so that the copy has all methods: it is as large as the diagrams.
    fn __reduce_ex__<'py>(
        slf: &Bound<'py, Self>,
        protocol: u8,
    ) -> Reduced<'py, (Bound<'py, PyAny>, FeatureCollection)> {
        let costs::CostReport { systems, diagrams, checked, features, subject } = &slf.get().0;
        let rows = serde_json::to_vec(&(systems, diagrams, checked, subject))
            .map_err(|error| decode_error(error.to_string()))?;
        let arguments = (pickled(slf.py(), &rows, protocol)?, features.clone().into());
        Ok((slf.get_type().getattr("_from_rows")?, arguments))
    }

    /// For pickling: the same report.
    #[staticmethod]
    #[pyo3(signature = (rows, features: "FeatureCollection"))]
    fn _from_rows(py: Python<'_>, rows: &Bound<'_, PyAny>, features: &FeatureCollection) -> PyResult<Self> {
        let (systems, diagrams, checked, subject) =
            serde_json::from_slice(&unpickled(py, rows)?).map_err(|error| decode_error(error.to_string()))?;
        let features = features.0.clone();
        Ok(CostReport(costs::CostReport { systems, diagrams, checked, features, subject }))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (systems, diagrams) = (self.0.systems.len(), self.0.diagrams.len());
        let gap = |count: i64, reason: &str| if count > 0 { format!(", {reason}: {count}") } else { String::new() };
        let gaps = [
            gap(self.0.outside(), "partly or completely outside"),
            gap(self.0.uncut(), "not cut"),
            gap(self.0.without_rate(), "no rate set"),
            gap(self.0.unpriced(), "not priced"),
            gap(self.0.unopened(), "not opened"),
            gap(self.0.invalid().unwrap_or(0), "not valid"),
        ]
        .concat();
        let total: String = of_package(py, "short_amount")?.call1((self.0.total(),))?.extract()?;
        Ok(format!("<CostReport: {systems} systems, {diagrams} diagrams, total {total}{gaps}>"))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let Arg(units) = or_option(py, None, "units")?;
        Ok(CostTable { report: &self.0, caption: self.0.subject.title(), units }.to_string())
    }
}

/// The argument of a call or, without it, the value in `pygeodesign.options`.
fn or_option<'py, T>(py: Python<'py>, given: Option<T>, name: &str) -> PyResult<T>
where
    T: FromPyObjectOwned<'py, Error: Into<PyErr>>,
{
    match given {
        Some(value) => Ok(value),
        None => of_package(py, "options")?.getattr(name)?.extract().map_err(Into::into),
    }
}
