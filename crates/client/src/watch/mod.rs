//! Changes of a project as they happen: reported by the service if it can, otherwise found by polling.

mod change;
mod events;
mod missed;
mod polling;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::StatusCode;
use serde_json::{Map, Value};

use self::change::{Backoff, Change};
pub use self::change::{ChangeAction, ChangedId, ProjectChange};
use self::events::Events;
use self::polling::Polling;
use super::{Error, Project, Result};
use geodesign::features::{FeatureCollection, Layout};
use geodesign::model::DiagramId;
use geodesign::model::operations::DIAGRAM;

/// Changes of a project since this watch was started.
#[derive(Debug)]
pub struct Watch {
    project: Project,
    source: Source,
    /// Changes that were found, with diagrams that have not been read yet.
    changes: Vec<Change>,
    ready: VecDeque<ProjectChange>,
    backoff: Backoff,
}

#[derive(Debug)]
enum Source {
    Events(Box<Events>),
    Polling(Polling),
}

impl Project {
    /// Watches the project from now on. If a proxy holds back events, the service is asked for them at these intervals. If the service
    /// has no events, the list of diagrams is read, and only diagrams are watched.
    pub async fn watch(&self, interval: Duration) -> Result<Watch> {
        if let Some(archive) = self.opened_archive() {
            let archive = archive.path().display();
            return Err(Error::Input(format!(
                "the project was opened from {archive}, an archive, which does not change"
            )));
        }
        self.find().await?;
        let source = match Events::start(self, interval).await? {
            Some(events) => Source::Events(Box::new(events)),
            None => Source::Polling(Polling::start(self, interval).await?),
        };
        let (changes, ready, backoff) = (Vec::new(), VecDeque::new(), Backoff::default());
        Ok(Watch { project: self.clone(), source, changes, ready, backoff })
    }
}

impl Watch {
    /// The changes as a stream, which ends after an error.
    pub fn into_stream(self) -> impl Stream<Item = Result<ProjectChange>> {
        stream::unfold(Some(self), |watch| async {
            let mut watch = watch?;
            let change = watch.next().await;
            let watch = change.is_ok().then_some(watch);
            Some((change, watch))
        })
    }

    /// Waits for the next change, even while the service restarts. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<ProjectChange> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Ok(change);
            }
            let Watch { project, source, changes, backoff, .. } = self;
            while changes.is_empty() {
                match source {
                    Source::Events(events) => events.look(project, changes, backoff).await?,
                    Source::Polling(polling) => polling.look(project, changes, backoff).await?,
                }
            }
            match read_diagrams(project, changes).await {
                Ok(diagrams) => {
                    backoff.succeeded();
                    self.add(diagrams);
                }
                Err(error) => backoff.wait_after(error).await?,
            }
        }
    }

    fn add(&mut self, diagrams: BTreeMap<DiagramId, Diagram>) {
        for change in self.changes.drain(..) {
            if let (Source::Events(events), ChangeAction::Removed, Some(id)) =
                (&mut self.source, change.action, change.diagram())
            {
                events.known.remove(id);
            }
            let diagram = change.diagram_to_read().and_then(|id| diagrams.get(&id));
            let Change { kind, action, id } = change;
            let diagram = diagram.map(|diagram| diagram.features.clone());
            self.ready.push_back(ProjectChange { kind, action, id, diagram });
        }
        if let Source::Events(events) = &mut self.source {
            diagrams.into_iter().for_each(|(id, diagram)| events.known.set(id, diagram.fields));
        }
    }
}

/// A diagram that was added or changed.
struct Diagram {
    features: FeatureCollection,
    fields: Map<String, Value>,
}

/// The diagrams that were added or changed and still exist.
async fn read_diagrams(project: &Project, changes: &[Change]) -> Result<BTreeMap<DiagramId, Diagram>> {
    let ids: BTreeSet<DiagramId> = changes.iter().filter_map(Change::diagram_to_read).collect();
    let one = |project: Project, id| async move {
        let endpoint = DIAGRAM.at(project.in_diagram(id));
        match project.client().transport.read(&endpoint).await {
            Ok(body) => Ok(Some((
                id,
                read_diagram(body).map_err(|problem| Error::Decode {
                    request: (&endpoint).into(),
                    problem,
                    source: None,
                })?,
            ))),
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    Ok(project.for_each(ids.into_iter().collect(), one, || {}).await?.into_iter().flatten().collect())
}

fn read_diagram(body: Bytes) -> Result<Diagram, String> {
    let features = FeatureCollection::from_json(body, Layout::Collection).map_err(|error| error.to_string())?;
    let fields = features.metadata().clone();
    Ok(Diagram { features, fields })
}
