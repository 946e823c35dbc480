//! `pygeodesign thumbnails`: a picture of each diagram.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ProgressLine, note};
use crate::drafts::{Readers, write_whole};
use crate::model::DiagramId;

/// Write a picture of each diagram to a folder: 256 × 256 pixels, named by the id of the diagram, such as 1001.png.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pygeodesign thumbnails -o pictures\n  pygeodesign thumbnails --diagram 1001 --diagram 1002 -o pictures"
)]
pub struct Thumbnails {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// The folder, which is created if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Only this diagram, by id. May be repeated.
    #[arg(long, value_name = "ID")]
    diagram: Vec<i64>,
    #[command(flatten)]
    source: Source,
}

impl Thumbnails {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let ids = (!self.diagram.is_empty()).then(|| self.diagram.iter().copied().map(DiagramId).collect());
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
        note(&format!("Wrote {} pictures to {}", pictures.len(), self.output.display()));
        Ok(())
    }
}
