//! The Python face: `pygeodesign._core`. Conversions and classes only; whatever thinks lives in the other rooms.

mod administration;
mod arguments;
mod awaitable;
mod client;
mod command;
mod costs;
mod errors;
mod features;
mod geometries;
mod json;
mod logging;
mod operations;
mod own_thread;
mod progress;
mod project;
mod project_writes;
mod runtime;
mod sandbox;
mod uploads;

use pyo3::pymodule;

/// The extension module.
#[pymodule(gil_used = false)]
pub mod _core {
    use pyo3::exceptions::PyRuntimeWarning;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::client::{AsyncClient, Client};
    #[pymodule_export]
    use super::costs::CostReport;
    #[pymodule_export]
    use super::features::FeatureCollection;
    #[pymodule_export]
    use super::project::{AsyncProject, Project};
    #[pymodule_export]
    use super::sandbox::Sandbox;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Set, not added: what is added is public.
        module.setattr("_run", wrap_pyfunction!(super::command::_run, module)?)?;
        // Before the interpreter goes down, while threads of ours can still be waited for.
        let stop = wrap_pyfunction!(super::runtime::_stop, module)?;
        module.py().import("atexit")?.call_method1("register", (stop,))?;
        super::logging::begin();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        if cfg!(debug_assertions) {
            let message = c"this is a debug build of pygeodesign, many times slower than a release build";
            PyErr::warn(module.py(), &module.py().get_type::<PyRuntimeWarning>(), message, 1)?;
        }
        Ok(())
    }
}
