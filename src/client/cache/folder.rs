//! Responses in files, one for each address.
//!
//! A file is written under another name and renamed, so that other processes see it whole or not at all. One that is damaged or was
//! written by another version is as good as none, and is replaced.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::kept::KeptResponse;
use crate::drafts::{Readers, draft_of};

const FORMAT: u32 = 1;
const EXTENSION: &str = "response";
/// The first line of a file is no longer.
const MAX_HEAD: u64 = 64 * 1024;

#[derive(Debug)]
pub struct CacheFolder {
    path: PathBuf,
    max_bytes: u64,
}

/// The first line of a file, before the body.
#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    etag: String,
    content_type: String,
    total: Option<String>,
    bytes: usize,
    /// Of the body.
    sha256: String,
}

impl CacheFolder {
    pub fn new(path: PathBuf, max_bytes: u64) -> Self {
        CacheFolder { path, max_bytes }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `None` where there is no such file, or it is damaged.
    pub fn read(&self, name: &str) -> Option<KeptResponse> {
        let file = File::open(self.file(name)).ok()?;
        // So that what is used is kept for longer. Where that is not allowed, it is removed sooner.
        let _ = file.set_modified(SystemTime::now());
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        file.by_ref().take(MAX_HEAD).read_until(b'\n', &mut line).ok()?;
        let head: Head = serde_json::from_slice(&line).ok()?;
        let is_known = head.format == FORMAT && head.bytes as u64 <= self.max_bytes;
        let mut body = Vec::with_capacity(if is_known { head.bytes } else { return None });
        file.read_to_end(&mut body).ok()?;
        (body.len() == head.bytes && sha256(&body) == head.sha256).then(|| KeptResponse {
            etag: head.etag,
            content_type: head.content_type,
            total: head.total,
            body: body.into(),
            collections: Vec::new(),
        })
    }

    /// Writes a response, unless it alone is larger than the folder may be.
    pub fn write(&self, name: &str, kept: &KeptResponse) -> io::Result<()> {
        let head = Head {
            format: FORMAT,
            etag: kept.etag.clone(),
            content_type: kept.content_type.clone(),
            total: kept.total.clone(),
            bytes: kept.body.len(),
            sha256: sha256(&kept.body),
        };
        let mut head = serde_json::to_vec(&head)?;
        head.push(b'\n');
        let bytes = (head.len() + kept.body.len()) as u64;
        if bytes > self.max_bytes || head.len() as u64 > MAX_HEAD {
            return Ok(());
        }
        self.create()?;
        self.make_room_for(bytes)?;
        let path = self.file(name);
        let mut draft = draft_of(&path, Readers::Owner)?;
        draft.write_all(&head)?;
        draft.write_all(&kept.body)?;
        draft.persist(path)?;
        Ok(())
    }

    fn create(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)
    }

    /// Removes the files that were not used for longest, until as many bytes are free.
    fn make_room_for(&self, bytes: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION)
                && let Ok(metadata) = entry.metadata()
            {
                files.push((metadata.modified()?, metadata.len(), path));
            }
        }
        let mut held: u64 = files.iter().map(|(_, length, _)| length).sum();
        files.sort_unstable();
        for (_, length, path) in files {
            if held + bytes <= self.max_bytes {
                break;
            }
            // Another process may have removed it.
            let _ = fs::remove_file(path);
            held -= length;
        }
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name).with_extension(EXTENSION)
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
