//! Storeys of buildings: what is read from `building_data`.

use serde_json::Value;

use super::fields::JsonObject;

/// Storeys of a diagram's buildings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Storeys {
    pub above_ground: u32,
    pub below_ground: u32,
}

/// Maximum storeys above the ground, and below it.
pub const MAX_STOREYS: u32 = 500;
const ABOVE: &str = "storeys_above_ground";
const BELOW: &str = "storeys_below_ground";

/// A number of storeys that no building has.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field} is {value}; it must be a whole number from {least} to {MAX_STOREYS}")]
pub struct InvalidStoreys {
    field: &'static str,
    value: String,
    least: i64,
}

impl Storeys {
    /// The storeys in a `building_data`. `None` if it has none. If one number is missing, it is 0. Storeys below the ground may be
    /// written as a negative number.
    pub fn of(building_data: &JsonObject) -> Result<Option<Self>, InvalidStoreys> {
        let above_ground = storeys(building_data, ABOVE, 0)?;
        let below_ground = storeys(building_data, BELOW, -i64::from(MAX_STOREYS))?;
        Ok(match (above_ground, below_ground) {
            (None, None) => None,
            (above_ground, below_ground) => Some(Storeys {
                above_ground: above_ground.unwrap_or_default(),
                below_ground: below_ground.unwrap_or_default(),
            }),
        })
    }

    /// The same for a text of JSON. Unfit numbers, which other services may have, are none.
    pub fn in_text(building_data: &str) -> Option<Self> {
        // Most diagrams have none.
        let may_have = building_data.contains("storeys_");
        let object = may_have.then(|| serde_json::from_str::<JsonObject>(building_data).ok()).flatten()?;
        Storeys::of(&object).ok().flatten()
    }
}

fn storeys(building_data: &JsonObject, field: &'static str, least: i64) -> Result<Option<u32>, InvalidStoreys> {
    let Some(value) = building_data.0.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
    let whole = value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    match whole.filter(|whole| (least..=i64::from(MAX_STOREYS)).contains(whole)) {
        Some(whole) => Ok(Some(whole.unsigned_abs() as u32)),
        None => Err(InvalidStoreys { field, value: shown(value), least }),
    }
}

fn shown(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: Value) -> Result<Option<(u32, u32)>, InvalidStoreys> {
        let object: JsonObject = serde_json::from_value(value).unwrap();
        Ok(Storeys::of(&object)?.map(|storeys| (storeys.above_ground, storeys.below_ground)))
    }

    #[test]
    fn storeys_below_the_ground_may_be_negative() {
        for below in [-2, 2] {
            let both = of(json!({"storeys_above_ground": 5, "storeys_below_ground": below}));
            assert_eq!(both, Ok(Some((5, 2))));
        }
    }

    #[test]
    fn a_missing_number_is_none_if_both_are_and_0_otherwise() {
        assert_eq!(of(json!({"roof": "green", "storeys_above_ground": null})), Ok(None));
        assert_eq!(of(json!({"storeys_above_ground": 5})), Ok(Some((5, 0))));
        assert_eq!(of(json!({"storeys_below_ground": -1.0})), Ok(Some((0, 1))));
    }

    #[test]
    fn an_error_names_the_field_and_what_it_may_be() {
        for unfit in [json!(-1), json!(2.5), json!("5"), json!(501), json!(true)] {
            let error = of(json!({"storeys_above_ground": unfit})).unwrap_err().to_string();
            assert!(error.starts_with("storeys_above_ground is ") && error.ends_with("from 0 to 500"), "{error}");
        }
        assert!(of(json!({"storeys_below_ground": -501})).unwrap_err().to_string().ends_with("from -500 to 500"));
    }

    #[test]
    fn unfit_storeys_of_other_services_are_none() {
        assert_eq!(Storeys::in_text(r#"{"storeys_above_ground": "five"}"#), None);
        assert_eq!(Storeys::in_text(r#"{"storeys_above_ground": 3}"#).unwrap().above_ground, 3);
    }
}
