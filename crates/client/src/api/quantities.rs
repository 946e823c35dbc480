//! Quantities of systems, such as homes, people and jobs, by the names of the systems.

use std::collections::BTreeMap;

use crate::reference::among;
use crate::{Error, Project, Result, SystemReference};
use geodesign::model::{Quantities, Quantity, SystemEdit, check_quantities};

/// New quantities of a system, as its user names it. `None` removes one.
pub type GivenQuantities = (SystemReference, BTreeMap<String, Option<Quantity>>);

impl Project {
    /// The quantities of each system, by its name. Systems without quantities are left out.
    pub async fn quantities(&self) -> Result<BTreeMap<String, Quantities>> {
        let systems = self.systems().await?.into_iter();
        let with_quantities = systems.filter(|system| !system.quantities.is_empty());
        Ok(with_quantities.map(|system| (system.item.name, system.quantities)).collect())
    }

    /// Sets quantities of systems. All are checked before any is sent.
    pub async fn set_quantities(&self, given: &[GivenQuantities]) -> Result<()> {
        let systems = self.systems().await?;
        let mut edits = Vec::new();
        for (system, quantities) in given {
            let id = among(system, &systems)?.item.id;
            let named = quantities.iter().map(|(name, quantity)| (name, quantity.as_ref()));
            check_quantities(named).map_err(|problem| Error::input(format!("{system}: {problem}")))?;
            edits.push((id, SystemEdit { quantities: Some(quantities.clone()), ..SystemEdit::default() }));
        }
        for (id, edit) in edits {
            self.edit_system(id, &edit).await?;
        }
        Ok(())
    }
}
