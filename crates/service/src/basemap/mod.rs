//! A basemap: tiles from a file that others made (MBTiles or PMTiles, pictures or vectors), or from a server on the network.

mod about;
mod file;
mod mbtiles;
mod online;
mod pmtiles;
mod tile;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use about::About;
use file::TILE_TIME;
use mbtiles::{Mbtiles, is_interrupted};
pub use online::{BasemapSource, InvalidTiles};
use pmtiles::Pmtiles;
pub use tile::Found;

use geodesign_common::blocking;

/// Tiles read at the same time, so that a slow file leaves threads for others.
const READERS: usize = 2;
/// Maximum zoom level, finer than any picture of the Earth. Its places fit into 32 bits.
pub const MAX_ZOOM: u32 = 30;

/// An open tile file, which does not change.
pub struct Basemap {
    path: PathBuf,
    about: About,
    tiles: Tiles,
    turns: Arc<Semaphore>,
}

enum Tiles {
    Mbtiles(Mbtiles),
    Pmtiles(Pmtiles),
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
        "the basemap {} is not a file of tiles (PMTiles): {problem}. `pygeodesign basemap` and `pmtiles extract` write one",
        path.display()
    )]
    UnfitPmtiles { path: PathBuf, problem: String },
    #[error(
        "the basemap {} has vector tiles of another schema, with the layers {layers}. The pages draw that of Protomaps (earth, water, \
         landuse, roads, buildings, places), as `pygeodesign basemap` writes it",
        path.display()
    )]
    Schema { path: PathBuf, layers: String },
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
    #[error("a tile of the basemap {} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("a task of the service failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl Basemap {
    /// Opens a file, and checks that the pages can draw it.
    pub fn open(path: &Path) -> Result<Self, BasemapError> {
        let missing = |source| BasemapError::Missing { path: path.to_owned(), source };
        let path = &std::path::absolute(path).map_err(missing)?;
        // A pipe would block.
        if !path.metadata().map_err(missing)?.is_file() {
            return Err(BasemapError::NoFile(path.to_owned()));
        }
        let (tiles, about) = if is_pmtiles(path).map_err(missing)? {
            let (file, about) = Pmtiles::open(path)?;
            (Tiles::Pmtiles(file), about)
        } else {
            let (file, about) = Mbtiles::open(path)?;
            (Tiles::Mbtiles(file), about)
        };
        Ok(Basemap { path: path.to_owned(), about, tiles, turns: Arc::new(Semaphore::new(READERS)) })
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
        blocking::run(move || Ok((basemap.read([zoom, column, row])?, turn))).await?
    }

    fn read(&self, place: [u32; 3]) -> Result<Found, BasemapError> {
        let path = || self.path.clone();
        match &self.tiles {
            Tiles::Mbtiles(file) => file.tile(place).map_err(|source| BasemapError::Tile { path: path(), source }),
            Tiles::Pmtiles(file) => file.tile(place).map_err(|source| BasemapError::Read { path: path(), source }),
        }
    }
}

fn is_pmtiles(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(pmtiles::MAGIC.len() as u64).read_to_end(&mut start)?;
    Ok(start == pmtiles::MAGIC || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pmtiles")))
}

impl BasemapError {
    /// True if the file exceeded its time limit.
    pub fn is_slow(&self) -> bool {
        matches!(self, BasemapError::Slow(_))
            || matches!(self, BasemapError::Tile { source, .. } if is_interrupted(source))
    }
}
