//! Brings an archive up to date and downloads what changed only.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use bytes::Bytes;

use super::changed_diagrams::{ChangedDiagrams, diagrams_in};
use super::contents::{self, Ids, Wanted};
use super::download::{ArchiveOptions, Download, MAX_ATTEMPTS, Traffic, changes_too_often};
use super::old_archive::{OldAnswer, OldArchive};
use super::rebuild::{self, ItemOf};
use crate::archive::{ArchiveError, Manifest};
use crate::blocking;
use crate::client::http::Tagged;
use crate::client::{Progress, Project, Result};
use crate::model::DiagramId;
use crate::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, BOUNDARIES, CONSTRAINTS, DESIGN, DESIGN_DETAILS, DESIGN_DIAGRAM_IDS, DIAGRAM,
    DIAGRAM_TAG_CODES, DIAGRAM_TAGS, DIAGRAMS, EVALUATION, Endpoint, GENERATE_THUMBNAILS, HISTORY, SECOND_BOUNDARIES,
    SYSTEM, TAGS,
};

/// Where only things of these kinds changed, maps are what they were, and so are selections but for the diagrams in them.
const QUIET: [&str; 6] = ["diagram", "tag", "design", "team", "layer", "stakeholder"];
/// The newest entries of the history that are read to find those that are new.
const NEW_HISTORY_ENTRIES: [usize; 2] = [25, 250];

/// What changed since an archive was written, and what it took to bring it up to date.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncReport {
    pub added: Vec<DiagramId>,
    pub changed: Vec<DiagramId>,
    pub removed: Vec<DiagramId>,
    pub traffic: Traffic,
}

impl Project {
    /// Brings an archive of the project up to date: the file has then what a new archive would have, and only what changed is
    /// downloaded. Without such a file, the project is archived. If diagrams, systems, members or teams come or go meanwhile, the
    /// project is read anew, three times at most; until the archive is whole, the old file stays as it is.
    pub async fn sync(&self, path: &Path, progress: &impl Progress) -> Result<SyncReport> {
        if !path.try_exists().map_err(|source| ArchiveError::Open { path: path.to_owned(), source })? {
            return self.first_archive(path, progress).await;
        }
        let old = OldArchive::open(self, path).await?;
        let mut traffic = Traffic::default();
        for _ in 0..MAX_ATTEMPTS {
            let mut sync =
                Sync { project: self, old: &old, download: Download::new(self, path, Some(old.clone())).await? };
            if old.changeid().is_some_and(|before| sync.download.changeid() == Some(before)) {
                // Nothing changed: the file is what a new one would be.
                traffic.kept = (old.manifest().members.len() + old.manifest().refused.len()) as u64;
                return Ok(SyncReport { traffic, ..SyncReport::default() });
            }
            let (ids, diagrams) = sync.read_all(progress).await?;
            let is_current = !sync.download.changed_meanwhile().await?;
            let Traffic { downloaded, kept, bytes } = *sync.download.traffic();
            traffic = Traffic { downloaded: traffic.downloaded + downloaded, kept, bytes: traffic.bytes + bytes };
            if is_current {
                sync.download.finish(&ids).await?;
                let ChangedDiagrams { added, changed, removed } = diagrams;
                let [added, changed, removed] = [added, changed, removed].map(|ids| ids.into_iter().collect());
                return Ok(SyncReport { added, changed, removed, traffic });
            }
        }
        Err(changes_too_often())
    }

    async fn first_archive(&self, path: &Path, progress: &impl Progress) -> Result<SyncReport> {
        let Manifest { members, refused, .. } = self.archive(path, ArchiveOptions::default(), progress).await?;
        let diagrams = Project::open_archive(path)?.diagram_summaries().await?;
        Ok(SyncReport {
            added: diagrams.into_iter().map(|diagram| diagram.id).collect(),
            traffic: Traffic {
                downloaded: (members.len() + refused.len()) as u64,
                kept: 0,
                bytes: members.values().map(|member| member.size).sum(),
            },
            ..SyncReport::default()
        })
    }
}

struct Sync<'p> {
    project: &'p Project,
    old: &'p OldArchive,
    download: Download<'p>,
}

impl Sync<'_> {
    async fn read_all(&mut self, progress: &impl Progress) -> Result<(Ids, ChangedDiagrams)> {
        let at = || self.project.in_project();
        let lists = [ALL_DIAGRAMS.at(at()), ALL_DIAGRAM_DETAILS.at(at())];
        let (history, tags) = (HISTORY.at(at()), TAGS.at(at()));
        let thumbnails = self.old.read(&GENERATE_THUMBNAILS.at(at())).await?.is_some();

        let missed = match (self.old.last_event(), self.download.last_event()) {
            (Some(before), Some(now)) => self.project.missed_between(before, now).await,
            _ => None,
        };
        let is_quiet =
            missed.as_ref().is_some_and(|missed| missed.kinds.iter().all(|kind| QUIET.contains(&kind.as_str())));

        let mut of_project = contents::of_project(self.project, thumbnails);
        of_project.retain(|wanted| !lists.contains(&wanted.endpoint) && wanted.endpoint != history);
        of_project.iter_mut().filter(|wanted| wanted.endpoint == tags).for_each(|wanted| wanted.has_ids = true);
        if is_quiet {
            let maps = [BOUNDARIES.at(at()), SECOND_BOUNDARIES.at(at()), CONSTRAINTS.at(at())];
            let kept = of_project.extract_if(.., |wanted| maps.contains(&wanted.endpoint)).collect();
            of_project.extend(self.keep(kept).await?);
        }
        self.download.read(of_project, &|| {}).await?;
        let ids = self.download.read_ids().await?;
        let systems = ids.systems.iter().map(|&system| SYSTEM.at(self.project.in_system(system)));
        let systems: Vec<Endpoint> = systems.collect();
        let mut of_systems = contents::of_systems(self.project, &ids);
        of_systems.iter_mut().for_each(|wanted| wanted.has_ids = systems.contains(&wanted.endpoint));
        if is_quiet {
            let maps = ids.systems.iter().map(|&system| EVALUATION.at(self.project.in_system(system)));
            let maps: Vec<Endpoint> = maps.collect();
            let kept = of_systems.extract_if(.., |wanted| maps.contains(&wanted.endpoint)).collect();
            of_systems.extend(self.keep(kept).await?);
        }
        self.download.read(of_systems, &|| {}).await?;
        self.read_history(history).await?;

        let diagrams = ChangedDiagrams::find(self.project, &mut self.download, self.old, &ids, missed.as_ref()).await?;
        let of_diagrams = diagrams.to_download().flat_map(|id| contents::of_diagram(self.project, id));
        let mut wanted: Vec<Wanted> = of_diagrams.collect();
        for wanted in &mut wanted {
            // The lists of all diagrams are made of them.
            wanted.has_ids = true;
        }
        let selections = contents::of_members(self.project, &ids);
        // A diagram that was brought back is in the selections again that had it.
        let is_kept = is_quiet && diagrams.added.is_empty();
        wanted.extend(if is_kept { self.keep_without(selections, &diagrams).await? } else { selections });
        if thumbnails {
            wanted.extend(self.download.thumbnails()?);
        }
        progress.expect(wanted.len());
        self.download.read(wanted, &|| progress.advance()).await?;
        self.read_designs(&ids, &diagrams).await?;
        self.keep_diagrams(&ids, &diagrams).await?;
        for (list, item_of) in lists.into_iter().zip([rebuild::whole as ItemOf, rebuild::without_features]) {
            self.rebuild_list(list, item_of, &ids).await?;
        }
        Ok((ids, diagrams))
    }

    /// Entries of the history do not change, so only new ones are read.
    async fn read_history(&mut self, history: Endpoint) -> Result<()> {
        let wanted = contents::one_list(history);
        if let Some(old) = self.old_content(&wanted.endpoint).await? {
            for count in NEW_HISTORY_ENTRIES {
                let page = wanted.endpoint.with_query(format!("page_size={count}"));
                let Ok(Some(page)) = self.project.client().transport.read_if_changed(&page, None).await else { break };
                let traffic = self.download.traffic();
                traffic.downloaded += 1;
                traffic.bytes += page.content.len() as u64;
                let total = page.total;
                if let Some(content) = total.and_then(|total| rebuild::prepend(&page.content, &old, total)) {
                    return self.download.add_answer(wanted, Tagged { content, etag: None, total: None }).await;
                }
            }
        }
        self.download.read(vec![wanted], &|| {}).await
    }

    /// A design is as it was if it has the same diagrams, and none of them changed.
    async fn read_designs(&mut self, ids: &Ids, changed: &ChangedDiagrams) -> Result<()> {
        let mut of_designs = contents::of_designs(self.project, ids);
        let mut always = Vec::new();
        for (team, design) in &ids.designs {
            let at = || self.project.in_design(*team, design);
            always.extend([DESIGN_DIAGRAM_IDS.at(at()), DESIGN_DETAILS.at(at())]);
        }
        let is_asked = |wanted: &Wanted| always.contains(&wanted.endpoint);
        let asked: Vec<Wanted> = of_designs.extract_if(.., |wanted| is_asked(wanted)).collect();
        let asked = asked.into_iter().map(|wanted| Wanted { has_ids: true, ..wanted }).collect();
        self.download.read(asked, &|| {}).await?;

        let mut unchanged = BTreeSet::new();
        for (team, design) in &ids.designs {
            let at = || self.project.in_design(*team, design);
            let list = DESIGN_DIAGRAM_IDS.at(at());
            let before = self.old_content(&list).await?;
            let features = self.old_content(&DESIGN.at(at())).await?;
            let diagrams = features.and_then(|features| diagrams_in(&features));
            let has_same = before.is_some() && before.as_ref() == self.download.answers().get(&list.path);
            if has_same && diagrams.is_some_and(|diagrams| !diagrams.into_iter().any(|id| changed.contains(id))) {
                unchanged.insert(DESIGN.at(at()).path);
            }
        }
        let is_kept =
            |wanted: &Wanted| unchanged.iter().any(|design| wanted.endpoint.path.starts_with(design.as_str()));
        let kept: Vec<Wanted> = of_designs.extract_if(.., |wanted| is_kept(wanted)).collect();
        let missing = self.keep(kept).await?;
        of_designs.extend(missing);
        self.download.read(of_designs, &|| {}).await
    }

    /// Of diagrams that did not change, only what is told of their tags can be different: the other diagrams of a tag.
    async fn keep_diagrams(&mut self, ids: &Ids, changed: &ChangedDiagrams) -> Result<()> {
        let tags = TAGS.at(self.project.in_project());
        let tags_before = self.old_content(&tags).await?.unwrap_or_default();
        let tags_now = self.download.answers().get(&tags.path).cloned().unwrap_or_default();
        let is_same = tags_before == tags_now;
        let before: HashMap<String, &str> = rebuild::items(&tags_before).unwrap_or_default().into_iter().collect();
        let now: HashMap<String, &str> = rebuild::items(&tags_now).unwrap_or_default().into_iter().collect();
        let (mut kept, mut missing) = (Vec::new(), Vec::new());
        for &id in ids.diagrams.iter().filter(|id| !changed.contains(**id)) {
            let at = || self.project.in_diagram(id);
            let about_tags = [DIAGRAM_TAGS.at(at()), DIAGRAM_TAG_CODES.at(at())];
            for wanted in contents::of_diagram(self.project, id) {
                if is_same || !about_tags.contains(&wanted.endpoint) {
                    kept.push(wanted);
                    continue;
                }
                let old = self.old_content(&wanted.endpoint).await?;
                match old.and_then(|old| rebuild::with_items_of(&old, &before, &now)) {
                    Some(content) => {
                        self.download.traffic().kept += 1;
                        self.download.add_answer(wanted, Tagged { content, etag: None, total: None }).await?;
                    }
                    None => missing.push(wanted),
                }
            }
        }
        missing.extend(self.keep(kept).await?);
        self.download.read(missing, &|| {}).await
    }

    /// Keeps those answers in which no diagram changed; the rest is returned.
    async fn keep_without(&mut self, wanted: Vec<Wanted>, changed: &ChangedDiagrams) -> Result<Vec<Wanted>> {
        let (mut kept, mut missing) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let diagrams = self.old_content(&wanted.endpoint).await?.map(|content| diagrams_in(&content));
            let is_kept = match diagrams {
                Some(diagrams) => diagrams.is_some_and(|diagrams| !diagrams.into_iter().any(|id| changed.contains(id))),
                // It was refused, or is new.
                None => true,
            };
            if is_kept { kept.push(wanted) } else { missing.push(wanted) }
        }
        missing.extend(self.keep(kept).await?);
        Ok(missing)
    }

    /// What the service answered to a request when the project was archived.
    async fn old_content(&self, endpoint: &Endpoint) -> Result<Option<Bytes>> {
        Ok(self.old.read(endpoint).await?.and_then(OldAnswer::ok))
    }

    /// Keeps what the old archive has; the rest is returned.
    async fn keep(&mut self, wanted: Vec<Wanted>) -> Result<Vec<Wanted>> {
        let old = self.old.clone();
        let read = move || {
            let (mut kept, mut missing) = (Vec::<(Endpoint, OldAnswer)>::new(), Vec::new());
            for wanted in wanted {
                match old.read_path(&wanted.endpoint.path)? {
                    Some(answer) => kept.push((wanted.endpoint, answer)),
                    None => missing.push(wanted),
                }
            }
            Ok::<_, ArchiveError>((kept, missing))
        };
        let (kept, missing) = blocking::run(read).await??;
        self.download.keep(kept).await?;
        Ok(missing)
    }

    /// Makes a list of all diagrams out of the answers about each of them, if that is how the old list was made.
    async fn rebuild_list(&mut self, list: Endpoint, item_of: ItemOf, ids: &Ids) -> Result<()> {
        let wanted = contents::one(list);
        let path_of = |project: &Project, id| DIAGRAM.at(project.in_diagram(id)).path;
        let downloaded = |id| self.download.answers().get(&path_of(self.project, id)).cloned();
        let now: Vec<(DiagramId, Option<Bytes>)> = ids.diagrams.iter().map(|&id| (id, downloaded(id))).collect();
        let (old, project, path) = (self.old.clone(), self.project.clone(), wanted.endpoint.path.clone());
        let list_path = DIAGRAMS.at(self.project.in_project()).path;
        let rebuilt = move || -> std::result::Result<Option<Bytes>, ArchiveError> {
            let (Some(Ok(before)), Some(Ok(summaries))) = (old.read_path(&path)?, old.read_path(&list_path)?) else {
                return Ok(None);
            };
            let (Some(before_items), Some(summaries)) =
                (rebuild::items::<DiagramId>(&before), rebuild::items::<DiagramId>(&summaries))
            else {
                return Ok(None);
            };
            let is_in_order = before_items.iter().map(|(id, _)| id).eq(summaries.iter().map(|(id, _)| id));
            let texts = before_items.iter().map(|(_, text)| *text);
            if before_items.is_empty() || !is_in_order || rebuild::list(texts).as_bytes() != before {
                return Ok(None);
            }
            let item = |path: &str| -> std::result::Result<Option<String>, ArchiveError> {
                let Some(Ok(diagram)) = old.read_path(path)? else { return Ok(None) };
                Ok(str::from_utf8(&diagram).ok().and_then(item_of))
            };
            let mut old_items = HashMap::new();
            for (id, text) in before_items {
                match item(&path_of(&project, id))? {
                    Some(made) if made == text => drop(old_items.insert(id, made)),
                    _ => return Ok(None),
                }
            }
            let items = now.iter().map(|(id, content)| match content {
                Some(content) => str::from_utf8(content).ok().and_then(item_of),
                None => old_items.get(id).cloned(),
            });
            let items: Option<Vec<String>> = items.collect();
            Ok(items.map(|items| rebuild::list(items.iter().map(String::as_str)).into()))
        };
        match blocking::run(rebuilt).await?? {
            Some(content) => {
                self.download.traffic().kept += 1;
                self.download.add_answer(wanted, Tagged { content, etag: None, total: None }).await
            }
            None => self.download.read(vec![wanted], &|| {}).await,
        }
    }
}
