//! Areas and lengths of geometries, for `pygeodesign.measure`.

use pyo3::prelude::*;

use crate::geometry::{Geometry, Measure, around_the_earth};
use crate::parallel::map_chunks;
use crate::python::convert::errors::input_error;
use crate::python::convert::geometries::{Encoded, UnfitGeometry};
use crate::python::engine::interrupts::compute;

/// Fewer geometries are not worth a thread.
const MIN_CHUNK_GEOMETRIES: usize = 64;

/// Hectares and kilometres of each geometry, which are NaN where there is no geometry, and the rows of the polygons that go around
/// the whole Earth.
#[pyfunction]
pub fn _measure(py: Python<'_>, geometries: Vec<Option<Encoded>>) -> PyResult<(Vec<f64>, Vec<f64>, Vec<usize>)> {
    let measured = compute(py, move |interrupted| {
        map_chunks(geometries.len(), MIN_CHUNK_GEOMETRIES, |rows| {
            let wanted = geometries[rows].iter().take_while(|_| !interrupted.is_set());
            wanted.map(|geometry| geometry.as_ref().map(measure).transpose()).collect()
        })
    })?;
    let (mut hectares, mut kilometres, mut around) = (Vec::new(), Vec::new(), Vec::new());
    for (row, measured) in measured.into_iter().enumerate() {
        let measured = measured.map_err(|problem| input_error(format!("feature {row}: {problem}")))?;
        hectares.push(measured.map_or(f64::NAN, |(measure, _)| measure.hectares()));
        kilometres.push(measured.map_or(f64::NAN, |(measure, _)| measure.kilometres()));
        around.extend(measured.filter(|(_, is_around)| *is_around).map(|_| row));
    }
    Ok((hectares, kilometres, around))
}

/// Hectares of land that geometries share, to within 1e-8 of them, in the order of the geometries. Runs on the thread of the caller.
#[pyfunction]
pub fn _overlap_hectares(py: Python<'_>, geometries: Vec<Encoded>) -> PyResult<Vec<f64>> {
    let measured: Result<Vec<f64>, UnfitGeometry> = py.detach(|| {
        let hectares = |geometry: &Geometry| Measure::of_overlap(geometry).unwrap_or_default().hectares();
        geometries.iter().map(|geometry| Ok(hectares(&geometry.decode()?))).collect()
    });
    measured.map_err(|problem| input_error(problem.to_string()))
}

/// The measure of a geometry, and whether it goes around the whole Earth.
fn measure(geometry: &Encoded) -> Result<(Measure, bool), UnfitGeometry> {
    let geometry = geometry.decode()?;
    Ok((Measure::of(&geometry).unwrap_or_default(), around_the_earth(&geometry).is_some()))
}
