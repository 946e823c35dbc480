//! Signing in with the code on a card.

use axum::extract::State;
use axum::http::StatusCode;
use tokio::time::sleep;

use super::walk_ins::{GUESS_TIME, count_code};
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::Visitor;
use crate::http::request::extract::JsonBody;
use crate::http::response::Json;
use crate::http::router::Routes;
use crate::http::state::AppState;
use geodesign::model::operations::SIGN_IN;
use geodesign::model::{CardHolder, TypedCode};

pub fn routes() -> Routes {
    Routes::of("Cards").operation(SIGN_IN, sign_in).refuses(StatusCode::FORBIDDEN, "No valid card has the code")
}

/// One response for codes that never existed, and codes of cards that ended.
const NO_CARD: ApiError =
    ApiError::Forbidden("No valid card has this code. Compare it with your card, or ask for a new card.");

/// A code is short, so the codes of an address are counted before they are compared: a guesser at the rate limit learns nothing.
async fn sign_in(
    visitor: Visitor,
    State(state): State<AppState>,
    JsonBody(TypedCode { code }): JsonBody<TypedCode>,
) -> Result<Json<CardHolder>> {
    if let Err(error) = count_code(&visitor, &state) {
        sleep(GUESS_TIME).await;
        return Err(error);
    }
    let found = state.read(visitor, move |read, _| read.holder_of_card(&code)?.ok_or(NO_CARD)).await;
    if found.is_err() {
        sleep(GUESS_TIME).await;
    }
    found
}
