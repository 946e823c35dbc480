//! The file of an external diagram, read by GDAL.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::errors::{Result, import_extras};
use super::geometries::Encoded;
use crate::engine::package::of_package;
use crate::engine::runtime::{in_new_thread, in_python_thread};
use geodesign_client::ExternalFile;
use geodesign_geometry::Geometry;

/// The GeoDataFrame of a file.
pub struct ExternalFrame(Py<PyAny>);

impl ExternalFrame {
    /// Reads the file while the threads that serve requests go on.
    pub async fn open(file: ExternalFile) -> Result<Self> {
        let read = |py: Python<'_>| read(py, file, "frame_of_flatgeobuf").map(|frame| ExternalFrame(frame.unbind()));
        in_python_thread(read).await
    }
}

impl<'py> IntoPyObject<'py> for ExternalFrame {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.0.into_bound(py))
    }
}

/// Checks that the libraries for reading files are installed.
pub fn check_libraries() -> PyResult<()> {
    Python::attach(|py| import_extras(py, &["geopandas", "pyarrow", "pyogrio"]))
}

/// The geometries of a file in longitude and latitude, or the reason why it cannot be read. Features without a geometry are left out.
pub fn read_geometries(file: ExternalFile) -> Result<Vec<Geometry>, String> {
    let read = |py: Python<'_>| read(py, file, "read_geometries")?.extract();
    let encoded: Vec<Option<Encoded>> = in_new_thread(read).map_err(|problem| problem_text(&problem))?;
    let decoded = encoded.iter().enumerate().filter_map(|(at, geometry)| Some((at, geometry.as_ref()?.decode())));
    decoded.map(|(at, geometry)| geometry.map_err(|problem| format!("feature {at} of its file: {problem}"))).collect()
}

fn read<'py>(py: Python<'py>, file: ExternalFile, function: &str) -> PyResult<Bound<'py, PyAny>> {
    let ExternalFile { diagram, url, content } = file;
    let name = format!("the file of diagram {diagram}, {url}");
    of_package(py, function)?.call1((PyBytes::new(py, &content), name))
}

fn problem_text(problem: &PyErr) -> String {
    Python::attach(|py| problem.value(py).to_string())
}
