//! Work that takes its time, on threads that may.

use tokio::sync::oneshot;
use tokio::task::{JoinError, spawn_blocking};

/// Does the work off the threads that requests need. To the runtime all work is of one type, so that it is compiled for
/// it once.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    let (answer, mut answered) = oneshot::channel();
    let work: Box<dyn FnOnce() + Send> = Box::new(move || drop(answer.send(work())));
    spawn_blocking(work).await?;
    Ok(answered.try_recv().expect("work that came to its end has answered"))
}

/// Has this thread give way to others where there are more than processors. Whoever works in the same notebook meanwhile goes
/// on at nearly full speed. It is no more than three steps, which halve a thread's share: on a machine that others keep
/// busy, work is to come to its end as well.
///
/// Where a priority is the whole program's, which is everywhere but on Linux, nothing changes.
pub fn lower_thread_priority() {
    #[cfg(target_os = "linux")]
    // A system that refuses leaves the thread as it was, which is no worse than without.
    let _ = rustix::process::nice(STEPS);
}

/// A step is worth about a quarter of a thread's share.
#[cfg(target_os = "linux")]
const STEPS: i32 = 3;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn a_thread_gives_way_and_all_others_stay_as_they_were() {
        let niceness = || getpriority_process(None).unwrap();
        let before = niceness();
        let own = std::thread::spawn(move || {
            lower_thread_priority();
            niceness()
        });
        assert_eq!(own.join().unwrap(), (before + STEPS).min(19));
        assert_eq!(niceness(), before);
    }
}
