//! Which diagrams changed since a project was archived.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::contents::Ids;
use super::download::Download;
use super::old_archive::{OldAnswer, OldArchive};
use super::rebuild;
use crate::client::watch::Missed;
use crate::client::{Error, Project, Result};
use crate::model::operations::{CHANGE_ID, DIAGRAMS, SYSTEM, TAGS};
use crate::model::{DiagramId, SystemDetail, SystemId, Tag};

/// The diagrams of a project, compared with those of an archive.
#[derive(Debug, Default)]
pub struct ChangedDiagrams {
    pub added: BTreeSet<DiagramId>,
    pub changed: BTreeSet<DiagramId>,
    pub removed: BTreeSet<DiagramId>,
}

impl ChangedDiagrams {
    /// The answers about the project and its systems have been read. Change ids are asked for where neither these nor the service's
    /// events tell.
    pub async fn find(
        project: &Project,
        download: &mut Download<'_>,
        old: &OldArchive,
        ids: &Ids,
        missed: Option<&Missed>,
    ) -> Result<Self> {
        let list = DIAGRAMS.at(project.in_project());
        let old_list = old.read(&list).await?.and_then(OldAnswer::ok).unwrap_or_default();
        let old_items: HashMap<i64, &str> = rebuild::items(&old_list).unwrap_or_default().into_iter().collect();
        let list = download.answers().get(&list.path).cloned().unwrap_or_default();
        let items: HashMap<i64, &str> = rebuild::items(&list).unwrap_or_default().into_iter().collect();

        let mut found = ChangedDiagrams::default();
        let mut unclear = BTreeSet::new();
        let is_restyled = restyled_systems(project, download, old, ids).await?;
        for &id in &ids.diagrams {
            match (old_items.get(&id.0), items.get(&id.0)) {
                (None, _) => drop(found.added.insert(id)),
                (old_item, item) if is_restyled || old_item != item => drop(found.changed.insert(id)),
                _ => drop(unclear.insert(id)),
            }
        }
        found.removed = old_items.into_keys().map(DiagramId).filter(|id| !items.contains_key(&id.0)).collect();
        for id in retagged(project, download, old).await? {
            if unclear.remove(&id) {
                found.changed.insert(id);
            }
        }
        if let Some(missed) = missed {
            found.changed.extend(unclear.intersection(&missed.diagrams));
        } else {
            found.changed.extend(with_other_change_ids(project, download, old, unclear).await?);
        }
        Ok(found)
    }

    /// The diagrams that are to be downloaded.
    pub fn to_download(&self) -> impl Iterator<Item = DiagramId> + '_ {
        self.added.iter().chain(&self.changed).copied()
    }

    pub fn contains(&self, id: DiagramId) -> bool {
        self.added.contains(&id) || self.changed.contains(&id) || self.removed.contains(&id)
    }
}

/// Whether a system has another name or colour than before: features of diagrams have them too.
async fn restyled_systems(project: &Project, download: &Download<'_>, old: &OldArchive, ids: &Ids) -> Result<bool> {
    let style = |system: SystemDetail| (system.item.name, system.item.color, system.tag);
    let read = |content: &[u8]| serde_json::from_slice(content).map(style).ok();
    let mut styles: BTreeMap<SystemId, _> = BTreeMap::new();
    for &id in &ids.systems {
        let endpoint = SYSTEM.at(project.in_system(id));
        let now = download.answers().get(&endpoint.path).and_then(|content| read(content));
        let before = old.read(&endpoint).await?.and_then(|answer| read(&answer.ok()?));
        styles.insert(id, (before, now));
    }
    Ok(styles.values().any(|(before, now)| before != now))
}

/// Diagrams that have other tags than before, or a tag with another name or code.
async fn retagged(project: &Project, download: &Download<'_>, old: &OldArchive) -> Result<BTreeSet<DiagramId>> {
    let endpoint = TAGS.at(project.in_project());
    let read = |content: &[u8]| serde_json::from_slice::<Vec<Tag>>(content).unwrap_or_default();
    let now = download.answers().get(&endpoint.path).map(|content| read(content)).unwrap_or_default();
    let before = old.read(&endpoint).await?.and_then(|answer| Some(read(&answer.ok()?))).unwrap_or_default();
    let by_id = |tags: Vec<Tag>| tags.into_iter().map(|tag| (tag.id.clone(), tag)).collect::<BTreeMap<_, _>>();
    let (mut before, now) = (by_id(before), by_id(now));
    let mut retagged = BTreeSet::new();
    for (id, mut tag) in now {
        let diagrams: BTreeSet<DiagramId> = std::mem::take(&mut tag.diagrams).into_iter().collect();
        match before.remove(&id) {
            Some(mut old_tag) => {
                let old_diagrams = std::mem::take(&mut old_tag.diagrams).into_iter().collect();
                match tag == old_tag {
                    true => retagged.extend(diagrams.symmetric_difference(&old_diagrams)),
                    false => retagged.extend(diagrams.union(&old_diagrams)),
                }
            }
            None => retagged.extend(diagrams),
        }
    }
    retagged.extend(before.into_values().flat_map(|tag| tag.diagrams));
    Ok(retagged)
}

/// Those of the diagrams whose change ids are others than before, or unknown.
async fn with_other_change_ids(
    project: &Project,
    download: &mut Download<'_>,
    old: &OldArchive,
    diagrams: BTreeSet<DiagramId>,
) -> Result<Vec<DiagramId>> {
    let one = |project: Project, id| async move {
        let endpoint = CHANGE_ID.at(project.in_diagram(id));
        match project.client().transport.read(&endpoint).await {
            Ok(content) => Ok((id, Some(content))),
            Err(Error::Api { status: 403 | 404, .. }) => Ok((id, None)),
            Err(error) => Err(error),
        }
    };
    let mut changed = Vec::new();
    for (id, change_id) in project.for_each(diagrams.into_iter().collect(), one, || {}).await? {
        let traffic = download.traffic();
        traffic.downloaded += 1;
        traffic.bytes += change_id.as_ref().map_or(0, |content| content.len() as u64);
        let before = old.read(&CHANGE_ID.at(project.in_diagram(id))).await?.and_then(OldAnswer::ok);
        if change_id.is_none() || change_id != before {
            changed.push(id);
        }
    }
    Ok(changed)
}

/// The diagrams whose features are in an answer: a FeatureCollection, a list of feature-JSON, or a list of ids.
pub fn diagrams_in(content: &[u8]) -> Option<BTreeSet<DiagramId>> {
    let content: Value = serde_json::from_slice(content).ok()?;
    let features = content.get("geojson").unwrap_or(&content).get("features").unwrap_or(&content).as_array()?;
    let id = |feature: &Value| {
        let fields = feature.get("properties").or_else(|| feature.get("attributes"))?;
        fields.get("diagramid")?.as_i64().map(DiagramId)
    };
    features.iter().map(id).collect()
}
