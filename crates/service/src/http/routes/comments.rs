//! Comments on diagrams, designs and places: members write, guests read.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;

use super::administration::members_named;
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::request::keyed::Keyed;
use crate::http::response::{Created, Json};
use crate::http::router::{CHANGED, Routes};
use crate::http::state::AppState;
use crate::store::{About, Reader};
use geodesign::model::operations::{ADD_COMMENT, COMMENTS, DELETE_COMMENT, EDIT_COMMENT, InComment};
use geodesign::model::{Comment, CommentEdit, Comments, NewComment, Uuid};

pub fn routes() -> Routes {
    Routes::of("Comments")
        .whole(COMMENTS, |read, member: Membership| Ok(Comments { comments: read.comments(member.project)? }))
        .operation(ADD_COMMENT, add_comment)
        .operation(EDIT_COMMENT, edit_comment)
        .refuses(StatusCode::FORBIDDEN, "Somebody else wrote the text, or others are asked for the review.")
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(DELETE_COMMENT, delete_comment)
        .refuses(StatusCode::FORBIDDEN, OF_OTHERS)
        .refuses(StatusCode::CONFLICT, "The comment has replies")
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
}

const OF_OTHERS: &str = "Only the author of the comment or an administrator of the project may do this.";
const NOT_ASKED: &str =
    "Only its author, those asked or an administrator of the project may resolve or reopen this review.";
const NO_COMMENT: ApiError = ApiError::NotFound("comment");

async fn add_comment(
    member: Keyed<Member>,
    State(state): State<AppState>,
    JsonBody(new): JsonBody<NewComment>,
) -> Result<Created<Comment>> {
    new.check().map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let added = state.add(member, move |write, member| {
        let about = about(write, &member, &new)?;
        let asked = members_named(write, member.project, "asked", &new.asked)?;
        limits.project_comments().check_total("the project", write.count_in("comments", member.project)?, 1)?;
        let id = write.add_comment(member.project, member.user, &new, about, &asked)?;
        Ok(Created(Json::new(&comment_of(write, &member, &id)?)?))
    });
    added.await
}

/// Returns the subject of a new comment; for a reply, its thread's.
fn about(read: &Reader, member: &Membership, new: &NewComment) -> Result<About> {
    let NewComment { diagram, design, place, reply_to, .. } = new;
    if let Some(first) = reply_to {
        let first =
            comment_of(read, member, first).map_err(|_| ApiError::invalid("reply_to: there is no such comment"))?;
        if first.reply_to.is_some() {
            return Err(ApiError::invalid("reply_to is a reply itself; give the first comment of its thread"));
        }
        return Ok(About { diagram: first.diagram, design: first.design, place: first.place });
    }
    if let Some(diagram) = diagram
        && !read.has_diagram(member.project, *diagram)?
    {
        return Err(ApiError::invalid(format!("the project has no diagram {diagram}")));
    }
    if let Some(design) = design
        && !read.has_design(member.project, design)?
    {
        return Err(ApiError::invalid(format!("the project has no design {design}")));
    }
    Ok(About { diagram: *diagram, design: design.clone(), place: *place })
}

async fn edit_comment(
    member: Member<InComment>,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<CommentEdit>,
) -> Result<Json<Comment>> {
    edit.check().map_err(ApiError::invalid)?;
    let edited = state.write(member, move |write, member| {
        let comment = comment_of(write, &member, &member.ids.commentid)?;
        if edit.text.is_some() {
            check_own_comment(write, &member, &comment)?;
        }
        if edit.resolved.is_some() && comment.reply_to.is_some() {
            return Err(ApiError::invalid("a reply cannot be resolved; resolve the first comment of its thread"));
        }
        if edit.resolved.is_some() {
            member.check_own(write, write.may_resolve(&comment.id, member.user)?, NOT_ASKED)?;
        }
        member.check_unchanged(None)?;
        write.edit_comment(member.project, member.user, &comment, &edit)?;
        comment_of(write, &member, &comment.id)
    });
    Ok(Json::new(&edited.await?)?)
}

async fn delete_comment(member: Member<InComment>, State(state): State<AppState>) -> Result<NoContent> {
    let deleted = state.write(member, |write, member| {
        let comment = comment_of(write, &member, &member.ids.commentid)?;
        check_own_comment(write, &member, &comment)?;
        if write.replies_to(&comment.id)? > 0 {
            return Err(ApiError::Conflict(
                "The comment has replies. Resolve its thread, or remove the replies first.".into(),
            ));
        }
        member.check_unchanged(None)?;
        Ok(write.delete_comment(member.project, &comment)?)
    });
    deleted.await?;
    Ok(NoContent)
}

fn comment_of<Ids>(read: &Reader, member: &Membership<Ids>, id: &Uuid) -> Result<Comment> {
    read.comment(member.project, id)?.ok_or(NO_COMMENT)
}

/// Refuses a change of what somebody else wrote, except by administrators.
fn check_own_comment<Ids>(read: &Reader, member: &Membership<Ids>, comment: &Comment) -> Result<()> {
    let is_own = read.author_of_comment(&comment.id)? == Some(member.user);
    member.check_own(read, is_own, OF_OTHERS)
}
