//! Opens an archive and verifies all of it, then reads its members.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use zip::ZipArchive;
use zip::result::ZipError;

use super::bounds::{
    ALL_UNPACKED_ANYWAY, MAX_MANIFEST_BYTES, MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_UNPACKED_BYTES, UNPACKED_ANYWAY,
    check_values, is_plausible, most_unpacked,
};
use super::format::{ArchiveError, FORMAT, FORMAT_VERSION, Manifest, Member, MemberName, Problem, member_name};
use geodesign_common::regular_file::open_regular;

/// Signature of an entry in a zip file's directory.
const ENTRY_SIGNATURE: [u8; 4] = *b"PK\x01\x02";
/// Bytes of an entry before its name.
const ENTRY_HEADER_BYTES: usize = 46;

/// A verified archive of a project.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    manifest: Manifest,
    file: PositionalFile,
    /// Cloned for each read: clones share everything except the position in the file.
    zip: ZipArchive<PositionalFile>,
}

impl Archive {
    /// Reads the manifest, and compares size and digest of every member with it.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Archive::open_own(path)?.verify_members()
    }

    /// Like [`Archive::open`], for the content of a file. Messages name it by its path.
    pub fn from_bytes(content: Bytes, path: PathBuf) -> Result<Self, ArchiveError> {
        Archive::from_bytes_within(content, path, u64::MAX)
    }

    /// Like [`Archive::from_bytes`]; all members together may unpack to at most this many bytes.
    pub fn from_bytes_within(content: Bytes, path: PathBuf, limit: u64) -> Result<Self, ArchiveError> {
        let archive = Archive::read_manifest(PositionalFile::in_memory(content), path)?;
        let found = archive.manifest.members.values().map(|member| member.size).sum();
        if found > limit {
            let problem = Problem::TooLarge { what: "all of it".into(), found, limit };
            return Err(ArchiveError::Refused { path: archive.path, problem });
        }
        archive.verify_members()
    }

    /// Reads the manifest of a file that this process has just written. Members are compared with it when they are read.
    pub fn open_own(path: &Path) -> Result<Self, ArchiveError> {
        let failed = |source| ArchiveError::Open { path: path.to_owned(), source };
        let file = open_regular(path).and_then(PositionalFile::new).map_err(failed)?;
        // Another process may open it again from another working folder.
        Archive::read_manifest(file, std::path::absolute(path).map_err(failed)?)
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
            Err(problem @ (Problem::Bomb { .. } | Problem::TooLarge { .. })) => return Err(refused(problem)),
            Err(problem) => return Err(damaged(problem)),
        };
        check_values("manifest.json", &manifest).map_err(refused)?;
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

    fn verify_members(self) -> Result<Self, ArchiveError> {
        let mut zip = self.zip.clone();
        for (name, member) in &self.manifest.members {
            verified(&mut zip, name, member).map_err(|problem| self.failed(problem))?;
        }
        Ok(self)
    }

    /// Returns the error for a member that cannot be read.
    fn failed(&self, problem: Problem) -> ArchiveError {
        let path = self.path.clone();
        match problem {
            Problem::Bomb { .. } | Problem::TooManyValues { .. } | Problem::TooDeep { .. } => {
                ArchiveError::Refused { path, problem }
            }
            problem => ArchiveError::Damaged { path, problem },
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns all bytes of the file as it was opened.
    pub fn content(&self) -> Result<Bytes, ArchiveError> {
        self.file.content().map_err(|source| ArchiveError::Open { path: self.path.clone(), source })
    }

    /// Returns the response to a request for this path, which is below the API root; otherwise the status with which the service refused
    /// it, or 404 for a path that was not requested.
    pub fn answer(&self, path: &str) -> Result<Result<Vec<u8>, u16>, ArchiveError> {
        let Some(name) = member_name(self.manifest.projectid.as_str(), path) else { return Ok(Err(404)) };
        match self.manifest.members.get(name.as_str()) {
            Some(member) => {
                // Verified again: the file may have changed since it was opened.
                let content = verified(&mut self.zip.clone(), name.as_str(), member);
                content.map(Ok).map_err(|problem| self.failed(problem))
            }
            None => Ok(Err(self.manifest.refused.get(name.as_str()).copied().unwrap_or(404))),
        }
    }
}

/// Fields that the manifests of all versions have in common.
#[derive(Deserialize)]
struct Version {
    format: String,
    version: u32,
}

fn check_sizes(manifest: &Manifest, packed: u64) -> Result<(), Problem> {
    let mut unpacked = 0u64;
    for (name, Member { size, sha256 }) in &manifest.members {
        if sha256.len() != 64 || !sha256.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Problem::NoDigest(name.clone()));
        }
        if *size > MAX_MEMBER_BYTES {
            return Err(Problem::TooLarge { what: name.clone(), found: *size, limit: MAX_MEMBER_BYTES });
        }
        unpacked = unpacked.saturating_add(*size);
    }
    if unpacked > MAX_UNPACKED_BYTES {
        return Err(Problem::TooLarge { what: "all of it".into(), found: unpacked, limit: MAX_UNPACKED_BYTES });
    }
    if !is_plausible(unpacked, packed, ALL_UNPACKED_ANYWAY) {
        return Err(Problem::Bomb { what: "it".into(), unpacked, packed });
    }
    Ok(())
}

fn verified(zip: &mut ZipArchive<PositionalFile>, name: &str, member: &Member) -> Result<Vec<u8>, Problem> {
    let content = read_member(zip, name, member.size)?;
    let found = Member::new(&content);
    if found.size != member.size {
        return Err(Problem::Size { name: name.to_owned(), size: member.size });
    }
    if found != *member {
        return Err(Problem::Digest(name.to_owned()));
    }
    if !name.ends_with(".png") {
        check_values(name, &content)?;
    }
    Ok(content)
}

/// Reads a member of at most `limit` bytes.
fn read_member(zip: &mut ZipArchive<PositionalFile>, name: &str, limit: u64) -> Result<Vec<u8>, Problem> {
    let file = zip.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => Problem::Missing(name.to_owned()),
        error => Problem::Zip(error),
    })?;
    // The length in the file's directory may be wrong.
    let (unpacked, packed) = (file.size(), file.compressed_size());
    let bomb = |unpacked| Problem::Bomb { what: name.to_owned(), unpacked, packed };
    if !is_plausible(unpacked.min(limit), packed, UNPACKED_ANYWAY) {
        return Err(bomb(unpacked));
    }
    let allowed = limit.min(most_unpacked(packed, UNPACKED_ANYWAY));
    let mut content = Vec::with_capacity(usize::try_from(unpacked.min(allowed)).unwrap_or_default().saturating_add(1));
    // One byte more, to notice a member that is longer.
    file.take(allowed + 1).read_to_end(&mut content)?;
    if allowed < limit && content.len() as u64 > allowed {
        return Err(bomb(content.len() as u64));
    }
    if content.len() as u64 > limit {
        return Err(Problem::Size { name: name.to_owned(), size: limit });
    }
    Ok(content)
}

/// Counts the entries of a zip file's directory that begins at `start`. Zip readers keep one entry per name: a second one with the same
/// name would be hidden.
fn count_entries(mut file: impl Read + Seek, start: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(start))?;
    let mut file = io::BufReader::new(file);
    let mut count = 0;
    loop {
        let mut header = [0; ENTRY_HEADER_BYTES];
        file.read_exact(&mut header[..4])?;
        if header[..4] != ENTRY_SIGNATURE {
            return Ok(count);
        }
        file.read_exact(&mut header[4..])?;
        // The lengths of name, extra field and comment, which follow the header.
        let length = |offset: usize| u64::from(u16::from_le_bytes([header[offset], header[offset + 1]]));
        let rest = length(28) + length(30) + length(32);
        let skipped = io::copy(&mut file.by_ref().take(rest), &mut io::sink())?;
        if skipped < rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        count += 1;
    }
}

/// A file, or its content in memory, that many threads and processes read at the same time: every clone has its own position, which
/// the operating system does not share with a forked child.
#[derive(Debug, Clone)]
struct PositionalFile {
    content: Content,
    length: u64,
    position: u64,
}

#[derive(Debug, Clone)]
enum Content {
    File(Arc<File>),
    Memory(Bytes),
}

impl PositionalFile {
    fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(PositionalFile { content: Content::File(Arc::new(file)), length, position: 0 })
    }

    fn in_memory(content: Bytes) -> Self {
        PositionalFile { length: content.len() as u64, content: Content::Memory(content), position: 0 }
    }

    /// Returns the complete content.
    fn content(&self) -> io::Result<Bytes> {
        match &self.content {
            Content::Memory(content) => Ok(content.clone()),
            Content::File(_) => {
                let mut content = Vec::new();
                PositionalFile { position: 0, ..self.clone() }.read_to_end(&mut content)?;
                Ok(content.into())
            }
        }
    }

    fn length(&self) -> u64 {
        self.length
    }
}

impl Read for PositionalFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &self.content {
            Content::File(file) => read_at(file, buffer, self.position)?,
            Content::Memory(content) => {
                let start = content.len().min(usize::try_from(self.position).unwrap_or(usize::MAX));
                (&content[start..]).read(buffer)?
            }
        };
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for PositionalFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}
