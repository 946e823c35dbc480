//! Quantities of a system, such as homes, people and jobs: what its projects bring for each hectare, square metre of floor, or piece.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The quantities of a system, by name.
pub type Quantities = BTreeMap<String, Quantity>;

/// A quantity that the projects of a system bring.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Quantity {
    /// The amount for each unit; it may be negative.
    pub amount: f64,
    /// The unit that the amount is for.
    pub per: QuantityUnit,
    /// The amount that the system should reach. Absent if it has no target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
}

/// The unit that an amount is for: a hectare of land, a square metre of floor, or a piece of a diagram of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum QuantityUnit {
    Hectare,
    FloorM2,
    Piece,
}

impl QuantityUnit {
    /// The unit in words.
    pub fn in_words(self) -> &'static str {
        match self {
            QuantityUnit::Hectare => "hectare",
            QuantityUnit::FloorM2 => "m² of floor",
            QuantityUnit::Piece => "piece",
        }
    }
}

/// Maximum number of a system's quantities.
pub const MAX_QUANTITIES: usize = 20;
/// Maximum number of characters in a quantity's name.
pub const MAX_QUANTITY_NAME: usize = 40;

/// An unfit quantity.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidQuantity {
    #[error(
        "{0:?} is no name for a quantity: give a short name on one line, such as homes, of at most {MAX_QUANTITY_NAME} characters"
    )]
    Name(String),
    #[error("the {of} of the quantity {name:?} is {value}; it must be {wanted}")]
    Figure { name: String, of: &'static str, value: f64, wanted: &'static str },
    #[error("{0} quantities are given; a system has at most {MAX_QUANTITIES}")]
    TooMany(usize),
}

/// Checks the quantities of a system.
pub fn check_quantities<'q>(
    quantities: impl IntoIterator<Item = (&'q String, Option<&'q Quantity>)>,
) -> Result<(), InvalidQuantity> {
    let mut count = 0;
    for (name, quantity) in quantities {
        check_name(name)?;
        let Some(&Quantity { amount, target, .. }) = quantity else { continue };
        count += 1;
        let figure = |of, value, wanted| InvalidQuantity::Figure { name: name.clone(), of, value, wanted };
        if !amount.is_finite() {
            return Err(figure("amount", amount, "a number"));
        }
        if let Some(target) = target.filter(|target| !target.is_finite() || *target <= 0.0) {
            return Err(figure("target", target, "a number above 0; leave it out for none"));
        }
    }
    if count > MAX_QUANTITIES { Err(InvalidQuantity::TooMany(count)) } else { Ok(()) }
}

fn check_name(name: &str) -> Result<(), InvalidQuantity> {
    let is_short = name.chars().count() <= MAX_QUANTITY_NAME && !name.chars().any(char::is_control);
    let is_name = is_short && !name.is_empty() && name.trim() == name;
    if is_name { Ok(()) } else { Err(InvalidQuantity::Name(name.to_owned())) }
}

/// Puts new quantities in place of those with the same names. A quantity that is `None` is taken out.
pub fn with_quantities(mut quantities: Quantities, new: &BTreeMap<String, Option<Quantity>>) -> Quantities {
    for (name, quantity) in new {
        match quantity {
            Some(quantity) => quantities.insert(name.clone(), *quantity),
            None => quantities.remove(name),
        };
    }
    quantities
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(name: &str, amount: f64, target: Option<f64>) -> Result<(), InvalidQuantity> {
        let quantity = Quantity { amount, per: QuantityUnit::FloorM2, target };
        check_quantities([(&name.to_owned(), Some(&quantity))])
    }

    #[test]
    fn an_amount_may_be_negative_and_a_target_may_not() {
        assert_eq!(checked("homes", 0.01, Some(300.0)), Ok(()));
        assert_eq!(checked("carbon", -12.5, None), Ok(()));
        for target in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(checked("homes", 0.01, Some(target)).is_err(), "{target}");
        }
    }

    #[test]
    fn a_name_is_short_and_on_one_line() {
        let long = "é".repeat(MAX_QUANTITY_NAME);
        assert_eq!(checked(&long, 1.0, None), Ok(()));
        for name in ["", " homes", "homes\n", &format!("{long}é")] {
            assert!(checked(name, 1.0, None).is_err(), "{name:?}");
        }
    }

    #[test]
    fn quantities_that_an_edit_leaves_out_stay() {
        let quantity = |amount| Quantity { amount, per: QuantityUnit::Hectare, target: None };
        let before = Quantities::from([("homes".to_owned(), quantity(1.0)), ("jobs".to_owned(), quantity(2.0))]);
        let edit = BTreeMap::from([("jobs".to_owned(), None), ("trees".to_owned(), Some(quantity(3.0)))]);
        let after = with_quantities(before, &edit);
        assert_eq!(after.into_keys().collect::<Vec<_>>(), ["homes", "trees"]);
    }
}
