//! Python programs that the service runs for its pages, where no Rust library does as well: reading GIS files, weighing maps, reports.
//!
//! Each runs in its own process, which is ended when it takes too long or when its request is cancelled.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::OnceCell;

use geodesign_common::blocking;
use geodesign_common::work_time::{Wanted, WorkTime};

/// Interval between checks for the end of a process.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Size limit for a program's messages, which are short; its files may be larger.
const MAX_SAID_BYTES: usize = 64 * 1024;
/// The module that does everything.
const MODULE: &str = "pygeodesign._processes";

/// A Python with the package `pygeodesign`.
#[derive(Debug, Clone)]
pub struct Python {
    pub executable: PathBuf,
    /// The folders of its modules, as `PYTHONPATH`.
    pub path: OsString,
}

/// The programs of a service.
pub struct Processes {
    python: Python,
    seconds: u64,
    offered: OnceCell<Vec<String>>,
}

/// Reasons why a program did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// A problem that the user can solve.
    #[error("{0}")]
    Refused(String),
    #[error("It was stopped after {0} seconds, the limit process_seconds. Try with less at a time.")]
    TooSlow(u64),
    #[error("it ended with {status}: {said}")]
    Ended { status: ExitStatus, said: String },
    #[error("its files cannot be read or written: {0}")]
    Files(#[from] io::Error),
    #[error("its message is not JSON: {0}")]
    Said(#[from] serde_json::Error),
    #[error("the service is stopping")]
    Stopping,
}

type Result<T> = std::result::Result<T, ProcessError>;

/// A program's message at its end.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    refused: Option<String>,
    offered: Vec<String>,
}

impl Processes {
    /// Creates the programs. Each of them may take this many seconds.
    pub fn new(python: Python, seconds: u64) -> Self {
        Processes { python, seconds, offered: OnceCell::new() }
    }

    /// Returns the names of the programs whose libraries are installed.
    pub async fn offered(&self) -> Result<&[String]> {
        let ask = async || {
            let folder = tempfile::tempdir()?;
            Ok::<_, ProcessError>(self.start("offered", folder.path(), &Value::Null).await?.offered)
        };
        Ok(self.offered.get_or_try_init(ask).await?)
    }

    /// Runs a program in a folder, where it finds its input and writes its output.
    pub async fn run(&self, program: &'static str, folder: &Path, settings: &Value) -> Result<()> {
        self.start(program, folder, settings).await.map(drop)
    }

    async fn start(&self, program: &'static str, folder: &Path, settings: &Value) -> Result<Said> {
        fs::write(folder.join("settings.json"), settings.to_string())?;
        let mut command = Command::new(&self.python.executable);
        // -P: modules in the working folder do not shadow those on the path.
        command.args(["-P", "-m", MODULE, program]).arg(folder).env("PYTHONPATH", &self.python.path);
        let (said, messages) = (folder.join("said.json"), folder.join("messages.txt"));
        // Output of Python at its start, such as a greeting, is not an answer.
        let printed = File::create(&messages)?;
        command.stdin(Stdio::null()).stdout(printed.try_clone()?).stderr(printed);
        let wanted = Wanted(WorkTime::from_now(Duration::from_secs(self.seconds)));
        let time = wanted.0.clone();
        let wait = move || Running(command.spawn()?).wait(&time);
        let status = blocking::run(wait).await.map_err(|_| ProcessError::Stopping)??;
        let status = status.ok_or(ProcessError::TooSlow(self.seconds))?;
        if !status.success() {
            let said = shortened(&fs::read(&messages)?);
            return Err(ProcessError::Ended { status, said });
        }
        let said: Said = serde_json::from_slice(&fs::read(&said)?)?;
        said.refused.clone().map_or(Ok(said), |reason| Err(ProcessError::Refused(reason)))
    }
}

/// Returns the last line of a program's messages.
fn shortened(messages: &[u8]) -> String {
    let end = &messages[messages.len().saturating_sub(MAX_SAID_BYTES)..];
    String::from_utf8_lossy(end).trim().lines().last().unwrap_or("it said nothing").to_owned()
}

/// A process that does not outlive this value.
struct Running(Child);

impl Running {
    /// Waits for the process; `None` if its time is over before it ends.
    fn wait(mut self, time: &WorkTime) -> Result<Option<ExitStatus>> {
        loop {
            let status = self.0.try_wait()?;
            if status.is_some() || time.is_over() {
                return Ok(status);
            }
            sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
