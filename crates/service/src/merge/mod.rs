//! Brings offline work home: merges an archive of a project's copy into the project.
//!
//! The archive is loaded into a temporary database. Its work is then compared thing by thing with the project's, and with the state that
//! both began with ([`plan`]). Changes that only the archive has are written here ([`apply`]) in one transaction, and recorded, so that the
//! same archive, or a later one of the copy, adds nothing twice.

use std::collections::{BTreeSet, HashSet};

use self::apply::apply;
use self::plan::{Bases, plan};
use crate::store::{Merged, ProjectKey, StoreError, UserKey, Writer};
use geodesign::model::{Activity, MergeOptions, MergeReport, Username, Work, WorkKind, WorkState};

mod apply;
mod plan;
mod sides;

use self::sides::Here;
pub use self::sides::{Copy, MergeError};

/// Merges an archive into a project. `check` refuses changes in activities that are closed to the user.
pub fn merge<E: From<StoreError> + From<MergeError>>(
    write: &Writer,
    project: ProjectKey,
    user: (UserKey, Username),
    copy: &Copy,
    options: MergeOptions,
    check: impl Fn(Activity) -> std::result::Result<(), E>,
) -> std::result::Result<MergeReport, E> {
    let service = write.service_id()?;
    let merged = write.merged(project, &copy.service)?;
    let mut report = MergeReport { dry_run: options.dry_run, complete: true, ..MergeReport::default() };
    if copy.service == service {
        // It holds what this project was.
        return Ok(report);
    }
    if let Some(merged) = merged.as_ref().filter(|merged| merged.created_at > copy.created_at) {
        report.superseded_by = Some(merged.created_at.clone());
        report.complete = merged.complete;
        return Ok(report);
    }
    let origins = write.origins(project)?;
    let (common, between) = common_origin(&service, &origins, copy).ok_or(MergeError::NoCommonOrigin)?;
    let mut states = Vec::new();
    for state in between {
        let merged = state.service.as_deref().map_or(Ok(None), |service| write.merged(project, service))?;
        states.push((&state.work, merged));
    }
    let here = Here::read(write, project, user.0, user.1)?;
    let bases = Bases { common, between: states, merged: merged.as_ref() };
    let mut ids = bases.ids(&copy.work, &here.work);
    let mut planned = plan(copy, &here, &bases, &ids, options.prefer);
    report.complete = planned.open.is_empty();
    if !options.dry_run {
        let activities: BTreeSet<Activity> = planned.steps.iter().flat_map(plan::Step::activities).collect();
        activities.into_iter().try_for_each(check)?;
        apply(write, copy, &here, &mut planned, &mut ids)?;
        report.complete = planned.open.is_empty();
        write.set_merged(project, &kept(copy, &bases, &planned, &ids, report.complete))?;
    }
    report.conflicts = planned.conflicts;
    report.left = planned.left;
    for step in planned.steps {
        let list = match step.action {
            plan::Action::Add => &mut report.added,
            plan::Action::Change | plan::Action::Restore => &mut report.changed,
            plan::Action::Remove => &mut report.removed,
        };
        list.push(step.thing);
    }
    Ok(report)
}

/// The last state that this project and the archive have in common, and the states of the copies in between.
fn common_origin<'o>(service: &str, origins: &'o [WorkState], copy: &'o Copy) -> Option<(&'o Work, &'o [WorkState])> {
    let last_of = |states: &[WorkState], service: &str| {
        states.iter().rposition(|state| state.service.as_deref() == Some(service))
    };
    // A copy of a copy has the same work from the copy in between.
    let is_of_both = |state: &WorkState| origins.contains(state);
    let at = match last_of(&copy.origins, service) {
        Some(at) => at,
        // This project is a copy of the archive's.
        None if let Some(at) = last_of(origins, &copy.service) => return Some((&origins[at].work, &[])),
        None => copy.origins.iter().rposition(is_of_both)?,
    };
    Some((&copy.origins[at].work, &copy.origins[at + 1..]))
}

/// The record that the next merge from the same copy is compared with.
fn kept(copy: &Copy, bases: &Bases, plan: &plan::Plan, ids: &plan::Ids, complete: bool) -> Merged {
    let mut work = bases.merged.map(|merged| merged.work.clone()).unwrap_or_default();
    for (&kind, things) in &copy.work {
        for (id, theirs) in things {
            let Some(id_here) = ids.here(kind, id) else { continue };
            let mut state = ids.translated(kind, theirs);
            let base = bases.of(kind, id, Some(id_here), ids);
            match plan.open.get(&(kind, id.clone())) {
                None => {}
                Some(plan::Open::All) => continue,
                Some(plan::Open::Fields(fields)) => {
                    for field in fields {
                        let before = base.as_ref().and_then(|base| base.get(field)).cloned().unwrap_or_default();
                        state.insert(field.clone(), before);
                    }
                }
            }
            work.entry(kind).or_default().insert(id_here.to_owned(), Some(state));
        }
    }
    // Things known here that the copy removed or never had.
    for (&kind, things) in bases.common {
        for id in things.keys().filter(|id| !copy.work.get(&kind).is_some_and(|theirs| theirs.contains_key(*id))) {
            if !plan.open.contains_key(&(kind, id.clone())) {
                work.entry(kind).or_default().insert(id.clone(), None);
            }
        }
    }
    let known: HashSet<(WorkKind, &str)> = copy
        .work
        .iter()
        .flat_map(|(kind, things)| things.keys().filter_map(|id| Some((*kind, ids.here(*kind, id)?))))
        .collect();
    let earlier = bases.merged.map(|merged| &merged.ids);
    let mut all_ids = earlier.cloned().unwrap_or_default();
    for (kind, ids) in ids.different() {
        all_ids.entry(kind).or_default().extend(ids);
    }
    for (kind, things) in &mut work {
        let renamed = all_ids.get(kind);
        for (id, state) in
            things.iter_mut().filter(|(id, state)| state.is_some() && !known.contains(&(*kind, id.as_str())))
        {
            let in_archive = renamed.and_then(|ids| ids.iter().find(|(_, here)| *here == id)).map_or(id, |(id, _)| id);
            if !plan.open.contains_key(&(*kind, in_archive.clone())) {
                *state = None;
            }
        }
    }
    Merged { service: copy.service.clone(), created_at: copy.created_at.clone(), complete, ids: all_ids, work }
}
