//! Systems: the themes of a project, at most nine or, from a setup file, ten. Services write names of fields with or without the prefix
//! `sys`, or both. All are read; [`SystemItem`] and [`SystemDetail`] are written without the prefix, as Python's dicts are.

use serde::{Deserialize, Serialize};

use super::fields::{JsonObject, integer_if_whole, optional_number};
use super::ids::SystemId;
use super::impacts::Impacts;
use super::quantities::Quantities;

/// A system in the list of a project's systems, with the fields that every service sends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "ItemFields")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SystemItem {
    pub id: SystemId,
    pub name: String,
    /// `#RRGGBB`.
    pub color: Option<String>,
    pub verbose_description: Option<String>,
}

/// A system with its cost, budget and areas. Numbers may be absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "DetailFields")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SystemDetail {
    #[serde(flatten)]
    pub item: SystemItem,
    /// A short name.
    pub tag: Option<String>,
    /// The cost of a project per hectare, or per kilometre if it has only lines.
    #[serde(serialize_with = "integer_if_whole")]
    pub cost: Option<f64>,
    #[serde(serialize_with = "integer_if_whole")]
    pub budget: Option<f64>,
    /// The area of the system today, in hectares.
    #[serde(serialize_with = "integer_if_whole")]
    pub current_ha: Option<f64>,
    /// The area that the system should have, in hectares.
    #[serde(serialize_with = "integer_if_whole")]
    pub target_ha: Option<f64>,
    /// Effects of its projects on other systems, by the ids of these: whole numbers from -2 (much worse) to 2 (much better). A system that
    /// is absent counts as 0.
    #[serde(skip_serializing_if = "Impacts::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, i64>, required = false))]
    pub impacts: Impacts,
    /// Quantities that its projects bring, such as homes, people and jobs, by name. Absent without any.
    #[serde(skip_serializing_if = "Quantities::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, super::Quantity>, required = false))]
    pub quantities: Quantities,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl SystemDetail {
    /// True if no figure is missing. Services may leave figures out of the list of systems.
    pub fn has_all_figures(&self) -> bool {
        let figures = [self.cost, self.budget, self.current_ha, self.target_ha];
        self.tag.is_some() && figures.iter().all(Option::is_some)
    }
}

/// The fields of a [`SystemItem`] under all their names. If a field has both names, the one without prefix counts. A system without a name
/// is called by its id.
#[derive(Deserialize)]
struct ItemFields {
    id: SystemId,
    name: Option<String>,
    sysname: Option<String>,
    color: Option<String>,
    syscolor: Option<String>,
    verbose_description: Option<String>,
}

/// The fields that a [`SystemDetail`] has in addition to those of its item.
#[derive(Deserialize)]
struct DetailFields {
    #[serde(flatten)]
    item: ItemFields,
    tag: Option<String>,
    systag: Option<String>,
    #[serde(default, deserialize_with = "optional_number")]
    cost: Option<f64>,
    #[serde(default, deserialize_with = "optional_number")]
    syscost: Option<f64>,
    #[serde(default, deserialize_with = "optional_number")]
    budget: Option<f64>,
    #[serde(default, deserialize_with = "optional_number")]
    sysbudget: Option<f64>,
    #[serde(default, deserialize_with = "optional_number")]
    current_ha: Option<f64>,
    #[serde(default, deserialize_with = "optional_number")]
    target_ha: Option<f64>,
    #[serde(default)]
    impacts: Impacts,
    #[serde(default)]
    quantities: Quantities,
    #[serde(flatten)]
    extra: JsonObject,
}

impl From<ItemFields> for SystemItem {
    fn from(fields: ItemFields) -> Self {
        SystemItem {
            id: fields.id,
            name: fields.name.or(fields.sysname).unwrap_or_else(|| format!("System {}", fields.id)),
            color: fields.color.or(fields.syscolor),
            verbose_description: fields.verbose_description,
        }
    }
}

impl From<DetailFields> for SystemDetail {
    fn from(fields: DetailFields) -> Self {
        SystemDetail {
            item: fields.item.into(),
            tag: fields.tag.or(fields.systag),
            cost: fields.cost.or(fields.syscost),
            budget: fields.budget.or(fields.sysbudget),
            current_ha: fields.current_ha,
            target_ha: fields.target_ha,
            impacts: fields.impacts,
            quantities: fields.quantities,
            extra: fields.extra,
        }
    }
}

/// A system with its cost, budget and areas. Fields with the prefix `sys` repeat those without it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SystemDetailWithBothNames {
    #[serde(flatten)]
    detail: SystemDetail,
    sysname: String,
    /// `#RRGGBB`.
    syscolor: Option<String>,
    systag: Option<String>,
    /// The cost of a project per hectare, or per kilometre if it has only lines.
    #[serde(serialize_with = "integer_if_whole")]
    syscost: Option<f64>,
    #[serde(serialize_with = "integer_if_whole")]
    sysbudget: Option<f64>,
}

impl From<SystemDetail> for SystemDetailWithBothNames {
    fn from(detail: SystemDetail) -> Self {
        SystemDetailWithBothNames {
            sysname: detail.item.name.clone(),
            syscolor: detail.item.color.clone(),
            systag: detail.tag.clone(),
            syscost: detail.cost,
            sysbudget: detail.budget,
            detail,
        }
    }
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
            "cost": 12, "budget": 3.5, "current_ha": 1, "target_ha": 2});
        let read = |json: &Value| serde_json::from_value::<SystemDetail>(json.clone()).unwrap();
        assert_eq!(read(&first), read(&second));
        assert_eq!(serde_json::to_value(read(&first)).unwrap(), second);
        assert!(read(&first).extra.is_empty());
    }

    #[test]
    fn a_field_that_comes_under_both_names_is_one_field() {
        let both = json!({"id": 1, "name": "Water", "sysname": "Water", "color": "#00f", "syscolor": "#00f", "tag": "WAT",
            "systag": "WAT", "cost": 12, "syscost": 12, "budget": 3.5, "sysbudget": 3.5});
        let system: SystemDetail = serde_json::from_value(both).unwrap();
        assert_eq!((system.item.name.as_str(), system.cost, system.budget), ("Water", Some(12.0), Some(3.5)));
        assert!(system.extra.is_empty());
    }

    #[test]
    fn a_system_without_a_name_is_called_by_its_id() {
        let system: SystemDetail = serde_json::from_value(json!({"id": 4, "sysname": null})).unwrap();
        assert_eq!(system.item.name, "System 4");
    }

    #[test]
    fn impacts_have_the_ids_of_systems_and_an_empty_row_is_not_written() {
        let written = json!({"id": 1, "name": "Water", "impacts": {"2": -2, "13": 1}});
        let system: SystemDetail = serde_json::from_str(&written.to_string()).unwrap();
        assert_eq!(system.impacts, Impacts::from([(SystemId(2), -2), (SystemId(13), 1)]));
        assert_eq!(serde_json::to_value(&system).unwrap()["impacts"], written["impacts"]);
        let without = serde_json::to_value(SystemDetail { impacts: Impacts::new(), ..system }).unwrap();
        assert!(without.get("impacts").is_none());
    }

    #[test]
    fn unknown_fields_are_kept() {
        let json = json!({"id": 1, "name": "Water", "steward": {"name": "Ana"}});
        let system: SystemDetail = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(system).unwrap()["steward"], json["steward"]);
    }
}
