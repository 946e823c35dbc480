//! Responses in memory. Those that were not used for longest are forgotten first.

use std::collections::{BTreeMap, HashMap};

use super::kept::KeptResponse;

/// What an entry takes beside its response.
const ENTRY_BYTES: usize = 200;

#[derive(Debug, Default)]
pub struct Memory {
    responses: HashMap<String, Entry>,
    /// The addresses by when they were last used.
    by_use: BTreeMap<u64, String>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    kept: KeptResponse,
    bytes: usize,
    last_use: u64,
}

impl Memory {
    pub fn get(&mut self, address: &str) -> Option<KeptResponse> {
        let entry = self.responses.get_mut(address)?;
        self.uses += 1;
        self.by_use.remove(&entry.last_use);
        self.by_use.insert(self.uses, address.to_owned());
        entry.last_use = self.uses;
        Some(entry.kept.clone())
    }

    /// Keeps a response, unless it alone is larger than `max_bytes`.
    pub fn put(&mut self, address: &str, kept: KeptResponse, max_bytes: usize) {
        self.remove(address);
        let bytes = kept.bytes() + 2 * address.len() + ENTRY_BYTES;
        if bytes > max_bytes {
            return;
        }
        self.uses += 1;
        self.bytes += bytes;
        self.by_use.insert(self.uses, address.to_owned());
        self.responses.insert(address.to_owned(), Entry { kept, bytes, last_use: self.uses });
        while self.bytes > max_bytes
            && let Some((_, oldest)) = self.by_use.first_key_value()
        {
            let oldest = oldest.clone();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn response(bytes: usize) -> KeptResponse {
        KeptResponse {
            etag: String::new(),
            content_type: String::new(),
            total: None,
            body: vec![0; bytes].into(),
            collections: Vec::new(),
        }
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
    fn what_is_too_large_alone_is_not_kept_and_replaces_what_was_there() {
        let mut memory = Memory::default();
        memory.put("a", response(10), 1000);
        memory.put("a", response(1000), 1000);
        assert!(memory.get("a").is_none());
        assert_eq!((memory.bytes, memory.by_use.len()), (0, 0));
    }
}
