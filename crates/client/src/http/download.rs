//! Downloads files: written as they arrive, and renamed once complete.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use reqwest::Client;
use reqwest::header::{ACCEPT_ENCODING, HeaderValue};
use tempfile::NamedTempFile;
use tokio::time::timeout;

use super::attempt::{OutgoingRequest, open_response, receive};
use super::retry::AttemptError;
use super::transport::Transport;
use crate::error::{Attempts, Error, Result};
use geodesign::model::operations::Endpoint;
use geodesign_common::whole_files::{Readers, draft_of, persist};

impl Transport {
    /// Downloads a file that begins with these bytes, once. `timeout` limits the time without data from the service. Until the file is
    /// complete, an existing file with its name stays unchanged. Only its owner may read it.
    pub async fn download(&self, endpoint: &Endpoint, signature: &[u8], path: &Path) -> Result<()> {
        let failed = |source: std::io::Error| Error::Input(format!("{} cannot be written: {source}", path.display()));
        let mut draft = draft_of(path, Readers::Owner).map_err(failed)?;
        let mut request = OutgoingRequest::new(endpoint);
        request.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let http = self.connections.http_client()?;
        let _slot = self.connections.slot().await;
        let started = Instant::now();
        let written = self.receive_file(http, &request, signature, &mut draft).await.map_err(|error| {
            let attempts = Attempts { count: 1, elapsed: started.elapsed() };
            self.hide_token(error.into_error(request.named(), &self.connections, attempts))
        })?;
        written.map_err(failed)?.map_err(|problem| Error::Decode {
            request: request.named(),
            problem: problem.to_owned(),
            source: None,
        })?;
        persist(draft, path, Readers::Owner).map_err(failed)?;
        Ok(())
    }

    /// Writes the response to the file. Fails if the file cannot be written, or if the content is not the requested kind.
    async fn receive_file(
        &self,
        http: &Client,
        request: &OutgoingRequest<'_>,
        signature: &[u8],
        draft: &mut NamedTempFile,
    ) -> Result<std::io::Result<Result<(), &'static str>>, AttemptError> {
        let limit = self.config().timeout;
        let late = |_| AttemptError::Timeout { timeout: limit };
        let mut response = timeout(limit, open_response(&self.connections, http, request)).await.map_err(late)??;
        if !response.status().is_success() {
            // Returns its error.
            receive(response, request, self.config().max_response_bytes).await?;
            return Ok(Ok(Err("it sent no file")));
        }
        let mut start: Vec<u8> = Vec::new();
        while let Some(piece) = timeout(limit, response.chunk()).await.map_err(late)?? {
            start.extend(piece.iter().take(signature.len() - start.len()));
            if let Err(error) = draft.write_all(&piece) {
                return Ok(Err(error));
            }
        }
        let is_whole = start == signature;
        Ok(draft.as_file().sync_all().map(|()| if is_whole { Ok(()) } else { Err("it sent another kind of file") }))
    }
}
