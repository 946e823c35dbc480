//! Runs long computations off the threads that serve requests.

#[cfg(feature = "tokio")]
use std::any::Any;

#[cfg(feature = "tokio")]
use tokio::task::{JoinError, spawn_blocking};

/// Runs `work` on one of tokio's threads for blocking work. Work and result are boxed, so that tokio's code is compiled for one type
/// only.
#[cfg(feature = "tokio")]
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    let work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send> = Box::new(move || Box::new(work()));
    let result = spawn_blocking(work).await?;
    Ok(*result.downcast().expect("the work returns what its caller expects"))
}

/// Lowers the priority of the current thread, so that a notebook's other threads keep nearly full speed when there are more threads than
/// processors. The thread still gets about half of its fair share of processor time, so it also finishes on a busy machine.
///
/// Only Linux has a priority for each thread. On other systems this does nothing.
pub fn lower_thread_priority() {
    #[cfg(target_os = "linux")]
    // Where the system refuses, the thread keeps its priority, which does no harm.
    let _ = rustix::process::nice(NICENESS_INCREMENT);
}

/// Each step of niceness costs a thread about a fifth of its share of processor time.
#[cfg(target_os = "linux")]
const NICENESS_INCREMENT: i32 = 3;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_the_calling_thread_gets_a_lower_priority() {
        let niceness = || getpriority_process(None).unwrap();
        let before = niceness();
        let lowered = std::thread::spawn(move || {
            lower_thread_priority();
            niceness()
        });
        assert_eq!(lowered.join().unwrap(), (before + NICENESS_INCREMENT).min(19));
        assert_eq!(niceness(), before);
    }
}
