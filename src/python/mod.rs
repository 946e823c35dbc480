//! The Python face: `pygeodesign._core`. Conversions and classes only; whatever thinks lives in the other rooms.

mod api;
mod convert;
mod engine;

use pyo3::pymodule;

/// The extension module.
#[pymodule(gil_used = false)]
pub mod _core {
    use pyo3::exceptions::PyRuntimeWarning;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::api::client::{AsyncClient, Client};
    #[pymodule_export]
    use super::api::costs::CostReport;
    #[pymodule_export]
    use super::api::features::FeatureCollection;
    #[pymodule_export]
    use super::api::project::{AsyncProject, Project};
    #[pymodule_export]
    use super::api::sandbox::Sandbox;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Set, not added: what is added is public.
        module.setattr("_run", wrap_pyfunction!(super::api::command::_run, module)?)?;
        module.setattr("_missing_extra", wrap_pyfunction!(super::convert::extras::_missing_extra, module)?)?;
        // Before the interpreter goes down, while threads of ours can still be waited for.
        let stop = wrap_pyfunction!(super::engine::runtime::_stop, module)?;
        module.py().import("atexit")?.call_method1("register", (stop,))?;
        super::engine::logging::begin();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        if cfg!(debug_assertions) {
            let message = c"this is a debug build of pygeodesign, many times slower than a release build";
            PyErr::warn(module.py(), &module.py().get_type::<PyRuntimeWarning>(), message, 1)?;
        }
        Ok(())
    }
}
