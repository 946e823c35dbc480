//! A basemap for pages without a network: tiles from a file that others made (raster MBTiles 1.3).

mod about;
mod file;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::ErrorCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use about::About;
use about::metadata;
pub use file::{Found, MAX_TILE_BYTES};
use file::{TILE_TIME, TileFile, found_in};

use geodesign_common::blocking;

/// Tiles read at the same time, so that a slow file leaves threads for others.
const READERS: usize = 2;
/// Maximum zoom level, finer than any picture of the Earth. Its places fit into 32 bits.
pub const MAX_ZOOM: u32 = 30;

/// An open tile file, which does not change.
pub struct Basemap {
    path: PathBuf,
    about: About,
    /// Connections not in use.
    idle: Mutex<Vec<TileFile>>,
    turns: Arc<Semaphore>,
}

/// Reasons why a file is not a basemap, or why a tile cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BasemapError {
    #[error("the basemap {} cannot be read: {source}", path.display())]
    Missing { path: PathBuf, source: io::Error },
    #[error("the basemap {} is not a file", .0.display())]
    NoFile(PathBuf),
    #[error(
        "the basemap {} is not a file of tiles (MBTiles): {problem}. QGIS writes one: Processing Toolbox, \"Generate XYZ tiles (MBTiles)\"",
        path.display()
    )]
    Unfit { path: PathBuf, problem: String },
    #[error(
        "the basemap {} has vector tiles; give one with pictures (PNG, JPEG or WebP), as QGIS writes with \"Generate XYZ tiles (MBTiles)\"",
        .0.display()
    )]
    Vector(PathBuf),
    #[error(
        "the basemap {} is open in another program, or was not closed: there is {}-wal with tiles that are not in the file yet. Close \
         it there, or open it once with sqlite3",
        .0.display(), .0.display()
    )]
    Unfinished(PathBuf),
    #[error(
        "finding a tile in the basemap {} takes longer than {} s. It has no index: write it again with QGIS or GDAL, or add one with \
         sqlite3: CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)",
        .0.display(), TILE_TIME.as_secs_f64()
    )]
    Slow(PathBuf),
    #[error("a tile of the basemap {} cannot be read: {source}", path.display())]
    Tile { path: PathBuf, source: rusqlite::Error },
    #[error("a task of the service failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl Basemap {
    /// Opens a file, and checks that it has pictures and finds them in time.
    pub fn open(path: &Path) -> Result<Self, BasemapError> {
        let missing = |source| BasemapError::Missing { path: path.to_owned(), source };
        let path = &std::path::absolute(path).map_err(missing)?;
        // A pipe would block.
        if !path.metadata().map_err(missing)?.is_file() {
            return Err(BasemapError::NoFile(path.to_owned()));
        }
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
        if metadata(&file, "format").map_err(failed)? == "pbf" {
            return Err(BasemapError::Vector(path.to_owned()));
        }
        match file
            .first("SELECT tile_data FROM tiles LIMIT 1", [], |row| Ok(found_in(row.get_ref(0)?)))
            .map_err(failed)?
        {
            None => return Err(unfit("it has no tile")),
            Some(Found::Tile(_)) => {}
            Some(Found::Unfit | Found::Nothing) => {
                return Err(unfit(&format!(
                    "its first tile is not a PNG, JPEG or WebP of at most {} KiB",
                    MAX_TILE_BYTES / 1024
                )));
            }
        }
        let zoom = |order: &str| {
            let sql = format!("SELECT zoom_level FROM tiles ORDER BY zoom_level {order} LIMIT 1");
            let zoom: Option<i64> = file.first(&sql, [], |row| row.get(0)).map_err(failed)?;
            let zoom = zoom.and_then(|zoom| u32::try_from(zoom).ok()).filter(|zoom| *zoom <= MAX_ZOOM);
            zoom.ok_or_else(|| unfit(&format!("its levels are not numbers from 0 to {MAX_ZOOM}")))
        };
        let about = About::read(&file, zoom("")?, zoom("DESC")?).map_err(failed)?;
        // No tile has this place: without an index, the search looks at all of them.
        match file.tile(about.max_zoom.into(), -1, -1) {
            Err(error) if is_interrupted(&error) => return Err(BasemapError::Slow(path.to_owned())),
            found => found.map_err(failed)?,
        };
        let turns = Arc::new(Semaphore::new(READERS));
        Ok(Basemap { path: path.to_owned(), about, idle: Mutex::new(vec![file]), turns })
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    /// Waits for a turn to read a tile and to send it.
    pub async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // Never closed.
        self.turns.clone().acquire_owned().await.ok()
    }

    /// Returns the tile at a place; rows are counted from the north, as in tile addresses. The turn is kept until the tile is read, even if
    /// its request is cancelled.
    pub async fn tile<Turn: Send + 'static>(
        self: &Arc<Self>,
        turn: Turn,
        [zoom, column, row]: [u32; 3],
    ) -> Result<(Found, Turn), BasemapError> {
        let across = 1_u64 << zoom.min(MAX_ZOOM);
        if zoom > MAX_ZOOM || u64::from(column.max(row)) >= across {
            return Ok((Found::Nothing, turn));
        }
        let basemap = self.clone();
        // In the file, rows are counted from the south.
        let from_south = across as i64 - 1 - i64::from(row);
        let read = move || Ok((basemap.read(zoom.into(), column.into(), from_south)?, turn));
        blocking::run(read).await?
    }

    fn read(&self, zoom: i64, column: i64, row: i64) -> Result<Found, BasemapError> {
        let failed = |source| BasemapError::Tile { path: self.path.clone(), source };
        let idle = self.idle.lock().pop();
        let file = match idle {
            Some(file) => file,
            None => TileFile::open(&self.path).map_err(failed)?,
        };
        let found = file.tile(zoom, column, row);
        self.idle.lock().push(file);
        found.map_err(failed)
    }
}

impl BasemapError {
    /// True if the file exceeded its time limit.
    pub fn is_slow(&self) -> bool {
        matches!(self, BasemapError::Slow(_))
            || matches!(self, BasemapError::Tile { source, .. } if is_interrupted(source))
    }
}

fn is_interrupted(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}
