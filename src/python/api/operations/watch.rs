//! Watching a project.

use std::time::Duration;

use pyo3::prelude::*;

use crate::client::Error;
use crate::python::api::changes::{AsyncChanges, Changes};
use crate::python::api::project::{AsyncProject, Project};

macro_rules! watched {
    ($class:ident by $changes:ident) => {
        #[pymethods]
        impl $class {
            /// Watches the project: yields what is added, changed and removed, as it happens.
            ///
            /// It watches from this call on; with asyncio, from the first step of the iteration on, and it is not awaited:
            /// `async for change in project.watch(): …`
            ///
            /// Where the service tells changes (`events/`), each arrives within moments, whatever it is about. Elsewhere the list of diagrams
            /// is read every `interval` seconds, and the change ids of 50 diagrams in turn, so that diagrams alone are watched, and an edit
            /// of one among 200 is found within four intervals.
            ///
            /// While the service restarts or the network is away, the iterator waits and connects again; no change is lost or told twice.
            /// If the service cannot tell all that happened meanwhile, it yields a change of `kind` `"project"`, and then what is different
            /// about diagrams.
            ///
            /// Args:
            ///     interval: Seconds between two requests for the list of diagrams, where the service tells no changes.
            ///     timeout: End when nothing has changed for so many seconds. Default: never; Ctrl-C ends it.
            ///
            /// Returns:
            ///     An iterator, asynchronous for an `AsyncProject`, of `ProjectChange` dicts: `kind` (`"diagram"`, `"tag"`, `"design"`, `"selection"`, `"system"`, …), `action`
            ///     (`"added"`, `"changed"` or `"removed"`), `id`, and `diagram`: the `FeatureCollection` of a diagram that was added or
            ///     changed, otherwise None.
            ///
            /// Raises:
            ///     InputError: A time that is not greater than 0; or the project was opened from an archive, which does not change.
            ///
            /// Examples:
            ///     >>> changes = project.watch(interval=0.1, timeout=5)
            ///     >>> note = project.set_diagram_notes(1007, "Ask the library.")
            ///     >>> change = next(changes)
            ///     >>> change["action"], change["kind"], change["id"], change["diagram"].metadata["notes"]
            ///     ('changed', 'diagram', 1007, 'Ask the library.')
            #[pyo3(signature = (*, interval=5.0, timeout=None))]
            fn watch(&self, py: Python<'_>, interval: f64, timeout: Option<f64>) -> PyResult<$changes> {
                let (interval, timeout) = seconds(interval, timeout)?;
                $changes::start(py, self.handle()?, interval, timeout)
            }
        }
    };
}

watched! { Project by Changes }
watched! { AsyncProject by AsyncChanges }

fn seconds(interval: f64, timeout: Option<f64>) -> PyResult<(Duration, Option<Duration>)> {
    let duration = |name: &str, seconds: f64| {
        let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
        duration.ok_or_else(|| Error::Input(format!("{name} is {seconds}; give a number of seconds greater than 0")))
    };
    Ok((duration("interval", interval)?, timeout.map(|seconds| duration("timeout", seconds)).transpose()?))
}
