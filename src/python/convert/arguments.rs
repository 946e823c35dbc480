//! What Python hands in, as the types that the other rooms want.

use std::convert::Infallible;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyNone, PyString};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::errors::input_error;
use super::geometries::diagram_kind;
use crate::client::CostSelection;
use crate::client::SelectionKind;
use crate::model::{
    Bounds, BoundsError, Center, CostType, DesignId, DiagramGroup, DiagramId, JsonObject, LayerId, LayerType,
    NewSystem, NewTag, ProjectId, ServerType, SystemId, TeamId, Username, UtcMillis, Uuid,
};

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                // Ids of new diagrams arrive as text; they are taken as they come.
                if let Ok(text) = object.cast::<PyString>() {
                    let id = text.to_cow()?.trim().parse();
                    return id.map($name).map_err(|_| input_error(format!("{text:?} is not an id; ids are integers")));
                }
                object.extract().map($name)
            }
        }
    )*};
}

integers! { DiagramId LayerId SystemId TeamId }

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

texts! { ProjectId DesignId Username Uuid }

/// A dict as try_acquire-form JSON; what JSON has no word for is refused.
pub struct JsonObjectArgument(pub JsonObject);

impl FromPyObject<'_, '_> for JsonObjectArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        from_json(&object, "additional_metadata").map(JsonObjectArgument)
    }
}

/// A dict or a list as a type of the wire, by way of JSON, which NaN and infinity have no place in.
pub fn from_json<T: DeserializeOwned>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    let options = PyDict::new(object.py());
    options.set_item("allow_nan", false)?;
    let text = object.py().import("json")?.call_method("dumps", (object,), Some(&options));
    let unfit = |problem: &dyn std::fmt::Display| input_error(format!("{name}: {problem}"));
    let text: String = text.map_err(|error| unfit(error.value(object.py())))?.extract()?;
    let mut json = serde_json::Deserializer::from_str(&text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| match error.path().to_string().as_str() {
        "." => unfit(error.inner()),
        path => input_error(format!("{name}{path}: {}", error.inner())),
    })
}

impl FromPyObject<'_, '_> for UtcMillis {
    type Error = PyErr;

    /// From an aware datetime, a date (midnight in UTC), or text of either.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let unfit = |problem: &str| input_error(format!("{} {problem}", object.as_any()));
        let no_zone =
            "has no time zone, so nobody knows which moment is meant; give it one, such as tzinfo=datetime.UTC";
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_cow()?;
            let day = || text.parse().ok().filter(|_| text.len() == 10).map(|day| Ok(UtcMillis::midnight(day)));
            let moment = || text.parse().ok().map(|at| UtcMillis::new(at).map_err(|problem| problem.to_string()));
            let known = text.parse().map(Ok).ok().or_else(day).or_else(moment);
            return known
                .unwrap_or_else(|| Err("is no date and no date-time with a time zone".into()))
                .map_err(|problem| unfit(&problem));
        }
        if object.hasattr("utcoffset")? {
            let offset = object.call_method0("utcoffset").map_err(|_| unfit("is not a moment"))?;
            if offset.is_none() {
                return Err(unfit(no_zone));
            }
            let text: String = object.call_method0("isoformat")?.extract()?;
            let moment = text.parse().map_err(|_| unfit("is not a moment"))?;
            return UtcMillis::new(moment).map_err(|problem| unfit(&problem.to_string()));
        }
        let text: String = object
            .call_method0("isoformat")
            .and_then(|text| text.extract())
            .map_err(|_| unfit("is neither a datetime, nor a date, nor text of one"))?;
        let day = text.parse().map_err(|_| unfit("is not a day"))?;
        Ok(UtcMillis::midnight(day))
    }
}

/// West, south, east, north in degrees, as four numbers or as text.
impl FromPyObject<'_, '_> for Bounds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("bounds: {problem}")));
        }
        let numbers: Vec<f64> = object.try_iter()?.map(|number| number?.extract()).collect::<PyResult<_>>()?;
        match numbers[..] {
            [west, south, east, north] => Ok(Bounds { west, south, east, north }),
            _ => Err(input_error(format!("bounds are west, south, east, north; {} numbers are not", numbers.len()))),
        }
    }
}

/// Longitude and latitude in degrees, as two numbers or as text.
impl FromPyObject<'_, '_> for Center {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("center: {problem}")));
        }
        let (longitude, latitude) = object.extract()?;
        Ok(Center { longitude, latitude })
    }
}

/// Tags to be: dicts with `tag` and `code`, or names alone.
pub struct NewTags(pub Vec<NewTag>);

impl FromPyObject<'_, '_> for NewTags {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(input_error("tags are a list: of dicts with tag and code, or of names"));
        }
        let tag = |(at, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            match item.cast::<PyString>() {
                Ok(name) => Ok(NewTag { tag: name.extract()?, code: String::new() }),
                Err(_) => from_json(&item, &format!("tags[{at}]")),
            }
        };
        object.try_iter()?.enumerate().map(tag).collect::<PyResult<_>>().map(NewTags)
    }
}

/// Systems to be: dicts with `name`, `color`, and maybe `tag`, `description` and `cost`.
pub struct NewSystems(pub Vec<NewSystem>);

impl FromPyObject<'_, '_> for NewSystems {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let system = |(at, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let mut fields: JsonObject = from_json(&item?, &format!("systems[{at}]"))?;
            const KNOWN: [&str; 7] = ["name", "color", "tag", "description", "display", "verbose_description", "cost"];
            if let Some(unknown) = fields.keys().find(|field| !KNOWN.contains(&field.as_str())) {
                return Err(input_error(format!(
                    "systems[{at}]: there is no field {unknown:?}; a system has {}",
                    KNOWN.join(", ")
                )));
            }
            if let Some(description) = fields.shift_remove("description") {
                fields.insert("verbose_description".into(), description);
            }
            let system = serde_json::from_value(Value::Object(fields.0));
            let mut system: NewSystem = system.map_err(|problem| input_error(format!("systems[{at}]: {problem}")))?;
            // The description travels under both of its names.
            let description = system.description().to_owned();
            (system.display, system.verbose_description) = (description.clone(), description);
            Ok(system)
        };
        object.try_iter()?.enumerate().map(system).collect::<PyResult<_>>().map(NewSystems)
    }
}

/// Diagram groups: a dict from name to diagram ids.
pub struct Groups(pub Vec<DiagramGroup>);

impl FromPyObject<'_, '_> for Groups {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let group = |(name, ids): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let DiagramIds(diagrams) = ids.extract()?;
            Ok(DiagramGroup { group_name: name.extract()?, diagrams })
        };
        let groups =
            object.cast::<PyDict>().map_err(|_| PyTypeError::new_err("groups are a dict from name to diagram ids"))?;
        groups.iter().map(group).collect::<PyResult<_>>().map(Groups)
    }
}

/// Diagram ids from anything that can be iterated: a list, a set, a column of a data frame.
pub struct DiagramIds(pub Vec<DiagramId>);

impl FromPyObject<'_, '_> for DiagramIds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let items = object.try_iter().map_err(|_| PyTypeError::new_err("diagram ids are a list of integers"))?;
        items.map(|item| item?.extract()).collect::<PyResult<_>>().map(DiagramIds)
    }
}

/// An image on its way to Python, as bytes.
pub struct Image(pub bytes::Bytes);

impl<'py> IntoPyObject<'py> for Image {
    type Target = PyBytes;
    type Output = Bound<'py, PyBytes>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyBytes::new(py, &self.0))
    }
}

/// None in Python, awaited or not; `()` would be an empty tuple where it is awaited.
pub struct Nothing;

impl<'py> IntoPyObject<'py> for Nothing {
    type Target = PyNone;
    type Output = Borrowed<'py, 'py, PyNone>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyNone::get(py))
    }
}

pub fn cost_kind(name: &str) -> PyResult<CostType> {
    CostType::from_name(name).ok_or_else(|| input_error(format!("cost_type {name:?} is not {}", CostType::NAMES)))
}

pub fn server_kind(name: &str) -> PyResult<ServerType> {
    let unknown = || input_error(format!("server_type {name:?} is not one of {}", ServerType::ALL.join(", ")));
    ServerType::from_name(name).ok_or_else(unknown)
}

pub fn layer_kind(name: &str) -> PyResult<LayerType> {
    let unknown = || input_error(format!("layer_type {name:?} is not one of {}", LayerType::ALL.join(", ")));
    LayerType::from_name(name).ok_or_else(unknown)
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
