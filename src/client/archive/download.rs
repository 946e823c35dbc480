//! Fills an archive with the answers of a service.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::answer::{Answer, answer, count_items, read};
use super::contents::{self, Answers, Ids, Wanted};
use super::old_archive::OldArchive;
use crate::archive::{ArchiveWriter, FORMAT, FORMAT_VERSION, Manifest, Member, MemberName, member_name};
use crate::blocking;
use crate::client::http::{CONCURRENCY, Tagged};
use crate::client::{Error, Progress, Project, Result};
use crate::model::operations::{Endpoint, GENERATE_THUMBNAILS};
use crate::model::{JsonObject, ThumbnailJobs};

/// How often a project is read anew that changes while it is read.
pub const MAX_ATTEMPTS: usize = 3;

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
            let mut download = Download::new(self, path, None).await?;
            let ids = download.read_all(options, progress).await?;
            if !download.changed_meanwhile().await? {
                return download.finish(&ids).await;
            }
        }
        Err(changes_too_often())
    }
}

/// An archive that is being filled.
pub struct Download<'p> {
    project: &'p Project,
    old: Option<OldArchive>,
    /// `None` only while a thread writes.
    writer: Option<ArchiveWriter>,
    members: BTreeMap<String, Member>,
    refused: BTreeMap<String, u16>,
    etags: BTreeMap<String, String>,
    /// The change id of the project, and the id of its last event, before anything else was read.
    changeid: Option<String>,
    last_event: Option<String>,
    /// The answers that later steps need.
    answers: Answers,
    traffic: Traffic,
}

/// How much was downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Answers that the service sent.
    pub downloaded: u64,
    /// Members that are as they were.
    pub kept: u64,
    /// The bytes of the answers, after decompression and without headers.
    pub bytes: u64,
}

impl<'p> Download<'p> {
    /// With an old archive, only what has another tag is downloaded.
    pub async fn new(project: &'p Project, path: &Path, old: Option<OldArchive>) -> Result<Self> {
        let version = project.version().await;
        let (changeid, last_event) = version.map(|version| (version.changeid, version.last_event)).unzip();
        let changeid = match changeid.flatten() {
            Some(changeid) => Some(changeid),
            None => project.service_change_id().await?,
        };
        Ok(Download {
            project,
            old,
            writer: Some(ArchiveWriter::create(path)?),
            members: BTreeMap::new(),
            refused: BTreeMap::new(),
            etags: BTreeMap::new(),
            changeid,
            last_event,
            answers: Answers::new(),
            traffic: Traffic::default(),
        })
    }

    pub fn traffic(&mut self) -> &mut Traffic {
        &mut self.traffic
    }

    pub fn changeid(&self) -> Option<&str> {
        self.changeid.as_deref()
    }

    /// The id of the last event of the project before anything else was read.
    pub fn last_event(&self) -> Option<&str> {
        self.last_event.as_deref()
    }

    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    async fn read_all(&mut self, options: ArchiveOptions, progress: &impl Progress) -> Result<Ids> {
        let of_project = contents::of_project(self.project, options.thumbnails);
        let before = of_project.len();
        self.read(of_project, &|| {}).await?;
        let ids = self.read_ids().await?;
        let mut of_ids = contents::of_ids(self.project, &ids);
        if options.thumbnails {
            of_ids.extend(self.thumbnails()?);
        }
        progress.expect(before + of_ids.len());
        (0..before).for_each(|_| progress.advance());
        self.read(of_ids, &|| progress.advance()).await?;
        Ok(ids)
    }

    /// The ids in the answers about the project, which have been read, and in those about the teams, which are read now.
    pub async fn read_ids(&mut self) -> Result<Ids> {
        let mut ids = Ids::in_project(self.project, &self.answers)?;
        self.read(contents::of_teams(self.project, &ids), &|| {}).await?;
        ids.add_designs(self.project, &self.answers)?;
        Ok(ids)
    }

    /// Reads answers, several at the same time, and writes them as they come.
    pub async fn read(&mut self, wanted: Vec<Wanted>, advance: &impl Fn()) -> Result<()> {
        // More than are under way, so that there are always further ones to send while those that came are written.
        let limit = 4 * self.project.client().config().max_concurrency.unwrap_or(CONCURRENCY);
        let mut wanted = wanted.into_iter();
        let mut running = JoinSet::new();
        loop {
            for wanted in wanted.by_ref().take(limit - running.len()) {
                let (project, old) = (self.project.clone(), self.old.clone());
                running.spawn(async move { (answer(&project, &wanted, old.as_ref()).await, wanted) });
            }
            let Some(first) = running.join_next().await else { return Ok(()) };
            // All that are there are written at once: each time, another thread has to wake up.
            let others = std::iter::from_fn(|| running.try_join_next());
            let mut members = Vec::new();
            for done in std::iter::once(first).chain(others) {
                let (answer, wanted) = done?;
                members.extend(self.member(wanted, answer?));
                advance();
            }
            self.write(members).await?;
        }
    }

    /// The member for an answer, to be written. `None` for one that the service refused.
    fn member(&mut self, wanted: Wanted, answer: Answer) -> Option<(MemberName, Bytes)> {
        let answer = match answer {
            Answer::New(answer) => {
                self.traffic.downloaded += 1;
                self.traffic.bytes += answer.content.len() as u64;
                answer
            }
            Answer::Unchanged(answer) => {
                self.traffic.kept += 1;
                answer
            }
            Answer::Refused(status) => {
                self.traffic.downloaded += 1;
                self.refused.insert(self.name(&wanted.endpoint).to_string(), status);
                return None;
            }
        };
        Some(self.member_of(wanted, answer))
    }

    /// Adds a member that has not been downloaded as it is.
    pub async fn add_answer(&mut self, wanted: Wanted, answer: Tagged) -> Result<()> {
        let member = self.member_of(wanted, answer);
        self.write(vec![member]).await
    }

    fn member_of(&mut self, Wanted { endpoint, has_ids, .. }: Wanted, answer: Tagged) -> (MemberName, Bytes) {
        let name = self.name(&endpoint);
        if has_ids {
            self.answers.insert(endpoint.path, answer.content.clone());
        }
        self.etags.extend(answer.etag.map(|etag| (name.to_string(), etag)));
        (name, answer.content)
    }

    /// Adds members that the service was not asked for, and requests that it refused before.
    pub async fn keep(&mut self, kept: Vec<(Endpoint, std::result::Result<Bytes, u16>)>) -> Result<()> {
        self.traffic.kept += kept.len() as u64;
        let mut members = Vec::new();
        for (endpoint, answer) in kept {
            let name = self.name(&endpoint);
            match answer {
                Ok(content) => members.push((name, content)),
                Err(status) => drop(self.refused.insert(name.to_string(), status)),
            }
        }
        self.write(members).await
    }

    fn name(&self, endpoint: &Endpoint) -> MemberName {
        member_name(self.project.id().as_str(), &endpoint.path).expect("every path of the project is a name")
    }

    /// Compresses on a thread where no request waits.
    async fn write(&mut self, contents: Vec<(MemberName, Bytes)>) -> Result<()> {
        let mut writer = self.writer.take().expect("only one thread writes at a time");
        let write = move || {
            let mut written = Vec::new();
            for (name, content) in contents {
                match writer.add(&name, &content) {
                    Ok(member) => written.push((name.to_string(), member)),
                    Err(error) => return (writer, Err(error)),
                }
            }
            (writer, Ok(written))
        };
        let (writer, written) = blocking::run(write).await?;
        self.writer = Some(writer);
        self.members.extend(written?);
        Ok(())
    }

    /// Whether diagrams, systems, members or teams are others than when they were read first.
    pub async fn changed_meanwhile(&self) -> Result<bool> {
        for wanted in contents::with_ids(self.project) {
            let name = self.name(&wanted.endpoint);
            // With its tag, a service answers in full only if it is another.
            let etag = self.etags.get(name.as_str()).map(String::as_str);
            let before = self.answers.get(&wanted.endpoint.path);
            let known_items = before.map_or(0, |items| count_items(items));
            let now = read(self.project, &wanted, etag, known_items).await?;
            if now.is_some_and(|now| Some(&now.content) != before) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub async fn finish(self, ids: &Ids) -> Result<Manifest> {
        let manifest = Manifest {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            projectid: self.project.id().clone(),
            source: self.project.client().root().to_owned(),
            created_at: Timestamp::now().to_string(),
            counts: ids.counts(),
            members: self.members,
            refused: self.refused,
            etags: self.etags,
            changeid: self.changeid,
            last_event: self.last_event,
            extra: JsonObject::default(),
        };
        let writer = self.writer.expect("no member is being written");
        blocking::run(move || writer.finish(&manifest).map(|()| manifest)).await?.map_err(Error::from)
    }

    /// The requests for the pictures that the service has drawn.
    pub fn thumbnails(&self) -> Result<Vec<Wanted>> {
        let generate = GENERATE_THUMBNAILS.at(self.project.in_project());
        if !self.answers.contains_key(&generate.path) {
            return Ok(Vec::new());
        }
        let jobs: ThumbnailJobs = contents::decode(&self.answers, &generate)?;
        let image = |url: &String| {
            let (_, endpoint) = self.project.thumbnail_result(&generate, url)?;
            Ok(contents::one(endpoint))
        };
        jobs.results_url.iter().map(image).collect()
    }
}

pub fn changes_too_often() -> Error {
    Error::Input(format!(
        "the project changed each of the {MAX_ATTEMPTS} times that it was read; archive it again when fewer people draw"
    ))
}
