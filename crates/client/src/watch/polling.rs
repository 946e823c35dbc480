//! Changes of diagrams, found by polling if the service has no events.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound::{Excluded, Unbounded};
use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until};

use super::change::{Backoff, Change, ChangeAction};
use crate::{Error, Project, Result};
use geodesign::model::DiagramId;
use geodesign::model::operations::DIAGRAMS;

/// Number of diagrams whose change ids are read per turn, in addition to those whose list item changed.
const CHECKED_PER_TURN: usize = 50;

/// Reads the list of diagrams at intervals, and the change ids of a few of them, in turns.
#[derive(Debug)]
pub struct Polling {
    interval: Duration,
    next_turn: Instant,
    known: BTreeMap<DiagramId, Known>,
    /// The diagram whose change id was read last.
    last_checked: DiagramId,
}

/// The earlier state of a diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    /// A digest of its item in the list of diagrams.
    item: u64,
    /// `None` if the service has none.
    change_id: Option<String>,
}

impl Polling {
    /// Reads the list, and the change ids of all diagrams.
    pub async fn start(project: &Project, interval: Duration) -> Result<Self> {
        let items = read_items(project).await?;
        let change_ids = change_ids(project, items.keys().copied().collect()).await?;
        let known = items.into_iter().map(|(id, item)| (id, Known { item, change_id: change_ids.get(&id).cloned() }));
        Ok(Polling {
            interval,
            next_turn: Instant::now() + interval,
            known: known.collect(),
            last_checked: DiagramId(i64::MIN),
        })
    }

    /// Waits for the next turn and its result. Dropping the future loses nothing.
    pub async fn look(&mut self, project: &Project, changes: &mut Vec<Change>, backoff: &mut Backoff) -> Result<()> {
        sleep_until(self.next_turn).await;
        match self.turn(project, changes).await {
            Ok(()) => {
                backoff.succeeded();
                self.next_turn = Instant::now() + self.interval;
                Ok(())
            }
            Err(error) => backoff.wait_after(error).await,
        }
    }

    /// Runs one turn. State and changes are updated only after all reads have succeeded.
    async fn turn(&mut self, project: &Project, changes: &mut Vec<Change>) -> Result<()> {
        let items = read_items(project).await?;
        let is_other = |id: &DiagramId, item: &u64| self.known.get(id).is_none_or(|known| known.item != *item);
        let mut asked: Vec<DiagramId> =
            items.iter().filter(|(id, item)| is_other(id, item)).map(|(id, _)| *id).collect();
        let after = items.range((Excluded(self.last_checked), Unbounded));
        let in_turn = after.chain(items.range(..=self.last_checked)).take(CHECKED_PER_TURN).map(|(id, _)| *id);
        let in_turn: Vec<DiagramId> = in_turn.collect();
        asked.extend(&in_turn);
        let change_ids = change_ids(project, asked).await?;

        let mut now = BTreeMap::new();
        for (id, item) in items {
            let before = self.known.get(&id);
            let change_id = change_ids.get(&id).or_else(|| before?.change_id.as_ref()).cloned();
            let known = Known { item, change_id };
            let action = match before {
                None => Some(ChangeAction::Added),
                Some(before) => (*before != known).then_some(ChangeAction::Changed),
            };
            changes.extend(action.map(|action| Change::of_diagram(action, id)));
            now.insert(id, known);
        }
        let removed = self.known.keys().filter(|id| !now.contains_key(id));
        changes.extend(removed.map(|&id| Change::of_diagram(ChangeAction::Removed, id)));
        self.known = now;
        self.last_checked = in_turn.last().copied().unwrap_or(self.last_checked);
        Ok(())
    }
}

/// A digest of each item of the list of diagrams.
async fn read_items(project: &Project) -> Result<BTreeMap<DiagramId, u64>> {
    #[derive(Deserialize)]
    struct Item {
        id: DiagramId,
    }
    let items: Vec<Box<RawValue>> = project.list(DIAGRAMS.at(project.in_project())).await?;
    let item = |text: Box<RawValue>| {
        let Item { id } = serde_json::from_str(text.get())?;
        let mut hasher = DefaultHasher::new();
        text.get().hash(&mut hasher);
        Ok((id, hasher.finish()))
    };
    items.into_iter().map(item).collect::<serde_json::Result<_>>().map_err(|error| Error::Decode {
        request: (&DIAGRAMS.at(project.in_project())).into(),
        problem: error.to_string(),
        source: Some(error.into()),
    })
}

/// Returns the change ids of those diagrams that still exist and have one.
async fn change_ids(project: &Project, ids: Vec<DiagramId>) -> Result<BTreeMap<DiagramId, String>> {
    let one = |project: Project, id| async move {
        match project.diagram_change_id(id).await {
            Ok(change_id) => Ok(Some((id, change_id))),
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    Ok(project.for_each(ids, one, || {}).await?.into_iter().flatten().collect())
}
