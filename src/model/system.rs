//! Systems: the themes of a project, at most nine. Services write names of fields with or without the prefix `sys`. Both are read;
//! names without it are written.

use serde::{Deserialize, Serialize};

use super::ids::SystemId;
use super::json_object::JsonObject;
use super::numbers::optional_number;

/// A system in the list of a project's systems.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct SystemItem {
    pub id: SystemId,
    #[serde(alias = "sysname")]
    pub name: String,
    /// `#RRGGBB`.
    #[serde(default, alias = "syscolor")]
    pub color: Option<String>,
    #[serde(default)]
    pub verbose_description: Option<String>,
}

/// A system with its cost, budget and areas. Numbers may be absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct SystemDetail {
    #[serde(flatten)]
    pub item: SystemItem,
    /// A short name.
    #[serde(default, alias = "systag")]
    pub tag: Option<String>,
    /// The cost of a project per hectare, or per kilometre where it has only lines.
    #[serde(default, alias = "syscost", deserialize_with = "optional_number")]
    pub cost: Option<f64>,
    #[serde(default, alias = "sysbudget", deserialize_with = "optional_number")]
    pub budget: Option<f64>,
    /// The area of the system today, in hectares.
    #[serde(default, deserialize_with = "optional_number")]
    pub current_ha: Option<f64>,
    /// The area that the system should have, in hectares.
    #[serde(default, deserialize_with = "optional_number")]
    pub target_ha: Option<f64>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn fields_with_the_prefix_sys_are_read_and_written_without_it() {
        let first = json!({"id": 1, "sysname": "Water", "verbose_description": "", "syscolor": "#00f", "systag": "WAT",
            "syscost": 12, "sysbudget": 3.5, "current_ha": 1, "target_ha": 2});
        let second = json!({"id": 1, "name": "Water", "verbose_description": "", "color": "#00f", "tag": "WAT",
            "cost": 12.0, "budget": 3.5, "current_ha": 1.0, "target_ha": 2.0});
        let read = |json: &Value| serde_json::from_value::<SystemDetail>(json.clone()).unwrap();
        assert_eq!(read(&first), read(&second));
        assert_eq!(serde_json::to_value(read(&first)).unwrap(), second);
        assert!(read(&first).extra.is_empty());
    }

    #[test]
    fn unknown_fields_are_kept() {
        let json = json!({"id": 1, "name": "Water", "steward": {"name": "Ana"}});
        let system: SystemDetail = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(system).unwrap()["steward"], json["steward"]);
    }
}
