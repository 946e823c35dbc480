//! The versions of the schema.

use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::{Result, StoreError};
use super::functions::add_functions;

/// What SQLite's `application_id` of our databases is: "gdsn" in ASCII, 1734636398.
pub const APPLICATION_ID: i32 = i32::from_be_bytes(*b"gdsn");

const ESCAPED_IN_URI: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b':').remove(b'.');

/// One migration for each version, oldest first. `PRAGMA user_version` counts those that were applied to a file.
const MIGRATIONS: [&str; 20] = [
    include_str!("../migrations/1_projects.sql"),
    include_str!("../migrations/2_writes.sql"),
    include_str!("../migrations/3_wire.sql"),
    include_str!("../migrations/4_limits.sql"),
    include_str!("../migrations/5_history.sql"),
    include_str!("../migrations/6_origin.sql"),
    include_str!("../migrations/7_changes.sql"),
    include_str!("../migrations/8_loaded_things.sql"),
    include_str!("../migrations/9_undated.sql"),
    include_str!("../migrations/10_room.sql"),
    include_str!("../migrations/11_answers.sql"),
    include_str!("../migrations/12_origins.sql"),
    include_str!("../migrations/13_withdrawals.sql"),
    include_str!("../migrations/14_measures.sql"),
    include_str!("../migrations/15_people.sql"),
    include_str!("../migrations/16_merging.sql"),
    include_str!("../migrations/17_history_of_diagrams.sql"),
    include_str!("../migrations/18_extents.sql"),
    include_str!("../migrations/19_given_extents.sql"),
    include_str!("../migrations/20_accounts_of_others.sql"),
];

/// Refuses a database of a newer version. Opening it for writing would leave files beside it.
pub fn refuse_newer(path: &Path) -> Result<()> {
    let version = |file: Connection| file.query_row("PRAGMA user_version", [], |row| row.get(0));
    // One that cannot be read without its log was looked at with it, and is looked at again when it is migrated.
    let Ok(found) = open_unchanged(path).and_then(version) else { return Ok(()) };
    check_known(path, found).map(drop)
}

/// The migrations that a database of a version lacks.
fn check_known(path: &Path, found: u32) -> Result<&'static [&'static str]> {
    let newer = || StoreError::Newer { path: path.to_owned(), found, known: MIGRATIONS.len() };
    MIGRATIONS.get(found as usize..).ok_or_else(newer)
}

/// Brings a database to the newest version of the schema. Writes nothing to one that has it.
pub fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    // A database is brought to its newest version before it serves anybody, however long that takes.
    add_functions(connection, || false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let id: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let missing = check_known(path, found)?;
    if missing.is_empty() && id == APPLICATION_ID {
        return Ok(transaction.rollback()?);
    }
    missing.iter().try_for_each(|migration| transaction.execute_batch(migration))?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as u32)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(transaction.commit()?)
}

/// Opens the file itself, without its log, locks and the files beside it. It is opened by SQLite, because closing it in any other
/// way would release the locks of a service in this process.
pub fn open_unchanged(path: &Path) -> rusqlite::Result<Connection> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    #[cfg(not(unix))]
    let text = format!("/{}", path.to_string_lossy().replace('\\', "/"));
    #[cfg(not(unix))]
    let bytes = text.as_bytes();
    let path = percent_encode(bytes, ESCAPED_IN_URI);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD_CONTENT: &str = r#"
        INSERT INTO users VALUES (1, 'ana.sousa'), (2, 'bento.reis');
        INSERT INTO projects (key, id, title, description, start_date, type, external_connection, bounds, center)
        VALUES (1, 'lisbon', '', '', '', '', '', '', ''), (2, 'porto', '', '', '', '', '', '', '');
        INSERT INTO systems (id, project, name, color, tag, verbose_description, cost, budget, current_ha, target_ha, evaluation)
        VALUES (1, 1, '', '', '', '', 0, 0, 0, 0, '{"é": 1}'), (2, 2, '', '', '', '', 0, 0, 0, 0, '{}');
        INSERT INTO diagrams (id, project, system, author, rank, grid_location, description, type, fundingtype, area, length,
            cost_override, cost_override_type, building_data, notes, created_at, changed_at, additional_metadata,
            flat_geobuf_url, external_geometries)
        SELECT id, project, project, author, id, '', 'Rain gardens é', 'project', '', 0, 0, 0, '', '{}', notes, '', '', '{"a": 1}',
            'https://x.example', ''
        FROM (SELECT 1 AS id, 1 AS project, 1 AS author, 'é' AS notes UNION ALL SELECT 2, 1, 2, 'long' UNION ALL SELECT 3, 2, 1, '');
        INSERT INTO features (diagram, min_height, max_height, geometry)
        VALUES (1, 0, 0, '{"type":"Point","coordinates":[1,2]}'), (1, 0, 0, '{"type":"Point"}'), (3, 0, 0, '{}');
    "#;

    /// The diagrams and bytes of each project and the bytes of each user: as counted, and as sums over all rows.
    fn counted_and_summed(connection: &Connection) -> [Vec<(i64, i64)>; 2] {
        let diagram_bytes = "(SELECT coalesce(sum(octet_length(geometry)), 0) FROM features WHERE diagram = d.id) \
                             + octet_length(description) + octet_length(notes) + octet_length(additional_metadata) \
                             + octet_length(building_data) + octet_length(flat_geobuf_url) + octet_length(external_geometries)";
        let counted = "SELECT diagrams, bytes FROM projects UNION ALL SELECT 0, bytes FROM users".to_owned();
        let summed = format!(
            "SELECT (SELECT count(*) FROM all_diagrams WHERE project = projects.key), \
                    (SELECT coalesce(sum({diagram_bytes}), 0) FROM all_diagrams d WHERE project = projects.key) \
                    + (SELECT coalesce(sum(octet_length(evaluation) + octet_length(impact)), 0) FROM systems \
                       WHERE project = projects.key) \
             FROM projects \
             UNION ALL SELECT 0, (SELECT coalesce(sum({diagram_bytes}), 0) FROM all_diagrams d WHERE author = users.key) FROM users"
        );
        [counted, summed].map(|sql| {
            let mut statement = connection.prepare(&sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        })
    }

    #[test]
    fn a_database_of_the_newest_version_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workshop.sqlite");
        let migrated = || {
            migrate(&mut Connection::open(&path).unwrap(), &path).unwrap();
            std::fs::read(&path).unwrap()
        };
        // Every commit counts itself in the file.
        assert_eq!(migrated(), migrated());
    }

    #[test]
    fn counters_of_an_earlier_version_are_the_sums_over_its_content_and_stay_so() {
        let mut connection = Connection::open_in_memory().unwrap();
        MIGRATIONS[..3].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        connection.pragma_update(None, "user_version", 3).unwrap();
        connection.execute_batch(OLD_CONTENT).unwrap();
        migrate(&mut connection, Path::new("old.sqlite")).unwrap();
        let [counted, summed] = counted_and_summed(&connection);
        assert_eq!(counted, summed);
        assert!(counted.iter().all(|(_, bytes)| *bytes > 0), "{counted:?}");

        for change in [
            "UPDATE all_diagrams SET notes = notes || 'ü and more', description = '' WHERE id = 1",
            "UPDATE systems SET evaluation = '{\"features\":[]}', impact = '{}' WHERE id = 1",
            "UPDATE all_diagrams SET removed_by = 1 WHERE id = 1",
            "DELETE FROM all_diagrams WHERE id = 2",
            "DELETE FROM systems WHERE id = 2",
        ] {
            connection.execute_batch(change).unwrap();
            let [counted, summed] = counted_and_summed(&connection);
            assert_eq!(counted, summed, "{change}");
        }
    }

    #[test]
    fn a_feature_is_stored_without_reading_its_geometry() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, Path::new("new.sqlite")).unwrap();
        // What reads geometries.
        connection.remove_function("extent", 2).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        let sql = "INSERT INTO features (diagram, min_height, max_height, geometry) VALUES (1, 0, 0, '{}')";
        assert_eq!(connection.execute(sql, []).unwrap(), 1);
    }

    #[test]
    fn a_database_with_responses_of_an_origin_keeps_the_rows_of_its_project() {
        let mut connection = Connection::open_in_memory().unwrap();
        MIGRATIONS[..3].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        connection.execute_batch(OLD_CONTENT).unwrap();
        MIGRATIONS[3..7].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        connection.pragma_update(None, "user_version", 7).unwrap();
        let sql = "INSERT INTO origin_answers VALUES (1, 'systems/1.json', '{}', 200, '{\"cost\": null}')";
        connection.execute(sql, []).unwrap();
        migrate(&mut connection, Path::new("old.sqlite")).unwrap();
        let count = |table: &str| {
            let sql = format!("SELECT count(*) FROM {table}");
            connection.query_row(&sql, [], |row| row.get::<_, i64>(0))
        };
        assert_eq!((count("systems").unwrap(), count("diagrams").unwrap(), count("loaded_things").unwrap()), (2, 3, 0));
        assert!(count("origin_answers").is_err());
    }

    #[test]
    fn entries_of_the_history_get_the_diagram_that_their_subject_names() {
        let mut connection = Connection::open_in_memory().unwrap();
        MIGRATIONS[..16].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        connection.pragma_update(None, "user_version", 16).unwrap();
        let subjects = ["diagram 1002", "diagram 12x", "diagram ", "design 7", "diagram 99999999999999999999"];
        for (number, subject) in subjects.iter().enumerate() {
            let sql = "INSERT INTO history (number, changed_at, operation, subject, bytes, bytes_before) VALUES (?1, '', '', ?2, 0, 0)";
            connection.execute(sql, (number as i64, subject)).unwrap();
        }
        migrate(&mut connection, Path::new("old.sqlite")).unwrap();
        let mut statement = connection.prepare("SELECT diagram FROM history ORDER BY number").unwrap();
        let diagrams = statement.query_map([], |row| row.get::<_, Option<i64>>(0)).unwrap();
        let diagrams: Vec<_> = diagrams.collect::<rusqlite::Result<_>>().unwrap();
        assert_eq!(diagrams, [Some(1002), None, None, None, None]);
    }

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
