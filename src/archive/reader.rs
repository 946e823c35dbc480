//! Opens an archive and verifies all of it, then reads its members.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use zip::ZipArchive;
use zip::result::ZipError;

use super::central_directory::count_entries;
use super::error::{ArchiveError, Problem};
use super::manifest::{FORMAT, FORMAT_VERSION, Manifest, Member};
use super::names::{MemberName, member_name};
use super::positional_file::PositionalFile;

const MAX_MANIFEST_BYTES: u64 = 256 * 1024 * 1024;
const MAX_MEMBERS: u64 = 2_000_000;
/// As much as a client reads of one answer by default.
const MAX_MEMBER_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_UNPACKED_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// An archive unpacks to at most this many times its size, which is far more than the answers of a service do.
const MAX_RATIO: u64 = 300;
/// Small archives of much repetition may unpack to more.
const MIN_BOMB_BYTES: u64 = 64 * 1024 * 1024;

/// A verified archive of a project.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    manifest: Manifest,
    file: PositionalFile,
    /// Cloned for each reading: clones share all but the position in the file.
    zip: ZipArchive<PositionalFile>,
}

impl Archive {
    /// Reads the manifest, and compares size and digest of every member with it.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Archive::open_own(path)?.verify_members()
    }

    /// The same for the content of a file, which messages call by its path.
    pub fn from_bytes(content: Bytes, path: PathBuf) -> Result<Self, ArchiveError> {
        Archive::read_manifest(PositionalFile::in_memory(content), path)?.verify_members()
    }

    /// Reads the manifest of a file that this process wrote just now. Members are compared with it when they are read.
    pub fn open_own(path: &Path) -> Result<Self, ArchiveError> {
        let file = File::open(path).and_then(PositionalFile::new);
        let file = file.map_err(|source| ArchiveError::Open { path: path.to_owned(), source })?;
        Archive::read_manifest(file, path.to_owned())
    }

    fn read_manifest(file: PositionalFile, path: PathBuf) -> Result<Self, ArchiveError> {
        let foreign = |problem| ArchiveError::Foreign { path: path.clone(), problem };
        let damaged = |problem| ArchiveError::Damaged { path: path.clone(), problem };
        let refused = |problem| ArchiveError::Refused { path: path.clone(), problem };
        let mut zip = ZipArchive::new(file.clone()).map_err(|error| foreign(error.into()))?;

        let members =
            count_entries(file.clone(), zip.central_directory_start()).map_err(|error| damaged(error.into()))?;
        if members > MAX_MEMBERS {
            return Err(refused(Problem::TooMany { found: members, limit: MAX_MEMBERS }));
        }
        if members != zip.len() as u64 {
            return Err(refused(Problem::Duplicates));
        }
        let manifest = match read_member(&mut zip, "manifest.json", MAX_MANIFEST_BYTES) {
            Ok(manifest) => manifest,
            Err(Problem::Missing(_)) => return Err(foreign(Problem::NoManifest)),
            Err(problem) => return Err(damaged(problem)),
        };
        let version: Version = serde_json::from_slice(&manifest).map_err(|error| foreign(error.into()))?;
        if version.format != FORMAT {
            return Err(foreign(Problem::OtherFormat(version.format)));
        }
        if version.version > FORMAT_VERSION {
            return Err(ArchiveError::Newer { path: path.clone(), found: version.version, known: FORMAT_VERSION });
        }
        let manifest: Manifest = serde_json::from_slice(&manifest).map_err(|error| damaged(error.into()))?;
        check_sizes(&manifest, file.length()).map_err(refused)?;
        for name in zip.file_names() {
            let name = name.map_err(|error| damaged(error.into()))?.into_owned();
            if MemberName::new(&name).is_none() {
                return Err(refused(Problem::Name(name)));
            }
            if name != "manifest.json" && !manifest.members.contains_key(&name) {
                return Err(damaged(Problem::Unlisted(name)));
            }
        }
        Ok(Archive { path: path.clone(), manifest, file, zip })
    }

    fn verify_members(mut self) -> Result<Self, ArchiveError> {
        for (name, member) in &self.manifest.members {
            verified(&mut self.zip, name, member)
                .map_err(|problem| ArchiveError::Damaged { path: self.path.clone(), problem })?;
        }
        Ok(self)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All bytes of the file, as it was opened.
    pub fn content(&self) -> Result<Bytes, ArchiveError> {
        self.file.content().map_err(|source| ArchiveError::Open { path: self.path.clone(), source })
    }

    /// The answer to a request for this path, which is below the API root. Otherwise the status that the service refused the
    /// request with; 404 for a path that it was not asked for.
    pub fn answer(&self, path: &str) -> Result<Result<Vec<u8>, u16>, ArchiveError> {
        let Some(name) = member_name(self.manifest.projectid.as_str(), path) else { return Ok(Err(404)) };
        match self.manifest.members.get(name.as_str()) {
            Some(member) => {
                // Once more: the file may have changed since it was opened.
                let content = verified(&mut self.zip.clone(), name.as_str(), member);
                content.map(Ok).map_err(|problem| ArchiveError::Damaged { path: self.path.clone(), problem })
            }
            None => Ok(Err(self.manifest.refused.get(name.as_str()).copied().unwrap_or(404))),
        }
    }
}

/// What the manifests of all versions have in common.
#[derive(serde::Deserialize)]
struct Version {
    format: String,
    version: u32,
}

fn check_sizes(manifest: &Manifest, packed: u64) -> Result<(), Problem> {
    let mut unpacked = 0u64;
    for (name, Member { size, .. }) in &manifest.members {
        if *size > MAX_MEMBER_BYTES {
            return Err(Problem::TooLarge { what: name.clone(), found: *size, limit: MAX_MEMBER_BYTES });
        }
        unpacked = unpacked.saturating_add(*size);
    }
    if unpacked > MAX_UNPACKED_BYTES {
        return Err(Problem::TooLarge { what: "all of it".into(), found: unpacked, limit: MAX_UNPACKED_BYTES });
    }
    if unpacked > MIN_BOMB_BYTES && unpacked / MAX_RATIO > packed {
        return Err(Problem::Bomb { unpacked, packed });
    }
    Ok(())
}

fn verified(zip: &mut ZipArchive<PositionalFile>, name: &str, member: &Member) -> Result<Vec<u8>, Problem> {
    let content = read_member(zip, name, member.size)?;
    match Member::of(&content) {
        found if found.size != member.size => Err(Problem::Size { name: name.to_owned(), size: member.size }),
        found if found != *member => Err(Problem::Digest(name.to_owned())),
        _ => Ok(content),
    }
}

/// Reads a member of at most `limit` bytes.
fn read_member(zip: &mut ZipArchive<PositionalFile>, name: &str, limit: u64) -> Result<Vec<u8>, Problem> {
    let file = zip.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => Problem::Missing(name.to_owned()),
        error => Problem::Zip(error),
    })?;
    let mut content = Vec::new();
    // One byte more, so that a member that goes on is noticed.
    file.take(limit + 1).read_to_end(&mut content)?;
    match content.len() as u64 > limit {
        true => Err(Problem::Size { name: name.to_owned(), size: limit }),
        false => Ok(content),
    }
}
