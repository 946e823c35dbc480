//! Fills an archive with the answers of a service.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use super::contents::{self, Answers, Ids, Wanted};
use crate::archive::{ArchiveWriter, FORMAT, FORMAT_VERSION, Manifest, Member, MemberName, member_name};
use crate::blocking;
use crate::client::{Error, Progress, Project, Result};
use crate::model::operations::GENERATE_THUMBNAILS;
use crate::model::{JsonObject, ThumbnailJobs};

/// How often a project is read anew that changes while it is read.
const MAX_ATTEMPTS: usize = 3;

/// What an archive holds beside all that can be read as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArchiveOptions {
    /// The pictures of all diagrams.
    pub thumbnails: bool,
}

impl Project {
    /// Downloads all that can be read of the project into one file, which takes its name when it is whole. If diagrams, systems,
    /// members or teams come or go meanwhile, the project is read anew, three times at most.
    pub async fn archive(&self, path: &Path, options: ArchiveOptions, progress: &impl Progress) -> Result<Manifest> {
        for _ in 0..MAX_ATTEMPTS {
            let mut download = Download::new(self, path)?;
            let ids = download.read_all(options, progress).await?;
            if !download.changed_meanwhile().await? {
                return download.finish(&ids).await;
            }
        }
        Err(Error::Input(format!(
            "the project changed each of the {MAX_ATTEMPTS} times that it was read; archive it again when fewer people draw"
        )))
    }
}

/// An archive that is being filled.
struct Download<'p> {
    project: &'p Project,
    /// `None` only while a thread writes.
    writer: Option<ArchiveWriter>,
    members: BTreeMap<String, Member>,
    refused: BTreeMap<String, u16>,
    /// The answers of the first steps, which have the ids for the later ones.
    answers: Answers,
}

/// The answer to a request, or the status with which the service refused it.
type Answer = std::result::Result<Bytes, u16>;

impl<'p> Download<'p> {
    fn new(project: &'p Project, path: &Path) -> Result<Self> {
        let writer = Some(ArchiveWriter::create(path)?);
        Ok(Download { project, writer, members: BTreeMap::new(), refused: BTreeMap::new(), answers: Answers::new() })
    }

    async fn read_all(&mut self, options: ArchiveOptions, progress: &impl Progress) -> Result<Ids> {
        let of_project = contents::of_project(self.project, options.thumbnails);
        let before = of_project.len();
        self.read(of_project, &|| {}).await?;
        let mut ids = Ids::in_project(self.project, &self.answers).map_err(|error| self.unreadable(error))?;
        self.read(contents::of_teams(self.project, &ids), &|| {}).await?;
        ids.add_designs(self.project, &self.answers).map_err(|error| self.unreadable(error))?;
        let mut of_ids = contents::of_ids(self.project, &ids);
        if options.thumbnails {
            of_ids.extend(self.thumbnails()?);
        }
        progress.expect(before + of_ids.len());
        (0..before).for_each(|_| progress.advance());
        self.read(of_ids, &|| progress.advance()).await?;
        Ok(ids)
    }

    /// Reads answers, several at the same time, and writes them as they come.
    async fn read(&mut self, wanted: Vec<Wanted>, advance: &impl Fn()) -> Result<()> {
        // Twice as many as are under way, so that there is always a next one to send.
        let limit = 2 * self.project.client().config().max_concurrency;
        let mut wanted = wanted.into_iter();
        let mut running = JoinSet::new();
        loop {
            for wanted in wanted.by_ref().take(limit - running.len()) {
                let project = self.project.clone();
                running.spawn(async move { (answer(&project, &wanted).await, wanted) });
            }
            let Some(done) = running.join_next().await else { return Ok(()) };
            let (answer, wanted) = done?;
            self.add(wanted, answer?).await?;
            advance();
        }
    }

    async fn add(&mut self, Wanted { endpoint, has_ids, .. }: Wanted, answer: Answer) -> Result<()> {
        let name =
            member_name(self.project.id().as_str(), &endpoint.path).expect("every path of the project is a name");
        let content = match answer {
            Ok(content) => content,
            Err(status) => {
                self.refused.insert(name.to_string(), status);
                return Ok(());
            }
        };
        if has_ids {
            self.answers.insert(endpoint.path, content.clone());
        }
        let member = self.write(name.clone(), content).await?;
        self.members.insert(name.to_string(), member);
        Ok(())
    }

    /// Compresses on a thread where no request waits.
    async fn write(&mut self, name: MemberName, content: Bytes) -> Result<Member> {
        let mut writer = self.writer.take().expect("only one member is written at a time");
        let write = move || {
            let written = writer.add(&name, &content);
            (writer, written)
        };
        let (writer, written) = blocking::run(write).await?;
        self.writer = Some(writer);
        Ok(written?)
    }

    /// Whether diagrams, systems, members or teams are others than when they were read first.
    async fn changed_meanwhile(&self) -> Result<bool> {
        for wanted in contents::with_ids(self.project) {
            let now = answer(self.project, &wanted).await?.ok();
            if now.as_deref() != self.answers.get(&wanted.endpoint.path).map(Bytes::as_ref) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn finish(self, ids: &Ids) -> Result<Manifest> {
        let manifest = Manifest {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            projectid: self.project.id().clone(),
            source: self.project.client().root().to_owned(),
            created_at: Timestamp::now().to_string(),
            counts: ids.counts(),
            members: self.members,
            refused: self.refused,
            extra: JsonObject::default(),
        };
        let writer = self.writer.expect("no member is being written");
        blocking::run(move || writer.finish(&manifest).map(|()| manifest)).await?.map_err(Error::from)
    }

    /// The requests for the pictures that the service has drawn.
    fn thumbnails(&self) -> Result<Vec<Wanted>> {
        let generate = GENERATE_THUMBNAILS.at(self.project.in_project());
        let Some(jobs) = self.answers.get(&generate.path) else { return Ok(Vec::new()) };
        let jobs: ThumbnailJobs = serde_json::from_slice(jobs).map_err(|error| self.unreadable(error))?;
        let image = |url: &String| {
            let (_, endpoint) = self.project.thumbnail_result(&generate, url)?;
            Ok(Wanted { endpoint, is_list: false, has_ids: false })
        };
        jobs.results_url.iter().map(image).collect()
    }

    fn unreadable(&self, error: serde_json::Error) -> Error {
        let request = (&contents::with_ids(self.project)[0].endpoint).into();
        Error::Decode { request, problem: error.to_string(), source: Some(error.into()) }
    }
}

/// The whole answer to a request. Of what the user may not read or what does not exist, the status.
async fn answer(project: &Project, wanted: &Wanted) -> Result<Answer> {
    let transport = &project.client().transport;
    let endpoint = wanted.endpoint.clone();
    let read = match wanted.is_list {
        false if endpoint.path.contains("/thumbnail/") => transport.png(endpoint).await,
        false => transport.read(&endpoint).await,
        true => transport.list::<Box<RawValue>>(endpoint).await.map(|items| join(&items)),
    };
    match read {
        Ok(content) => Ok(Ok(content)),
        Err(Error::Api { status: status @ (403 | 404), .. }) => Ok(Err(status)),
        Err(error) => Err(error),
    }
}

/// The items of all pages as one array, each as the service wrote it.
fn join(items: &[Box<RawValue>]) -> Bytes {
    let items: Vec<&str> = items.iter().map(|item| item.get()).collect();
    format!("[{}]", items.join(",")).into()
}
