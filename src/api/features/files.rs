//! `FeatureCollection.to_file`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use super::FeatureCollection;
use crate::convert::arguments::LocalPath;
use crate::engine::interrupts::{Interrupted, compute};
use crate::engine::package::of_package;
use geodesign::features::{self, with_unique_ids};
use geodesign_common::whole_files::{Readers, draft_of, folder_of, in_folder, persist, target_of};

/// A file is written in chunks of this size, with a check for Ctrl-C after each.
const CHUNK_BYTES: usize = 1024 * 1024;

#[pymethods]
impl FeatureCollection {
    /// Writes the collection to a file. Existing files are replaced when the new ones are complete, and stay unchanged if
    /// writing is interrupted or fails.
    ///
    /// Every format holds every row. If a format cannot hold a value unchanged, a `UserWarning` says what was done.
    ///
    /// Args:
    ///     path: Its extension chooses the format.
    ///         `.geojson`, `.json`: GeoJSON. If an `id` repeats, such as for a diagram of several features, each feature gets
    ///         its number as `id`, as GDAL requires; the property `diagramid` identifies the diagram.
    ///         `.gpkg`: GeoPackage, with a style in which QGIS shows each system in its colour.
    ///         `.parquet`, `.geoparquet`: GeoParquet.
    ///         `.fgb`: FlatGeobuf.
    ///         `.kml`: KML. A placemark is named by the title of its diagram.
    ///         `.shp`: Shapefiles, one for each kind of geometry: `map.shp` if there is one kind, else `map-polygons.shp`,
    ///         `map-lines.shp` and `map-points.shp`. Their format cuts names of fields to 10 characters and texts to 254
    ///         bytes.
    ///         `.csv`: text in UTF-8 with the geometry as WKT in the column `WKT`; the files `.csvt` and `.prj` give GDAL the
    ///         types and the CRS. `add_diagrams` and `pygeodesign upload` read it.
    ///         `.xlsx`: an Excel sheet, with the geometry as in CSV. Strings stay strings, whatever they begin with.
    ///     escape_formulas: True to write an apostrophe before CSV strings that begin with `=`, `+`, `-`, `@`, a tab or a line break, which
    ///         spreadsheets would run as formulas. Numbers, dates and geometries never get one.
    ///
    /// Returns:
    ///     The files that were written.
    ///
    /// Raises:
    ///     InputError: The path has another extension.
    ///     ImportError: GeoPandas or pyarrow is missing and the format is not GeoJSON; `pip install 'pygeodesign[geo]'`
    ///         installs both.
    ///     OSError: The file cannot be written.
    ///
    /// Warns:
    ///     UserWarning: Geometries went to several files, or names or long strings were cut; the message says which.
    ///
    /// Examples:
    ///     >>> [path.name for path in project.study_area.boundaries().to_file("boundaries.gpkg")]
    ///     ['boundaries.gpkg']
    #[pyo3(signature = (path: "str | PathLike[str]", *, escape_formulas: "bool" = true) -> "list[Path]")]
    fn to_file(slf: &Bound<'_, Self>, path: LocalPath, escape_formulas: bool) -> PyResult<Vec<PathBuf>> {
        let LocalPath(path) = path;
        let ending: String = of_package(slf.py(), "known_ending")?.call1((&path,))?.extract()?;
        match ending.as_str() {
            ".geojson" | ".json" => {
                let collection = slf.get().0.clone();
                let target = path.clone();
                let written = compute(slf.py(), move |interrupted| write_geojson(&collection, &target, interrupted))?;
                written.map_err(|problem| PyOSError::new_err(format!("{}: {problem}", path.display())))?;
                Ok(vec![path])
            }
            _ => {
                let frame = slf.call_method0("to_geopandas")?;
                let write = of_package(slf.py(), "write_file")?;
                write_whole(&path, |draft| write.call1((frame, ending, draft, escape_formulas)))
            }
        }
    }
}

/// Lets `write` make a file in a temporary folder, with further files for some formats, and moves all of them to
/// their folder when they are complete. Returns their final paths, in the order of their names.
fn write_whole<'py>(path: &Path, write: impl FnOnce(PathBuf) -> PyResult<Bound<'py, PyAny>>) -> PyResult<Vec<PathBuf>> {
    let not_written = |problem: &dyn std::fmt::Display| PyOSError::new_err(format!("{}: {problem}", path.display()));
    // Accompanying files, such as those of a Shapefile, go to the folder that a symbolic link leads to.
    let target = target_of(path);
    let name = target.file_name().ok_or_else(|| not_written(&"the path has no file name"))?;
    let drafts = tempfile::tempdir_in(folder_of(&target))
        .map_err(|problem| not_written(&in_folder(problem, folder_of(&target))))?;
    write(drafts.path().join(name)).map_err(|error| {
        // The class of GDAL errors in pyogrio.
        let is_of_gdal = Python::attach(|py| error.is_instance_of::<PyRuntimeError>(py));
        if is_of_gdal { not_written(&error) } else { error }
    })?;
    let mut written = Vec::new();
    for draft in std::fs::read_dir(drafts.path())? {
        let draft = draft?;
        let file = target.with_file_name(draft.file_name());
        if let Ok(former) = std::fs::metadata(&file) {
            std::fs::set_permissions(draft.path(), former.permissions())?;
        }
        std::fs::rename(draft.path(), target_of(&file))?;
        written.push(if draft.file_name() == name { path.to_owned() } else { file });
    }
    written.sort();
    Ok(written)
}

fn write_geojson(collection: &features::FeatureCollection, path: &Path, interrupted: &Interrupted) -> io::Result<()> {
    let mut file = draft_of(path, Readers::Usual)?;
    let mut geojson = Vec::new();
    serde_json::to_writer(UntilInterrupted { writer: &mut geojson, interrupted }, collection)?;
    let geojson = String::from_utf8(geojson).map_err(io::Error::other)?;
    let geojson = with_unique_ids(&geojson)?.unwrap_or(geojson);
    let mut out = UntilInterrupted { writer: file.as_file_mut(), interrupted };
    geojson.as_bytes().chunks(CHUNK_BYTES).try_for_each(|chunk| out.write_all(chunk))?;
    out.flush()?;
    persist(file, path, Readers::Usual)
}

/// A writer that fails once its caller has stopped waiting.
struct UntilInterrupted<'w, W> {
    writer: &'w mut W,
    interrupted: &'w Interrupted,
}

impl<W: Write> Write for UntilInterrupted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupted.is_set() {
            return Err(io::Error::other("interrupted"));
        }
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        // The last bytes are written and flushed before the file gets its name.
        self.write(&[]).and_then(|_| self.writer.flush())
    }
}
