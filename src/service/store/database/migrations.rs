//! The versions of the schema.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::{Result, StoreError};

/// One migration for each version, oldest first. `PRAGMA user_version` counts those that were applied to a file.
const MIGRATIONS: [&str; 4] = [
    include_str!("../migrations/1_projects.sql"),
    include_str!("../migrations/2_writes.sql"),
    include_str!("../migrations/3_wire.sql"),
    include_str!("../migrations/4_limits.sql"),
];

/// Brings a database to the newest version of the schema.
pub fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let Some(missing) = MIGRATIONS.get(found as usize..) else {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: MIGRATIONS.len() });
    };
    missing.iter().try_for_each(|migration| transaction.execute_batch(migration))?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as u32)?;
    Ok(transaction.commit()?)
}
