//! How much memory, how many files and how much time a database takes.

use std::time::Duration;

/// How long a transaction waits for one of another process.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How a database is used.
#[derive(Debug, Clone, Copy)]
pub struct StoreSettings {
    /// Connections for reading that are kept open between transactions.
    pub max_idle_readers: usize,
    /// How long opening the file and reading from it wait for another process.
    pub busy_timeout: Duration,
    /// Pages of the file that each connection keeps in memory. In KiB.
    pub page_cache_kib: u32,
    /// Small answers that each connection for reading keeps until the database changes. In KiB.
    pub answer_cache_kib: u32,
    /// Statements that each connection keeps prepared.
    pub prepared_statements: usize,
}

impl StoreSettings {
    /// For one of many databases of a process: it takes little, and delays nobody else where its file is locked.
    pub const ONE_OF_MANY: Self = StoreSettings {
        max_idle_readers: 2,
        busy_timeout: Duration::from_millis(250),
        page_cache_kib: 512,
        answer_cache_kib: 64,
        prepared_statements: 32,
    };
}

/// For the only database of a service. The page cache is that of SQLite itself.
impl Default for StoreSettings {
    fn default() -> Self {
        StoreSettings {
            max_idle_readers: 8,
            busy_timeout: BUSY_TIMEOUT,
            page_cache_kib: 2_000,
            answer_cache_kib: 1_024,
            prepared_statements: 64,
        }
    }
}
