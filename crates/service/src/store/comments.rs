//! Comments on diagrams, designs and places.

use rusqlite::{Params, params};

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, new_uuid, to_json, utc_now};
use super::history::Change;
use geodesign::model::{Comment, CommentEdit, DesignId, DiagramId, JsonObject, NewComment, Uuid};

/// A removed diagram hides its comments.
const SHOWN: &str = "FROM comments JOIN users authors ON authors.key = comments.author \
                     LEFT JOIN users resolvers ON resolvers.key = resolved_by \
                     LEFT JOIN all_diagrams ON all_diagrams.id = diagram \
                     WHERE removed_by IS NULL AND comments.project = ?1";

/// Names of the members asked for a review, as JSON.
const ASKED: &str = "(SELECT json_group_array(username) FROM (SELECT username FROM reviewers \
                     JOIN users ON users.key = reviewers.user WHERE comment = comments.id ORDER BY username))";

/// The subject of a comment.
#[derive(Debug, Clone, Default)]
pub struct About {
    pub diagram: Option<DiagramId>,
    pub design: Option<DesignId>,
    pub place: Option<[f64; 2]>,
}

impl Reader<'_> {
    /// Returns the comments of a project, oldest first.
    pub fn comments(&self, project: ProjectKey) -> Result<Vec<Comment>> {
        self.comments_where("TRUE", [project.0])
    }

    pub fn comment(&self, project: ProjectKey, id: &Uuid) -> Result<Option<Comment>> {
        Ok(self.comments_where("comments.id = ?2", params![project.0, id.as_str()])?.pop())
    }

    fn comments_where(&self, condition: &str, values: impl Params) -> Result<Vec<Comment>> {
        let shown = |name| self.shown(name);
        let resolver = |name: Option<String>| Result::Ok(name.filter(|name| !self.hides_names() && !name.is_empty()));
        let asked = |names: Vec<String>| Result::Ok(if self.hides_names() { Vec::new() } else { names });
        let columns = columns!(Comment {
            id: "comments.id",
            author: shown("authors.username"),
            text: "comments.text",
            created_at: "comments.created_at",
            edited_at,
            diagram,
            design,
            place,
            reply_to,
            resolved: "resolved_by IS NOT NULL",
            resolved_by: resolver("resolvers.username"),
            review,
            asked: asked(ASKED),
            extra: (JsonObject::new()),
        });
        let rest = format!("{SHOWN} AND {condition} ORDER BY comments.created_at, comments.id");
        self.select(columns, &rest, values)
    }

    pub fn author_of_comment(&self, id: &Uuid) -> Result<Option<UserKey>> {
        self.value("SELECT author FROM comments WHERE id = ?1", [id.as_str()])
    }

    /// True if a user may resolve and reopen a thread. A review that names members is for them and its author.
    pub fn may_resolve(&self, id: &Uuid, user: UserKey) -> Result<bool> {
        let is_of_others = "SELECT 1 FROM comments WHERE id = ?1 AND author <> ?2 \
                            AND EXISTS (SELECT 1 FROM reviewers WHERE comment = id) \
                            AND NOT EXISTS (SELECT 1 FROM reviewers WHERE comment = id AND user = ?2)";
        Ok(!self.exists(is_of_others, params![id.as_str(), user.0])?)
    }

    /// Counts the replies to a comment.
    pub fn replies_to(&self, id: &Uuid) -> Result<u64> {
        Ok(self.value("SELECT count(*) FROM comments WHERE reply_to = ?1", [id.as_str()])?.unwrap_or_default())
    }

    /// True if a comment's subject exists: a diagram, even a removed one, a design, a place, and the first comment of the thread.
    pub fn has_subject(&self, project: ProjectKey, comment: &Comment) -> Result<bool> {
        let Comment { diagram, design, reply_to, .. } = comment;
        let has_diagram = |id: DiagramId| {
            self.exists("SELECT 1 FROM all_diagrams WHERE project = ?1 AND id = ?2", params![project.0, id.0])
        };
        let has_comment = |id: &Uuid| {
            self.exists("SELECT 1 FROM comments WHERE project = ?1 AND id = ?2", params![project.0, id.as_str()])
        };
        Ok(diagram.map_or(Ok(true), has_diagram)?
            && design.as_ref().map_or(Ok(true), |id| self.has_design(project, id))?
            && reply_to.as_ref().map_or(Ok(true), has_comment)?)
    }
}

impl Writer<'_> {
    /// Adds a comment. `about` is its thread's subject, `asked` are the members whom it asks to review.
    pub fn add_comment(
        &self,
        project: ProjectKey,
        author: UserKey,
        new: &NewComment,
        about: About,
        asked: &[UserKey],
    ) -> Result<Uuid> {
        let id = new_uuid()?.parse().map_err(StoreError::content)?;
        let comment = Comment {
            id,
            author: String::new(),
            text: new.text.clone(),
            created_at: date_time_text(utc_now()).parse().map_err(StoreError::content)?,
            edited_at: None,
            diagram: about.diagram,
            design: about.design,
            place: about.place,
            reply_to: new.reply_to.clone(),
            resolved: false,
            resolved_by: None,
            review: new.review,
            asked: Vec::new(),
            extra: JsonObject::new(),
        };
        self.insert_comment(project, author, None, asked, &comment)?;
        let operation = if new.review { "ask_for_review" } else { "add_comment" };
        self.record(project, Change::of(operation).about(&comment).after(&comment.text))?;
        Ok(comment.id)
    }

    /// Inserts a comment as it is, except for the names in it.
    pub fn insert_comment(
        &self,
        project: ProjectKey,
        author: UserKey,
        resolved_by: Option<UserKey>,
        asked: &[UserKey],
        comment: &Comment,
    ) -> Result<()> {
        let sql = "INSERT INTO comments (id, project, author, text, created_at, edited_at, diagram, design, place, reply_to, \
                   resolved_by, review) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let values = params![
            comment.id.as_str(),
            project.0,
            author.0,
            comment.text,
            comment.created_at.to_string(),
            comment.edited_at.as_ref().map(ToString::to_string),
            comment.diagram.map(|diagram| diagram.0),
            comment.design.as_ref().map(DesignId::as_str),
            comment.place.as_ref().map(to_json).transpose()?,
            comment.reply_to.as_ref().map(Uuid::as_str),
            resolved_by.map(|user| user.0),
            comment.review,
        ];
        self.run(sql, values)?;
        let asks = "INSERT INTO reviewers VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        asked.iter().try_for_each(|user| self.run(asks, params![comment.id.as_str(), user.0]).map(drop))
    }

    /// Adds a comment of a copy.
    pub fn add_merged_comment(
        &self,
        project: ProjectKey,
        author: UserKey,
        resolved_by: Option<UserKey>,
        asked: &[UserKey],
        comment: &Comment,
    ) -> Result<()> {
        self.insert_comment(project, author, resolved_by, asked, comment)?;
        self.record(project, Change::of("merge").about(comment).after(&comment.text))
    }

    /// Adds a comment of an archive.
    pub fn insert_loaded_comment(&self, project: ProjectKey, comment: &Comment) -> Result<()> {
        let author = self.author_named(&comment.author)?;
        let resolved_by = comment.resolved_by.as_deref().unwrap_or_default();
        let resolved_by = if comment.resolved { Some(self.author_named(resolved_by)?) } else { None };
        let asked: Vec<UserKey> = comment.asked.iter().map(|name| self.author_named(name)).collect::<Result<_>>()?;
        self.insert_comment(project, author, resolved_by, &asked, comment)
    }

    /// Changes the text of a comment, or resolves or reopens its thread.
    pub fn edit_comment(&self, project: ProjectKey, user: UserKey, before: &Comment, edit: &CommentEdit) -> Result<()> {
        let id = before.id.as_str();
        if let Some(text) = edit.text.as_ref().filter(|text| **text != before.text) {
            let sql = "UPDATE comments SET text = ?2, edited_at = ?3 WHERE id = ?1";
            self.run(sql, params![id, text, date_time_text(utc_now())])?;
            self.record(project, Change::of("edit_comment").about(before).before(&before.text).after(text))?;
        }
        if let Some(resolved) = edit.resolved.filter(|resolved| *resolved != before.resolved) {
            let resolver = resolved.then_some(user.0);
            self.run("UPDATE comments SET resolved_by = ?2 WHERE id = ?1", params![id, resolver])?;
            let state = |resolved| match (resolved, before.review) {
                (true, true) => format!("reviewed: {}", before.text),
                (true, false) => format!("resolved: {}", before.text),
                (false, _) => format!("open: {}", before.text),
            };
            let change = Change::of("edit_comment").about(before);
            self.record(project, change.before(state(before.resolved)).after(state(resolved)))?;
        }
        Ok(())
    }

    /// Removes a comment with its replies.
    pub fn delete_comment(&self, project: ProjectKey, comment: &Comment) -> Result<()> {
        self.run("DELETE FROM comments WHERE id = ?1", [comment.id.as_str()])?;
        self.record(project, Change::of("delete_comment").about(comment).before(&comment.text))
    }
}

impl Change {
    fn about(self, comment: &Comment) -> Self {
        match (comment.diagram, &comment.design, comment.place) {
            (Some(diagram), ..) => self.diagram(diagram),
            (_, Some(design), _) => self.subject(format_args!("design {design}")),
            (.., Some([longitude, latitude])) => self.subject(format_args!("place {longitude}, {latitude}")),
            _ => self,
        }
    }
}
