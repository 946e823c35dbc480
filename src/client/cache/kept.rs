//! A response that is kept.

use bytes::Bytes;

use crate::features::{FeatureCollection, Measuring};

/// A response with a status of success, and its tag.
#[derive(Debug, Clone)]
pub struct KeptResponse {
    /// The `ETag` of the service.
    pub etag: String,
    pub content_type: String,
    /// The `X-Total-Count` of a list that was cut.
    pub total: Option<String>,
    /// After decompression.
    pub body: Bytes,
    /// What was parsed from the body so far.
    pub collections: Vec<(Option<Measuring>, FeatureCollection)>,
}

impl KeptResponse {
    /// About how many bytes of memory this takes. Columns, geometries and measures of a collection are smaller than its text.
    pub fn bytes(&self) -> usize {
        let texts = self.etag.len() + self.content_type.len() + self.total.as_ref().map_or(0, String::len);
        texts + self.body.len() * (1 + self.collections.len())
    }

    pub fn collection(&self, measuring: Option<Measuring>) -> Option<&FeatureCollection> {
        self.collections.iter().find(|(kind, _)| *kind == measuring).map(|(_, collection)| collection)
    }
}
