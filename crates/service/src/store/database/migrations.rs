//! The versions of the schema.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::{Result, StoreError};
use super::looking::{has_log, look_at_copy, open_unchanged};

/// SQLite's `application_id` of our databases: "gdsn" in ASCII, 1734636398.
pub const APPLICATION_ID: i32 = i32::from_be_bytes(*b"gdsn");

/// The oldest supported version of the schema: the one that `schema.sql` makes.
const OLDEST: u32 = 18;

/// SQL scripts: the first makes the oldest version in an empty database, and each other one brings a database to the next version.
/// A file's version is its `PRAGMA user_version`; 0 is an empty one.
const STEPS: &[&str] = &[
    include_str!("../schema.sql"),
    include_str!("../migrations/19_given_extents.sql"),
    include_str!("../migrations/20_accounts_of_others.sql"),
    include_str!("../migrations/21_currencies.sql"),
    include_str!("../migrations/22_contexts.sql"),
    include_str!("../migrations/23_languages.sql"),
    include_str!("../migrations/24_comments.sql"),
    include_str!("../migrations/25_card_codes.sql"),
    include_str!("../migrations/26_hidden_votes.sql"),
    include_str!("../migrations/27_shown_drawings.sql"),
    include_str!("../migrations/28_reviews.sql"),
    include_str!("../migrations/29_impacts.sql"),
    include_str!("../migrations/30_counted_land.sql"),
    include_str!("../migrations/31_quantities.sql"),
];

const NEWEST: u32 = OLDEST - 1 + STEPS.len() as u32;

/// Refuses a database of an unsupported version. Opening it for writing would leave files next to it.
pub fn check_version(path: &Path) -> Result<()> {
    // One that cannot be read is looked at again during migration.
    let in_file = open_unchanged(path).and_then(|file| version_of(&file)).unwrap_or(0);
    // The step to a later version may be in its log.
    let found = if in_file < OLDEST && has_log(path) { look_at_copy(path, version_of).unwrap_or(0) } else { in_file };
    missing_steps(path, found).map(drop)
}

fn version_of(database: &Connection) -> rusqlite::Result<u32> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Returns the steps that a database of this version lacks.
fn missing_steps(path: &Path, found: u32) -> Result<&'static [&'static str]> {
    let path = || path.to_owned();
    let done = match found {
        0 => 0,
        1..OLDEST => return Err(StoreError::Older { path: path(), found, oldest: OLDEST }),
        _ => found - OLDEST + 1,
    };
    STEPS.get(done as usize..).ok_or_else(|| StoreError::Newer { path: path(), found, known: NEWEST })
}

/// Brings a database to the newest version of the schema. Writes nothing if it has that version.
pub fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let missing = missing_steps(path, version_of(&transaction)?)?;
    if missing.is_empty() {
        return Ok(transaction.rollback()?);
    }
    missing.iter().try_for_each(|step| transaction.execute_batch(step))?;
    transaction.pragma_update(None, "user_version", NEWEST)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::place::beside;
    use super::*;
    use crate::store::Store;

    const CONTENT: &str = r#"
        INSERT INTO users (key, username) VALUES (1, 'ana.sousa'), (2, 'bento.reis');
        INSERT INTO projects (key, id, title, description, start_date, type, external_connection, bounds, center)
        VALUES (1, 'lisbon', '', '', '', '', '', '', ''), (2, 'porto', '', '', '', '', '', '', '');
        INSERT INTO geographies (project, role, resource, geojson) VALUES (1, 'boundaries', '{}', '{"é": 1}'), (2, 'constraints', '{}', '{}');
        INSERT INTO systems (id, project, name, color, tag, verbose_description, cost, budget, current_ha, target_ha, evaluation)
        VALUES (1, 1, '', '', '', '', 0, 0, 0, 0, '{"é": 1}'), (2, 2, '', '', '', '', 0, 0, 0, 0, '{}');
        INSERT INTO all_diagrams (id, project, system, author, rank, grid_location, description, type, fundingtype, area, length,
            cost_override, cost_override_type, building_data, notes, created_at, changed_at, additional_metadata,
            flat_geobuf_url, external_geometries)
        SELECT id, project, project, author, id, '', 'Rain gardens é', 'project', '', 0, 0, 0, '', '{}', notes, '', '', '{"a": 1}',
            'https://x.example', ''
        FROM (SELECT 1 AS id, 1 AS project, 1 AS author, 'é' AS notes UNION ALL SELECT 2, 1, 2, 'long' UNION ALL SELECT 3, 2, 1, '');
    "#;
    const FEATURES: &str = r#"
        INSERT INTO features (diagram, min_height, max_height, geometry)
        VALUES (1, 0, 0, '{"type":"Point","coordinates":[1,2]}'), (1, 0, 0, '{"type":"Point"}'), (3, 0, 0, '{}');
        UPDATE all_diagrams SET geometry_bytes =
            (SELECT coalesce(sum(octet_length(geometry)), 0) FROM features WHERE diagram = all_diagrams.id);
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
            fs::read(&path).unwrap()
        };
        // Every commit counts itself in the file.
        assert_eq!(migrated(), migrated());
    }

    #[test]
    fn every_version_that_is_opened_becomes_the_newest_and_keeps_its_content() {
        for done in 1..=STEPS.len() {
            let mut connection = Connection::open_in_memory().unwrap();
            STEPS[..done].iter().for_each(|step| connection.execute_batch(step).unwrap());
            connection.pragma_update(None, "user_version", OLDEST - 1 + done as u32).unwrap();
            connection.execute_batch(CONTENT).unwrap();
            migrate(&mut connection, Path::new("old.sqlite")).unwrap();
            assert_eq!(version_of(&connection).unwrap(), NEWEST);
            let sql = "SELECT count(*) FROM diagrams WHERE NOT EXISTS (SELECT 1 FROM accounts_of_others)";
            let diagrams: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            assert_eq!(diagrams, 3);
            let sql = "SELECT group_concat(project || role || geojson) FROM geographies";
            let maps: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            assert_eq!(maps, "1boundaries{\"é\": 1},2constraints{}");
            connection.execute("INSERT INTO geographies VALUES (1, 'context', '{}', '{}')", []).unwrap();
            // Up to version 18, this took a function of the service.
            connection.execute_batch(FEATURES).unwrap();
        }
    }

    #[test]
    fn a_database_of_an_older_version_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("service.sqlite");
        let service = Connection::open(&path).unwrap();
        // Copies as they are left by a service that is killed.
        let killed = |name: &str| {
            let copy = folder.path().join(name);
            for ending in ["", "-wal"] {
                fs::copy(beside(&path, ending), beside(&copy, ending)).unwrap();
            }
            copy
        };
        service.pragma_update(None, "journal_mode", "WAL").unwrap();
        service.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        service.execute_batch(STEPS[0]).unwrap();
        service.pragma_update(None, "user_version", OLDEST - 1).unwrap();
        let in_log = killed("in log.sqlite");
        service.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let in_file = killed("in file.sqlite");
        service.execute("INSERT INTO creation_codes VALUES ('FADO')", []).unwrap();
        let in_both = killed("in both.sqlite");
        for path in [in_log, in_file, in_both] {
            let files = || ["", "-wal"].map(|ending| fs::read(beside(&path, ending)).unwrap());
            let before = files();
            let error = Store::open(Some(&path)).unwrap_err();
            assert!(matches!(error, StoreError::Older { found: 17, oldest: 18, .. }), "{error}");
            assert_eq!(files(), before);
            assert!(!beside(&path, "-shm").exists());
        }

        service.pragma_update(None, "user_version", OLDEST).unwrap();
        let later_in_log = killed("later.sqlite");
        let store = Store::open(Some(&later_in_log)).unwrap();
        assert!(store.read(|read| read.has_creation_code("FADO")).unwrap());
    }

    #[test]
    fn a_version_is_looked_at_again_before_anything_is_written() {
        for (version, is_older) in [(1, true), (OLDEST - 1, true), (NEWEST + 1, false)] {
            let mut connection = Connection::open_in_memory().unwrap();
            connection.pragma_update(None, "user_version", version).unwrap();
            let error = migrate(&mut connection, Path::new("other.sqlite")).unwrap_err();
            assert_eq!(matches!(error, StoreError::Older { .. }), is_older, "{error}");
            assert_eq!(matches!(error, StoreError::Newer { .. }), !is_older, "{error}");
            assert_eq!(version_of(&connection).unwrap(), version);
        }
    }

    #[test]
    fn counters_are_the_sums_over_the_content_and_stay_so() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, Path::new("new.sqlite")).unwrap();
        for change in [
            CONTENT,
            FEATURES,
            "UPDATE all_diagrams SET notes = notes || 'ü and more', description = '' WHERE id = 1",
            "UPDATE systems SET evaluation = '{\"features\":[]}', impact = '{}' WHERE id = 1",
            "UPDATE all_diagrams SET removed_by = 1 WHERE id = 1",
            "DELETE FROM all_diagrams WHERE id = 2",
            "DELETE FROM systems WHERE id = 2",
        ] {
            connection.execute_batch(change).unwrap();
            let [counted, summed] = counted_and_summed(&connection);
            assert_eq!(counted, summed, "{change}");
            assert!(change != FEATURES || counted.iter().all(|(_, bytes)| *bytes > 0), "{counted:?}");
        }
    }
}
