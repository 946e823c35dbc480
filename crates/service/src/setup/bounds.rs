//! How much a setup file may have: what it adds is written in one transaction, for which every other write waits.

use std::path::Path;

use super::Setup;

/// Users, members, administrators and members of teams, each as often as the file names them.
const MAX_PEOPLE: usize = 20_000;
const MAX_PROJECTS: usize = 1_000;
const MAX_TEAMS: usize = 1_000;
const MAX_DESIGNS: usize = 1_000;
/// Whatever else is in lists: tags, codes, diagrams of selections and designs, settings, negotiations.
const MAX_ROWS: usize = 50_000;
/// Of all maps in files of their own, each as often as it is named.
const MAX_MAP_BYTES: u64 = 256 * 1024 * 1024;

/// What a setup file has, in all its projects.
#[derive(Debug, Default)]
pub struct Counts {
    pub people: usize,
    pub teams: usize,
    pub designs: usize,
    pub rows: usize,
}

/// What a setup file has more of than may be applied at once.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has {found} {what}; at most {limit} are read of a setup file. Divide it into several")]
pub struct TooMany {
    what: &'static str,
    found: u64,
    limit: u64,
}

impl Setup {
    /// Checks how much it has. The paths of maps are relative to `folder`.
    pub(super) fn check(&self, folder: &Path) -> Result<(), TooMany> {
        let mut counts = Counts { people: self.users.len(), ..Counts::default() };
        counts.rows += self.creation_codes.len() + self.linked_projects.len() + self.plugins.len();
        self.new_projects.iter().for_each(|project| project.count(&mut counts));
        self.projects.values().for_each(|project| project.count(&mut counts));
        check("people", counts.people, MAX_PEOPLE)?;
        check("projects", self.new_projects.len() + self.projects.len(), MAX_PROJECTS)?;
        check("teams", counts.teams, MAX_TEAMS)?;
        check("designs", counts.designs, MAX_DESIGNS)?;
        check("tags, codes, ids and settings", counts.rows, MAX_ROWS)?;
        let new = self.new_projects.iter().flat_map(|project| project.map_files());
        let files = new.chain(self.projects.values().flat_map(|project| project.map_files()));
        // What is no file is named where it is read.
        let bytes = files.map(|file| std::fs::metadata(folder.join(file)).map_or(0, |found| found.len())).sum();
        match bytes {
            found if found > MAX_MAP_BYTES => Err(TooMany { what: "bytes in maps", found, limit: MAX_MAP_BYTES }),
            _ => Ok(()),
        }
    }
}

fn check(what: &'static str, found: usize, limit: usize) -> Result<(), TooMany> {
    if found > limit { Err(TooMany { what, found: found as u64, limit: limit as u64 }) } else { Ok(()) }
}
