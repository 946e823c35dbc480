//! The responses that one client keeps, in memory and in a folder.

use std::sync::Arc;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::folder::CacheFolder;
use super::kept::KeptResponse;
use super::memory::Memory;
use super::setting::CacheSetting;
use crate::blocking;
use crate::client::error::Result;
use crate::fork::PerProcess;

/// The responses that one client keeps. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ResponseCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The responses that were read last, at most `max_bytes` together.
    memory: PerProcess<Mutex<Memory>>,
    max_bytes: usize,
    folder: Option<Arc<CacheFolder>>,
    /// What tells the entries of one service and user from those of others. It does not show the token.
    owner: [u8; 32],
}

impl ResponseCache {
    /// `None` if nothing is kept.
    pub fn new(setting: &CacheSetting, max_bytes: usize, root: &str, token: &str) -> Option<Self> {
        let folder = match setting {
            CacheSetting::Off => return None,
            CacheSetting::Memory => None,
            CacheSetting::Folder(path) => Some(Arc::new(CacheFolder::new(path.clone(), max_bytes as u64))),
        };
        let owner = Sha256::new().chain_update(root).chain_update([0]).chain_update(token).finalize().into();
        Some(ResponseCache(Arc::new(Inner { memory: PerProcess::new(), max_bytes, folder, owner })))
    }

    /// The response that was kept for an address below the API root.
    pub async fn get(&self, address: &str) -> Result<Option<KeptResponse>> {
        if let Some(kept) = self.memory().lock().get(address) {
            return Ok(Some(kept));
        }
        let Some(folder) = self.0.folder.clone() else { return Ok(None) };
        let name = self.file_name(address);
        let kept = blocking::run(move || folder.read(&name)).await?;
        if let Some(kept) = &kept {
            self.memory().lock().put(address, kept.clone(), self.0.max_bytes);
        }
        Ok(kept)
    }

    /// Keeps a response. A folder that cannot be written is told in the log: the response itself is there.
    pub async fn put(&self, address: &str, kept: KeptResponse) -> Result<()> {
        self.memory().lock().put(address, kept.clone(), self.0.max_bytes);
        let Some(folder) = self.0.folder.clone() else { return Ok(()) };
        let name = self.file_name(address);
        Ok(blocking::run(move || {
            if let Err(error) = folder.write(&name, &kept) {
                tracing::warn!("a response was not kept in {}: {error}", folder.path().display());
            }
        })
        .await?)
    }

    /// Keeps what was made of a response that is kept already.
    pub fn put_in_memory(&self, address: &str, kept: KeptResponse) {
        self.memory().lock().put(address, kept, self.0.max_bytes);
    }

    fn memory(&self) -> &Mutex<Memory> {
        self.0.memory.get_or_init(Mutex::default)
    }

    fn file_name(&self, address: &str) -> String {
        let digest = Sha256::new().chain_update(self.0.owner).chain_update(address).finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
