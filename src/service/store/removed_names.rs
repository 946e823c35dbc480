//! Removing somebody's name, while what they drew stays.

use rusqlite::params;
use serde_json::{Map, Value};

use super::database::error::{Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey};
use super::history::Change;
use crate::model::{Username, vote_field};

/// What stands in the place of a name, with a number.
const NOBODY: &str = "former member";
/// Columns of JSON text in which names of members stand, and the project of whose rows they are.
const JSON_COLUMNS: [(&str, &str); 6] = [
    ("negotiations", "log"),
    ("origins", "states"),
    ("merges", "ids"),
    ("merges", "work"),
    ("loaded_things", "extra"),
    ("loaded_things", "told"),
];

impl Reader<'_> {
    /// Somebody who is, or was, in this project: a member, or the author of a diagram, also one that was removed.
    pub fn person(&self, project: ProjectKey, username: &str) -> Result<Option<UserKey>> {
        let sql = "SELECT key FROM users WHERE username = ?2 AND (\
                   EXISTS (SELECT 1 FROM members WHERE project = ?1 AND user = key) \
                   OR EXISTS (SELECT 1 FROM withdrawn_members WHERE project = ?1 AND user = key) \
                   OR EXISTS (SELECT 1 FROM all_diagrams WHERE project = ?1 AND author = key))";
        self.one(sql, params![project.0, username], |row| Ok(UserKey(row.get(0)?)))
    }

    /// Whether somebody is in no other project and has drawn in none, and does not run the service.
    pub fn is_of_this_project_alone(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let drew_elsewhere = "SELECT 1 FROM all_diagrams WHERE author = ?2 AND project <> ?1";
        Ok(self.is_member_of_this_alone(project, user)? && !self.exists(drew_elsewhere, params![project.0, user.0])?)
    }
}

impl Writer<'_> {
    /// Ends the account of somebody of this project, and puts another name in the place of theirs, wherever the service keeps it:
    /// diagrams, history, negotiations, and what the project was loaded with. What people wrote themselves, such as titles, stays.
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
        // Whoever has these diagrams has the old name.
        let drawn = "INSERT INTO new_changes SELECT project, 'diagram', 'changed', id FROM diagrams WHERE author = ?1";
        self.run(drawn, [user.0])?;
        self.run("INSERT INTO new_changes VALUES (?1, 'member', 'removed', ?2)", params![project.0, name])?;
        let told =
            "UPDATE changes SET resource = ?3 WHERE project = ?1 AND kind IN ('member', 'selection') AND resource = ?2";
        self.run(told, params![project.0, username.as_str(), name]).map(drop)
    }

    fn free_name(&self) -> Result<String> {
        let sql = "SELECT coalesce(max(CAST(substr(username, length(?1) + 2) AS INTEGER)), 0) FROM users WHERE username LIKE ?1 || ' %'";
        let last: Option<i64> = self.one(sql, [NOBODY], |row| Ok(row.get(0)?))?;
        Ok(format!("{NOBODY} {}", last.unwrap_or_default() + 1))
    }

    /// Entries of the project and of the service as a whole name members in short texts.
    fn rename_in_history(&self, project: ProjectKey, old: &str, new: &str) -> Result<()> {
        let sql = "SELECT key, subject, before, after, undo FROM history WHERE (project = ?1 OR project IS NULL) \
                   AND (instr(subject, ?2) OR instr(before, ?2) OR instr(after, ?2) OR instr(undo, ?2))";
        type Texts = [Option<String>; 4];
        let entries: Vec<(i64, Texts)> = self.all(sql, params![project.0, old], |row| {
            Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))
        })?;
        for (key, texts) in entries {
            let [subject, before, after, undo] = texts.map(|text| text.map(|text| without_word(&text, old, new)));
            let sql = "UPDATE history SET subject = ?2, before = ?3, after = ?4, undo = ?5 WHERE key = ?1";
            self.run(sql, params![key, subject, before, after, undo])?;
        }
        Ok(())
    }

    fn rename_in_json(&self, project: ProjectKey, (table, column): (&str, &str), old: &str, new: &str) -> Result<()> {
        let sql = format!("SELECT DISTINCT {column} FROM {table} WHERE project = ?1 AND instr({column}, ?2)");
        let texts: Vec<String> = self.all(&sql, params![project.0, old], |row| Ok(row.get(0)?))?;
        for text in texts {
            let mut value: Value = serde_json::from_str(&text).map_err(StoreError::content)?;
            rename(&mut value, old, new);
            let sql = format!("UPDATE {table} SET {column} = ?3 WHERE project = ?1 AND {column} = ?2");
            self.run(&sql, params![project.0, text, value.to_string()])?;
        }
        Ok(())
    }
}

/// Values and fields that are a name, or the vote of somebody of that name.
fn rename(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::String(text) if text == old => new.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, old, new)),
        Value::Object(fields) => {
            let vote = vote_field(old);
            let renamed = std::mem::take(fields).into_iter().map(|(field, mut value)| {
                rename(&mut value, old, new);
                let field = if field == old {
                    new.to_owned()
                } else if field == vote {
                    vote_field(new)
                } else {
                    field
                };
                (field, value)
            });
            *fields = renamed.collect::<Map<String, Value>>();
        }
        _ => {}
    }
}

/// A text with another word in the place of one: `ben` stays in `benefits`.
fn without_word(text: &str, old: &str, new: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(old) {
        let (before, found) = rest.split_at(start);
        let after = &found[old.len()..];
        let is_word =
            !before.chars().next_back().or_else(|| changed.chars().next_back()).is_some_and(char::is_alphanumeric)
                && !after.chars().next().is_some_and(char::is_alphanumeric);
        changed.push_str(before);
        changed.push_str(if is_word { new } else { old });
        rest = after;
    }
    changed + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_replaced_as_a_word_alone() {
        let texts = [
            ("member ben", "member X"),
            ("ben, ana", "X, ana"),
            ("benefits for ben's team", "benefits for X's team"),
            ("Ruben", "Ruben"),
            ("benben ben", "benben X"),
        ];
        for (text, expected) in texts {
            assert_eq!(without_word(text, "ben", "X"), expected);
        }
    }

    #[test]
    fn values_and_fields_of_json_are_replaced_where_they_are_the_name() {
        let mut value =
            json!({"user": "ben", "vote of ben": [2, "for ben"], "ben": ["ana", "ben"], "title": "benches"});
        rename(&mut value, "ben", "X");
        assert_eq!(value, json!({"user": "X", "vote of X": [2, "for ben"], "X": ["ana", "X"], "title": "benches"}));
    }
}
