//! Work that takes its time, on threads that may.

use tokio::sync::oneshot;
use tokio::task::{JoinError, spawn_blocking};

/// Does the work off the threads that requests need. To the runtime all work is of one type, so that it is compiled for
/// it once.
pub async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    let (answer, mut answered) = oneshot::channel();
    let work: Box<dyn FnOnce() + Send> = Box::new(move || drop(answer.send(work())));
    spawn_blocking(work).await?;
    Ok(answered.try_recv().expect("work that came to its end has answered"))
}
