//! Impacts of systems on each other: the rows of all systems as one matrix, by their names.

use std::collections::BTreeMap;

use crate::reference::among;
use crate::{Error, Project, Result, SystemReference};
use geodesign::model::{Impacts, SystemDetail, SystemEdit, SystemId, check_impacts};

/// Whole numbers from -2 (much worse) to 2 (much better), by the name of the acting system and of the system that it acts on.
pub type ImpactMatrix = BTreeMap<String, BTreeMap<String, i64>>;

/// A row of a matrix, as its user names systems.
pub type GivenRow = (SystemReference, Vec<(SystemReference, i64)>);

impl Project {
    /// The impacts of systems on each other, per hectare of the acting system's projects.
    pub async fn impacts(&self) -> Result<ImpactMatrix> {
        let systems = self.systems().await?;
        let names: BTreeMap<SystemId, &str> =
            systems.iter().map(|system| (system.item.id, system.item.name.as_str())).collect();
        let named = |impacts: &Impacts| -> BTreeMap<String, i64> {
            impacts.iter().filter_map(|(id, &impact)| Some(((*names.get(id)?).to_owned(), impact))).collect()
        };
        let rows = systems.iter().map(|system| (system.item.name.clone(), named(&system.impacts)));
        Ok(rows.filter(|(_, row)| !row.is_empty()).collect())
    }

    /// Sets cells of the matrix of impacts. All are checked before any is sent.
    pub async fn set_impacts(&self, matrix: &[GivenRow]) -> Result<()> {
        let systems = self.systems().await?;
        let rows = matrix.iter().map(|row| known_row(row, &systems)).collect::<Result<Vec<_>>>()?;
        for (acting, impacts) in rows {
            let edit = SystemEdit { impacts: Some(impacts), ..SystemEdit::default() };
            self.edit_system(acting, &edit).await?;
        }
        Ok(())
    }
}

fn known_row((acting, row): &GivenRow, systems: &[SystemDetail]) -> Result<(SystemId, Impacts)> {
    let id = |given| Ok::<_, Error>(among(given, systems)?.item.id);
    let impacts = row.iter().map(|(affected, impact)| Ok((id(affected)?, *impact))).collect::<Result<Impacts>>()?;
    let acting = id(acting)?;
    check_impacts(Some(acting), &impacts).map_err(Error::input)?;
    Ok((acting, impacts))
}
