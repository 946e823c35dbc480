//! Responses of handlers: resources as JSON, and images.

pub mod cache;
pub mod file;
pub mod memory;

use std::io;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;

use crate::http::paging::{ListLength, Page};
use crate::store;
use cache::LARGE_RESPONSE;
use geodesign::model::{
    Comments, DesignDiagramIds, DiagramIds, GeojsonCollection, Members, NegotiationLogs, Stakeholders, Synthesis,
    TeamMembers,
};

/// Most responses have at most this many bytes.
const USUAL_BYTES: usize = 16 * 1024;

/// An encoded JSON response. Large ones are encoded on a thread that other requests do not need. `T` is the encoded type.
pub struct Json<T> {
    body: Bytes,
    content: PhantomData<fn() -> T>,
}

/// A list as a body, of a request or a response.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct List<T>(pub Vec<T>);

/// A page of a list, or all of it, as the headers `X-Total-Count` and `Link` show.
pub struct PageResponse<T> {
    pub page: Json<Page<T>>,
    pub length: Option<ListLength>,
}

/// A list, or an object with one, that is never divided into pages.
pub struct WholeResponse<T> {
    pub content: Json<T>,
    pub length: Option<ListLength>,
}

/// A list, or an object with one.
pub trait HasList {
    /// The list's number of items.
    fn length(&self) -> usize;
}

impl<T> HasList for List<T> {
    fn length(&self) -> usize {
        self.0.len()
    }
}

macro_rules! lists {
    ($($object:ty: $field:ident),*) => {$(
        impl HasList for $object {
            fn length(&self) -> usize {
                self.$field.len()
            }
        }
    )*};
}

lists! {
    Members: members, TeamMembers: members, Stakeholders: stakeholders, Synthesis: synthesis, DiagramIds: diagrams,
    DesignDiagramIds: diagrams, NegotiationLogs: all_negotiations, Comments: comments
}

impl<Properties, Geometry> HasList for GeojsonCollection<Properties, Geometry> {
    fn length(&self) -> usize {
        self.features.len()
    }
}

/// The response to the creation of a resource.
pub struct Created<T>(pub Json<T>);

/// Marks a response whose memory is counted.
#[derive(Clone, Copy)]
pub struct IsLarge;

/// Marks a response that is not compressed: compressing takes memory until the client has read it.
#[derive(Clone, Copy)]
pub struct Uncompressed;

/// An image.
pub struct Png(pub Vec<u8>);

impl<T: Serialize> Json<T> {
    pub fn new(resource: &T) -> store::Result<Self> {
        encode(resource).map(Json::from_encoded)
    }
}

impl<T> Json<T> {
    /// Wraps an encoded `T`.
    pub fn from_encoded(body: impl Into<Bytes>) -> Self {
        Json { body: body.into(), content: PhantomData }
    }

    /// The body.
    pub fn encoded(&self) -> &Bytes {
        &self.body
    }

    /// Returns the same response, which OpenAPI describes as a `D`: for content that the store keeps as a `D`'s text.
    pub fn described_as<D>(self) -> Json<D> {
        Json { body: self.body, content: PhantomData }
    }
}

pub fn encode(resource: &impl Serialize) -> store::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(USUAL_BYTES);
    let mut json = serde_json::Serializer::with_formatter(&mut body, WithJsonText);
    resource.serialize(&mut json).map_err(store::StoreError::content)?;
    Ok(body)
}

/// Writes JSON in which bytes are JSON text already, so that stored geometries are sent without being parsed.
struct WithJsonText;

impl Formatter for WithJsonText {
    fn write_byte_array<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &[u8]) -> io::Result<()> {
        writer.write_all(text)
    }
}

impl<T> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let content_type = HeaderValue::from_static("application/json");
        let is_large = self.body.len() >= LARGE_RESPONSE;
        let mut response = ([(header::CONTENT_TYPE, content_type)], self.body).into_response();
        if is_large {
            response.extensions_mut().insert(IsLarge);
        }
        response
    }
}

/// Number of items in the complete list; the response holds a page of it, or all.
pub const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

impl<T> IntoResponse for PageResponse<T> {
    fn into_response(self) -> Response {
        with_length(self.page.into_response(), self.length)
    }
}

impl<T> IntoResponse for WholeResponse<T> {
    fn into_response(self) -> Response {
        with_length(self.content.into_response(), self.length)
    }
}

fn with_length(mut response: Response, length: Option<ListLength>) -> Response {
    if let Some(ListLength { count, next }) = length {
        response.headers_mut().insert(X_TOTAL_COUNT, count.into());
        // The path was in the request, so that it can be in a header.
        let next = next.and_then(|next| HeaderValue::try_from(format!("<{next}>; rel=\"next\"")).ok());
        response.headers_mut().extend(next.map(|next| (header::LINK, next)));
    }
    response
}

impl<T> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, self.0).into_response()
    }
}

impl IntoResponse for Png {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static("image/png"))], self.0).into_response()
    }
}
