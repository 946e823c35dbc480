//! Answers from an archive of a project instead of a service.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::HeaderMap;

use super::body::ReceivedResponse;
use super::request::OutgoingRequest;
use crate::archive::{Archive, ArchiveError};
use crate::blocking;
use crate::client::error::{Attempts, Error, Result};
use crate::features::DiagramStream;

/// The answer that the service gave when the project was archived.
pub async fn answer_from_archive(archive: &Arc<Archive>, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
    if !request.is_read() {
        let (archive, request) = (archive.path().display(), request.named());
        return Err(Error::Input(format!(
            "{request} cannot be sent: the project was opened from {archive}, an archive, which does not change"
        )));
    }
    let (archive, path, diagrams) = (archive.clone(), request.endpoint.path.clone(), request.diagrams);
    let read = move || {
        let content = archive.answer(&path)?;
        Ok::<_, ArchiveError>(content.map(|content| {
            let mut body = BytesMut::from(Bytes::from(content));
            let diagrams = diagrams.map(|wanted| {
                let mut diagrams = DiagramStream::new(body.len(), wanted);
                diagrams.feed(&mut body);
                diagrams
            });
            (body, diagrams)
        }))
    };
    let content = blocking::run(read).await??;
    let (body, diagrams) = content.map_err(|status| Error::Api {
        request: request.named(),
        status,
        body: r#"{"detail": "The archive has no answer to this."}"#.to_owned(),
        attempts: Attempts { count: 1, elapsed: Duration::ZERO },
    })?;
    Ok(ReceivedResponse { headers: HeaderMap::new(), body, diagrams })
}
