//! The land under geometries, and overlaps of lands, for the Python code of the package.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::convert::errors::input_error;
use crate::engine::interrupts::compute;
use geodesign_geometry::{
    Choices, Geometry, LandInClasses, Lands, Measure, OnLand, Voted, Votes, inside, read_wkb, write_wkb,
};

/// The number of designs, the number of the system, its votes, and true if it is tied.
type KindOfVotes = (usize, usize, usize, bool);

/// The land of several geometries, one row each, whose edges are geodesics. No row has land twice. Arrays are bytes of float64 or of
/// uint32, in native byte order.
#[pyclass(frozen)]
pub struct _Lands(Arc<Lands>);

impl _Lands {
    /// Ctrl-C ends the wait for the work.
    fn run<T: Send + 'static>(&self, py: Python<'_>, work: impl FnOnce(&Lands) -> T + Send + 'static) -> PyResult<T> {
        let lands = self.0.clone();
        compute(py, move |_| work(&lands))
    }

    fn made(&self, py: Python<'_>, work: impl FnOnce(&Lands) -> Lands + Send + 'static) -> PyResult<Self> {
        Ok(Self(Arc::new(self.run(py, work)?)))
    }
}

#[pymethods]
impl _Lands {
    /// Geometries are WKB; `None` has no land. Those from row `map` on are one map, whose areas share borders. Fails if their overlay would
    /// take too long.
    #[new]
    #[pyo3(signature = (geometries, map = None))]
    fn new(py: Python<'_>, geometries: Vec<Option<PyBackedBytes>>, map: Option<usize>) -> PyResult<Self> {
        let lands = compute(py, move |_| {
            let read = |wkb: &Option<PyBackedBytes>| read_wkb(wkb.as_ref()?);
            let geometries: Vec<Option<Geometry>> = geometries.iter().map(read).collect();
            Lands::of(geometries.iter().map(Option::as_ref), map.unwrap_or(usize::MAX))
        });
        let lands = lands?.map_err(|too_much| input_error(too_much.to_string()))?;
        Ok(Self(Arc::new(lands)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The geodesic area of each row.
    fn hectares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(in_hectares(py, self.run(py, Lands::square_metres)?))
    }

    /// Each row as the WKB of a multipolygon, cut at the antimeridian.
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        Ok(written(py, &self.run(py, Lands::geometries)?))
    }

    /// The pairs of rows whose polygons' bounds meet, the smaller row of each first; with `split`, only pairs of a row before it and one
    /// from it on.
    #[pyo3(signature = (split = None))]
    fn near<'py>(&self, py: Python<'py>, split: Option<u32>) -> PyResult<Bound<'py, PyBytes>> {
        let pairs = self.run(py, move |lands| lands.near(split))?;
        let rows: Vec<[u8; 4]> =
            pairs.iter().flat_map(|(one, other)| [one.to_ne_bytes(), other.to_ne_bytes()]).collect();
        Ok(PyBytes::new(py, rows.as_flattened()))
    }

    /// These rows.
    fn rows(&self, py: Python<'_>, rows: Vec<usize>) -> Self {
        Self(Arc::new(py.detach(|| self.0.rows(&rows))))
    }

    /// These rows, followed by the rows of lands made from the same ones.
    fn joined(&self, py: Python<'_>, others: &Self) -> Self {
        Self(Arc::new(py.detach(|| self.0.and(&others.0))))
    }

    /// The land under any of the rows of each group.
    fn united(&self, py: Python<'_>, groups: Vec<Vec<usize>>) -> PyResult<Self> {
        self.made(py, move |lands| lands.united(&groups))
    }

    /// The land that each row shares with any of the others.
    fn common(&self, py: Python<'_>, rows: Vec<(usize, Vec<usize>)>) -> PyResult<Self> {
        self.made(py, move |lands| lands.common(&rows))
    }

    /// Each row without the land under any of the others.
    fn without(&self, py: Python<'_>, rows: Vec<(usize, Vec<usize>)>) -> PyResult<Self> {
        self.made(py, move |lands| lands.without(&rows))
    }

    /// The kinds of votes in places, where rows are diagrams of these square metres, systems and designs, by number; the hectares and the
    /// land of each.
    fn consensus<'py>(
        &self,
        py: Python<'py>,
        square_metres: Vec<f64>,
        systems: Vec<usize>,
        designs: Vec<Vec<usize>>,
    ) -> PyResult<(Vec<KindOfVotes>, Bound<'py, PyBytes>, Self)> {
        let found =
            move |lands: &Lands| lands.consensus(&square_metres, Choices { systems: &systems, designs: &designs });
        let (voted, lands) = self.run(py, found)?;
        let votes = |voted: &Voted| {
            let Votes { designs, system, votes, is_tied } = voted.votes;
            (designs.0, system, votes.0, is_tied)
        };
        let areas = in_hectares(py, voted.iter().map(|voted| voted.square_metres).collect());
        Ok((voted.iter().map(votes).collect(), areas, Self(Arc::new(lands))))
    }

    /// For each pair of systems, the land that one design gives to the first, and a different design to the second; and for all pairs
    /// together. The first rows are diagrams of these systems and designs, by number.
    fn between(
        &self,
        py: Python<'_>,
        pairs: Vec<[usize; 2]>,
        systems: Vec<usize>,
        designs: Vec<Vec<usize>>,
    ) -> PyResult<Self> {
        self.made(py, move |lands| lands.between(&pairs, Choices { systems: &systems, designs: &designs }))
    }

    /// For each of the first rows, with the given square metres, the hectares in each class of the areas that follow, and the hectares
    /// in none. `class_of` has the class of each area, a number below `classes`.
    fn in_classes<'py>(
        &self,
        py: Python<'py>,
        square_metres: Vec<f64>,
        class_of: Vec<usize>,
        classes: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let found = self.run(py, move |lands| lands.in_classes(&square_metres, &class_of, classes))?;
        let areas =
            found.into_iter().flat_map(|LandInClasses { classes, outside, .. }| classes.into_iter().chain([outside]));
        Ok(in_hectares(py, areas.collect()))
    }

    /// The hectares that each pair of rows shares.
    fn shared_hectares<'py>(&self, py: Python<'py>, pairs: PyBackedBytes) -> PyResult<Bound<'py, PyBytes>> {
        Ok(in_hectares(py, self.run(py, move |lands| lands.shared_square_metres(&rows_of(&pairs)))?))
    }
}

/// The parts of geometries (WKB) inside an area; `None` stays `None`.
#[pyfunction]
pub fn _inside<'py>(
    py: Python<'py>,
    geometries: Vec<Option<PyBackedBytes>>,
    area: Vec<PyBackedBytes>,
) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
    let is_there: Vec<bool> = geometries.iter().map(Option::is_some).collect();
    let cut = compute(py, move |_| {
        let geometries: Vec<Geometry> = geometries.iter().flatten().map(read).collect();
        inside(&geometries.iter().collect::<Vec<_>>(), &area.iter().map(read).collect::<Vec<_>>())
    });
    let cut = cut?.map_err(|too_much| input_error(too_much.to_string()))?;
    let parts: Vec<Geometry> = cut.into_iter().map(|part| part.geometry).collect();
    let mut parts = written(py, &parts).into_iter();
    Ok(is_there.into_iter().map(|is_there| is_there.then(|| parts.next()).flatten()).collect())
}

/// The hectares, kilometres, points and share of a drawing (WKB) on some land, each place once.
#[pyfunction]
pub fn _on_land(
    py: Python<'_>,
    drawing: Vec<PyBackedBytes>,
    land: Vec<PyBackedBytes>,
) -> PyResult<(f64, f64, u64, f64)> {
    let found = compute(py, move |_| {
        let [drawing, land] = [drawing, land].map(|wkb| wkb.iter().map(read).collect::<Vec<_>>());
        OnLand::of(&drawing, &land)
    });
    let OnLand { measure, share } = found?.map_err(|too_much| input_error(too_much.to_string()))?;
    Ok((measure.hectares(), measure.kilometres(), measure.pieces, share))
}

/// Reads a geometry; an unreadable one is empty.
fn read(wkb: &PyBackedBytes) -> Geometry {
    read_wkb(wkb).unwrap_or(Geometry::Collection(Vec::new()))
}

fn written<'py>(py: Python<'py>, geometries: &[Geometry]) -> Vec<Bound<'py, PyBytes>> {
    let wkb = |geometry: &Geometry| {
        let mut wkb = Vec::new();
        write_wkb(geometry, &mut wkb);
        PyBytes::new(py, &wkb)
    };
    geometries.iter().map(wkb).collect()
}

fn rows_of(pairs: &[u8]) -> Vec<[usize; 2]> {
    let (rows, _) = pairs.as_chunks::<4>();
    let (pairs, _) = rows.as_chunks::<2>();
    pairs.iter().map(|pair| pair.map(|row| u32::from_ne_bytes(row) as usize)).collect()
}

fn in_hectares(py: Python<'_>, square_metres: Vec<f64>) -> Bound<'_, PyBytes> {
    let hectares = square_metres
        .iter()
        .map(|area| Measure { square_metres: *area, ..Measure::default() }.hectares().to_ne_bytes());
    PyBytes::new(py, hectares.collect::<Vec<_>>().as_flattened())
}
