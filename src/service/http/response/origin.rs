//! Answers about a project that was loaded from an archive: where its origin answered otherwise than this service, the answer of
//! the origin, with what was written here since.

use serde::Serialize;

use super::respond::encode;
use crate::json::carry_over;
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::{ArchivedAnswer, Granted};
use crate::service::store::{OriginAnswer, Reader, StoreError};

/// The encoded answer to a question of someone with access.
pub fn answer<G: Granted, T: Serialize>(
    read: &Reader,
    granted: G,
    question: impl FnOnce(&Reader, G) -> Result<T>,
) -> Result<Vec<u8>> {
    let archived = granted.archived();
    as_at_origin(read, archived.as_ref(), question(read, granted).and_then(|resource| Ok(encode(&resource)?)))
}

/// What the service answers, or the answer of the origin. `None` for a project that was not loaded from an archive.
pub fn as_at_origin(read: &Reader, archived: Option<&ArchivedAnswer>, now: Result<Vec<u8>>) -> Result<Vec<u8>> {
    let Some(ArchivedAnswer { project, name }) = archived else { return now };
    let answer = match now {
        Ok(_) | Err(ApiError::NotFound(_)) => read.origin_answer(*project, name.as_str())?,
        Err(_) => None,
    };
    let Some(OriginAnswer { loaded, origin }) = answer else { return now };
    match (now, loaded, origin) {
        (Ok(now), Some(loaded), origin) if now == loaded.as_bytes() => origin_answer(origin),
        (Err(_), None, origin) => origin_answer(origin),
        (Ok(now), Some(loaded), Ok(origin)) => {
            let now = String::from_utf8(now).map_err(StoreError::content)?;
            Ok(carry_over(&loaded, &now, &origin).map_err(StoreError::content)?.into_bytes())
        }
        (now, _, _) => now,
    }
}

fn origin_answer(origin: std::result::Result<String, u16>) -> Result<Vec<u8>> {
    match origin {
        Ok(answer) => Ok(answer.into_bytes()),
        Err(403) => Err(ApiError::Forbidden("The archive that the project was loaded from has no answer to this.")),
        Err(_) => Err(ApiError::NotFound("answer in the archive that the project was loaded from")),
    }
}
