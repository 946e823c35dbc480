//! The matrix of impacts in a setup file: systems and the systems that they act on, by name.

use std::collections::BTreeMap;

use crate::store::{InputError, ProjectKey, Result, Writer};
use geodesign::model::{SystemDetail, SystemEdit, SystemId};

/// For each acting system, whole numbers from -2 (much worse) to 2 (much better) by the system that it acts on.
pub type ImpactsSetup = BTreeMap<String, BTreeMap<String, i64>>;

/// Sets the cells of a matrix. Cells that it leaves out stay as they are.
pub fn set_impacts(write: &Writer, project: ProjectKey, impacts: &ImpactsSetup) -> Result<()> {
    let systems = write.systems(project)?;
    let id = |name: &String| id_of(&systems, name);
    for (acting, row) in impacts {
        let row = row.iter().map(|(affected, &impact)| Ok((id(affected)?, impact))).collect::<Result<_>>()?;
        let edit = SystemEdit { impacts: Some(row), ..SystemEdit::default() };
        edit.check(Some(id(acting)?)).map_err(InputError::Edit)?;
        write.edit_system("set_system", project, id(acting)?, &edit)?;
    }
    Ok(())
}

fn id_of(systems: &[SystemDetail], name: &str) -> Result<SystemId> {
    let found = systems.iter().find(|system| system.item.name == name).map(|system| system.item.id);
    let known = || systems.iter().map(|system| system.item.name.as_str()).collect::<Vec<_>>().join(", ");
    Ok(found.ok_or_else(|| InputError::UnknownSystemName { name: name.to_owned(), known: known() })?)
}
