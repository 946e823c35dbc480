//! Pages for a browser: `pygeodesign report`, `map` and `gallery`; and `pygeodesign compare`, the figures of designs as a table.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::connect::Source;
use super::context::Context;
use super::costs::land;
use super::error::Result;
use super::found::find_designs;
use super::host::{ChosenDesigns, ComparedDesign, PageOptions, ReportOptions};
use super::output::{ListingFormat, note, number, text};
use super::projects::Selection;
use geodesign::costs::CountedLand;
use geodesign_client::Project;

/// Compare the designs of a project, and write the answers as one page for a browser or paper.
///
/// Shows where designs agree, where diagrams collide, how well the land suits them, targets and budgets, years and rates. The page
/// loads nothing from a network. Needs GeoPandas: pip install 'pygeodesign[geo]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign report -o report.html
  pygeodesign report \"Staten Island 2050\" -o report.html --currency USD --units us
  pygeodesign report -o parks.html --design a023631f09bc2e31 --design \"Parks first\"
  pygeodesign report -o inside.html --land inside
  pygeodesign report --archive staten.zip -o report.html --title \"After round 3\" --language de")]
pub struct Report {
    #[command(flatten)]
    subject: Subject,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    designs: GivenDesigns,
    #[command(flatten)]
    options: ReportOptions,
}

impl Report {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.subject.find(context)?;
        let designs = context.wait(self.designs.find(&project))?;
        context.host.write_report(project, &designs, &self.output, &self.options)?;
        wrote(&self.output)
    }
}

/// Write the record of an evening to a folder: report, archive, GeoPackage, costs and history.
///
/// Files appear in the folder once all of them are complete; index.html describes each. Needs GeoPandas and XlsxWriter: pip install
/// 'pygeodesign[notebook]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign record evening
  pygeodesign record evening \"Staten Island 2050\" --author \"Ana López\" --currency USD
  pygeodesign record evening --design a023631f09bc2e31 --design \"Parks first\" --budget 5e9")]
pub struct Record {
    /// A new folder, or an empty one.
    folder: PathBuf,
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    designs: GivenDesigns,
    #[command(flatten)]
    options: ReportOptions,
}

impl Record {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.subject.find(context)?;
        let designs = context.wait(self.designs.find(&project))?;
        let files = context.host.write_record(project, &designs, &self.folder, &self.options)?;
        files.iter().try_for_each(|file| wrote(file))
    }
}

/// Compare the designs of a project in a table: diagrams, area, cost, targets and budgets.
///
/// Areas are summed over diagrams, policies included: where two overlap, both count. Unknown values are left out of sums, and counted.
/// Needs GeoPandas: pip install 'pygeodesign[geo]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign compare
  pygeodesign compare \"Staten Island 2050\" --csv > designs.csv
  pygeodesign compare --design a023631f09bc2e31 --design \"Parks first\" --json
  pygeodesign compare --archive staten.zip")]
pub struct Compare {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    designs: GivenDesigns,
    #[command(flatten)]
    format: ListingFormat,
}

impl Compare {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.subject.find(context)?;
        let designs = context.wait(self.designs.find(&project))?;
        let compared = context.host.compare(project, &designs)?;
        let area = if designs.land.is_all() { "Area ha, summed" } else { "Area ha inside, summed" };
        let columns = [
            text("design", "Design"),
            number("diagrams", "Diagrams", 0),
            number("area_ha", area, 1),
            number("cost", "Cost", 0),
            number("unpriced", "Unpriced", 0),
            text("targets_met", "Targets met"),
            text("budgets_met", "Budgets met"),
        ];
        let rows: Vec<_> = compared.iter().map(|design| self.row(design)).collect();
        context.print(&self.format.listing(&rows, &columns)?)
    }

    /// Returns a row. In a table, met targets are text such as `3 of 9`; in JSON and CSV, both numbers are fields.
    fn row(&self, design: &ComparedDesign) -> serde_json::Value {
        let mut row = json!(design);
        if !self.format.json && !self.format.csv {
            row["targets_met"] = format!("{} of {}", design.targets_met, design.targets).into();
            row["budgets_met"] = format!("{} of {}", design.budgets_met, design.budgets).into();
        }
        row
    }
}

/// The project of a page.
#[derive(Args)]
struct Subject {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    #[command(flatten)]
    source: Source,
}

impl Subject {
    fn find(&self, context: &Context) -> Result<Project> {
        self.source.project(context, self.project.as_deref())
    }
}

pub fn wrote(file: &Path) -> Result<()> {
    note(&format!("Wrote {}", file.display()));
    Ok(())
}

/// The designs to compare.
#[derive(Args)]
pub struct GivenDesigns {
    /// A design to compare, by its id, title or the start of its title; may be repeated [default: the latest design of each team].
    #[arg(long = "design", value_name = "DESIGN")]
    designs: Vec<String>,
    /// Count all land, or only land inside the study area.
    #[arg(long, default_value = "all", value_parser = land)]
    land: CountedLand,
}

impl GivenDesigns {
    pub async fn find(&self, project: &Project) -> Result<ChosenDesigns> {
        if self.designs.is_empty() {
            return Ok(ChosenDesigns { ids: Vec::new(), land: self.land });
        }
        let designs = find_designs(project, None, &self.designs).await?;
        let ids = designs.iter().map(|design| (design.cteamid.0, design.details.id.to_string())).collect();
        Ok(ChosenDesigns { ids, land: self.land })
    }
}

/// Write a map of a project as one page: pan and zoom, see the facts of each diagram, and switch layers.
///
/// The page loads nothing from a network, unless it has a --basemap. Needs GeoPandas and matplotlib: pip install
/// 'pygeodesign[notebook]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign map -o map.html
  pygeodesign map \"Staten Island 2050\" -o map.html --currency USD --units us --theme dark
  pygeodesign map -o youth.html --team Youth --basemap light
  pygeodesign map --archive staten.zip -o map.html")]
pub struct Map {
    #[command(flatten)]
    subject: Subject,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// The basemap: a file of tiles (MBTiles), which is put into the page, or `streets`, `light`, `dark`, `topography` or `satellite`,
    /// which the browser loads from a server on the network [default: none].
    #[arg(long, value_name = "FILE or NAME")]
    basemap: Option<String>,
    #[command(flatten)]
    options: PageOptions,
}

impl Map {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.subject.find(context)?;
        let selection = context.wait(self.selection.find(&project))?;
        context.host.write_map(project, &selection, &self.output, self.basemap.as_deref(), &self.options)?;
        wrote(&self.output)
    }
}

/// Write small pictures of the diagrams of a project, with their facts, as one page.
///
/// The page loads nothing from a network. Needs GeoPandas and matplotlib: pip install 'pygeodesign[notebook]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign gallery -o gallery.html
  pygeodesign gallery \"Staten Island 2050\" -o water.html --system Water --currency USD
  pygeodesign gallery -o youth.html --team Youth --limit 20
  pygeodesign gallery --archive staten.zip -o gallery.html")]
pub struct Gallery {
    #[command(flatten)]
    subject: Subject,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// Only diagrams of this system, by its id, name, tag or the start of its name.
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// Show at most this many diagrams [default: all].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    #[command(flatten)]
    options: PageOptions,
}

impl Gallery {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.subject.find(context)?;
        let selection = context.wait(self.selection.find(&project))?;
        let shown = (self.system.as_deref(), self.limit);
        context.host.write_gallery(project, &selection, &self.output, shown, &self.options)?;
        wrote(&self.output)
    }
}
