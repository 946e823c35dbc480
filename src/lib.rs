//! The extension module `pygeodesign._core`: the classes that Python sees, conversions of values and errors, and how a call runs.
//! The client, the costs, the service and the command line themselves are crates of their own.

// For its macros `operations_table!` and `summary!`.
#[macro_use]
extern crate geodesign;

// First, because the others use its macro `dict!`.
#[macro_use]
mod convert;

mod api;
mod engine;

use pyo3::pymodule;

/// The extension module.
#[pymodule(gil_used = false)]
pub mod _core {
    use pyo3::exceptions::PyRuntimeWarning;
    use pyo3::prelude::*;
    use pyo3::types::PyString;

    use super::api::functions;
    use super::engine::method::explain_wrong_arguments;

    #[pymodule_export]
    use super::api::client::{AsyncClient, Client};
    #[pymodule_export]
    use super::api::cost_report::CostReport;
    #[pymodule_export]
    use super::api::features::FeatureCollection;
    #[pymodule_export]
    use super::api::project::{AsyncProject, Project};
    #[pymodule_export]
    use super::api::project_parts::{
        AsyncDesign, AsyncDiagram, AsyncMember, AsyncStudyArea, AsyncSystem, AsyncTeam, AsyncWorkshop, Design, Diagram,
        Member, StudyArea, System, Team, Workshop,
    };
    #[pymodule_export]
    use super::api::sandbox::Sandbox;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // `add` would list them in `__all__`.
        for function in [
            wrap_pyfunction!(super::api::command::_run, module)?,
            wrap_pyfunction!(functions::_measure, module)?,
            wrap_pyfunction!(functions::_open, module)?,
            wrap_pyfunction!(functions::_open_own, module)?,
            wrap_pyfunction!(functions::_limit_processors, module)?,
            wrap_pyfunction!(functions::_awaited, module)?,
            wrap_pyfunction!(functions::_forward, module)?,
            wrap_pyfunction!(functions::_ogc, module)?,
            wrap_pyfunction!(functions::_projected_bounds, module)?,
            wrap_pyfunction!(functions::_evaluation_classes, module)?,
            wrap_pyfunction!(functions::_evaluation_color, module)?,
            wrap_pyfunction!(super::api::lands::_inside, module)?,
            wrap_pyfunction!(super::api::lands::_on_land, module)?,
            wrap_pyfunction!(functions::_csv_cell, module)?,
            wrap_pyfunction!(functions::_csv_text, module)?,
            wrap_pyfunction!(functions::_geojson_features, module)?,
            wrap_pyfunction!(functions::_geojson_of, module)?,
            wrap_pyfunction!(functions::_crs_name, module)?,
            wrap_pyfunction!(functions::_transformed, module)?,
            wrap_pyfunction!(functions::_with_known_heights, module)?,
            wrap_pyfunction!(functions::_web_file, module)?,
            wrap_pyfunction!(functions::_write_whole, module)?,
            wrap_pyfunction!(functions::_for_card, module)?,
            wrap_pyfunction!(functions::_need, module)?,
            wrap_pyfunction!(super::engine::package::_use, module)?,
            wrap_pyfunction!(super::api::sandbox::_service_addresses, module)?,
            wrap_pyfunction!(super::convert::errors::_missing_extra, module)?,
        ] {
            module.setattr(function.getattr("__name__")?.cast::<PyString>()?, function)?;
        }
        module.setattr("_Lands", module.py().get_type::<super::api::lands::_Lands>())?;
        // At that time, threads can still be waited for.
        let stop = wrap_pyfunction!(functions::_stop, module)?;
        module.py().import("atexit")?.call_method1("register", (stop,))?;
        super::engine::logging::start();
        let classes = ["Client", "Project", "Workshop", "StudyArea", "FeatureCollection", "CostReport", "Sandbox"];
        let awaited = ["AsyncClient", "AsyncProject", "AsyncWorkshop", "AsyncStudyArea"];
        for class in classes.into_iter().chain(awaited) {
            explain_wrong_arguments(module.getattr(class)?.cast()?)?;
        }
        // What takes a dict of any kind, such as pandas, takes them. `collections.abc` has its class from there, and takes two milliseconds.
        let mapping = module.py().import("_collections_abc")?.getattr("Mapping")?;
        let parts = ["Team", "Design", "System", "Diagram", "Member"];
        for class in parts.into_iter().flat_map(|part| [part.to_owned(), format!("Async{part}")]) {
            let class = class.as_str();
            explain_wrong_arguments(module.getattr(class)?.cast()?)?;
            mapping.call_method1("register", (module.getattr(class)?,))?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        if cfg!(debug_assertions) {
            let message = c"this is a debug build of pygeodesign, many times slower than a release build";
            PyErr::warn(module.py(), &module.py().get_type::<PyRuntimeWarning>(), message, 1)?;
        }
        Ok(())
    }
}
