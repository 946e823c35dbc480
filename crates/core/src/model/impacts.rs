//! Impacts of a system on the other ones: a row of the project's matrix. Impact *maps* are something else: see [`super::maps`].

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::ids::SystemId;

/// Effects of a system's projects on other systems, per hectare: whole numbers from -2 (much worse) to 2 (much better). A system that is
/// absent counts as 0: no effect, or nobody assessed it.
pub type Impacts = BTreeMap<SystemId, i64>;

const SCALE: RangeInclusive<i64> = -2..=2;

/// An unfit cell of the matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidImpact {
    #[error(
        "the impact of {acting} on system {affected} is {impact}; it must be a whole number from -2 (much worse) to 2 (much better)"
    )]
    Scale { acting: String, affected: SystemId, impact: i64 },
    #[error("an impact of {0} on itself is given; leave it out")]
    OnItself(String),
}

/// Checks a row. The acting system has no id before it is added.
pub fn check_impacts(acting: Option<SystemId>, impacts: &Impacts) -> Result<(), InvalidImpact> {
    let name = || acting.map_or_else(|| "the new system".to_owned(), |id| format!("system {id}"));
    impacts.iter().try_for_each(|(&affected, &impact)| match impact {
        0 => Ok(()),
        _ if acting == Some(affected) => Err(InvalidImpact::OnItself(name())),
        impact if SCALE.contains(&impact) => Ok(()),
        impact => Err(InvalidImpact::Scale { acting: name(), affected, impact }),
    })
}

/// Puts new cells into a row. A cell of 0 is taken out.
pub fn with_cells(mut impacts: Impacts, cells: &Impacts) -> Impacts {
    impacts.extend(cells);
    impacts.retain(|_, impact| *impact != 0);
    impacts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[(i64, i64)]) -> Impacts {
        cells.iter().map(|&(id, impact)| (SystemId(id), impact)).collect()
    }

    #[test]
    fn whole_numbers_from_minus_two_to_two_are_impacts() {
        for impact in -4..=4 {
            let checked = check_impacts(Some(SystemId(1)), &row(&[(2, impact)]));
            assert_eq!(checked.is_ok(), impact.abs() <= 2, "{impact}");
        }
    }

    #[test]
    fn a_zero_on_the_diagonal_of_a_table_is_no_impact() {
        assert_eq!(check_impacts(Some(SystemId(1)), &row(&[(1, 0)])), Ok(()));
    }

    #[test]
    fn an_error_names_both_systems() {
        let error = |acting, cells| check_impacts(acting, &row(cells)).unwrap_err().to_string();
        assert!(error(Some(SystemId(1)), &[(2, 0), (3, 5)]).starts_with("the impact of system 1 on system 3 is 5;"));
        assert!(error(None, &[(3, -3)]).starts_with("the impact of the new system on system 3 is -3;"));
        assert_eq!(error(Some(SystemId(1)), &[(1, 2)]), "an impact of system 1 on itself is given; leave it out");
    }

    #[test]
    fn new_cells_replace_old_ones_and_zeros_disappear() {
        let after = with_cells(row(&[(2, -1), (3, 2), (4, 1)]), &row(&[(3, 0), (4, -2), (5, 1)]));
        assert_eq!(after, row(&[(2, -1), (4, -2), (5, 1)]));
    }
}
