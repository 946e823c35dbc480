//! The file of an external diagram as a GeoDataFrame.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::extras::import_extra;
use crate::client::ExternalFile;

/// What GDAL makes of the file.
pub struct ExternalFrame(pub ExternalFile);

impl ExternalFrame {
    /// Whether the libraries are there that make frames.
    pub fn check_libraries() -> PyResult<()> {
        Python::attach(|py| {
            ["geopandas", "pyarrow", "pyogrio"].iter().try_for_each(|library| import_extra(py, library).map(drop))
        })
    }
}

impl<'py> IntoPyObject<'py> for ExternalFrame {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ExternalFile { diagram, url, content } = self.0;
        let name = format!("the file of diagram {diagram}, {url}");
        let external = py.import("pygeodesign._external")?;
        external.call_method1("open_flatgeobuf", (PyBytes::new(py, &content), name))
    }
}
