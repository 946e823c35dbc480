//! Waits for the service, prints, and ends both on Ctrl-C, for all commands.

#[cfg(unix)]
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use super::error::{CommandError, Result};
use super::host::Host;
use geodesign_service::IsInterrupted;

/// Interval between checks for Ctrl-C.
const INTERRUPT_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Time that a command, at its end, waits for threads that look up a name or write to a file.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// A running command.
pub struct Context<'h> {
    pub host: &'h dyn Host,
    /// `None` after the command has ended.
    runtime: Option<Runtime>,
}

impl<'h> Context<'h> {
    pub fn new(host: &'h dyn Host) -> Result<Self> {
        // A thread of its own keeps its connections working while Python asks the service for the same client.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| CommandError::File("requests cannot be sent".into(), error))?;
        Ok(Context { host, runtime: Some(runtime) })
    }

    /// Waits for the responses to requests. Ctrl-C drops them.
    pub fn wait<T, E: Into<CommandError>>(&self, requests: impl Future<Output = Result<T, E>>) -> Result<T> {
        let interrupted = async {
            loop {
                sleep(INTERRUPT_CHECK_INTERVAL).await;
                if self.host.is_interrupted() {
                    return;
                }
            }
        };
        let runtime = self.runtime.as_ref().expect("the runtime is there until the end");
        runtime.block_on(async {
            tokio::select! {
                biased;
                responses = requests => responses.map_err(Into::into),
                () = interrupted => Err(CommandError::Interrupted),
            }
        })
    }

    /// Waits for work without requests, on another thread. After Ctrl-C, `is_interrupted` returns true, and the work stops at its next
    /// check.
    pub fn work<T: Send>(&self, work: impl FnOnce(IsInterrupted) -> T + Send) -> Result<T> {
        let interrupted = AtomicBool::new(false);
        let is_interrupted = || interrupted.load(Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let is_interrupted = &is_interrupted;
            scope.spawn(move || {
                let _ = sender.send(work(is_interrupted));
            });
            loop {
                match receiver.recv_timeout(INTERRUPT_CHECK_INTERVAL) {
                    Ok(_) if is_interrupted() => return Err(CommandError::Interrupted),
                    Ok(done) => return Ok(done),
                    // The work panicked, which the end of the scope passes on.
                    Err(RecvTimeoutError::Disconnected) => return Err(CommandError::Interrupted),
                    Err(RecvTimeoutError::Timeout) if self.host.is_interrupted() => {
                        interrupted.store(true, Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    }

    /// Waits for Ctrl-C.
    pub fn wait_for_interrupt(&self) {
        while !self.host.is_interrupted() {
            std::thread::sleep(INTERRUPT_CHECK_INTERVAL);
        }
    }

    /// Writes to the standard output.
    pub fn print(&self, text: &str) -> Result<()> {
        let mut out = standard_output().map_err(CommandError::Print)?;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match out.write(rest) {
                Ok(0) => return Err(CommandError::Print(ErrorKind::WriteZero.into())),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(CommandError::Print(error)),
            }
            // A signal ends a write early. Ctrl-C must work even if the reader does not read.
            if !rest.is_empty() && self.host.is_interrupted() {
                return Err(CommandError::Interrupted);
            }
        }
        out.flush().map_err(CommandError::Print)
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        }
    }
}

/// Opens the standard output directly: the standard library continues its writes after every signal.
#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// Only the standard library's output can write to every console.
#[cfg(not(unix))]
fn standard_output() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}
