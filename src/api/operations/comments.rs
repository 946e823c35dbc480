//! Comments on diagrams, designs and places.

use pyo3::prelude::*;

use crate::api::project::{AsyncProject, Project};
use crate::api::project_parts::{AsyncDesign, AsyncDiagram, Design, Diagram};
use crate::convert::arguments::CommentReference;
use crate::convert::results::Nothing;
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use geodesign::model::{Center, Comment, CommentEdit, NewComment, Username};
use geodesign_client as client;
use geodesign_client::{DesignHandle, DiagramHandle};

operations! { Project / AsyncProject of client::Project:
    /// Adds a comment on a place. `Diagram.comment` and `Design.comment` add one on a diagram or a design.
    ///
    /// Args:
    ///     text: Plain text.
    ///     place: Longitude and latitude in degrees.
    ///
    /// Returns:
    ///     A `Comment` dict, as from `comments()`.
    ///
    /// Raises:
    ///     InputError: An empty text, or a place that is not on Earth; nothing was sent.
    ///     PermissionDeniedError: The user is a guest, or commenting is closed.
    ///
    /// Examples:
    ///     >>> project.comment("The bus turns here.", place=(-74.1, 40.6))["place"]
    ///     [-74.1, 40.6]
    #[pyo3(signature = (text, *, place))]
    fn comment(text: String, place: Center) -> Json<Comment> = |project| {
        let place = Some([place.longitude, place.latitude]);
        Ok(Json(project.add_comment(&NewComment { text, place, ..NewComment::default() }).await?))
    };

    /// Adds a reply to a thread.
    ///
    /// Args:
    ///     comment: The first comment of the thread: its dict or its id.
    ///     text: Plain text.
    ///
    /// Returns:
    ///     A `Comment` dict, as from `comments()`.
    ///
    /// Raises:
    ///     InputError: An empty text; nothing was sent.
    ///     BadRequestError: The project has no such comment, or it is a reply itself.
    ///     PermissionDeniedError: The user is a guest, or commenting is closed.
    ///
    /// Examples:
    ///     >>> question = project.diagram(1001).comment("Who maintains it?")
    ///     >>> project.reply(question, "The parks department.")["reply_to"] == question["id"]
    ///     True
    fn reply(comment: CommentReference, text: String) -> Json<Comment> = |project| {
        let reply_to = Some(comment.0);
        Ok(Json(project.add_comment(&NewComment { text, reply_to, ..NewComment::default() }).await?))
    };

    #[doc = summary!(EDIT_COMMENT)]
    ///
    /// Args:
    ///     comment: The comment: its dict or its id.
    ///     text: Its new text.
    ///     resolved: True to resolve the thread, False to reopen it.
    ///
    /// Returns:
    ///     The changed `Comment` dict, as from `comments()`.
    ///
    /// Raises:
    ///     InputError: An empty text; nothing was sent.
    ///     BadRequestError: A reply is to be resolved.
    ///     PermissionDeniedError: Somebody else wrote the text, or others are asked for the review, and the user is not an administrator of
    ///         the project; or commenting is closed.
    ///     NotFoundError: The project has no such comment.
    ///
    /// Examples:
    ///     >>> question = project.diagram(1001).comment("Who maintains it?")
    ///     >>> project.edit_comment(question, resolved=True)["resolved"]
    ///     True
    #[pyo3(signature = (comment, *, text=None, resolved=None))]
    fn edit_comment(comment: CommentReference, text: Option<String>, resolved: Option<bool>) -> Json<Comment> = |project| {
        Ok(Json(project.edit_comment(comment.0, &CommentEdit { text, resolved }).await?))
    };

    #[doc = summary!(DELETE_COMMENT)]
    ///
    /// Args:
    ///     comment: The comment: its dict or its id.
    ///
    /// Raises:
    ///     PermissionDeniedError: Somebody else wrote it, and the user is not an administrator of the project; or commenting is closed.
    ///     NotFoundError: The project has no such comment.
    ///     ApiError: With `status_code` 409, the comment has replies.
    ///
    /// Examples:
    ///     >>> project.delete_comment(project.diagram(1001).comment("A mistake"))
    fn delete_comment(comment: CommentReference) -> Nothing = |project| {
        project.delete_comment(comment.0).await?;
        Ok(Nothing)
    };
}

operations! { Diagram / AsyncDiagram of DiagramHandle:
    /// The comments on the diagram, oldest first.
    ///
    /// Returns:
    ///     A list of `Comment` dicts, as from `Project.comments`.
    ///
    /// Raises:
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///
    /// Examples:
    ///     >>> question = project.diagram(1001).comment("Who maintains it?")
    ///     >>> [comment["text"] for comment in project.diagram(1001).comments()]
    ///     ['Who maintains it?']
    fn comments() -> Json<Vec<Comment>> = |diagram| {
        let id = diagram.id().await?;
        let mut comments = diagram.project().comments().await?;
        comments.retain(|comment| comment.diagram == Some(id));
        Ok(Json(comments))
    };

    /// Adds a comment on the diagram, or asks for a review of it. `Project.reply` answers it, `Project.edit_comment` resolves it.
    ///
    /// Args:
    ///     text: Plain text.
    ///     review: True to ask for a review. It is done once the comment is resolved, by you, those asked or an administrator.
    ///     asked: Names of the members who are asked to review; all members if left out.
    ///
    /// Returns:
    ///     A `Comment` dict, as from `Project.comments`.
    ///
    /// Raises:
    ///     InputError: An empty text, or `asked` without `review`; nothing was sent.
    ///     PermissionDeniedError: The user is a guest, or commenting is closed.
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     BadRequestError: The project has no diagram of that id, or no member of a name in `asked`.
    ///
    /// Examples:
    ///     >>> project.diagram(1002).comment("Why not further north?")["diagram"]
    ///     1002
    ///     >>> project.diagram(1002).comment("Ready. Does the path fit?", review=True, asked=["admin"])["asked"]
    ///     ['admin']
    #[pyo3(signature = (text, *, review=false, asked=None))]
    fn comment(text: String, review: bool, asked: Option<Vec<Username>>) -> Json<Comment> = |diagram| {
        let (diagram_id, asked) = (Some(diagram.id().await?), asked.unwrap_or_default());
        let new = NewComment { text, diagram: diagram_id, review, asked, ..NewComment::default() };
        Ok(Json(diagram.project().add_comment(&new).await?))
    };
}

operations! { Design / AsyncDesign of DesignHandle:
    /// The comments on the design, oldest first.
    ///
    /// Returns:
    ///     A list of `Comment` dicts, as from `Project.comments`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///
    /// Examples:
    ///     >>> design = project.design("Design 1 – room")
    ///     >>> question = design.comment("Where do the buses go?")
    ///     >>> [comment["text"] for comment in design.comments()]
    ///     ['Where do the buses go?']
    fn comments() -> Json<Vec<Comment>> = |design| {
        let (_, id) = design.ids().await?;
        let mut comments = design.project().comments().await?;
        comments.retain(|comment| comment.design.as_ref() == Some(&id));
        Ok(Json(comments))
    };

    /// Adds a comment on the design, or asks for a review of it. `Project.reply` answers it, `Project.edit_comment` resolves it.
    ///
    /// Args:
    ///     text: Plain text.
    ///     review: True to ask for a review. It is done once the comment is resolved, by you, those asked or an administrator.
    ///     asked: Names of the members who are asked to review; all members if left out.
    ///
    /// Returns:
    ///     A `Comment` dict, as from `Project.comments`.
    ///
    /// Raises:
    ///     InputError: An empty text, or `asked` without `review`; nothing was sent. Or there is no such design, or several have that title; it lists them.
    ///     PermissionDeniedError: The user is a guest, or commenting is closed.
    ///     BadRequestError: The project has no design of that id, or no member of a name in `asked`.
    ///
    /// Examples:
    ///     >>> design = project.team("Residents").save("Draft", [1001])
    ///     >>> design.comment("Where do the buses go?")["design"] == design.id
    ///     True
    ///     >>> design.comment("Ready. Does the path fit?", review=True)["review"]
    ///     True
    #[pyo3(signature = (text, *, review=false, asked=None))]
    fn comment(text: String, review: bool, asked: Option<Vec<Username>>) -> Json<Comment> = |design| {
        let ((_, id), asked) = (design.ids().await?, asked.unwrap_or_default());
        let new = NewComment { text, design: Some(id), review, asked, ..NewComment::default() };
        Ok(Json(design.project().add_comment(&new).await?))
    };
}
