//! The tags of projects and of diagrams.

use std::collections::{HashMap, HashSet};

use rusqlite::{Params, params};

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, new_uuid};
use geodesign::model::{DiagramId, NewTag, Tag};

/// The way a request refers to tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagReference {
    ById,
    ByCode,
}

/// The id or code of a tag that the project does not have.
#[derive(Debug, thiserror::Error)]
#[error("the tag {0:?} is not in the project")]
pub struct UnknownTag(pub String);

/// The row of a tag.
#[derive(Debug)]
pub struct TagRow<'t> {
    pub id: &'t str,
    pub project: ProjectKey,
    pub tag: &'t str,
    pub slug: &'t str,
    pub code: &'t str,
}

impl Reader<'_> {
    pub fn tags(&self, project: ProjectKey) -> Result<Vec<Tag>> {
        self.as_loaded(project, self.tags_where("project = ?1", [project.0])?)
    }

    pub fn diagram_tags(&self, project: ProjectKey, id: DiagramId) -> Result<Vec<Tag>> {
        let tags = self.tags_where("id IN (SELECT tag FROM diagram_tags WHERE diagram = ?1)", [id.0])?;
        self.as_loaded(project, tags)
    }

    fn tags_where(&self, condition: &str, values: impl Params) -> Result<Vec<Tag>> {
        const DIAGRAMS: &str = "(SELECT json_group_array(diagram) FROM (SELECT diagram FROM diagram_tags \
                                JOIN diagrams ON diagrams.id = diagram WHERE tag = tags.id ORDER BY diagram))";
        let columns = columns!(Tag { id, tag, slug, code, diagrams: DIAGRAMS, .. });
        self.select(columns, &format!("FROM tags WHERE {condition} ORDER BY tag, id"), values)
    }

    /// Returns the ids of the project's tags that `names` refer to. Several tags may share a code.
    pub fn tag_ids(
        &self,
        project: ProjectKey,
        reference: TagReference,
        names: &[String],
    ) -> Result<std::result::Result<Vec<String>, UnknownTag>> {
        let sql = match reference {
            TagReference::ById => "SELECT id FROM tags WHERE project = ?1 AND id = lower(?2)",
            TagReference::ByCode => "SELECT id FROM tags WHERE project = ?1 AND code = ?2 AND code <> ''",
        };
        let mut tags = Vec::new();
        for name in names {
            let found: Vec<String> = self.values(sql, params![project.0, name])?;
            if found.is_empty() {
                return Ok(Err(UnknownTag(name.clone())));
            }
            tags.extend(found);
        }
        Ok(Ok(tags))
    }

    /// Returns the first code of the new tags that another tag of the project already has.
    pub fn taken_code<'t>(&self, project: ProjectKey, tags: &'t TagsToAdd) -> Result<Option<&'t str>> {
        let sql = "SELECT 1 FROM tags WHERE project = ?1 AND code = ?2 AND tag <> ?3";
        for TagToAdd { tag, code, .. } in tags.0.iter().filter(|tag| !tag.code.is_empty()) {
            if self.exists(sql, params![project.0, code, tag])? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }
}

/// Tags to add to a project. Everything that needs no database is prepared before the transaction.
#[derive(Debug)]
pub struct TagsToAdd(Vec<TagToAdd>);

#[derive(Debug)]
struct TagToAdd {
    id: String,
    tag: String,
    slug: String,
    code: String,
}

/// The code that two new tags share.
#[derive(Debug, thiserror::Error)]
#[error("two tags have the code {0:?}")]
pub struct SharedCode(pub String);

impl TagsToAdd {
    /// Prepares tags, without repetitions.
    pub fn prepare(tags: Vec<NewTag>) -> Result<std::result::Result<Self, SharedCode>> {
        let (mut tag_of_code, mut known) = (HashMap::new(), HashSet::new());
        let mut prepared = Vec::new();
        for NewTag { tag, code } in &tags {
            if !code.is_empty() && tag_of_code.entry(code).or_insert(tag) != &tag {
                return Ok(Err(SharedCode(code.clone())));
            }
            if known.insert((tag, code)) {
                let (id, slug) = (new_uuid()?, slug(tag));
                prepared.push(TagToAdd { id, slug, tag: tag.clone(), code: code.clone() });
            }
        }
        Ok(Ok(TagsToAdd(prepared)))
    }
}

impl Writer<'_> {
    /// Adds the tags whose name and code the project does not have yet. Returns how many were added.
    pub fn add_tags(&self, project: ProjectKey, tags: &TagsToAdd) -> Result<usize> {
        let mut added = Vec::new();
        for TagToAdd { id, tag, slug, code } in &tags.0 {
            let known = "SELECT 1 FROM tags WHERE project = ?1 AND tag = ?2 AND code = ?3";
            if !self.exists(known, params![project.0, tag, code])? {
                self.insert_tag(&TagRow { id, project, tag, slug, code })?;
                added.push(tag.as_str());
            }
        }
        self.record_added("create_tags", project, &added)?;
        Ok(added.len())
    }

    pub fn insert_tag(&self, TagRow { id, project, tag, slug, code }: &TagRow) -> Result<()> {
        let sql = "INSERT INTO tags (id, project, tag, slug, code) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.run(sql, params![id, project.0, tag, slug, code]).map(drop)
    }

    /// Replaces the tags of a diagram, given by their ids.
    pub(super) fn replace_diagram_tags(&self, id: DiagramId, tags: &[String]) -> Result<()> {
        self.run("DELETE FROM diagram_tags WHERE diagram = ?1", [id.0])?;
        for tag in tags {
            let sql = "INSERT INTO diagram_tags (diagram, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![id.0, tag])?;
        }
        Ok(())
    }
}

/// Returns a tag's name for URLs: its letters and digits in lower case, with hyphens between words.
fn slug(tag: &str) -> String {
    let lower = tag.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
