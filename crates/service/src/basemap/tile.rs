//! A tile, and how it is recognised: its file's description of itself may be wrong.

/// Largest tile. Tiles of 256 pixels have a tenth of these bytes.
pub const MAX_TILE_BYTES: usize = 1024 * 1024;

/// Contents of a file's tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Pictures,
    Vectors,
}

/// A tile in a format that the pages draw.
pub struct Tile {
    pub content_type: &'static str,
    pub is_gzip: bool,
    pub bytes: Vec<u8>,
}

/// Result of looking up a tile.
pub enum Found {
    Tile(Tile),
    /// In another format, or too large.
    Unfit,
    Nothing,
}

impl Form {
    /// Recognises a tile by its first bytes. SVG is left out: it can contain programs.
    pub fn found_in(self, bytes: &[u8]) -> Found {
        let kind = match (self, bytes) {
            (Form::Pictures, [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..]) => Some(("image/png", false)),
            (Form::Pictures, [0xff, 0xd8, 0xff, ..]) => Some(("image/jpeg", false)),
            (Form::Pictures, [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..]) => {
                Some(("image/webp", false))
            }
            (Form::Vectors, []) => return Found::Nothing,
            (Form::Vectors, [0x1f, 0x8b, ..]) => Some((VECTOR_TILE, true)),
            // The field of a layer, with a length.
            (Form::Vectors, [0x1a, ..]) => Some((VECTOR_TILE, false)),
            _ => None,
        };
        match kind {
            Some((content_type, is_gzip)) if bytes.len() <= MAX_TILE_BYTES => {
                Found::Tile(Tile { content_type, is_gzip, bytes: bytes.to_vec() })
            }
            _ => Found::Unfit,
        }
    }

    /// Describes the problem of a file whose first tile is another one.
    pub fn unfit_first_tile(self) -> String {
        let kind = match self {
            Form::Pictures => "PNG, JPEG or WebP",
            Form::Vectors => "vector tile (MVT)",
        };
        format!("its first tile is not a {kind} of at most {} KiB", MAX_TILE_BYTES / 1024)
    }
}

const VECTOR_TILE: &str = "application/vnd.mapbox-vector-tile";
