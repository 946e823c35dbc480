//! `FeatureCollection.to_file`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use super::collection::FeatureCollection;
use crate::features;
use crate::python::engine::interrupts::{Interrupted, compute};

#[pymethods]
impl FeatureCollection {
    /// Writes the collection to a file. An existing file is replaced when the new one is complete, and stays as it is where that
    /// is interrupted or fails.
    ///
    /// Args:
    ///     path: `.geojson` and `.json` are written as GeoJSON, `.parquet` as GeoParquet; any other ending is written by
    ///         GeoPandas (`.gpkg`, `.fgb`, `.shp` …).
    ///
    /// Raises:
    ///     ImportError: GeoPandas or pyarrow is missing and the format needs it.
    ///     OSError: The file cannot be written.
    ///
    /// Examples:
    ///     >>> import pathlib, tempfile
    ///     >>> path = pathlib.Path(tempfile.mkdtemp()) / "boundaries.geojson"
    ///     >>> project.boundaries().to_file(path)
    ///     >>> path.stat().st_size > 0
    ///     True
    fn to_file(slf: &Bound<'_, Self>, path: PathBuf) -> PyResult<()> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "geojson" | "json" => {
                let collection = slf.get().0.clone();
                let shown_path = path.display().to_string();
                let written = compute(slf.py(), move |interrupted| write_geojson(&collection, &path, interrupted))?;
                written.map_err(|problem| PyOSError::new_err(format!("{shown_path}: {problem}")))
            }
            "parquet" => write_whole(&path, |draft| Self::to_geopandas(slf)?.call_method1("to_parquet", (draft,))),
            _ => write_whole(&path, |draft| Self::to_geopandas(slf)?.call_method1("to_file", (draft,))),
        }
    }
}

/// Lets `write` make a file in a temporary folder, with further files where the format has several, and moves all of them to
/// their folder when they are complete.
fn write_whole<'py>(path: &Path, write: impl FnOnce(PathBuf) -> PyResult<Bound<'py, PyAny>>) -> PyResult<()> {
    let not_written = |problem: &dyn std::fmt::Display| PyOSError::new_err(format!("{}: {problem}", path.display()));
    let name = path.file_name().ok_or_else(|| not_written(&"the path has no file name"))?;
    let drafts = tempfile::tempdir_in(folder_of(path)).map_err(|problem| not_written(&problem))?;
    write(drafts.path().join(name)).map_err(|error| {
        match Python::attach(|py| error.is_instance_of::<PyRuntimeError>(py)) {
            // How pyogrio reports an error of GDAL.
            true => not_written(&error),
            false => error,
        }
    })?;
    for draft in std::fs::read_dir(drafts.path())? {
        let draft = draft?;
        std::fs::rename(draft.path(), folder_of(path).join(draft.file_name()))?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_geojson(collection: &features::FeatureCollection, path: &Path, interrupted: &Interrupted) -> io::Result<()> {
    let file = tempfile::NamedTempFile::new_in(folder_of(path))?;
    let mut out = BufWriter::new(UntilInterrupted { file: file.as_file(), interrupted });
    serde_json::to_writer(&mut out, collection)?;
    out.flush()?;
    drop(out);
    file.persist(path)?;
    Ok(())
}

/// Writes to a file; fails once nobody waits for it any more.
struct UntilInterrupted<'w> {
    file: &'w File,
    interrupted: &'w Interrupted,
}

impl Write for UntilInterrupted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interrupted.is_set() {
            true => Err(io::Error::other("interrupted")),
            false => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // The last bytes are written and flushed before the file gets its name.
        self.write(&[]).and_then(|_| self.file.flush())
    }
}
