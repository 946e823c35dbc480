//! The command line from Python.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyEOFError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use super::client::Client;
use super::features::FeatureCollection;
use super::project::Project;
use crate::cli::{self, ArchivedAll, Host, HostError, ReportOptions, UploadOptions, UploadedRow};
use crate::client::{self, ExternalLimits, FileReader};
use crate::features;
use crate::model::ProjectId;
use crate::python::convert::errors::import_extras;
use crate::python::convert::external_frame::{check_libraries, read_geometries};
use crate::python::convert::geometries::read_as_geojson;

/// Runs the command line and returns its exit code.
#[pyfunction]
pub fn _run(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| cli::run(arguments, &Interpreter))
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
        designs: &[(i64, String)],
        path: &Path,
        report: &ReportOptions,
    ) -> Result<(), HostError> {
        attached(|py| {
            let ReportOptions { title, author, currency, units, budget } = report;
            let options = dict!(py, title, author, currency, units, budget);
            let designs = Some(designs).filter(|designs| !designs.is_empty());
            let comparison = Bound::new(py, Project::from(project))?.call_method1("compare", (designs,))?;
            comparison.call_method("to_html", (path,), Some(&options))?;
            Ok(())
        })
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
            let UploadOptions { system, layer, title, kind, funding, start_date, end_date, .. } = upload;
            let outside = if upload.allow_outside { "allow" } else { "refuse" };
            let duplicates = if upload.skip_duplicates { "skip" } else { "warn" };
            let dry_run = upload.dry_run;
            let options = dict!(py, layer, title, kind, funding, start_date, end_date, outside, duplicates, dry_run);
            let arguments = (Project::from(project), system, path);
            let rows = py.import("pygeodesign._upload")?.call_method("upload", arguments, Some(&options))?;
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
            let module = py.import("pygeodesign._many.archive_all")?;
            module.call_method1("archive_all_as_json", (client, store, projects))?.extract()
        })?;
        serde_json::from_str(&outcome).map_err(|error| HostError::Failed(error.to_string()))
    }
}

/// Runs Python code. Its exceptions become errors, without their traceback.
fn attached<T>(run: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, HostError> {
    Python::attach(|py| {
        run(py).map_err(|error| {
            let message = error.value(py).to_string();
            // Ctrl-D at a question is Ctrl-C.
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
