//! What Python hands in, as the types that the other rooms want.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::errors::input_error;
use crate::client::SelectionKind;
use crate::costs::CostSelection;
use crate::model::{DesignId, DiagramId, DiagramKind, ProjectId, SystemId, TeamId, Username};

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                object.extract().map($name)
            }
        }
    )*};
}

integers! { DiagramId SystemId TeamId }

macro_rules! texts {
    ($($name:ident)*) => {$(
        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                let text: String = object.extract()?;
                Ok(text.parse::<$name>()?)
            }
        }
    )*};
}

texts! { ProjectId DesignId Username }

/// Diagram ids from anything that can be iterated: a list, a set, a column of a data frame.
pub struct DiagramIds(pub Vec<DiagramId>);

impl FromPyObject<'_, '_> for DiagramIds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let items = object.try_iter().map_err(|_| PyTypeError::new_err("diagram ids are a list of integers"))?;
        items.map(|item| item?.extract()).collect::<PyResult<_>>().map(DiagramIds)
    }
}

/// Which part of a member's selection; only a system divides into kinds.
pub fn selection_kind(system: Option<SystemId>, kind: Option<&str>) -> PyResult<SelectionKind> {
    let kind = kind.map(diagram_kind).transpose()?;
    match (system, kind) {
        (Some(system), kind) => Ok(SelectionKind::InSystem(system, kind)),
        (None, None) => Ok(SelectionKind::Everywhere),
        (None, Some(_)) => Err(input_error("kind= is asked of one system: give system= too")),
    }
}

fn diagram_kind(kind: &str) -> PyResult<DiagramKind> {
    DiagramKind::from_name(kind)
        .ok_or_else(|| input_error(format!("kind {kind:?} is neither \"project\" nor \"policy\"")))
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
