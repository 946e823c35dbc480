//! Which diagrams to select or to price.

use pyo3::prelude::*;

use super::ids::DiagramIds;
use crate::client::{CostSelection, SelectionKind};
use crate::model::{DesignId, DiagramKind, SystemId, TeamId, Username};
use crate::python::convert::errors::input_error;

/// What of a member's selection to ask for. The service divides it by kind only within a system.
pub fn selection_kind(system: Option<SystemId>, kind: Option<DiagramKind>) -> PyResult<SelectionKind> {
    match (system, kind) {
        (Some(system), kind) => Ok(SelectionKind::InSystem(system, kind)),
        (None, None) => Ok(SelectionKind::Everywhere),
        (None, Some(_)) => Err(input_error("kind= is asked of one system: give system= too")),
    }
}

/// Which diagrams to price: at most one way of choosing.
pub fn cost_selection(
    member: Option<Username>,
    team: Option<TeamId>,
    design: Option<DesignId>,
    diagrams: Option<DiagramIds>,
) -> PyResult<CostSelection> {
    match (member, team, design, diagrams) {
        (None, None, None, None) => Ok(CostSelection::All),
        (Some(member), None, None, None) => Ok(CostSelection::Member(member)),
        (None, Some(team), Some(design), None) => Ok(CostSelection::Design(team, design)),
        (None, None, None, Some(DiagramIds(ids))) => Ok(CostSelection::Diagrams(ids)),
        (None, Some(_), None, None) => {
            Err(input_error("team= needs design= too: a team has several designs; Project.designs(team) lists them"))
        }
        (None, None, Some(_), None) => Err(input_error("design= needs team= too: a design belongs to a team")),
        _ => Err(input_error("give one of member=, team= with design=, or diagrams=, not several")),
    }
}
