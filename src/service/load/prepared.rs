//! An archive that is ready to be loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::answers::Answers;
use super::content::Content;
use super::differences::{self, NamedAnswer};
use super::error::{LoadError, LoadProblem};
use super::interrupt::IsInterrupted;
use super::limits::{check_parts, check_totals};
use super::rows::{Picture, insert};
use crate::archive::Archive;
use crate::model::{DiagramId, Username};
use crate::service::http::local_operations;
use crate::service::limits::Limits;
use crate::service::store::{OPERATOR, Store, StoreSettings, Writer, new_uuid};

/// A verified archive with all that a database needs of it.
#[derive(Debug)]
pub struct PreparedArchive {
    path: PathBuf,
    content: Content,
    pictures: Vec<Picture>,
    /// What the origin answered otherwise than this service does.
    answers: Vec<NamedAnswer>,
}

impl PreparedArchive {
    /// Verifies an archive, and compares what a service with its content answers with what the origin answered.
    pub fn read(path: &Path, limits: &Arc<Limits>, is_interrupted: IsInterrupted) -> Result<Self, LoadError> {
        let archive = Archive::open(path)?;
        let prepare = || {
            let (limit, picture_bytes) = (limits.project_origin_bytes(), picture_bytes(&archive));
            limit.check_total("the project", 0, picture_bytes)?;
            let (content, pictures) =
                (Content::read(Answers::new(&archive, is_interrupted))?, read_pictures(&archive)?);
            check_parts(&content, limits)?;
            let mut prepared = PreparedArchive { path: path.to_owned(), content, pictures, answers: Vec::new() };
            let store = Store::open_with(None, limits.clone(), StoreSettings::default())?;
            store.write(|write| prepared.write(write, limits, is_interrupted))?;
            let token = store.issue_token(&operator()?)?;
            let operations = local_operations(store, limits.clone());
            prepared.answers = differences::find(&archive, &operations, &token, picture_bytes, limit, is_interrupted)?;
            Ok(prepared)
        };
        prepare().map_err(|problem| LoadError::refused(path, problem))
    }

    /// Writes the project into a database.
    pub fn load(&self, write: &Writer, limits: &Limits, is_interrupted: IsInterrupted) -> Result<(), LoadError> {
        self.write(write, limits, is_interrupted).map_err(|problem| LoadError::refused(&self.path, problem))
    }

    fn write(&self, write: &Writer, limits: &Limits, is_interrupted: IsInterrupted) -> Result<(), LoadProblem> {
        let project = insert(write, &self.content, &self.pictures, &operator()?, is_interrupted)?;
        check_totals(write, &self.content, project, limits)?;
        for (name, answer) in &self.answers {
            write.insert_origin_answer(project, name, answer)?;
        }
        Ok(())
    }
}

fn operator() -> Result<Username, LoadProblem> {
    Ok(OPERATOR.parse()?)
}

fn picture_bytes(archive: &Archive) -> u64 {
    let members = archive.manifest().members.iter();
    members.filter(|(name, _)| name.ends_with(".png")).map(|(_, member)| member.size).sum()
}

/// The pictures in an archive. Those whose jobs this service cannot have are left out.
fn read_pictures(archive: &Archive) -> Result<Vec<Picture>, LoadProblem> {
    let mut pictures = Vec::new();
    for name in archive.manifest().members.keys() {
        let Some(path) = name.strip_suffix(".png") else { continue };
        let ["diagrams", diagram, "thumbnail", job] = *path.split('/').collect::<Vec<_>>() else { continue };
        let (Ok(diagram), Ok(job)) = (diagram.parse(), job.parse()) else { continue };
        let path = format!("projects/{}/{path}/", archive.manifest().projectid);
        if let Ok(png) = archive.answer(&path)? {
            pictures.push(Picture { diagram: DiagramId(diagram), job, own_job: new_uuid()?, png });
        }
    }
    Ok(pictures)
}
