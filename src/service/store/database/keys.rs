//! Keys of rows, which only have a meaning in their own database.

use std::sync::atomic::{AtomicU32, Ordering};

/// The key of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UserKey(pub(in crate::service) i64);

/// The key of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProjectKey(pub(in crate::service) i64);

/// Tells the databases of a process apart. One that is opened again has another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DatabaseNumber(pub(in crate::service) u32);

/// A user of one of the databases of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DatabaseUser {
    pub database: DatabaseNumber,
    pub user: UserKey,
}

impl DatabaseNumber {
    /// A number that no other database of this process has.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        DatabaseNumber(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub const fn user(self, user: UserKey) -> DatabaseUser {
        DatabaseUser { database: self, user }
    }
}
