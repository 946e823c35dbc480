//! Commands for one project: its systems, designs, diagrams and pictures, its changes, and the upload of a file. Diagrams are selected
//! by the options for a design or for a member.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::connect::{Service, Source};
use super::context::Context;
use super::error::{CommandError, Result};
use super::found::{designs_of, find_designs, find_diagrams};
use super::host::UploadOptions;
use super::output::{ListingFormat, ProgressLine, counted, error, json_line, note, number, text};
use geodesign::features::FeatureCollection;
use geodesign::model::{DiagramSummary, Username};
use geodesign_client::{ChangedId, Client, CostSelection, Error, Project, ProjectChange, SelectionKind, shown};
use geodesign_common::whole_files::{Readers, write_whole};

/// List your projects.
#[derive(Args)]
#[command(after_help = "Examples:\n  pygeodesign projects\n  pygeodesign projects --csv > projects.csv")]
pub struct Projects {
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Projects {
    pub fn run(&self, context: &Context) -> Result<()> {
        let projects = self.source.projects(context)?;
        let columns = [text("id", "Id"), text("projecttitle", "Title"), text("startdate", "Start")];
        context.print(&self.format.listing(&projects, &columns)?)
    }
}

/// List the systems of a project, with cost per hectare, budget and areas.
#[derive(Args)]
#[command(after_help = "Examples:\n  pygeodesign systems\n  pygeodesign systems \"Staten Island 2050\" --json")]
pub struct Systems {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Systems {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let systems = context.wait(project.systems())?;
        let columns = [
            text("id", "Id"),
            text("name", "System"),
            text("tag", "Tag"),
            number("cost", "Cost per ha", 0),
            number("budget", "Budget", 0),
            number("current_ha", "Current ha", 1),
            number("target_ha", "Target ha", 1),
        ];
        context.print(&self.format.listing(&systems, &columns)?)
    }
}

/// List the designs of the change teams of a project.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pygeodesign designs\n  pygeodesign designs \"Staten Island 2050\" --team Youth --json"
)]
pub struct Designs {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// Only designs of this change team, by its id, title or the start of its title.
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Designs {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let designs = context.wait(designs_of(&project, self.team.as_deref()))?;
        let rows: Vec<_> = designs
            .into_iter()
            .map(|(team, design)| {
                let mut row = json!(design);
                row["team"] = team.title.into();
                row
            })
            .collect();
        let columns = [
            text("id", "Id"),
            text("team", "Team"),
            text("description", "Design"),
            text("creationdate", "Saved (UTC)"),
        ];
        context.print(&self.format.listing(&rows, &columns)?)
    }
}

/// List the diagrams of a project, or write them to a file.
///
/// The ending of the file sets the format: .geojson, .gpkg, .parquet, .fgb, .shp, .kml, .csv or .xlsx. All but GeoJSON need GeoPandas:
/// pip install 'pygeodesign[geo]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign diagrams
  pygeodesign diagrams \"Staten Island 2050\" -o diagrams.geojson
  pygeodesign diagrams --team Youth -o youth.gpkg
  pygeodesign diagrams --archive staten.zip -o diagrams.xlsx")]
pub struct Diagrams {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// The file to write. An existing one is replaced once the new one is complete.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["json", "csv"])]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Diagrams {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let selection = context.wait(self.selection.find(&project))?;
        match &self.output {
            Some(path) => {
                let features = context.wait(selected_features(&project, selection))?;
                let files = context.host.write_features(features, path, !self.format.unescaped)?;
                files.iter().for_each(|file| note(&format!("Wrote {}", file.display())));
                Ok(())
            }
            None => {
                let diagrams = context.wait(summaries(&project, selection))?;
                let columns = [
                    text("id", "Id"),
                    text("worlddescription", "Title"),
                    text("sysid", "System"),
                    text("author", "Author"),
                    text("created_at", "Created (UTC)"),
                ];
                context.print(&self.format.listing(&diagrams, &columns)?)
            }
        }
    }
}

async fn selected_features(project: &Project, selection: CostSelection) -> Result<FeatureCollection, Error> {
    match selection {
        CostSelection::Member(member) => project.selection(&member, SelectionKind::Everywhere).await,
        CostSelection::Design(team, design) => project.design_features(team, design).await,
        CostSelection::All | CostSelection::Diagrams(_) => project.diagrams().await,
    }
}

async fn summaries(project: &Project, selection: CostSelection) -> Result<Vec<DiagramSummary>, CommandError> {
    let mut diagrams = project.diagram_summaries().await?;
    if selection != CostSelection::All {
        let selected: HashSet<i64> = selected_features(project, selection).await?.diagram_ids().into_iter().collect();
        diagrams.retain(|diagram| selected.contains(&diagram.id.0));
    }
    Ok(diagrams)
}

/// Write a picture of each diagram to a folder: 256 × 256 pixels, named after the diagram's id, such as 1001.png.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pygeodesign thumbnails -o pictures\n  pygeodesign thumbnails --diagram 1001 --diagram 1002 -o pictures"
)]
pub struct Thumbnails {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// The folder, which is created if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Only this diagram, by its id, title or the start of its title. May be repeated.
    #[arg(long, value_name = "DIAGRAM")]
    diagram: Vec<String>,
    #[command(flatten)]
    source: Source,
}

impl Thumbnails {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let ids = context.wait(find_diagrams(&project, &self.diagram))?;
        let ids = (!ids.is_empty()).then_some(ids);
        let progress = ProgressLine::new("pictures");
        let pictures = context.wait(project.thumbnails(ids, &progress))?;
        drop(progress);
        let failed =
            |error| CommandError::File(format!("the pictures cannot be written to {}", self.output.display()), error);
        fs::create_dir_all(&self.output).map_err(failed)?;
        for (id, picture) in &pictures {
            if context.host.is_interrupted() {
                return Err(CommandError::Interrupted);
            }
            write_whole(&self.output.join(format!("{id}.png")), picture, Readers::Usual).map_err(failed)?;
        }
        note(&format!("Wrote {} to {}", counted(pictures.len(), "picture"), self.output.display()));
        Ok(())
    }
}

/// Interval between reads of the list of diagrams, if the service has no events.
const POLLING_INTERVAL: Duration = Duration::from_secs(5);

/// Print additions, changes and removals in a project, as they happen, until Ctrl-C.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign watch
  pygeodesign watch \"Staten Island 2050\" --json | jq .id

--json prints one object in each line: `kind`, `action`, `id`, and of a diagram that was added or changed `title`.")]
pub struct Watch {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// Print a JSON object per line.
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
            return json_line(&line);
        }
        let id = id.as_str().map_or_else(|| id.to_string(), shown);
        let title = title.and_then(Value::as_str).map(|title| format!("  {}", shown(title))).unwrap_or_default();
        Ok(format!("{} {} {id}{title}\n", shown(&change.kind), change.action.name()))
    }
}

/// Add a diagram for each feature of a file.
///
/// All features are checked before the first is sent. GeoJSON in degrees needs nothing else; GeoPackage, Shapefile, FlatGeobuf,
/// GeoParquet and other formats need GeoPandas: pip install 'pygeodesign[geo]'.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "\
Examples:
  pygeodesign upload parks.geojson --system \"Green infrastructure\"
  pygeodesign upload \"Staten Island 2050\" parks.gpkg --system 3 --title name --kind policy --dry-run
  pygeodesign upload diagrams.csv --external"
)]
pub struct Upload {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// The file to upload.
    file: PathBuf,
    #[command(flatten)]
    options: UploadOptions,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    service: Service,
}

impl Upload {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.service.project(context, self.project.as_deref())?;
        // The host has its own runtime, which cannot use this one's connections.
        let project = Client::new(project.client().config().clone())?.project(project.id().clone());
        let rows = context.host.upload(project, &self.file, &self.options)?;
        let columns = [text("diagram_id", "Id"), text("grid_location", "Cell"), text("title", "Title")];
        let (failed, added): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.error.is_some());
        let is_table = !self.format.json && !self.format.csv;
        let listed = if is_table { added } else { rows.iter().collect() };
        context.print(&self.format.listing(&listed, &columns)?)?;
        for row in &failed {
            error(&format!("{:?}: {}", row.title, row.error.as_deref().unwrap_or_default()));
        }
        match failed.len() {
            0 if self.options.dry_run => {
                note(&format!("{} can be added; nothing was sent", counted(rows.len(), "diagram")))
            }
            0 if self.options.skip_duplicates => note(&format!("{} diagrams are in the system", rows.len())),
            0 => note(&format!("Added {}", counted(rows.len(), "diagram"))),
            count => {
                let message = format!("{count} of {} diagrams were not added; send them again", rows.len());
                return Err(CommandError::Partly(message));
            }
        }
        Ok(())
    }
}

/// The diagrams for a command: all, unless an option selects some.
#[derive(Args, Clone)]
pub struct Selection {
    /// The diagrams of a change team's design, by the team's id, title or the start of its title. Without --design, of its latest design.
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    /// The diagrams of this design, by its id, title or the start of its title.
    #[arg(long, value_name = "DESIGN")]
    design: Option<String>,
    /// The diagrams that this member selected.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["team", "design"])]
    member: Option<Username>,
}

impl Selection {
    pub async fn find(&self, project: &Project) -> Result<CostSelection> {
        match (&self.member, &self.team, &self.design) {
            (Some(member), ..) => Ok(CostSelection::Member(member.clone())),
            (None, None, None) => Ok(CostSelection::All),
            (None, team, design) => {
                let designs = find_designs(project, team.as_deref(), design.as_slice()).await?;
                let design = &designs[0];
                Ok(CostSelection::Design(design.cteamid, design.details.id.clone()))
            }
        }
    }
}
