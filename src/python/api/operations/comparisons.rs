//! Comparisons of designs.

use pyo3::prelude::*;

use crate::blocking;
use crate::client::{self, Error};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::extras::import_extra;
use crate::python::engine::operations::operations;
use crate::python::engine::python_thread::in_new_thread;

operations! { Project / AsyncProject of client::Project:
    /// Compares designs: where they agree, where diagrams collide, which land they are on.
    ///
    /// The diagrams, systems, maps and designs of the project are downloaded, some requests at a time. Answering the questions asks for nothing
    /// more, so that they may be asked without a network. On an archive from `pygeodesign.open` it is the same.
    ///
    /// Args:
    ///     designs: What to compare, as a list, or as a dict from labels: pairs of team id and design id, ids of designs, or lists of
    ///         diagram ids. Default: the latest design of each team.
    ///
    /// Returns:
    ///     A `pygeodesign.planning.Comparison`. Designs of teams are called `Team – Design`, lists of diagram ids `Design 1` and so on.
    ///
    /// Raises:
    ///     InputError: No design has that id, the project does not have one of the diagrams, or it is none of the forms above.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Warns:
    ///     UserWarning: A team's design has diagrams that the project no longer has; they are left out.
    ///
    /// Examples:
    ///     >>> project.compare()
    ///     <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>
    ///     >>> project.compare({"marsh": [1001, 1002], "Conservation": (1, project.designs(1)[0]["id"])}).designs["marsh"]
    ///     [1001, 1002]
    #[pyo3(signature = (designs: "Mapping[str, _Design] | Iterable[_Design] | None" = None))]
    fn compare(designs: Option<Py<PyAny>>) -> Comparison = |project| {
        Python::attach(|py| ["geopandas", "pyarrow"].iter().try_for_each(|library| import_extra(py, library).map(drop)))?;
        blocking::run(|| in_new_thread(|py| compared(py, project, designs))).await.map_err(Error::from)?
    };
}

/// A `pygeodesign.planning.Comparison`.
struct Comparison(Py<PyAny>);

impl<'py> IntoPyObject<'py> for Comparison {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.0.into_bound(py))
    }
}

fn compared(py: Python<'_>, project: client::Project, designs: Option<Py<PyAny>>) -> PyResult<Comparison> {
    let class = py.import("pygeodesign.planning")?.getattr("Comparison")?;
    Ok(Comparison(class.call1((Project::from(project), designs))?.unbind()))
}
