//! `pygeodesign watch`: what changes in a project, line by line as it changes.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::connect::Service;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::note;
use crate::client::{ChangedId, ProjectChange, shown};

/// Where the service has no events, the time between two looks at the list of diagrams.
const POLLING_INTERVAL: Duration = Duration::from_secs(5);

/// Print what is added, changed and removed in a project, as it happens, until Ctrl-C.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign watch
  pygeodesign watch \"Staten Island 2050\" --json | jq .id

--json prints one object in each line: `kind`, `action`, `id`, and of a diagram that was added or changed `title`.")]
pub struct Watch {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// Print an object of JSON in each line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

impl Watch {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.service.project(context, self.project.as_deref())?;
        let mut watch = context.wait(project.watch(POLLING_INTERVAL))?;
        note("Watching. Ctrl-C ends it.");
        loop {
            let change = context.wait(watch.next())?;
            context.print(&self.line(&change)?)?;
        }
    }

    fn line(&self, change: &ProjectChange) -> Result<String> {
        let title = change.diagram.as_ref().and_then(|diagram| diagram.metadata().get("description"));
        let id = match &change.id {
            ChangedId::Number(id) => json!(id),
            ChangedId::Text(id) => json!(id),
        };
        if self.json {
            let line = json!({"kind": change.kind, "action": change.action, "id": id, "title": title});
            return serde_json::to_string(&line)
                .map(|line| line + "\n")
                .map_err(|error| CommandError::Print(error.into()));
        }
        let id = id.as_str().map_or_else(|| id.to_string(), shown);
        let title = title.and_then(Value::as_str).map(|title| format!("  {}", shown(title))).unwrap_or_default();
        Ok(format!("{} {} {id}{title}\n", shown(&change.kind), change.action.name()))
    }
}
