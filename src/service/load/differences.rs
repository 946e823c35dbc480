//! Where a service with the rows of an archived project answers otherwise than its origin did.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use tokio::runtime;
use tower::ServiceExt;

use super::error::LoadProblem;
use super::interrupt::{self, IsInterrupted};
use crate::archive::{Archive, path_of_member};
use crate::service::limits::NamedLimit;
use crate::service::root::ROOT;
use crate::service::store::OriginAnswer;

/// An answer in the archive, and its name there.
pub type NamedAnswer = (String, OriginAnswer);

/// Asks all that was archived, on all processors. `token` is that of an administrator of the project. Ends with an error where all
/// differences together, with `used` bytes of other things, are more than the limit.
pub fn find(
    archive: &Archive,
    operations: &Router,
    token: &str,
    used: u64,
    limit: NamedLimit,
    is_interrupted: IsInterrupted,
) -> Result<Vec<NamedAnswer>, LoadProblem> {
    let manifest = archive.manifest();
    let names: Vec<&String> = manifest.members.keys().chain(manifest.refused.keys()).collect();
    let (next, total) = (AtomicUsize::new(0), AtomicU64::new(used));
    let found = Mutex::new(Vec::new());
    let search = || -> Result<(), LoadProblem> {
        // A service may be started by code that runs on a runtime already, so that this has a thread of its own.
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            interrupt::check(is_interrupted)?;
            let Some(path) = path_of_member(manifest.projectid.as_str(), name) else { continue };
            let origin = match archive.answer(&path)? {
                Ok(answer) => {
                    Ok(json_text(answer).map_err(|source| LoadProblem::Unreadable { name: (*name).clone(), source })?)
                }
                Err(status) => Err(status),
            };
            let loaded = runtime.block_on(answer(operations.clone(), &path, token));
            let is_same = match (&origin, &loaded) {
                (Ok(origin), Some(loaded)) => origin == loaded,
                (Err(status), None) => *status == StatusCode::NOT_FOUND,
                _ => false,
            };
            if !is_same {
                let answer = OriginAnswer { loaded, origin };
                let bytes = total.fetch_add(answer.bytes(), Ordering::Relaxed) + answer.bytes();
                limit.check_total("the project", 0, bytes)?;
                found.lock().push(((*name).clone(), answer));
            }
        }
        Ok(())
    };
    scope(|scope| {
        let threads = available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let mut found = found.into_inner();
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

/// The text of an answer, which must be JSON.
fn json_text(answer: Vec<u8>) -> serde_json::Result<String> {
    serde_json::from_slice::<&RawValue>(&answer)?;
    String::from_utf8(answer).map_err(serde::de::Error::custom)
}

/// What the service answers; `None` if it finds nothing.
async fn answer(operations: Router, path: &str, token: &str) -> Option<String> {
    let request = Request::get(format!("{ROOT}/{path}")).header(AUTHORIZATION, format!("Token {token}"));
    let Ok(response) = operations.oneshot(request.body(Body::empty()).ok()?).await;
    if response.status() != StatusCode::OK {
        return None;
    }
    let body = to_bytes(response.into_body(), usize::MAX).await.ok()?;
    String::from_utf8(body.to_vec()).ok()
}
