//! Redirects are followed within the origin of the API root only: the token is sent nowhere else.

use reqwest::header::LOCATION;
use reqwest::{Response, Url};

/// A redirect that is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedirectError {
    #[error("it redirects to an invalid address")]
    InvalidLocation,
    #[error("it redirects, which would turn the write into a read; check base_url")]
    WriteBecomesRead,
    #[error("it redirects to {origin}, where the token must not go; check base_url")]
    OtherOrigin { origin: String },
    #[error("more than {maximum} redirects")]
    TooMany { maximum: usize },
}

/// The address that a response to a request at `url` redirects to; `None` if the response is not a redirect.
pub fn redirect_target(
    response: &Response,
    url: &Url,
    root: &Url,
    is_read: bool,
) -> Result<Option<Url>, RedirectError> {
    let status = response.status();
    let Some(location) = response.headers().get(LOCATION).filter(|_| status.is_redirection()) else { return Ok(None) };
    let target = location.to_str().ok().and_then(|location| url.join(location).ok());
    let target = target.ok_or(RedirectError::InvalidLocation)?;
    // Only these two statuses keep method and body.
    if !is_read && !matches!(status.as_u16(), 307 | 308) {
        return Err(RedirectError::WriteBecomesRead);
    }
    if target.origin() != root.origin() {
        return Err(RedirectError::OtherOrigin { origin: target.origin().ascii_serialization() });
    }
    Ok(Some(target))
}
