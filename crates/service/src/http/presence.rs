//! Members who are here: those who listen to a project's events. Held in memory only.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use geodesign::model::Outline;
use jiff::civil::DateTime;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::store::{ChangeFeed, ProjectKey, UserKey, utc_now};

/// A member who comes back within this time was not away.
const ABSENCE: Duration = Duration::from_secs(5);
/// Interval between two outlines of a member. Those in between are left out.
const OUTLINES_APART: Duration = Duration::from_millis(500);

/// The members who are here, by project. Clones share them.
#[derive(Clone, Default)]
pub struct Presence(Arc<Mutex<HashMap<Place, Here>>>);

type Place = (ProjectKey, UserKey);

struct Here {
    since: DateTime,
    /// Number of open streams: one for each browser or program.
    streams: usize,
    /// Number of streams since the member came.
    arrivals: u64,
    last_outline: Option<Instant>,
}

impl Presence {
    /// Counts a member as here until the result is dropped.
    pub fn arrive(&self, feed: &ChangeFeed, place: Place, username: String) -> Stay {
        let mut all = self.0.lock();
        let new = || Here { since: utc_now(), streams: 0, arrivals: 0, last_outline: None };
        let here = all.entry(place).or_insert_with(new);
        here.streams += 1;
        here.arrivals += 1;
        if here.arrivals == 1 {
            announce(feed, place, "presence", &json!({ "username": username, "here": true }));
        }
        Stay { presence: self.clone(), feed: feed.clone(), place, username }
    }

    /// Returns the members who are here, the first to come first.
    pub fn here(&self, project: ProjectKey) -> Vec<(UserKey, DateTime)> {
        let all = self.0.lock();
        let of_project = all.iter().filter(|((of, _), _)| *of == project);
        let mut here: Vec<_> = of_project.map(|((_, user), here)| (*user, here.since)).collect();
        here.sort_by_key(|(user, since)| (*since, user.0));
        here
    }

    /// Shows the others an outline. Returns false if the member is not here.
    pub fn show(&self, feed: &ChangeFeed, place: Place, username: &str, outline: &Outline) -> bool {
        let mut all = self.0.lock();
        let Some(here) = all.get_mut(&place) else { return false };
        let is_soon = here.last_outline.is_some_and(|last| last.elapsed() < OUTLINES_APART);
        if outline.outline.is_none() || !is_soon {
            here.last_outline = outline.outline.is_some().then(Instant::now);
            announce(feed, place, "drawing", &json!({ "username": username, "outline": outline.outline }));
        }
        true
    }

    /// Ends a stay, unless the member has come back since that arrival.
    fn leave(&self, feed: &ChangeFeed, place: Place, username: &str, arrivals: u64) {
        let mut all = self.0.lock();
        if all.get(&place).is_some_and(|here| here.arrivals == arrivals) {
            all.remove(&place);
            announce(feed, place, "presence", &json!({ "username": username, "here": false }));
        }
    }
}

fn announce(feed: &ChangeFeed, (project, _): Place, name: &str, data: &Value) {
    feed.announce(project, format!("event: {name}\ndata: {data}\n\n").into());
}

/// A member's stream, while it is open.
pub struct Stay {
    presence: Presence,
    feed: ChangeFeed,
    place: Place,
    username: String,
}

impl Drop for Stay {
    fn drop(&mut self) {
        let arrivals = {
            let mut all = self.presence.0.lock();
            let Some(here) = all.get_mut(&self.place) else { return };
            here.streams -= 1;
            if here.streams > 0 {
                return;
            }
            here.arrivals
        };
        // A service that stops has no runtime.
        let Ok(runtime) = Handle::try_current() else { return };
        let (presence, feed, place) = (self.presence.clone(), self.feed.clone(), self.place);
        let username = std::mem::take(&mut self.username);
        runtime.spawn(async move {
            tokio::time::sleep(ABSENCE).await;
            presence.leave(&feed, place, &username, arrivals);
        });
    }
}
