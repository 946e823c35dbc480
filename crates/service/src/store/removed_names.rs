//! Removal of a person's name, while the person's drawings stay.

use rusqlite::params;
use serde_json::{Map, Value};

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey};
use super::history::Change;
use geodesign::model::{Username, vote_field};

/// Replacement for a name, followed by a number.
const NOBODY: &str = "former member";
/// Tables with the project of each row, and their columns of JSON text with names of members.
const JSON_COLUMNS: [(&str, &str); 6] = [
    ("negotiations", "log"),
    ("origins", "states"),
    ("merges", "ids"),
    ("merges", "work"),
    ("loaded_things", "extra"),
    ("loaded_things", "told"),
];

impl Reader<'_> {
    /// Returns a person who is, or was, in this project: a member, or the author of a diagram, even of a removed one.
    pub fn person(&self, project: ProjectKey, username: &str) -> Result<Option<UserKey>> {
        let sql = "SELECT key FROM users WHERE username = ?2 AND (\
                   EXISTS (SELECT 1 FROM members WHERE project = ?1 AND user = key) \
                   OR EXISTS (SELECT 1 FROM withdrawn_members WHERE project = ?1 AND user = key) \
                   OR EXISTS (SELECT 1 FROM all_diagrams WHERE project = ?1 AND author = key))";
        self.value(sql, params![project.0, username])
    }

    /// True if a person came with this project, is in no other, has drawn in no other, and is not the operator. An author named in an
    /// archive may be anybody's account.
    pub fn is_of_this_project_alone(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let has_account = self.exists("SELECT 1 FROM users WHERE key = ?1 AND NOT removed", [user.0])?;
        let drew_elsewhere = "SELECT 1 FROM all_diagrams WHERE author = ?2 AND project <> ?1";
        Ok(self.is_member_of_this_alone(project, user)?
            && (!has_account || self.was_member(project, user)?)
            && !self.exists(drew_elsewhere, params![project.0, user.0])?)
    }
}

impl Writer<'_> {
    /// Ends the account of a person in this project, and replaces the name wherever the service keeps it: diagrams, history, negotiations,
    /// and the data that the project was loaded with. Texts that people wrote, such as titles, stay.
    pub fn remove_name(&self, project: ProjectKey, user: UserKey, username: &Username) -> Result<()> {
        if self.member(project, username.as_str())?.is_some() {
            self.remove_member(project, username)?;
        }
        let name = self.free_name()?;
        for table in ["tokens", "answers"] {
            self.run(&format!("DELETE FROM {table} WHERE user = ?1"), [user.0])?;
        }
        self.run("UPDATE users SET username = ?2, removed = 1 WHERE key = ?1", params![user.0, name])?;
        self.rename_in_history(project, username.as_str(), &name)?;
        for (table, column) in JSON_COLUMNS {
            self.rename_in_json(project, (table, column), username.as_str(), &name)?;
        }
        let renamed = "UPDATE loaded_things SET id = ?3 WHERE project = ?1 AND kind = 'member' AND id = ?2";
        self.run(renamed, params![project.0, username.as_str(), name])?;
        self.run("DELETE FROM walk_ins WHERE project = ?1 AND username = ?2", params![project.0, username.as_str()])?;
        self.record(project, Change::of("remove_name").subject(format_args!("member {name}")))?;
        // Clients with these diagrams have the old name.
        let drawn = "INSERT INTO new_changes SELECT project, 'diagram', 'changed', id FROM diagrams WHERE author = ?1";
        self.run(drawn, [user.0])?;
        self.run("INSERT INTO new_changes VALUES (?1, 'member', 'removed', ?2)", params![project.0, name])?;
        let told =
            "UPDATE changes SET resource = ?3 WHERE project = ?1 AND kind IN ('member', 'selection') AND resource = ?2";
        self.run(told, params![project.0, username.as_str(), name]).map(drop)
    }

    /// Returns an unused name, made of the replacement and a number.
    fn free_name(&self) -> Result<String> {
        let taken = "SELECT 1 FROM users WHERE username = ?1 UNION ALL SELECT 1 FROM walk_ins WHERE username = ?1";
        let mut number: u64 = 1;
        loop {
            let name = format!("{NOBODY} {number}");
            if !self.exists(taken, [&name])? {
                return Ok(name);
            }
            number += 1;
        }
    }

    /// Replaces a name in the history of the project and of the service: in the subjects of entries, and in lists of a team's members.
    fn rename_in_history(&self, project: ProjectKey, old: &str, new: &str) -> Result<()> {
        for kind in ["user", "member", "selection of"] {
            let sql = "UPDATE history SET subject = ?3 WHERE (project = ?1 OR project IS NULL) AND subject = ?2";
            self.run(sql, params![project.0, format!("{kind} {old}"), format!("{kind} {new}")])?;
        }
        let rest = "FROM history WHERE project = ?1 AND operation = 'set_team_members'";
        let lists: Vec<(i64, Option<String>, Option<String>)> =
            self.select(columns!((key, before, after)), rest, [project.0])?;
        for (key, before, after) in lists {
            let [before, after] = [before, after].map(|list| list.map(|list| renamed_in_list(&list, old, new)));
            self.run("UPDATE history SET before = ?2, after = ?3 WHERE key = ?1", params![key, before, after])?;
        }
        Ok(())
    }

    fn rename_in_json(&self, project: ProjectKey, (table, column): (&str, &str), old: &str, new: &str) -> Result<()> {
        let sql = format!("SELECT DISTINCT {column} FROM {table} WHERE project = ?1 AND instr({column}, ?2)");
        let texts: Vec<String> = self.values(&sql, params![project.0, old])?;
        for text in texts {
            let mut value: Value = serde_json::from_str(&text).map_err(StoreError::content)?;
            rename(&mut value, old, new);
            let sql = format!("UPDATE {table} SET {column} = ?3 WHERE project = ?1 AND {column} = ?2");
            self.run(&sql, params![project.0, text, value.to_string()])?;
        }
        Ok(())
    }
}

/// Texts that people wrote themselves.
const OWN_WORDS: [&str; 2] = ["metadata", "building_data"];

/// Replaces a name in the places that are for names: users, members of teams, votes and selections. The same word elsewhere, such as a
/// title, a field or a number, stays.
fn rename(value: &mut Value, old: &str, new: &str) {
    let is_name = |value: &Value| value.as_str() == Some(old);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, old, new)),
        Value::Object(fields) => {
            rename_field(fields, &vote_field(old), &vote_field(new));
            for (field, value) in fields.iter_mut().filter(|(field, _)| !OWN_WORDS.contains(&field.as_str())) {
                match (field.as_str(), value) {
                    ("username" | "user" | "author", value) if is_name(value) => *value = new.into(),
                    ("members", Value::Array(names)) => {
                        names.iter_mut().filter(|name| is_name(name)).for_each(|name| *name = new.into());
                        names.iter_mut().for_each(|name| rename(name, old, new));
                    }
                    ("selection", Value::Object(selections)) => rename_field(selections, old, new),
                    (_, value) => rename(value, old, new),
                }
            }
        }
        _ => {}
    }
}

fn rename_field(fields: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = fields.remove(old) {
        fields.insert(new.to_owned(), value);
    }
}

/// Replaces a name in a list. If the list was too long for the history, its last name may be cut.
fn renamed_in_list(list: &str, old: &str, new: &str) -> String {
    let renamed = |name: &str| match name.strip_suffix('…') {
        _ if name == old => new.to_owned(),
        Some(start) if old.starts_with(start) => "…".to_owned(),
        _ => name.to_owned(),
    };
    list.split(", ").map(renamed).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_in_a_list_is_replaced_also_where_the_list_was_cut() {
        let lists =
            [("ben, ana", "X, ana"), ("ana", "ana"), ("Ruben, ben", "Ruben, X"), ("ana, be…", "ana, …"), ("", "")];
        for (list, expected) in lists {
            assert_eq!(renamed_in_list(list, "ben", "X"), expected);
        }
    }

    #[test]
    fn names_are_replaced_where_names_stand_and_nowhere_else() {
        let work = json!({
            "team": {"1": {"title": "title", "members": ["ana", "title"]}},
            "diagram": {"7": {"title": "title", "vote of title": [2, "title"], "metadata": {"author": "title"}}},
            "selection": {"title": {"diagrams": [7]}},
            "moves": [{"user": "title", "comment": "title"}],
        });
        let mut renamed = work.clone();
        rename(&mut renamed, "title", "X");
        let expected = json!({
            "team": {"1": {"title": "title", "members": ["ana", "X"]}},
            "diagram": {"7": {"title": "title", "vote of X": [2, "title"], "metadata": {"author": "title"}}},
            "selection": {"X": {"diagrams": [7]}},
            "moves": [{"user": "X", "comment": "title"}],
        });
        assert_eq!(renamed, expected);
    }
}
