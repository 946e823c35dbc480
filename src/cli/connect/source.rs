//! What a command reads: a service, or an archive of a project.

use std::path::PathBuf;

use clap::Args;

use super::project_choice::{choose_project, named};
use super::service::Service;
use crate::cli::context::Context;
use crate::cli::error::Result;
use crate::client::Project;
use crate::model::ProjectInfo;

/// The options that name a service or an archive.
#[derive(Args, Clone)]
pub struct Source {
    #[command(flatten)]
    service: Service,
    /// Read from an archive instead of a service. No service, token or network is needed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "ca_bundle"])]
    archive: Option<PathBuf>,
}

impl Source {
    pub fn projects(&self, context: &Context) -> Result<Vec<ProjectInfo>> {
        match &self.archive {
            Some(path) => {
                let project = Project::open_archive(path)?;
                Ok(vec![context.wait(project.info())?])
            }
            None => context.wait(self.service.connect(context)?.projects()),
        }
    }

    /// The project that is named by its id or title, or the only one.
    pub fn project(&self, context: &Context, given: Option<&str>) -> Result<Project> {
        match &self.archive {
            Some(path) => {
                let project = Project::open_archive(path)?;
                choose_project(given, &[named(context.wait(project.info())?)])?;
                Ok(project)
            }
            None => self.service.project(context, given),
        }
    }
}

impl Service {
    /// The project that is named by its id or title, or the only one.
    pub fn project(&self, context: &Context, given: Option<&str>) -> Result<Project> {
        let client = self.connect(context)?;
        let projects: Vec<_> = context.wait(client.projects())?.into_iter().map(named).collect();
        Ok(client.project(choose_project(given, &projects)?))
    }
}
