//! The id of a request, shared by its response, the client's error and the service's log.

use axum::http::{HeaderMap, HeaderValue};

use geodesign::model::{X_REQUEST_ID, is_request_id};

tokio::task_local! {
    static ANSWERED: RequestId;
}

/// A request's id, from the caller or made here.
#[derive(Debug, Clone)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Returns the request's id if it is valid; otherwise a new one.
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

    /// Answers the request. Meanwhile, log entries of the same task have its id.
    pub async fn while_answering<T>(&self, answering: impl Future<Output = T>) -> T {
        ANSWERED.scope(self.clone(), answering).await
    }

    /// Returns the current request's id for log lines: ` (request ID)`. Empty if there is none.
    pub fn shown() -> String {
        let shown = |id: &RequestId| format!(" (request {})", id.0.to_str().unwrap_or_default());
        ANSWERED.try_with(shown).unwrap_or_default()
    }

    /// Adds the id to the response.
    pub fn add_to(self, headers: &mut HeaderMap) {
        headers.insert(X_REQUEST_ID, self.0);
    }
}
