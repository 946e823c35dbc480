//! The id of a request, which its response, the client's error and the service's log have in common.

use axum::http::{HeaderMap, HeaderValue};

use geodesign::model::{X_REQUEST_ID, is_request_id};

tokio::task_local! {
    static ANSWERED: RequestId;
}

/// The caller's own, or one that was made here.
#[derive(Debug, Clone)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The id that the request has, if it is valid; otherwise a new one.
    pub fn of_request(headers: &HeaderMap) -> Self {
        let mut given = headers.get_all(X_REQUEST_ID).iter();
        let first = given.next().filter(|id| id.to_str().is_ok_and(is_request_id));
        match (first, given.next()) {
            (Some(id), None) => RequestId(id.clone()),
            _ => RequestId::new(),
        }
    }

    fn new() -> Self {
        let id = format!("{:016x}", fastrand::u64(..));
        RequestId(HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("0")))
    }

    /// Answers the request: what is logged meanwhile, on the same task, has its id.
    pub async fn while_answering<T>(&self, answering: impl Future<Output = T>) -> T {
        ANSWERED.scope(self.clone(), answering).await
    }

    /// Names the request that is being answered in log lines: ` (request ID)`. Empty if there is none.
    pub fn shown() -> String {
        let shown = |id: &RequestId| format!(" (request {})", id.0.to_str().unwrap_or_default());
        ANSWERED.try_with(shown).unwrap_or_default()
    }

    /// Adds the id to the response.
    pub fn add_to(self, headers: &mut HeaderMap) {
        headers.insert(X_REQUEST_ID, self.0);
    }
}
