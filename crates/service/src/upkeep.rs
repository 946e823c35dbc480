//! Background work on a service's database: keeps the file complete, notices when other files replace it, and makes backups.

use std::convert::Infallible;
use std::fs;
use std::future::pending;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::store::{Store, StoreError};
use geodesign_common::blocking;

/// Time without writes before a checkpoint, so that it does not compete with them.
const CHECKPOINT_DELAY: Duration = Duration::from_millis(300);

/// Interval of the checks that the database's files are still in place, even if nothing is written.
const PLACE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Backups of a database, next to it: `workshop.sqlite` has `workshop-backup-20300521T093000Z.sqlite`, named by the time in UTC.
#[derive(Debug, Clone, Copy)]
pub struct Backups {
    /// Time between two backups. If nothing was written meanwhile, none is made.
    pub every: Duration,
    /// Number of backups to keep. Older ones are deleted.
    pub keep: usize,
}

/// The upkeep of a database.
pub struct Upkeep {
    pub store: Store,
    pub backups: Option<Backups>,
}

impl Upkeep {
    /// Runs until it is dropped.
    pub async fn run(self) -> Infallible {
        tokio::join!(self.watch_place(), self.keep_whole(), self.make_backups()).0
    }

    /// Checks that the database is where it was opened. The store logs a change and closes by itself.
    async fn watch_place(&self) -> Infallible {
        loop {
            sleep(PLACE_CHECK_INTERVAL).await;
            let store = self.store.clone();
            if let Ok(Err(error)) = blocking::run(move || store.check_place()).await
                && error.is_displaced()
            {
                return pending().await;
            }
        }
    }

    /// Moves written data from the log into the file within a second of the last write, so that a copy of the file alone
    /// holds everything.
    async fn keep_whole(&self) -> Infallible {
        let Some(mut commits) = self.watch_commits() else { return pending().await };
        // For writes before the service started.
        commits.mark_changed();
        loop {
            next_commit(&mut commits).await;
            while timeout(CHECKPOINT_DELAY, next_commit(&mut commits)).await.is_ok() {}
            let store = self.store.clone();
            match blocking::run(move || store.checkpoint()).await {
                Ok(Err(error)) if error.is_displaced() => return pending().await,
                // Others still read an earlier state.
                Ok(Ok(false)) => commits.mark_changed(),
                Ok(Ok(true)) => {}
                Ok(Err(error)) => tracing::warn!("the log of the database was not moved into its file: {error}"),
                Err(error) => tracing::warn!("the log of the database was not moved into its file: {error}"),
            }
        }
    }

    async fn make_backups(&self) -> Infallible {
        let (Some(Backups { every, keep }), Some(mut commits)) = (self.backups, self.watch_commits()) else {
            return pending().await;
        };
        // The first one shows at once whether backups can be written.
        commits.mark_changed();
        loop {
            next_commit(&mut commits).await;
            let store = self.store.clone();
            match blocking::run(move || make_backup(&store, keep)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!("no backup was made: {error}"),
                Err(error) => tracing::error!("no backup was made: {error}"),
            }
            sleep(every).await;
        }
    }

    /// `None` for a temporary database, which needs no upkeep.
    fn watch_commits(&self) -> Option<watch::Receiver<u64>> {
        self.store.path().and_then(|_| self.store.commits())
    }
}

async fn next_commit(commits: &mut watch::Receiver<u64>) {
    if commits.changed().await.is_err() {
        // The store is gone, and there is no next one.
        pending().await
    }
}

/// Makes a backup and deletes those beyond the `keep` newest.
fn make_backup(store: &Store, keep: usize) -> Result<(), StoreError> {
    let Some(path) = store.path() else { return Ok(()) };
    let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let prefix = format!("{}-backup-", name(path.file_stem()));
    let suffix = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    store.backup(&folder.join(format!("{prefix}{time}{suffix}")))?;
    let is_time = |text: &str| {
        text.len() == time.len() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'T' | b'Z'))
    };
    let is_backup =
        |name: &str| name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(&suffix)).is_some_and(is_time);
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| name(Some(&entry.file_name())));
    let mut backups: Vec<String> = names.filter(|name| is_backup(name)).collect();
    backups.sort_unstable();
    for old in backups.iter().rev().skip(keep) {
        if let Err(error) = fs::remove_file(folder.join(old)) {
            tracing::warn!("the old backup {old} was not deleted: {error}");
        }
    }
    Ok(())
}
