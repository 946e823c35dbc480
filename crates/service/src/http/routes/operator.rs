//! The work of a service's operator: accounts, their tokens, and copies of the database. A token gives full access to an account, and a
//! copy has every project. So administrators of a project do none of this, except for tokens of accounts that are only in their project.

use std::time::Duration;

use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::response::NoContent;

use super::systems::named_member;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::request::auth::{Administrator, Caller, Membership, Operating, Operator};
use crate::http::request::extract::JsonBody;
use crate::http::request::page_params::PageParams;
use crate::http::response::file::{Database, FileResponse};
use crate::http::response::{Created, Json, List, PageResponse};
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{InputError, NewToken, OPERATOR, Reader, Store, StoreError, UserKey};
use geodesign::model::operations::{
    ACCOUNT, ADD_MEMBER_TOKEN, ADD_TOKEN, ADD_USER, BACKUP, MEMBER_TOKENS, OfMember, OfToken, OfUser, REMOVE_USER,
    SERVICE_HISTORY, TOKENS, USERS, WITHDRAW_MEMBER_TOKENS, WITHDRAW_TOKEN,
};
use geodesign::model::{
    HistoryEntry, HistoryFilter, IssuedToken, NewCard, NewUser, NewUserToken, OwnAccount, Status, TokenInfo,
    UserAccount, Username,
};
use geodesign_common::blocking;

pub fn routes() -> Routes {
    Routes::of("Operator")
        .operation(ACCOUNT, account)
        .operation(USERS, users)
        .operation(ADD_USER, add_user)
        .operation(REMOVE_USER, remove_user)
        .refuses(StatusCode::BAD_REQUEST, "It is the operator's own account")
        .operation(TOKENS, tokens)
        .operation(ADD_TOKEN, add_token)
        .operation(WITHDRAW_TOKEN, withdraw_token)
        .operation(SERVICE_HISTORY, service_history)
        .operation(BACKUP, backup)
        .operation(MEMBER_TOKENS, member_tokens)
        .operation(ADD_MEMBER_TOKEN, add_member_token)
        .operation(WITHDRAW_MEMBER_TOKENS, withdraw_member_tokens)
}

async fn account(caller: Caller, State(state): State<AppState>) -> Result<Json<OwnAccount>> {
    state
        .read(caller, |read, user: UserKey| {
            let name = read.name_of(user)?;
            let username = name.parse().map_err(|_| ApiError::Forbidden("A guest has no account."))?;
            Ok(OwnAccount { username })
        })
        .await
}

async fn users(
    operator: Operator,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<UserAccount>> {
    state.read_page(operator, page, |read, _| Ok(read.user_accounts()?)).await
}

async fn add_user(
    operator: Operator,
    State(state): State<AppState>,
    JsonBody(NewUser { username }): JsonBody<NewUser>,
) -> Result<Json<Status>> {
    let added = state.write(operator, move |write, _| match write.add_user(&username) {
        Err(StoreError::Input(problem @ InputError::LooksAlike { .. })) => Err(ApiError::Conflict(problem.to_string())),
        added => Ok(added?),
    });
    added.await?;
    Ok(Json::new(&Status { status: "The user has an account.".into() })?)
}

async fn remove_user(operator: Operator<OfUser>, State(state): State<AppState>) -> Result<NoContent> {
    let removed = state.write(operator, |write, Operating { ids: OfUser { username }, .. }| {
        if username == OPERATOR {
            return Err(ApiError::invalid("the operator's own account cannot be withdrawn"));
        }
        let username: Username = username.parse().map_err(|_| NO_USER)?;
        write.user(&username).map_err(or_no_user)?;
        Ok(write.remove_user(&username)?)
    });
    removed.await?;
    Ok(NoContent)
}

const NO_USER: ApiError = ApiError::NotFound("user");

/// A user who does not exist is reported as not found, whatever else may be wrong.
fn or_no_user(error: StoreError) -> ApiError {
    match error {
        StoreError::Input(_) => NO_USER,
        error => error.into(),
    }
}

async fn tokens(
    operator: Operator,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<TokenInfo>> {
    state.read_page(operator, page, |read, _| Ok(read.tokens(None)?)).await
}

async fn add_token(
    operator: Operator,
    State(state): State<AppState>,
    JsonBody(NewUserToken { username, expires_at, on_card }): JsonBody<NewUserToken>,
) -> Result<Created<IssuedToken>> {
    let issued = state.write(operator, move |write, _| {
        let new = NewToken::until(write, expires_at)?;
        Ok(write.issue_token(&username, &new, on_card)?)
    });
    Ok(Created(Json::new(&issued.await?)?))
}

async fn withdraw_token(operator: Operator<OfToken>, State(state): State<AppState>) -> Result<NoContent> {
    let withdrawn = state.write(operator, |write, operator| Ok(write.withdraw_token(&operator.ids.tokenid)?));
    if withdrawn.await? { Ok(NoContent) } else { Err(ApiError::NotFound("token")) }
}

async fn service_history(
    operator: Operator,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<HistoryEntry>> {
    state.read_page(operator, page, |read, _| Ok(read.history(None, &HistoryFilter::default())?)).await
}

async fn backup(operator: Operator, State(state): State<AppState>) -> Result<FileResponse<Database>> {
    state.look_up(operator, |_, _| Ok(()))?;
    let store = Store::from_ref(&state);
    let copy = move || {
        let (folder, file) = store.backup_to_send()?;
        FileResponse::open(folder, &file).map_err(|source| StoreError::Backup { path: file, source: source.into() })
    };
    // The larger the database, the longer this takes.
    let copy = async { Ok(blocking::run(copy).await??) };
    gate::hold(1, Duration::from_secs(state.limits().statement_seconds), copy).await
}

async fn member_tokens(
    administrator: Administrator<OfMember>,
    State(state): State<AppState>,
) -> Result<Json<List<TokenInfo>>> {
    state
        .read(administrator, |read, administrator| {
            let (user, _) = own_member(read, &administrator)?;
            Ok(List(read.tokens(Some(user))?))
        })
        .await
}

async fn add_member_token(
    administrator: Administrator<OfMember>,
    State(state): State<AppState>,
    JsonBody(NewCard { expires_at }): JsonBody<NewCard>,
) -> Result<Created<IssuedToken>> {
    let issued = state.write(administrator, move |write, administrator| {
        let (_, username) = own_member(write, &administrator)?;
        let new = NewToken::until(write, expires_at)?;
        Ok(write.issue_card(administrator.project, &username, &new)?)
    });
    Ok(Created(Json::new(&issued.await?)?))
}

async fn withdraw_member_tokens(
    administrator: Administrator<OfMember>,
    State(state): State<AppState>,
) -> Result<NoContent> {
    let withdrawn = state.write(administrator, |write, administrator| {
        let (_, username) = own_member(write, &administrator)?;
        Ok(write.withdraw_member_tokens(administrator.project, &username)?)
    });
    withdrawn.await?;
    Ok(NoContent)
}

/// A member for whose account the administrators of the project are responsible.
fn own_member(read: &Reader, administrator: &Membership<OfMember>) -> Result<(UserKey, Username)> {
    const REFUSAL: ApiError = ApiError::Forbidden(
        "Ask the operator of the service for this member's tokens: the member is in other projects too, or did not come with yours.",
    );
    let (user, username) = named_member(read, administrator.project, &administrator.ids.username)?;
    if read.is_member_of_this_alone(administrator.project, user)? { Ok((user, username)) } else { Err(REFUSAL) }
}
