//! A tile file that is a database (MBTiles 1.3).

use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use rusqlite::ErrorCode;
use serde_json::Value;

use super::about::{About, bounds};
use super::file::TileFile;
use super::tile::{Form, Found};
use super::{BasemapError, MAX_ZOOM};

pub struct Mbtiles {
    path: PathBuf,
    form: Form,
    /// Connections not in use.
    idle: Mutex<Vec<TileFile>>,
}

impl Mbtiles {
    /// Opens a file, and checks that it has tiles and finds them in time.
    pub fn open(path: &Path) -> Result<(Self, About), BasemapError> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if Path::new(&log).metadata().is_ok_and(|log| log.len() > 0) {
            return Err(BasemapError::Unfinished(path.to_owned()));
        }
        let unfit = |problem: &str| BasemapError::Unfit { path: path.to_owned(), problem: problem.to_owned() };
        let failed = |error: rusqlite::Error| match error {
            rusqlite::Error::InvalidQuery => unfit("it has a virtual table"),
            error if is_interrupted(&error) => unfit("reading it takes too long"),
            error => unfit(&error.to_string()),
        };
        let file = TileFile::open(path).map_err(failed)?;
        let text = |name: &str| file.metadata(name).map_err(failed);
        let form = if text("format")? == "pbf" { Form::Vectors } else { Form::Pictures };
        match file.any_tile(form).map_err(failed)? {
            None => return Err(unfit("it has no tile")),
            Some(Found::Tile(_)) => {}
            Some(Found::Unfit | Found::Nothing) => return Err(unfit(&form.unfit_first_tile())),
        }
        let zoom = |order: &str| {
            let sql = format!("SELECT zoom_level FROM tiles ORDER BY zoom_level {order} LIMIT 1");
            let zoom: Option<i64> = file.first(&sql, [], |row| row.get(0)).map_err(failed)?;
            let zoom = zoom.and_then(|zoom| u32::try_from(zoom).ok()).filter(|zoom| *zoom <= MAX_ZOOM);
            zoom.ok_or_else(|| unfit(&format!("its levels are not numbers from 0 to {MAX_ZOOM}")))
        };
        let zooms = [zoom("")?, zoom("DESC")?];
        let about = About::new(form, zooms, bounds(&text("bounds")?), &text("attribution")?, &text("name")?);
        about.check_layers(path, &serde_json::from_str(&text("json")?).unwrap_or(Value::Null))?;
        // No tile has this place: without an index, the search looks at all of them.
        match file.tile(form, zooms[1].into(), -1, -1) {
            Err(error) if is_interrupted(&error) => return Err(BasemapError::Slow(path.to_owned())),
            found => found.map_err(failed)?,
        };
        Ok((Mbtiles { path: path.to_owned(), form, idle: Mutex::new(vec![file]) }, about))
    }

    /// Returns the tile at a place. Rows are counted from the north.
    pub fn tile(&self, [zoom, column, row]: [u32; 3]) -> rusqlite::Result<Found> {
        let idle = self.idle.lock().pop();
        let file = match idle {
            Some(file) => file,
            None => TileFile::open(&self.path)?,
        };
        // In the file, rows are counted from the south.
        let from_south = (1_i64 << zoom) - 1 - i64::from(row);
        let found = file.tile(self.form, zoom.into(), column.into(), from_south);
        self.idle.lock().push(file);
        found
    }
}

pub fn is_interrupted(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}
