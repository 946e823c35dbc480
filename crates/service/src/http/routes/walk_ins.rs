//! Walk-ins: people without an account, who come to a project with its joining code.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;
use tokio::time::sleep;

use crate::http::error::{ApiError, Overload, Result};
use crate::http::request::auth::{Access, Administrator, Visitor};
use crate::http::request::extract::JsonBody;
use crate::http::response::{Created, Json};
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{NewToken, ProjectKey, Reader};
use geodesign::model::operations::{
    ADMIT_WALK_IN, CLOSE_WALK_INS, OPEN_WALK_INS, OfWalkIn, REFUSE_WALK_IN, WALK_IN, WALK_INS,
};
use geodesign::model::{
    Admission, JoiningCode, JsonObject, Status, TeamId, WalkIn, WalkIns, WalkInsEdit, WalkedIn, problem_of_name,
};

pub fn routes() -> Routes {
    Routes::of("Walk-ins")
        .operation(WALK_IN, walk_in)
        .refuses(StatusCode::FORBIDDEN, "The code is not valid, or the project is closed to walk-ins")
        .refuses(StatusCode::CONFLICT, "The name is taken")
        .operation(WALK_INS, walk_ins)
        .operation(OPEN_WALK_INS, open_walk_ins)
        .operation(CLOSE_WALK_INS, close_walk_ins)
        .operation(ADMIT_WALK_IN, admit_walk_in)
        .operation(REFUSE_WALK_IN, refuse_walk_in)
}

/// One response for codes that never existed, codes that ended, and codes of closed projects.
const NO_CODE: ApiError =
    ApiError::Forbidden("The joining code is not valid. Ask the facilitator for the current one.");
const NOBODY_WAITS: ApiError = ApiError::NotFound("waiting person");

async fn walk_in(
    visitor: Visitor,
    State(state): State<AppState>,
    JsonBody(WalkIn { code, username }): JsonBody<WalkIn>,
) -> Result<Created<WalkedIn>> {
    let (limits, username) = (state.limits().clone(), username.composed());
    if let Some(problem) = problem_of_name(username.as_str()) {
        return Err(ApiError::Invalid(format!("Choose another name: {problem}.")));
    }
    let entered = code.clone();
    if state.look_up(visitor.clone(), move |read, _| Ok(read.joining_rules(&entered)?))?.is_none() {
        return Err(wrong_code(&visitor, &state).await);
    }
    let walked_in = state.write(visitor, move |write, _| {
        let rules = write.joining_rules(&code)?.ok_or(NO_CODE)?;
        if write.is_taken(&username)? {
            let name = username.as_str();
            return Err(ApiError::Conflict(format!("The name {name:?} is taken. Choose another name.")));
        }
        limits.project_walk_ins().check_total("the joining code", rules.came, 1)?;
        let token = NewToken::until(write, None)?;
        if rules.by_hand {
            write.wait_to_walk_in(&rules, &username, &token)?;
        } else {
            write.walk_in(&rules, &username, &token)?;
        }
        Ok(WalkedIn {
            username: username.clone(),
            projectid: rules.projectid,
            expires_at: token.expires_at()?,
            token: token.token,
            admitted: !rules.by_hand,
            extra: JsonObject::new(),
        })
    });
    Ok(Created(Json::new(&walked_in.await?)?))
}

/// Delay of the response to an invalid code.
pub const GUESS_TIME: Duration = Duration::from_millis(100);

/// The response to an invalid code: delayed, and limited in number per address. Guessers neither delay nor block a person with the right
/// code, even at the same address.
async fn wrong_code(visitor: &Visitor, state: &AppState) -> ApiError {
    let counted = count_code(visitor, state);
    sleep(GUESS_TIME).await;
    counted.err().unwrap_or(NO_CODE)
}

/// Counts a code that an address sent. Fails if there are too many.
pub fn count_code(visitor: &Visitor, state: &AppState) -> Result<()> {
    let counted = visitor.sent().peer.as_ref().map_or(Ok(()), |peer| state.wrong_codes().count(&peer.network));
    counted.map_err(|retry_after| {
        let limit = state.limits().walk_ins_per_second;
        Overload::of_sender("Too many wrong codes", "walk_ins_per_second", limit).retry_after(retry_after).into()
    })
}

async fn walk_ins(administrator: Administrator, State(state): State<AppState>) -> Result<Json<WalkIns>> {
    state.read(administrator, |read, administrator| Ok(read.walk_ins(administrator.project)?)).await
}

async fn open_walk_ins(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<WalkInsEdit>,
) -> Result<Json<JoiningCode>> {
    let opened = state.write(administrator, move |write, administrator| {
        check_named_team(write, administrator.project, edit.cteamid)?;
        Ok(write.open_walk_ins(administrator.project, &edit)?)
    });
    Ok(Json::new(&opened.await?)?)
}

/// Refuses a body that names a team which the project does not have.
fn check_named_team(read: &Reader, project: ProjectKey, team: Option<TeamId>) -> Result<()> {
    match team {
        Some(team) if !read.has_team(project, team)? => {
            Err(ApiError::Invalid(format!("cteamid: the project has no change team {team}")))
        }
        _ => Ok(()),
    }
}

async fn close_walk_ins(administrator: Administrator, State(state): State<AppState>) -> Result<NoContent> {
    let closed = state.write(administrator, |write, administrator| Ok(write.close_walk_ins(administrator.project)?));
    closed.await?;
    Ok(NoContent)
}

async fn admit_walk_in(
    administrator: Administrator<OfWalkIn>,
    State(state): State<AppState>,
    JsonBody(Admission { cteamid }): JsonBody<Admission>,
) -> Result<Json<Status>> {
    let admitted = state.write(administrator, move |write, administrator| {
        check_named_team(write, administrator.project, cteamid)?;
        Ok(write.admit_walk_in(administrator.project, &administrator.ids.name, cteamid)?)
    });
    if !admitted.await? {
        return Err(NOBODY_WAITS);
    }
    Ok(Json::new(&Status { status: "The user is a member of the project.".into() })?)
}

async fn refuse_walk_in(administrator: Administrator<OfWalkIn>, State(state): State<AppState>) -> Result<NoContent> {
    let refused = state.write(administrator, |write, administrator| {
        Ok(write.refuse_walk_in(administrator.project, &administrator.ids.name)?)
    });
    if refused.await? { Ok(NoContent) } else { Err(NOBODY_WAITS) }
}
