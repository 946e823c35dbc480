//! Cached responses, so that the service does not send unchanged data again.
//!
//! Every read still asks the service, which responds with 304 Not Modified if the response is still the cached one (RFC 9110, section
//! 13.1.2). So nothing here can be out of date.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirBuilder};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::config::{CacheSetting, ConfigError};
use super::error::Result;
use geodesign::features::{FeatureCollection, Measuring};
use geodesign_common::blocking;
use geodesign_common::digest::{hex, sha256};
use geodesign_common::per_process::PerProcess;
use geodesign_common::regular_file::open_regular;
use geodesign_common::whole_files::{Readers, draft_of, persist};

/// Bytes of memory for an entry in addition to its response.
const ENTRY_BYTES: usize = 200;
/// Version of the file format.
const FORMAT: u32 = 1;
const EXTENSION: &str = "response";
/// At most this many bytes are in the first line of a file.
const MAX_HEAD: u64 = 64 * 1024;

/// A response with a status of success and an ETag.
#[derive(Debug, Clone)]
pub struct CachedResponse {
    pub etag: String,
    pub content_type: String,
    /// Number of items in the complete list, if the service gave it.
    pub total: Option<usize>,
    /// The body, after decompression.
    pub body: Bytes,
    /// Collections parsed from the body so far.
    pub collections: Vec<(Option<Measuring>, FeatureCollection)>,
}

impl CachedResponse {
    pub fn new(etag: String, content_type: String, total: Option<usize>, body: Bytes) -> Self {
        CachedResponse { etag, content_type, total, body, collections: Vec::new() }
    }

    pub fn collection(&self, measuring: Option<Measuring>) -> Option<&FeatureCollection> {
        self.collections.iter().find(|(kind, _)| *kind == measuring).map(|(_, collection)| collection)
    }

    /// Approximate bytes of memory for this entry. Columns, geometries and measures of a collection are smaller than its text.
    fn bytes(&self) -> usize {
        self.etag.len() + self.content_type.len() + self.body.len() * (1 + self.collections.len())
    }
}

/// The cached responses of one client, in memory and in a folder. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ResponseCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The responses read last, at most `max_bytes` together.
    memory: PerProcess<Mutex<Memory>>,
    max_bytes: usize,
    folder: Option<Arc<CacheFolder>>,
    /// Distinguishes the entries of one service and user from others. It does not reveal the token.
    owner: [u8; 32],
}

impl ResponseCache {
    /// Makes a cache; `None` if nothing is cached. A folder that others may write to is an error: they could replace responses.
    pub fn new(setting: &CacheSetting, max_bytes: usize, root: &str, token: &str) -> Result<Option<Self>, ConfigError> {
        let folder = match setting {
            CacheSetting::Off => return Ok(None),
            CacheSetting::Memory => None,
            CacheSetting::Folder(path) => {
                let folder = CacheFolder { path: path.clone(), max_bytes: max_bytes as u64 };
                folder.check().map_err(|problem| ConfigError::Cache { path: path.clone(), problem })?;
                Some(Arc::new(folder))
            }
        };
        let owner = sha256(&[root.as_bytes(), &[0], token.as_bytes()]);
        Ok(Some(ResponseCache(Arc::new(Inner { memory: PerProcess::new(), max_bytes, folder, owner }))))
    }

    /// Returns the cached response of an address below the API root.
    pub async fn get(&self, address: &str) -> Result<Option<CachedResponse>> {
        if let Some(cached) = self.memory().lock().get(address) {
            return Ok(Some(cached));
        }
        let Some(folder) = self.0.folder.clone() else { return Ok(None) };
        let name = self.file_name(address);
        let cached = blocking::run(move || folder.read(&name)).await?;
        if let Some(cached) = &cached {
            self.put_in_memory(address, cached.clone());
        }
        Ok(cached)
    }

    /// Caches a response. If the folder cannot be written, a log record says so: the response itself is there.
    pub async fn put(&self, address: &str, response: CachedResponse) -> Result<()> {
        self.put_in_memory(address, response.clone());
        let Some(folder) = self.0.folder.clone() else { return Ok(()) };
        let name = self.file_name(address);
        let write = move || {
            if let Err(error) = folder.write(&name, &response) {
                tracing::warn!("a response was not cached in {}: {error}", folder.path.display());
            }
        };
        Ok(blocking::run(write).await?)
    }

    /// Caches in memory only: for data parsed from a response that the folder has.
    pub fn put_in_memory(&self, address: &str, response: CachedResponse) {
        self.memory().lock().put(address, response, self.0.max_bytes);
    }

    fn memory(&self) -> &Mutex<Memory> {
        self.0.memory.get_or_init(Mutex::default)
    }

    fn file_name(&self, address: &str) -> String {
        hex(&sha256(&[&self.0.owner, address.as_bytes()]))
    }
}

/// Responses in memory. The least recently used ones are dropped first.
#[derive(Debug, Default)]
struct Memory {
    responses: HashMap<String, Entry>,
    /// The addresses by the time of their last use.
    by_use: BTreeMap<u64, String>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    response: CachedResponse,
    bytes: usize,
    last_use: u64,
}

impl Memory {
    fn get(&mut self, address: &str) -> Option<CachedResponse> {
        let entry = self.responses.get_mut(address)?;
        self.uses += 1;
        self.by_use.remove(&entry.last_use);
        self.by_use.insert(self.uses, address.to_owned());
        entry.last_use = self.uses;
        Some(entry.response.clone())
    }

    /// Stores a response, unless it alone is larger than `max_bytes`.
    fn put(&mut self, address: &str, response: CachedResponse, max_bytes: usize) {
        self.remove(address);
        let bytes = response.bytes() + 2 * address.len() + ENTRY_BYTES;
        if bytes > max_bytes {
            return;
        }
        self.uses += 1;
        self.bytes += bytes;
        self.by_use.insert(self.uses, address.to_owned());
        self.responses.insert(address.to_owned(), Entry { response, bytes, last_use: self.uses });
        while self.bytes > max_bytes
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, address: &str) {
        if let Some(Entry { bytes, last_use, .. }) = self.responses.remove(address) {
            self.by_use.remove(&last_use);
            self.bytes -= bytes;
        }
    }
}

/// Responses in files, one per address. A file is written under another name and renamed, so that other processes see it complete or
/// not at all. Damaged files, and files of other versions, are ignored and replaced.
#[derive(Debug)]
struct CacheFolder {
    path: PathBuf,
    max_bytes: u64,
}

/// The first line of a file, before the body.
#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    etag: String,
    content_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    bytes: usize,
    /// Hash of the body.
    sha256: String,
}

impl CacheFolder {
    /// Checks that no other user may write to the folder. A missing folder is created this way later.
    #[cfg(unix)]
    fn check(&self) -> std::result::Result<(), String> {
        use std::os::unix::fs::MetadataExt;
        let Ok(folder) = fs::metadata(&self.path) else { return Ok(()) };
        if !folder.is_dir() {
            return Ok(());
        }
        let user = rustix::process::geteuid().as_raw();
        if folder.uid() != user && user != 0 {
            return Err("belongs to another user, who could replace its files; give a folder of your own".into());
        }
        if folder.mode() & 0o022 != 0 {
            let path = self.path.to_string_lossy().replace('\'', "'\\''");
            return Err(format!("can be written to by others, who could replace its files; run: chmod go-w '{path}'"));
        }
        Ok(())
    }

    /// On Windows, a user's folders belong to that user alone.
    #[cfg(not(unix))]
    fn check(&self) -> std::result::Result<(), String> {
        Ok(())
    }

    /// Reads an entry; `None` if there is no such file, or it is damaged.
    fn read(&self, name: &str) -> Option<CachedResponse> {
        // Again, since the folder may have been made in the meantime.
        self.check().ok()?;
        let file = open_regular(&self.file(name)).ok()?;
        let length = file.metadata().ok()?.len();
        // Used files stay longer. If this is not allowed, the file is removed sooner.
        let _ = file.set_modified(SystemTime::now());
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        file.by_ref().take(MAX_HEAD).read_until(b'\n', &mut line).ok()?;
        let head: Head = serde_json::from_slice(&line).ok()?;
        let bytes = head.bytes as u64;
        if head.format != FORMAT || bytes > self.max_bytes || line.len() as u64 + bytes != length {
            return None;
        }
        let mut body = Vec::with_capacity(head.bytes);
        // The file may be longer now.
        file.take(bytes).read_to_end(&mut body).ok()?;
        (body.len() == head.bytes && hex(&sha256(&[&body])) == head.sha256)
            .then(|| CachedResponse::new(head.etag, head.content_type, head.total, body.into()))
    }

    /// Writes a response, unless it alone is larger than the folder's limit.
    fn write(&self, name: &str, response: &CachedResponse) -> io::Result<()> {
        let head = Head {
            format: FORMAT,
            etag: response.etag.clone(),
            content_type: response.content_type.clone(),
            total: response.total,
            bytes: response.body.len(),
            sha256: hex(&sha256(&[&response.body])),
        };
        let mut head = serde_json::to_vec(&head)?;
        head.push(b'\n');
        let bytes = (head.len() + response.body.len()) as u64;
        if bytes > self.max_bytes || head.len() as u64 > MAX_HEAD {
            return Ok(());
        }
        self.create()?;
        self.check().map_err(io::Error::other)?;
        self.make_room_for(bytes)?;
        let path = self.file(name);
        let mut draft = draft_of(&path, Readers::Owner)?;
        draft.write_all(&head)?;
        draft.write_all(&response.body)?;
        persist(draft, &path, Readers::Owner)?;
        Ok(())
    }

    fn create(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)
    }

    /// Removes the least recently used files until this many bytes are free.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn response(bytes: usize) -> CachedResponse {
        CachedResponse::new(String::new(), String::new(), None, vec![0; bytes].into())
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let mut memory = Memory::default();
        for address in ["a", "b", "c"] {
            memory.put(address, response(1000), 4000);
        }
        assert!(memory.get("a").is_some());
        memory.put("d", response(1000), 4000);
        assert!(memory.get("b").is_none());
        assert!(memory.get("a").is_some() && memory.get("c").is_some() && memory.get("d").is_some());
    }

    #[test]
    fn what_is_too_large_alone_is_not_cached_and_replaces_what_was_there() {
        let mut memory = Memory::default();
        memory.put("a", response(10), 1000);
        memory.put("a", response(1000), 1000);
        assert!(memory.get("a").is_none());
        assert_eq!((memory.bytes, memory.by_use.len()), (0, 0));
    }
}
