//! `FeatureCollection.problems`.

use pyo3::prelude::*;

use super::collection::FeatureCollection;
use crate::features::GeometryProblem;
use crate::python::convert::to_python::Json;
use crate::python::engine::interrupts::compute;

#[pymethods]
impl FeatureCollection {
    /// What is wrong with the geometries: those that could not be drawn as a diagram today.
    ///
    /// A service may hold polygons that cross themselves, holes outside their exterior or parts that overlap. They are read
    /// and measured as they are, so their area may be one that nobody drew. The rules are those of `add_diagram`, and agree
    /// with `shapely.is_valid`.
    ///
    /// Returns:
    ///     A dict for each invalid geometry, with its first fault: `diagramid`, the `row` and the `part` that it is in
    ///     (counted from 0), its `position` (longitude and latitude in degrees) and the `reason`, which tells how to
    ///     repair it. An empty list if all is well. Features without a geometry are well.
    ///
    /// Examples:
    ///     >>> project.diagrams().problems()
    ///     []
    fn problems(&self, py: Python<'_>) -> PyResult<Json<Vec<GeometryProblem>>> {
        let collection = self.0.clone();
        compute(py, move |_| collection.problems()).map(Json)
    }
}
