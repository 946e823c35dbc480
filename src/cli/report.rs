//! `pygeodesign report`: the answers to planners' questions, as one page.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::host;
use super::output::note;
use super::selection::{choose_design, designs_of};

/// Compare the designs of a project, and write the answers as one page for a browser or paper.
///
/// Where designs agree, where diagrams collide, whether the land suits them, targets and budgets, years and rates. The page loads
/// nothing from a network. It needs GeoPandas and matplotlib: pip install 'pygeodesign[notebook]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign report -o report.html
  pygeodesign report \"Staten Island 2050\" -o report.html --currency USD --units us
  pygeodesign report -o parks.html --design a023631f09bc2e31 --design \"Parks first\"
  pygeodesign report --archive staten.zip -o report.html --title \"After round 3\"")]
pub struct Report {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A design to compare, by its id or description; several may be given [default: the latest design of each team].
    #[arg(long = "design", value_name = "DESIGN")]
    designs: Vec<String>,
    /// The heading [default: the title of the project].
    #[arg(long)]
    title: Option<String>,
    /// The name of the currency, such as USD.
    #[arg(long, default_value = "")]
    currency: String,
    /// Hectares and kilometres, or acres and miles.
    #[arg(long, default_value = "metric")]
    units: Units,
    #[command(flatten)]
    source: Source,
}

#[derive(Clone, Copy, ValueEnum)]
enum Units {
    Metric,
    Us,
}

impl Report {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let designs = context.wait(async {
            if self.designs.is_empty() {
                return Ok::<_, CommandError>(Vec::new());
            }
            let known = designs_of(&project, None).await?;
            let named = |name: &String| {
                let (team, design) = choose_design(&known, Some(name))?;
                Ok((team.id.0, design.details.id.to_string()))
            };
            self.designs.iter().map(named).collect()
        })?;
        let report = host::Report {
            path: self.output.clone(),
            designs,
            title: self.title.clone(),
            currency: self.currency.clone(),
            units: match self.units {
                Units::Metric => "metric",
                Units::Us => "us",
            },
        };
        context.host.write_report(project, &report)?;
        note(&format!("Wrote {}", self.output.display()));
        Ok(())
    }
}
