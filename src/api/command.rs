//! The command line from Python.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyEOFError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::client::Client;
use super::features::FeatureCollection;
use super::project::Project;
use crate::convert::errors::{import_extra, import_extras};
use crate::convert::external_frame::{check_libraries, read_geometries};
use crate::convert::geometries::read_as_geojson;
use crate::engine::interpreter::this_python;
use crate::engine::package::of_package;
use geodesign::features;
use geodesign::model::ProjectId;
use geodesign_cli::{
    self, Answer, ArchivedAll, AskedQuestion, ChosenDesigns, ComparedDesign, Host, HostError, PageOptions, PageTexts,
    Question, ReportOptions, UploadOptions, UploadedRow,
};
use geodesign_client as client;
use geodesign_client::{CostSelection, ExternalLimits, FileReader};
use geodesign_service::Python as ServicePython;

/// Runs the command line and returns its exit code.
#[pyfunction]
pub fn _run(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| geodesign_cli::run(arguments, &Interpreter))
}

/// The Python interpreter, on whose main thread the command line runs.
struct Interpreter;

impl Host for Interpreter {
    fn is_interrupted(&self) -> bool {
        Python::attach(|py| py.check_signals()).is_err()
    }

    fn ask(&self, prompt: &str) -> Result<String, HostError> {
        attached(|py| py.import("builtins")?.call_method1("input", (prompt,))?.extract())
    }

    fn ask_secret(&self, prompt: &str) -> Result<String, HostError> {
        attached(|py| py.import("getpass")?.call_method1("getpass", (prompt,))?.extract())
    }

    fn open_in_browser(&self, page: &Path) {
        let _ = attached(|py| of_package(py, "open_in_browser")?.call1((page,)).map(drop));
    }

    fn write_features(
        &self,
        features: features::FeatureCollection,
        path: &Path,
        escape_formulas: bool,
    ) -> Result<Vec<PathBuf>, HostError> {
        attached(|py| {
            let options = dict!(py, escape_formulas);
            let features = Bound::new(py, FeatureCollection::from(features))?;
            features.call_method("to_file", (path,), Some(&options))?.extract()
        })
    }

    fn file_reader(&self) -> Result<FileReader, HostError> {
        attached(|_| check_libraries())?;
        Ok(FileReader { limits: ExternalLimits::default(), read: read_geometries })
    }

    fn write_report(
        &self,
        project: client::Project,
        designs: &ChosenDesigns,
        path: &Path,
        report: &ReportOptions,
    ) -> Result<(), HostError> {
        attached(|py| {
            let options = report_options(py, report)?;
            let comparison = comparison(py, project, designs)?;
            comparison.call_method("to_html", (path,), Some(&options))?;
            Ok(())
        })
    }

    fn write_record(
        &self,
        project: client::Project,
        designs: &ChosenDesigns,
        folder: &Path,
        report: &ReportOptions,
    ) -> Result<Vec<PathBuf>, HostError> {
        attached(|py| {
            let options = report_options(py, report)?;
            options.set_item("designs", given(designs))?;
            options.set_item("land", designs.land.name())?;
            Bound::new(py, Project::from(project))?.call_method("record", (folder,), Some(&options))?.extract()
        })
    }

    fn compare(&self, project: client::Project, designs: &ChosenDesigns) -> Result<Vec<ComparedDesign>, HostError> {
        attached(|py| {
            let comparison = comparison(py, project, designs)?;
            let rows = of_package(py, "design_figures")?.call1((comparison,))?;
            Ok(pythonize::depythonize(&rows)?)
        })
    }

    fn questions(&self) -> Result<Vec<Question>, HostError> {
        let questions: String = attached(|py| of_package(py, "questions_as_json")?.call0()?.extract())?;
        serde_json::from_str(&questions).map_err(|error| HostError::Failed(error.to_string()))
    }

    fn answer(
        &self,
        project: client::Project,
        designs: &ChosenDesigns,
        AskedQuestion { name, arguments, picture }: &AskedQuestion<'_>,
    ) -> Result<Answer, HostError> {
        let answer: String = attached(|py| {
            let arguments = serde_json::Value::from((*arguments).clone()).to_string();
            of_package(py, "answer_as_json")?
                .call1((Project::from(project), given(designs), designs.land.name(), *name, arguments, *picture))?
                .extract()
        })?;
        serde_json::from_str(&answer).map_err(|error| HostError::Failed(error.to_string()))
    }

    fn write_map(
        &self,
        project: client::Project,
        selection: &CostSelection,
        path: &Path,
        basemap: Option<&str>,
        page: &PageOptions,
    ) -> Result<(), HostError> {
        attached(|py| {
            let options = page_options(py, selection, page)?;
            options.set_item("basemap", basemap)?;
            write_page(py, project, "map", path, &options)
        })
    }

    fn write_gallery(
        &self,
        project: client::Project,
        selection: &CostSelection,
        path: &Path,
        (system, limit): (Option<&str>, Option<u32>),
        page: &PageOptions,
    ) -> Result<(), HostError> {
        attached(|py| {
            let options = page_options(py, selection, page)?;
            options.set_item("system", system)?;
            options.set_item("limit", limit)?;
            write_page(py, project, "gallery", path, &options)
        })
    }

    fn write_basemap(&self, extract: &Path, area: Option<&Path>, path: &Path) -> Result<(), HostError> {
        attached(|py| {
            of_package(py, "cut_basemap")?.call1((extract, area, path))?;
            Ok(())
        })
    }

    fn python(&self) -> Option<ServicePython> {
        attached(this_python).ok().flatten()
    }

    fn read_features(&self, path: &Path) -> Result<String, HostError> {
        attached(|py| read_as_geojson(py, path))
    }

    fn upload(
        &self,
        project: client::Project,
        path: &Path,
        upload: &UploadOptions,
    ) -> Result<Vec<UploadedRow>, HostError> {
        attached(|py| {
            let UploadOptions { system, layer, title, kind, funding, start_date, end_date, layer_type, .. } = upload;
            let dry_run = upload.dry_run;
            if upload.external {
                let options = dict!(py, layer_type, on_error = "raise", dry_run);
                let project = Bound::new(py, Project::from(project))?;
                let rows = project.call_method("add_external_diagrams", (path,), Some(&options))?;
                return Ok(pythonize::depythonize(&rows)?);
            }
            let outside = if upload.allow_outside { "allow" } else { "refuse" };
            let duplicates = if upload.skip_duplicates { "skip" } else { "warn" };
            let options = dict!(py, layer, title, kind, funding, start_date, end_date, outside, duplicates, dry_run);
            let arguments = (Project::from(project), system, path);
            let rows = of_package(py, "upload")?.call(arguments, Some(&options))?;
            Ok(pythonize::depythonize(&rows)?)
        })
    }

    fn archive_all(
        &self,
        client: client::Client,
        store: &str,
        projects: Option<Vec<ProjectId>>,
    ) -> Result<ArchivedAll, HostError> {
        let outcome: String = attached(|py| {
            import_extras(py, &["geopandas", "pyarrow"])?;
            let client = Bound::new(py, Client::from_config(client.config().clone())?)?;
            let projects: Option<Vec<&str>> =
                projects.as_ref().map(|projects| projects.iter().map(ProjectId::as_str).collect());
            of_package(py, "archive_all_as_json")?.call1((client, store, projects))?.extract()
        })?;
        serde_json::from_str(&outcome).map_err(|error| HostError::Failed(error.to_string()))
    }
}

/// A comparison of the given designs, or else of the latest design of each team.
fn comparison<'py>(py: Python<'py>, project: client::Project, designs: &ChosenDesigns) -> PyResult<Bound<'py, PyAny>> {
    let options = dict!(py, land = designs.land.name());
    Bound::new(py, Project::from(project))?.call_method("compare", (given(designs),), Some(&options))
}

/// The designs as an argument; `None` for the latest of each team.
fn given(designs: &ChosenDesigns) -> Option<&[(i64, String)]> {
    Some(designs.ids.as_slice()).filter(|ids| !ids.is_empty())
}

/// The arguments of `Comparison.to_html` and of records.
fn report_options<'py>(py: Python<'py>, report: &ReportOptions) -> PyResult<Bound<'py, PyDict>> {
    let ReportOptions { texts: PageTexts { title, currency, units }, author, language, budget } = report;
    let sections = PyDict::new(py);
    if let Some(budget) = budget {
        sections.set_item("optimum", dict!(py, budget))?;
    }
    Ok(dict!(py, title, author, currency, units, language, sections))
}

/// The arguments that `Project.map` and `Project.gallery` share.
fn page_options<'py>(py: Python<'py>, selection: &CostSelection, page: &PageOptions) -> PyResult<Bound<'py, PyDict>> {
    let PageOptions { texts: PageTexts { title, currency, units }, theme } = page;
    let (member, team, design) = match selection {
        CostSelection::All | CostSelection::Diagrams(_) => (None, None, None),
        CostSelection::Member(member) => (Some(member.as_str()), None, None),
        CostSelection::Design(team, design) => (None, Some(team.0), Some(design.as_str())),
    };
    Ok(dict!(py, title, currency, units, theme, member, team, design))
}

/// Writes the page made by a project's method.
fn write_page(
    py: Python<'_>,
    project: client::Project,
    method: &str,
    path: &Path,
    options: &Bound<'_, PyDict>,
) -> PyResult<()> {
    // A command needs no window, whatever the environment says.
    import_extra(py, "matplotlib")?.call_method1("use", ("agg",))?;
    let page = Bound::new(py, Project::from(project))?.call_method(method, (), Some(options))?;
    page.call_method1("to_html", (path,))?;
    Ok(())
}

/// Runs Python code. Its exceptions become errors, without their traceback.
fn attached<T>(run: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, HostError> {
    Python::attach(|py| {
        run(py).map_err(|error| {
            let message = error.value(py).to_string();
            // Ctrl-D at a question counts as Ctrl-C.
            if error.is_instance_of::<PyKeyboardInterrupt>(py) || error.is_instance_of::<PyEOFError>(py) {
                HostError::Interrupted
            } else if error.is_instance_of::<PyValueError>(py) {
                HostError::Input(message)
            } else if !message.is_empty() {
                HostError::Failed(message)
            } else {
                HostError::Failed(error.to_string())
            }
        })
    })
}
