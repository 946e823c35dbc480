//! Answers out of resources.

use std::io;

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::ser::Formatter;

use super::error::Result;
use crate::service::store;

/// Most answers have no more bytes.
const USUAL_ANSWER: usize = 16 * 1024;

/// Answers with a resource.
pub fn answer(resource: &impl Serialize) -> Result<Response> {
    Ok(json(encode(resource)?))
}

pub fn encode(answer: &impl Serialize) -> store::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(USUAL_ANSWER);
    let mut json = serde_json::Serializer::with_formatter(&mut body, WithTexts);
    answer.serialize(&mut json).map_err(store::StoreError::content)?;
    Ok(body)
}

/// Writes JSON in which bytes are JSON text already: geometries are not read again in order to be answered.
struct WithTexts;

impl Formatter for WithTexts {
    fn write_byte_array<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &[u8]) -> io::Result<()> {
        writer.write_all(text)
    }
}

pub fn json(body: impl Into<Bytes>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], body.into()).into_response()
}
