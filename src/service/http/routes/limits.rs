//! The limits of the service.

use axum::extract::State;

use crate::model::Limit;
use crate::model::operations::LIMITS;
use crate::service::http::error::Result;
use crate::service::http::request::auth::Caller;
use crate::service::http::response::respond::{Json, List};
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;

pub fn routes() -> Routes {
    Routes::of("Limits").operation(LIMITS, limits)
}

async fn limits(caller: Caller, State(state): State<AppState>) -> Result<Json<List<Limit>>> {
    state.read_small(caller, |_, _| Ok(List(state.limits().all())))
}
