//! `CostReport`.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::features::FeatureCollection;
use crate::convert::arguments::Arg;
use crate::convert::errors::{decode_error, import_extra, input_error};
use crate::convert::results::{Reduced, arrow_stream, pickled, unpickled};
use crate::convert::to_python::{GarbageCollectionPaused, Json};
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
    /// `length_km`, `cost` (the sum of the costs that are known), `unpriced` (the number of diagrams whose cost is not known),
    /// `without_rate` (the number of diagrams that cost nothing or have no cost because no rate is set for the system),
    /// `lines_at_area_rate` (the number of lines that are priced at the rate per hectare, per kilometre),
    /// `budget`, `budget_left` (negative: over budget; both are None without a budget, for which the service also writes 0),
    /// `budget_met` (None also if nothing is planned, or if a cost that is not known may decide), `current_ha`, `target_ha`,
    /// `target_left_ha` (target less current less `area_ha`; 0 if the target is met) and `target_met` (None also if an area that
    /// is not known may decide), which are None without a target, for which the service also writes 0.
    #[getter]
    fn systems(&self) -> Json<&Vec<SystemCost>> {
        Json(&self.0.systems)
    }

    /// One dict per priced diagram, a new list each time.
    ///
    /// `diagramid`, `sysid`, `description`, `kind` (`project`, `policy`, or None where the service gives none: it is then
    /// priced as a project), `area_ha`, `area_source` (`geometry`, `external`, `service`, or `unknown`: then `area_ha` and `length_km` are
    /// None), `area_figure` (a figure of the service as it wrote it, with its unit, where that was taken; else None), `area_problem`
    /// (why they are not known, such as points or metres; else None), `length_km`, `rate` (None where there is none),
    /// `rate_source` (`total`, `policy`, `override`, `system`, or `unknown`: something of the diagram is wrong or cannot be
    /// read), `cost` (None if it is not known), `cost_problem` (why it is not known; else None), `geometry_problem` (why the geometry is not valid, so that area and
    /// cost may be wrong; None if it is valid, or without `check=True`), `file_problem` (why the file of an external diagram could
    /// not be opened; None without `external=True`).
    #[getter]
    fn diagrams(&self) -> Json<&Vec<DiagramCost>> {
        Json(&self.0.diagrams)
    }

    /// The cost of all systems together: the sum of the costs that are known. `unpriced` tells how many are not.
    #[getter]
    fn total(&self) -> f64 {
        self.0.total()
    }

    /// What the report is about, for titles of pictures and pages: the title of the project, then what was priced of it.
    /// Empty if the service tells no title.
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

    /// The title of the project. None if the service tells none.
    #[getter]
    fn project_title(&self) -> Option<&str> {
        self.0.subject.project.as_deref()
    }

    /// Which diagrams were priced, by the titles of team and design, or the name of the member. None if it was all.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]
    ///     >>> project.costs(team=1, design=design["id"]).selection == f"Conservation, {design['description']}"
    ///     True
    #[getter]
    fn selection(&self) -> Option<&str> {
        self.0.subject.selection.as_deref()
    }

    /// The number of diagrams whose cost is not known, and therefore not part of `total`: their system should set the rate
    /// and has none, or they have a rate and their area is not known, or something of them is wrong or cannot be read. `cost_problem`
    /// of each tells which it is.
    ///
    /// Examples:
    ///     >>> project.costs().unpriced
    ///     0
    #[getter]
    fn unpriced(&self) -> i64 {
        self.0.unpriced()
    }

    /// The number of diagrams that should be priced by the rate of their system, which has none. Where the service writes 0
    /// for the rate, as in a new project, they cost 0; where it writes none, their cost is None.
    ///
    /// Examples:
    ///     >>> project.costs().without_rate
    ///     0
    #[getter]
    fn without_rate(&self) -> i64 {
        self.0.without_rate()
    }

    /// The number of lines, without any area, that are priced at the rate per hectare, per kilometre: a service has one rate for both.
    ///
    /// Examples:
    ///     >>> project.costs().lines_at_area_rate
    ///     14
    #[getter]
    fn lines_at_area_rate(&self) -> i64 {
        self.0.lines_at_area_rate()
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
    /// Raises:
    ///     InputError: `rows` is neither of the two.
    ///     ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` brings it.
    ///
    /// Examples:
    ///     >>> project.costs().to_pandas().shape
    ///     (9, 19)
    ///     >>> project.costs().to_pandas("diagrams").shape
    ///     (180, 15)
    #[pyo3(signature = (rows: "Literal['systems', 'diagrams']" = "systems") -> "DataFrame")]
    fn to_pandas<'py>(&self, py: Python<'py>, rows: &str) -> PyResult<Bound<'py, PyAny>> {
        let (records, table) = match rows {
            "systems" => (self.systems().into_pyobject(py)?, self.0.systems_table()),
            "diagrams" => (self.diagrams().into_pyobject(py)?, self.0.diagrams_table()),
            _ => return Err(input_error(format!("rows is \"systems\" or \"diagrams\", not {rows:?}"))),
        };
        let columns: Vec<&str> = table.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
        let named = PyDict::new(py);
        named.set_item("columns", columns)?;
        import_extra(py, "pandas")?.getattr("DataFrame")?.call((records,), Some(&named))
    }

    /// The priced diagrams as a GeoDataFrame, each in one row with its fields, its cost and all its shapes.
    ///
    /// `FeatureCollection.to_geopandas()` has a row for each feature: costs joined to that count a diagram of several
    /// features several times.
    ///
    /// Returns:
    ///     One row per diagram, in the order of `diagrams` and in EPSG:4326. The geometry is a MultiPolygon, MultiLineString
    ///     or MultiPoint of the shapes of all features, a GeometryCollection if they are of several kinds, or None. The
    ///     columns are those of `Project.diagrams()`, with the values of the first feature where features differ, then
    ///     `kind`, `area_ha`, `area_source`, `area_figure`, `area_problem`, `length_km`, `rate`, `rate_source`, `cost`,
    ///     `cost_problem`, `geometry_problem` and `file_problem` as in `diagrams`. The geometry of an external diagram is None; `Project.external()` reads it. A field
    ///     of the service with one of these names is called `properties.cost`, and so on.
    ///
    /// Raises:
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Examples:
    ///     >>> frame = project.costs().to_geopandas()
    ///     >>> len(frame), round(frame["cost"].sum()) == round(project.costs().total)
    ///     (180, True)
    #[pyo3(signature = () -> "GeoDataFrame")]
    fn to_geopandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import_extra(py, "geopandas")?;
        import_extra(py, "pyarrow")?;
        let frames = py.import("pygeodesign._frames")?;
        let _paused = GarbageCollectionPaused::new(py)?;
        let features = FeatureCollection::from(self.0.features.clone());
        frames.call_method1("costs_to_geopandas", (features, self.to_pandas(py, "diagrams")?))
    }

    /// The diagrams that make a figure, such as the cost or the hectares of a system, with what each of them contributes.
    ///
    /// Args:
    ///     system: The system, by name or id. Default: all systems.
    ///     boundaries: The study area, such as `project.boundaries()` or a GeoDataFrame. Default: `outside_ha` is not known.
    ///
    /// Returns:
    ///     A DataFrame with one row per diagram, by `diagramid`, the most expensive first: `system`, `title`, `kind`, `cost` with
    ///     its `rate` and `rate_source`, `area_ha` with its `area_source`, `length_km`, `outside_ha` (its land outside the
    ///     study area), `overlap_ha` (its land that other diagrams of the report cover too), `overlaps` (the ids of these),
    ///     `start_date` and `end_date`. Where diagrams overlap, `cost` and `area_ha` count both; `attrs["land_ha"]` is
    ///     the land under all rows, each place once.
    ///
    /// Raises:
    ///     InputError: No system has that name, or `boundaries` is no map.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Examples:
    ///     >>> report = project.costs()
    ///     >>> rows = report.explain("Transport", boundaries=project.study_area.boundaries())
    ///     >>> bool(abs(rows["cost"].sum() - report.systems[4]["cost"]) < 0.01)
    ///     True
    ///     >>> rows["rate_source"].value_counts().to_dict()
    ///     {'system': 10, 'override': 7, 'policy': 5, 'total': 4}
    #[pyo3(signature = (
        system: "str | int | None" = None, *, boundaries: "FeatureCollection | GeoDataFrame | None" = None
    ) -> "DataFrame")]
    fn explain<'py>(
        slf: &Bound<'py, Self>,
        system: Option<Bound<'py, PyAny>>,
        boundaries: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "geopandas")?;
        import_extra(slf.py(), "pyarrow")?;
        let module = slf.py().import("pygeodesign._planning.explained")?;
        module.call_method1("explain_report", (slf, system, boundaries))
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

    /// Cost against budget of each system, as bars in the colours of the systems.
    ///
    /// Args:
    ///     ax: The matplotlib axes to draw on. Default: new ones.
    ///     options: Further arguments of `pygeodesign.plots.plot_costs`, such as `title="Design 1"` or `currency="USD"`.
    ///
    /// Returns:
    ///     The axes.
    ///
    /// Raises:
    ///     ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.
    ///
    /// Examples:
    ///     >>> axes = project.costs().plot(currency="USD")
    #[pyo3(signature = (ax: "Axes | None" = None, **options: "Any") -> "Axes")]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        ax: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "matplotlib")?;
        slf.py().import("pygeodesign.plots")?.getattr("plot_costs")?.call((slf, ax), options)
    }

    /// The report as one HTML page, which works without a network and prints on A4.
    ///
    /// It has the systems with their budgets and targets, each diagram with its id and the origin of its cost, and what the
    /// words mean.
    ///
    /// Args:
    ///     path: The file to write; a file that is there is replaced. Default: the page is returned as text.
    ///     title: The heading of the page. Default: the titles of the project, and of team and design, or the name of the
    ///         member.
    ///     currency: The currency of all amounts, such as `"USD"`, which no service tells. Default: as `pygeodesign.options` says.
    ///     units: `"metric"` (hectares, kilometres), or `"us"` for acres and miles, in which rates are shown too.
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
        path: Option<PathBuf>,
        title: Option<String>,
        currency: Option<String>,
        units: Option<Arg<Units>>,
    ) -> PyResult<Option<String>> {
        let currency = &or_option(py, currency, "currency")?;
        let Arg(units) = or_option(py, units, "units")?;
        let title = title.unwrap_or_else(|| self.shown_title());
        let page = py.detach(|| CostPage { report: &self.0, title: &title, currency, units }.to_string());
        let Some(path) = path else { return Ok(Some(page)) };
        // Its errors name the file.
        py.import("pathlib")?.getattr("Path")?.call1((path,))?.call_method1("write_text", (page, "utf-8"))?;
        Ok(None)
    }

    /// The report as an Excel workbook with formulas: change a rate or a budget, and costs and differences follow.
    ///
    /// The sheet Rates has the rate and the budget of each system; a rate that no diagram follows is empty. Diagrams has a row per
    /// diagram, with a formula for its cost, Systems the sums, Notes what the words mean. Results are in the file, too, for
    /// programs that do not calculate. Sizes are hectares and kilometres.
    ///
    /// Args:
    ///     path: The file to write; a file that is there is replaced.
    ///     title: What the workbook is about; it is printed on each page. Default: what the report is of.
    ///     currency: The currency of all amounts, such as `"USD"`.
    ///
    /// Raises:
    ///     OSError: The file cannot be written.
    ///     ImportError: XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` brings it.
    ///
    /// Examples:
    ///     >>> project.costs().to_excel("costs.xlsx", title="Staten Island 2050", currency="USD")
    #[pyo3(signature = (path, *, title=None, currency=None))]
    fn to_excel(slf: &Bound<Self>, path: PathBuf, title: Option<String>, currency: Option<String>) -> PyResult<()> {
        let currency = or_option(slf.py(), currency, "currency")?;
        let title = title.unwrap_or_else(|| slf.get().shown_title());
        let module = slf.py().import("pygeodesign._cost_workbook")?;
        module.call_method1("write", (slf, path, title, currency)).map(|_| ())
    }

    /// The same report with other rates, budgets and targets, by the id of the system; of `Comparison.what_if`.
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

    /// A pickled report holds the features too, so that the copy has all methods: it is as large as the diagrams.
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

    fn __repr__(&self) -> String {
        let (systems, diagrams) = (self.0.systems.len(), self.0.diagrams.len());
        let gap = |count: i64, reason: &str| if count > 0 { format!(", {reason}: {count}") } else { String::new() };
        let gaps = [
            gap(self.0.without_rate(), "no rate set"),
            gap(self.0.unpriced(), "not priced"),
            gap(self.0.unopened(), "not opened"),
            gap(self.0.invalid().unwrap_or(0), "not valid"),
        ]
        .concat();
        format!("<CostReport: {systems} systems, {diagrams} diagrams, total {:.0}{gaps}>", self.0.total())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let Arg(units) = or_option(py, None, "units")?;
        Ok(CostTable { report: &self.0, caption: self.0.subject.title(), units }.to_string())
    }
}

/// What a call gives or, without it, `pygeodesign.options`.
fn or_option<'py, T>(py: Python<'py>, given: Option<T>, name: &str) -> PyResult<T>
where
    T: FromPyObjectOwned<'py, Error: Into<PyErr>>,
{
    match given {
        Some(value) => Ok(value),
        None => py.import("pygeodesign._options")?.getattr("options")?.getattr(name)?.extract().map_err(Into::into),
    }
}
