//! `pygeodesign ask`: asks any question of a comparison by its name.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use super::call::NamedValue;
use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::host::{Answer, AskedQuestion};
use super::output::{ListingFormat, named, note, text};
use super::pages::{GivenDesigns, wrote};

/// Ask a comparison of designs any question by its name, and print the answer as a table.
///
/// Arguments are given as NAME=VALUE. A value that is JSON, such as 2, true or {"Water": 1.5e6}, is read as JSON, any other as text.
/// JSON has geometries as GeoJSON; a table and CSV have none. Without a question, all are listed. Needs GeoPandas: pip install
/// 'pygeodesign[geo]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign ask
  pygeodesign ask targets
  pygeodesign ask conflicts by=systems scope=project --csv > conflicts.csv
  pygeodesign ask cash_flow revenue='{\"Mixed use\": 1.5e6}' undated=2030 years=40 by=design
  pygeodesign ask optimum budget=5e9 --project \"Staten Island 2050\"
  pygeodesign ask similarity --picture similarity.png")]
pub struct Ask {
    /// The name of the question, such as targets [default: list them].
    question: Option<String>,
    /// An argument of the question.
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<NamedValue>,
    /// The project, by its id, title or the start of its title [default: the only one].
    #[arg(long)]
    project: Option<String>,
    /// Draw the answer to this file (.png, .svg, .pdf) instead of printing it.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    designs: GivenDesigns,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Ask {
    pub fn run(&self, context: &Context) -> Result<()> {
        let Some(name) = &self.question else { return self.list(context) };
        let mut arguments = Map::new();
        for argument in &self.arguments {
            if arguments.insert(argument.name.clone(), argument.json()).is_some() {
                return Err(CommandError::Input(format!("{} is given twice", argument.name)));
            }
        }
        let project = self.source.project(context, self.project.as_deref())?;
        let designs = context.wait(self.designs.find(&project))?;
        let asked = AskedQuestion { name, arguments: &arguments, picture: self.picture.as_deref() };
        let Answer { summary, columns, mut rows } = context.host.answer(project, &designs, &asked)?;
        if let Some(file) = &self.picture {
            return wrote(file);
        }
        if let Some(summary) = summary {
            note(&summary);
        }
        if !self.format.json {
            rows.iter_mut().for_each(|row| drop(row.remove("geometry")));
        }
        let columns: Vec<_> = columns.iter().map(|column| named(&column.name, column.decimals)).collect();
        context.print(&self.format.listing(&rows, &columns)?)
    }

    fn list(&self, context: &Context) -> Result<()> {
        let questions: Vec<Value> =
            context.host.questions()?.iter().map(|question| serde_json::json!(question)).collect();
        context.print(&self.format.listing(&questions, &[text("question", "Question"), text("what", "What is asked")])?)
    }
}
