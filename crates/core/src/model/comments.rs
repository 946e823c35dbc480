//! Comments on diagrams, designs and places: a first comment and its replies are a thread.

use serde::{Deserialize, Serialize};

use super::bounds::Center;
use super::dates::DateTime;
use super::edits::InvalidEdit;
use super::fields::JsonObject;
use super::ids::{DesignId, DiagramId, Username, Uuid};

/// A comment of a thread. Replies are about the same thing as the thread's first comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Comment {
    pub id: Uuid,
    /// Empty for guests whose link shows no names.
    pub author: String,
    /// Plain text.
    pub text: String,
    /// UTC, without a zone.
    pub created_at: DateTime,
    /// Time of the last change of the text; null if there is none.
    pub edited_at: Option<DateTime>,
    pub diagram: Option<DiagramId>,
    /// The id of the design (synthesis) of a change team.
    pub design: Option<DesignId>,
    /// Longitude and latitude in degrees.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<f64>>))]
    pub place: Option<[f64; 2]>,
    /// The thread's first comment; null for that comment itself.
    pub reply_to: Option<Uuid>,
    /// True for the first comment of a resolved thread.
    pub resolved: bool,
    /// The member who resolved the thread; null if it is open or names are hidden.
    pub resolved_by: Option<String>,
    /// True for the first comment of a review, which asks members to look at the diagram or design. The review is done once the thread is
    /// resolved.
    #[serde(default)]
    pub review: bool,
    /// The members who are asked to review; empty for all members, or if names are hidden.
    #[serde(default)]
    pub asked: Vec<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// All comments of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Comments {
    pub comments: Vec<Comment>,
}

/// A comment to be added. It has exactly one of `diagram`, `design`, `place` and `reply_to`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewComment {
    /// Plain text.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagram: Option<DiagramId>,
    /// The id of a design (synthesis) of a change team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<DesignId>,
    /// Longitude and latitude in degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<f64>>, min_items = 2, max_items = 2))]
    pub place: Option<[f64; 2]>,
    /// The first comment of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Uuid>,
    /// `true` asks for a review of the diagram or design.
    #[serde(default, skip_serializing_if = "is_false")]
    pub review: bool,
    /// The members who are asked to review. An empty list asks all members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Username>,
}

/// New values of a comment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CommentEdit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub text: Option<String>,
    /// Resolves the thread of a first comment, or reopens it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
}

impl NewComment {
    pub fn check(&self) -> Result<(), InvalidEdit> {
        check_text(Some(&self.text))?;
        let given = [self.diagram.is_some(), self.design.is_some(), self.place.is_some(), self.reply_to.is_some()];
        match given.into_iter().filter(|is_given| *is_given).count() {
            1 => {}
            count => return Err(InvalidEdit::About(count)),
        }
        if self.review && self.diagram.is_none() && self.design.is_none() {
            return Err(InvalidEdit::ReviewOfOther);
        }
        if !self.review && !self.asked.is_empty() {
            return Err(InvalidEdit::AskedWithoutReview);
        }
        let Some([longitude, latitude]) = self.place else { return Ok(()) };
        Center { longitude, latitude }.check().map_err(InvalidEdit::Place)
    }
}

impl CommentEdit {
    pub fn check(&self) -> Result<(), InvalidEdit> {
        check_text(self.text.as_deref())
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn check_text(text: Option<&str>) -> Result<(), InvalidEdit> {
    if text.is_some_and(|text| text.trim().is_empty()) { Err(InvalidEdit::Empty("text")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(json: &str) -> Option<InvalidEdit> {
        serde_json::from_str::<NewComment>(json).unwrap().check().err()
    }

    #[test]
    fn a_comment_is_about_exactly_one_thing() {
        assert_eq!(problem(r#"{"text": "Why here?", "diagram": 7}"#), None);
        assert_eq!(problem(r#"{"text": "Why here?"}"#), Some(InvalidEdit::About(0)));
        assert_eq!(problem(r#"{"text": "Why?", "diagram": 7, "place": [1, 2]}"#), Some(InvalidEdit::About(2)));
    }

    #[test]
    fn a_comment_has_a_text_and_a_place_on_earth() {
        assert_eq!(problem(r#"{"text": " ", "diagram": 7}"#), Some(InvalidEdit::Empty("text")));
        assert_eq!(problem(r#"{"text": "Here", "place": [-74.1, 40.6]}"#), None);
        assert!(matches!(problem(r#"{"text": "Here", "place": [40.6, -174]}"#), Some(InvalidEdit::Place(_))));
    }

    #[test]
    fn a_review_is_of_a_diagram_or_a_design() {
        assert_eq!(problem(r#"{"text": "Ready", "diagram": 7, "review": true, "asked": ["ana"]}"#), None);
        let of_place = r#"{"text": "Ready", "place": [-74.1, 40.6], "review": true}"#;
        assert_eq!(problem(of_place), Some(InvalidEdit::ReviewOfOther));
        let not_asked = r#"{"text": "Ready", "diagram": 7, "asked": ["ana"]}"#;
        assert_eq!(problem(not_asked), Some(InvalidEdit::AskedWithoutReview));
    }
}
