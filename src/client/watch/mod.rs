//! What changes in a project, as it changes: told by the service where it can, otherwise found by asking again and again.

mod backoff;
mod change;
mod diagram_digests;
mod events;
mod missed;
mod polling;
mod project_watch;

pub use change::{ChangeAction, ChangedId, ProjectChange};
pub use missed::Missed;
pub use project_watch::Watch;
