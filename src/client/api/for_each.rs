//! The same request for many ids.

use tokio::task::JoinSet;

use crate::client::{Project, Result};

impl Project {
    /// Sends a request for each id, concurrently, up to `max_concurrency` of the client at the same time. The answers are in
    /// the order of the ids. The first failure cancels the other requests. `progress` is called after each answer.
    pub(in crate::client) async fn for_each<I, T, F>(
        &self,
        ids: Vec<I>,
        request: impl Fn(Project, I) -> F,
        progress: impl Fn(),
    ) -> Result<Vec<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut running = JoinSet::new();
        for (at, id) in ids.into_iter().enumerate() {
            let request = request(self.clone(), id);
            running.spawn(async move { (at, request.await) });
        }
        let mut answers: Vec<Option<T>> = (0..running.len()).map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            let (at, answer) = done?;
            answers[at] = Some(answer?);
            progress();
        }
        Ok(answers.into_iter().flatten().collect())
    }
}
