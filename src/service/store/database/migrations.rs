//! The versions of the schema.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::{Result, StoreError};
use super::ownership::APPLICATION_ID;

/// One migration for each version, oldest first. `PRAGMA user_version` counts those that were applied to a file.
const MIGRATIONS: [&str; 5] = [
    include_str!("../migrations/1_projects.sql"),
    include_str!("../migrations/2_writes.sql"),
    include_str!("../migrations/3_wire.sql"),
    include_str!("../migrations/4_limits.sql"),
    include_str!("../migrations/5_history.sql"),
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
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_of_version_0_1_0_get_whole_numbers_as_integers() {
        let mut connection = Connection::open_in_memory().unwrap();
        MIGRATIONS[..2].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        connection.pragma_update(None, "user_version", 2).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        let stored = r#"{"sysid":1,"description":"1.0","length":2.5,"area":70000.0}"#;
        let sql = "INSERT INTO geographies (project, role, resource, geojson) VALUES (1, 'constraints', ?1, '')";
        connection.execute(sql, [stored]).unwrap();
        migrate(&mut connection, Path::new("old.sqlite")).unwrap();
        let resource: String = connection.query_row("SELECT resource FROM geographies", [], |row| row.get(0)).unwrap();
        assert_eq!(resource, r#"{"sysid":1,"description":"1.0","length":2.5,"area":70000}"#);
    }
}
