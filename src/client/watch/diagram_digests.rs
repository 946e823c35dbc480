//! What all diagrams of a project were when they were last looked at: a digest of each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use super::change::{Change, ChangeAction};
use crate::client::{Project, Result};
use crate::model::DiagramId;
use crate::model::operations::ALL_DIAGRAM_DETAILS;

/// A digest of all fields of each diagram but its features, which cannot be changed.
#[derive(Debug, Default)]
pub struct DiagramDigests(HashMap<DiagramId, u64>);

impl DiagramDigests {
    /// One request for all diagrams.
    pub async fn read(project: &Project) -> Result<Self> {
        let diagrams: Vec<Map<String, Value>> = project.get(ALL_DIAGRAM_DETAILS.at(project.in_project())).await?;
        let id = |diagram: &Map<String, Value>| diagram.get("id").and_then(Value::as_i64).map(DiagramId);
        Ok(DiagramDigests(diagrams.into_iter().filter_map(|fields| Some((id(&fields)?, digest(fields)))).collect()))
    }

    /// Notes what a diagram is now.
    pub fn set(&mut self, id: DiagramId, fields: Map<String, Value>) {
        self.0.insert(id, digest(fields));
    }

    pub fn remove(&mut self, id: DiagramId) {
        self.0.remove(&id);
    }

    /// What happened from these to those.
    pub fn changes_to(&self, now: &DiagramDigests) -> Vec<Change> {
        let mut changes = Vec::new();
        for (&id, digest) in &now.0 {
            match self.0.get(&id) {
                None => changes.push(Change::of_diagram(ChangeAction::Added, id)),
                Some(before) if before != digest => changes.push(Change::of_diagram(ChangeAction::Changed, id)),
                Some(_) => {}
            }
        }
        let removed = self.0.keys().filter(|id| !now.0.contains_key(id));
        changes.extend(removed.map(|&id| Change::of_diagram(ChangeAction::Removed, id)));
        changes.sort_by_key(Change::diagram);
        changes
    }
}

fn digest(mut fields: Map<String, Value>) -> u64 {
    fields.shift_remove("geojson");
    let mut hasher = DefaultHasher::new();
    fields.sort_keys();
    Value::Object(fields).to_string().hash(&mut hasher);
    hasher.finish()
}
