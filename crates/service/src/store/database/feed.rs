//! The changes of projects as they are committed, for watchers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use rusqlite::Connection;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::columns::{Cells, Columns, columns};
use super::error::Result;
use super::values::ProjectKey;

/// A change of a project.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectChange {
    #[serde(skip)]
    pub project: ProjectKey,
    /// Counts the changes of the project from 1, without gaps.
    #[serde(skip)]
    pub number: i64,
    /// `added`, `changed` or `removed`.
    action: String,
    /// The kind of thing that was changed, such as `diagram`.
    kind: String,
    /// Its id.
    id: String,
}

impl ProjectChange {
    pub(in crate::store) fn columns() -> Columns<impl Fn(&mut Cells) -> Result<Self>> {
        columns!(ProjectChange { project, number: "id", action, kind, id: "resource" })
    }

    /// True if the membership of a user ended.
    fn ends_membership(&self) -> bool {
        self.kind == "member" && self.action == "removed"
    }

    /// True if its id is the name of a member.
    pub fn names_somebody(&self) -> bool {
        matches!(&*self.kind, "member" | "selection")
    }

    /// The change as a server-sent event.
    pub fn to_event(&self) -> Bytes {
        let data = serde_json::to_string(self).unwrap_or_default();
        format!("id: {}\nevent: {}\ndata: {data}\n\n", self.number, self.kind).into()
    }
}

/// A change that was just committed, or news, as an event. All watchers share it.
#[derive(Debug)]
pub struct Published {
    /// `None` for news, which the database does not keep.
    pub number: Option<i64>,
    pub event: Bytes,
    /// True if the watcher may no longer be a member.
    pub ends_membership: bool,
    /// True if its id is the name of a member.
    pub names_somebody: bool,
}

/// The watchers of each project. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct ChangeFeed(Arc<Mutex<Watchers>>);

#[derive(Debug, Default)]
struct Watchers {
    of_project: HashMap<ProjectKey, Vec<Watcher>>,
    is_closed: bool,
}

#[derive(Debug)]
struct Watcher {
    changes: mpsc::Sender<Arc<Published>>,
    was_slow: Arc<AtomicBool>,
}

/// The changes of a project from now on, in the order of commits.
#[derive(Debug)]
pub struct Subscription {
    /// Ends when the feed is closed, or when more changes wait in it than it may hold.
    pub changes: mpsc::Receiver<Arc<Published>>,
    was_slow: Arc<AtomicBool>,
}

impl Subscription {
    /// True if it ended because too many changes waited to be taken.
    pub fn was_slow(&self) -> bool {
        self.was_slow.load(Ordering::Acquire)
    }
}

impl ChangeFeed {
    /// Subscribes to the changes of a project. Up to `waiting` of them may wait to be taken. A closed feed has none.
    pub fn subscribe(&self, project: ProjectKey, waiting: usize) -> Subscription {
        let (sender, changes) = mpsc::channel(waiting);
        let was_slow = Arc::<AtomicBool>::default();
        let mut watchers = self.0.lock();
        if !watchers.is_closed {
            let of_project = watchers.of_project.entry(project).or_default();
            of_project.retain(|watcher| !watcher.changes.is_closed());
            of_project.push(Watcher { changes: sender, was_slow: was_slow.clone() });
        }
        Subscription { changes, was_slow }
    }

    /// Number of watchers.
    pub fn watchers(&self) -> usize {
        self.0.lock().of_project.values().flatten().filter(|watcher| !watcher.changes.is_closed()).count()
    }

    /// Ends all subscriptions.
    pub fn close(&self) {
        let mut watchers = self.0.lock();
        watchers.is_closed = true;
        watchers.of_project.clear();
    }

    /// Sends changes to watchers, without waiting: a watcher with too many waiting changes is dropped.
    pub(super) fn publish(&self, changes: &[ProjectChange]) {
        let mut watchers = self.0.lock();
        for change in changes {
            watchers.send(change.project, || Published {
                number: Some(change.number),
                event: change.to_event(),
                ends_membership: change.ends_membership(),
                names_somebody: change.names_somebody(),
            });
        }
    }

    /// Sends watchers news of a member, which the database does not keep.
    pub fn announce(&self, project: ProjectKey, event: Bytes) {
        let news = || Published { number: None, event, ends_membership: false, names_somebody: true };
        self.0.lock().send(project, news);
    }
}

impl Watchers {
    fn send(&mut self, project: ProjectKey, publish: impl FnOnce() -> Published) {
        let Some(of_project) = self.of_project.get_mut(&project) else { return };
        let published = Arc::new(publish());
        of_project.retain(|watcher| match watcher.changes.try_send(published.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                watcher.was_slow.store(true, Ordering::Release);
                false
            }
            Err(TrySendError::Closed(_)) => false,
        });
        if of_project.is_empty() {
            self.of_project.remove(&project);
        }
    }
}

/// Returns the changes that a transaction is about to commit. The database keeps the last `kept` changes of each project.
pub(super) fn uncommitted_changes(connection: &Connection, kept: u64) -> Result<Vec<ProjectChange>> {
    let columns = ProjectChange::columns();
    let sql = columns.query("FROM changes WHERE key > (SELECT key FROM committed_changes) ORDER BY key");
    let mut statement = connection.prepare_cached(&sql)?;
    let changes = statement.query_and_then([], |row| columns.of(row))?.collect::<Result<Vec<_>>>()?;
    if changes.is_empty() {
        return Ok(changes);
    }
    connection.prepare_cached("UPDATE committed_changes SET key = (SELECT max(key) FROM changes)")?.execute([])?;
    let last: HashMap<ProjectKey, i64> = changes.iter().map(|change| (change.project, change.number)).collect();
    for (project, number) in last {
        let oldest = number.saturating_sub_unsigned(kept);
        let sql = "DELETE FROM changes WHERE project = ?1 AND id <= ?2";
        connection.prepare_cached(sql)?.execute([project.0, oldest])?;
    }
    Ok(changes)
}
