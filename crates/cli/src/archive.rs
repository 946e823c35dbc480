//! Commands for archives of one project or of many: writing, updating, merging and opening them.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::connect::Service;
use super::context::Context;
use super::error::{CommandError, Result};
use super::found::choose_project;
use super::host::ArchivedAll;
use super::output::{ProgressLine, counted, json, note};
use geodesign::model::{DiagramId, MergeOptions, MergeReport, Preference};
use geodesign_client::{ArchiveOptions, Project, SyncReport, shown};

/// Download everything that can be read of a project into one file.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:\n  pygeodesign archive staten.zip\n  pygeodesign archive \"Staten Island 2050\" staten.zip --thumbnails"
)]
pub struct Archive {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// The zip file to write. An existing one is replaced once the new one is complete.
    file: PathBuf,
    /// Add a picture of each diagram.
    #[arg(long)]
    thumbnails: bool,
    #[command(flatten)]
    service: Service,
}

impl Archive {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.service.project(context, self.project.as_deref())?;
        let progress = ProgressLine::new("answers");
        let options = ArchiveOptions { thumbnails: self.thumbnails };
        let manifest = context.wait(project.archive(&self.file, options, &progress))?;
        drop(progress);
        note(&format!("Wrote {} with {}", self.file.display(), counted(manifest.members.len(), "member")));
        Ok(())
    }
}

/// Update an archive: download only the changes since it was written.
///
/// Without such a file, the project is archived.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:\n  pygeodesign sync staten.zip\n  pygeodesign sync \"Staten Island 2050\" staten.zip --json"
)]
pub struct Sync {
    /// The project, by its id, title or the start of its title [default: the archive's, or the only one].
    project: Option<String>,
    /// The archive. It is replaced once the new one is complete.
    file: PathBuf,
    /// Print the ids of the diagrams that were added, changed and removed as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

impl Sync {
    pub fn run(&self, context: &Context) -> Result<()> {
        let given = match &self.project {
            None if self.file.exists() => Some(Project::open_archive(&self.file)?.id().to_string()),
            given => given.clone(),
        };
        let project = self.service.project(context, given.as_deref())?;
        let progress = ProgressLine::new("answers");
        let SyncReport { added, changed, removed, traffic } = context.wait(project.sync(&self.file, &progress))?;
        drop(progress);
        if self.json {
            context.print(&json(&json!({
                "added": added, "changed": changed, "removed": removed,
                "downloaded": traffic.downloaded, "kept": traffic.kept, "bytes": traffic.bytes,
            }))?)?;
        } else {
            for (what, diagrams) in [("added", added), ("changed", changed), ("removed", removed)] {
                context.print(&format!("{what:8}{}\n", listed(&diagrams)))?;
            }
        }
        note(&format!("{} is up to date: {} bytes were downloaded", self.file.display(), traffic.bytes));
        Ok(())
    }
}

/// Bring offline work home: merge an archive of a project's copy into the project.
///
/// Conflicting changes are listed and not merged, unless --prefer says which side counts. Merging the same archive again changes
/// nothing. Afterwards, `sync` updates the archive.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:\n  pygeodesign merge train.zip --dry-run\n  pygeodesign merge \"Staten Island 2050\" train.zip --prefer archive --json"
)]
pub struct Merge {
    /// The project, by its id, title or the start of its title [default: the archive's].
    project: Option<String>,
    /// The archive of the copy.
    file: PathBuf,
    /// Report what would be done, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// The side that counts if both changed the same thing: here or archive.
    #[arg(long, value_name = "SIDE", value_parser = ["here", "archive"])]
    prefer: Option<String>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

impl Merge {
    pub fn run(&self, context: &Context) -> Result<()> {
        let given = match &self.project {
            None => Some(Project::open_archive(&self.file)?.id().to_string()),
            given => given.clone(),
        };
        let project = self.service.project(context, given.as_deref())?;
        let prefer = Preference::ALL.into_iter().find(|side| self.prefer.as_deref() == Some(side.name()));
        let options = MergeOptions { dry_run: self.dry_run, prefer };
        let report = context.wait(project.merge(&self.file, options))?;
        if self.json {
            context.print(&json(&json!(report))?)?;
        } else {
            context.print(&lines(&report))?;
        }
        let MergeReport { added, changed, removed, conflicts, left, .. } = &report;
        if [added, changed, removed].iter().all(|things| things.is_empty()) && conflicts.is_empty() && left.is_empty() {
            note("The archive has nothing new");
        }
        if let Some(later) = &report.superseded_by {
            note(&format!("A later archive of this copy, of {later}, was merged before"));
        }
        if !report.complete {
            note("The merge is not complete: decide conflicts with --prefer here or --prefer archive");
        }
        Ok(())
    }
}

/// Returns a line for each thing in a report.
fn lines(report: &MergeReport) -> String {
    let id = |id: &Value| id.as_str().map_or_else(|| id.to_string(), shown);
    let mut lines = String::new();
    for (what, things) in [("added", &report.added), ("changed", &report.changed), ("removed", &report.removed)] {
        for thing in things {
            let here = thing.here.as_ref().filter(|here| **here != thing.id);
            let here = here.map(|here| format!(", here {}", id(here))).unwrap_or_default();
            let fields = thing.fields.join(", ");
            let fields = if fields.is_empty() { fields } else { format!(": {fields}") };
            let (kind, title) = (thing.kind.name(), shown(&thing.title));
            lines += &format!("{what:9}{kind} {}{here} {title}{fields}\n", id(&thing.id));
        }
    }
    for conflict in &report.conflicts {
        let fields: Vec<&str> = conflict.fields.keys().map(String::as_str).collect();
        let counted = conflict.preferred.map_or("left as it is", |side| match side {
            Preference::Here => "as it is here",
            Preference::Archive => "as in the archive",
        });
        let (kind, title) = (conflict.kind.name(), shown(&conflict.title));
        lines += &format!("both     {kind} {} {title}: {}; {counted}\n", id(&conflict.id), fields.join(", "));
    }
    for thing in &report.left {
        let (kind, title) = (thing.kind.name(), shown(&thing.title));
        lines += &format!("left     {kind} {} {title}: {}\n", id(&thing.id), shown(&thing.reason));
    }
    lines
}

/// Returns the number of diagrams, and the first ids.
fn listed(diagrams: &[DiagramId]) -> String {
    const MAX_LISTED: usize = 20;
    let ids: Vec<String> = diagrams.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if diagrams.len() > MAX_LISTED { ", …" } else { "" };
    if ids.is_empty() { "0".into() } else { format!("{}: {}{more}", diagrams.len(), ids.join(", ")) }
}

/// Verify an archive, and list its contents.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign open staten.zip
  pygeodesign open staten.zip --json

Every reading command takes --archive FILE, such as `pygeodesign costs --archive staten.zip`.")]
pub struct Open {
    /// The archive.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Open {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = Project::open_archive(&self.file)?;
        let info = context.wait(project.info())?;
        let Some(archive) = project.opened_archive() else { return Ok(()) };
        let manifest = archive.manifest();
        if self.json {
            return context.print(&json(&json!({
                "file": archive.path(), "projectid": info.id, "projecttitle": info.projecttitle,
                "source": manifest.source, "created_at": manifest.created_at, "counts": manifest.counts,
                "refused": manifest.refused,
            }))?);
        }
        let mut lines = vec![
            ("Project", format!("{} ({})", shown(info.projecttitle.as_deref().unwrap_or_default()), info.id)),
            ("Source", shown(&manifest.source)),
            ("Read at", shown(&manifest.created_at)),
        ];
        let counts = manifest.counts.iter().map(|(name, count)| format!("{count} {}", shown(name)));
        lines.push(("Holds", counts.collect::<Vec<_>>().join(", ")));
        if !manifest.refused.is_empty() {
            lines.push(("Refused", format!("{} requests, which the service did not answer", manifest.refused.len())));
        }
        context.print(&lines.iter().map(|(name, value)| format!("{name:8}{value}\n")).collect::<String>())
    }
}

/// Write an archive of many projects to a folder or a bucket, or update the one there.
///
/// Needs GeoPandas: pip install 'pygeodesign[many]'. A bucket also needs its protocol's library, such as s3fs, which reads credentials
/// from its own variables.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign archive-all archive
  pygeodesign archive-all s3://bucket/archive --project \"Staten Island 2050\" --project \"Lisbon 2050\"")]
pub struct ArchiveAll {
    /// A folder, or a URL such as s3://bucket/archive.
    store: String,
    /// A project, by its id, title or the start of its title; may be given several times [default: all of them].
    #[arg(long = "project", value_name = "PROJECT")]
    projects: Vec<String>,
    /// Print JSON: the ids of the projects that were archived, unchanged, kept and not readable.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

impl ArchiveAll {
    pub fn run(&self, context: &Context) -> Result<()> {
        let client = self.service.connect(context)?;
        let projects = if self.projects.is_empty() {
            None
        } else {
            let known = context.wait(client.projects())?;
            let chosen = self.projects.iter().map(|given| Ok(choose_project(Some(given), &known)?.id.clone()));
            Some(chosen.collect::<Result<_>>()?)
        };
        let outcome = context.host.archive_all(client, &self.store, projects)?;
        let ArchivedAll { archived, unchanged, kept, failures } = &outcome;
        if self.json {
            context.print(&json(&outcome)?)?;
        } else {
            for (what, count) in [("archived", archived.len()), ("unchanged", unchanged.len()), ("kept", kept.len())] {
                context.print(&format!("{what:10}{count}\n"))?;
            }
        }
        if failures.is_empty() {
            note(&format!("{} is up to date", self.store));
            return Ok(());
        }
        failures.iter().for_each(|(project, reason)| note(&format!("{project}: {reason}")));
        Err(CommandError::Partly(format!(
            "{} of {} projects could not be read and stay unchanged",
            failures.len(),
            archived.len() + unchanged.len() + failures.len()
        )))
    }
}
