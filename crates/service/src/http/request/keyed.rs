//! Requests that add something, each once: a repeated request with the same `Idempotency-Key` gets the first response.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::auth::{Access, Granted, Sent};
use crate::http::error::{ApiError, Result};
use crate::http::response::{Created, Json};
use crate::store::{AnswerKey, Digest, KeptAnswer, Reader, Writer};
use geodesign::model::IDEMPOTENCY_KEY;
use geodesign_common::digest::sha256;

const MAX_KEY_CHARACTERS: usize = 255;

/// A request that adds something, with the key that identifies its repetitions, if the sender gave one.
#[derive(Clone)]
pub struct Keyed<A> {
    access: A,
    key: Option<Arc<RequestKey>>,
}

/// The key of a request, and the request that has it. An extension of the request until its body is read.
#[derive(Debug)]
pub struct RequestKey {
    key: String,
    method_and_path: String,
    body: OnceLock<Digest>,
}

/// A response that can be stored and sent again.
pub trait Repeatable: Sized + Send + 'static {
    fn body(&self) -> &Bytes;

    fn from_body(body: Bytes) -> Self;
}

impl<A> Keyed<A> {
    /// Takes the key of a request, if it has one.
    pub fn in_request(access: A, parts: &mut Parts) -> Result<Self> {
        let key = RequestKey::in_request(parts)?.map(Arc::new);
        if let Some(key) = &key {
            parts.extensions.insert(key.clone());
        }
        Ok(Keyed { access, key })
    }
}

impl<A: Access> Keyed<A> {
    pub fn key(&self) -> Option<Arc<RequestKey>> {
        self.key.clone()
    }
}

impl RequestKey {
    /// The key of a request; `None` if it has none.
    fn in_request(parts: &Parts) -> Result<Option<Self>> {
        let mut headers = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(header) = headers.next() else { return Ok(None) };
        let key = header.to_str().unwrap_or_default();
        if headers.next().is_some() || key.is_empty() || key.len() > MAX_KEY_CHARACTERS {
            let problem = format!("Idempotency-Key must be one text of 1 to {MAX_KEY_CHARACTERS} ASCII characters.");
            return Err(ApiError::Invalid(problem));
        }
        let method_and_path = format!("{} {} ", parts.method, parts.uri.path());
        Ok(Some(RequestKey { key: key.to_owned(), method_and_path, body: OnceLock::new() }))
    }

    /// Notes the body of the request.
    pub fn set_body(&self, body: &[u8]) {
        let _ = self.body.set(sha256(&[body]));
    }

    /// Distinguishes a request from any other that has the same key.
    fn request(&self) -> Digest {
        sha256(&[self.method_and_path.as_bytes(), self.body.get().map_or(&[][..], |digest| digest)])
    }

    /// Makes a change and stores its response. If the request is a repetition, returns the first response instead.
    pub fn once<G: Granted, T: Repeatable>(
        &self,
        write: &Writer,
        granted: G,
        change: impl FnOnce(&Writer, G) -> Result<T>,
    ) -> Result<T> {
        let key = AnswerKey {
            user: granted.user(),
            project: granted.permit().map(|permit| permit.project),
            idempotency_key: &self.key,
        };
        let request = self.request();
        match write.kept_answer(key)? {
            Some(kept) if kept.request == request => Ok(T::from_body(kept.answer.into())),
            Some(KeptAnswer { .. }) => Err(ApiError::KeyOfAnother(self.key.clone())),
            None => {
                let answer = change(write, granted)?;
                write.keep_answer(key, &request, answer.body())?;
                Ok(answer)
            }
        }
    }
}

impl<A: Access> Access for Keyed<A> {
    type Ids = A::Ids;
    type Granted = A::Granted;

    fn grant(self, read: &Reader) -> Result<A::Granted> {
        self.access.grant(read)
    }

    fn sent(&self) -> &Sent {
        self.access.sent()
    }
}

impl<A: FromRequestParts<S, Rejection = ApiError>, S: Send + Sync> FromRequestParts<S> for Keyed<A> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Keyed::in_request(A::from_request_parts(parts, state).await?, parts)
    }
}

impl<T: 'static> Repeatable for Json<T> {
    fn body(&self) -> &Bytes {
        self.encoded()
    }

    fn from_body(body: Bytes) -> Self {
        Json::from_encoded(body)
    }
}

impl<T: 'static> Repeatable for Created<T> {
    fn body(&self) -> &Bytes {
        self.0.encoded()
    }

    fn from_body(body: Bytes) -> Self {
        Created(Json::from_encoded(body))
    }
}
