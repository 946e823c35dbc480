//! Where a client keeps responses.

use std::path::PathBuf;

/// Where a client keeps the responses that it has read, at most `max_cache_bytes` of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheSetting {
    /// Nowhere: every read downloads everything.
    #[default]
    Off,
    /// As long as the client lives.
    Memory,
    /// In files of this folder as well, which only its owner can read. Clients and processes may share it.
    Folder(PathBuf),
}
