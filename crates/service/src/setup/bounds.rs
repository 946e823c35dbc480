//! Bounds of a setup file: everything it adds is written in one transaction, for which every other write waits.

/// Maximum users, members, administrators and team members, each counted as often as the file names them.
const MAX_PEOPLE: usize = 20_000;
const MAX_PROJECTS: usize = 1_000;
const MAX_TEAMS: usize = 1_000;
const MAX_DESIGNS: usize = 1_000;
/// Maximum entries of all other lists: tags, codes, diagrams of selections and designs, settings, negotiations.
const MAX_ROWS: usize = 50_000;
/// Maximum bytes of all maps in their own files, each counted as often as it is named.
const MAX_MAP_BYTES: u64 = 256 * 1024 * 1024;

/// Counts of a setup file's contents, in all its projects.
#[derive(Debug, Default)]
pub struct Counts {
    pub people: usize,
    pub teams: usize,
    pub designs: usize,
    pub rows: usize,
}

/// Error for a setup file with more contents than can be applied at once.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has {found} {what}; a setup file may have at most {limit}. Split it into several")]
pub struct TooMany {
    what: &'static str,
    found: u64,
    limit: u64,
}

impl Counts {
    /// Checks the counts, the number of projects, and the bytes of maps in their own files.
    pub fn check(&self, projects: usize, map_bytes: u64) -> Result<(), TooMany> {
        check("people", self.people, MAX_PEOPLE)?;
        check("projects", projects, MAX_PROJECTS)?;
        check("teams", self.teams, MAX_TEAMS)?;
        check("designs", self.designs, MAX_DESIGNS)?;
        check("tags, codes, ids and settings", self.rows, MAX_ROWS)?;
        match map_bytes {
            found if found > MAX_MAP_BYTES => Err(TooMany { what: "bytes in maps", found, limit: MAX_MAP_BYTES }),
            _ => Ok(()),
        }
    }
}

fn check(what: &'static str, found: usize, limit: usize) -> Result<(), TooMany> {
    if found > limit { Err(TooMany { what, found: found as u64, limit: limit as u64 }) } else { Ok(()) }
}
