//! Tags and systems to create, and free-form metadata.

use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::Value;

use crate::model::{JsonObject, NewSystem, NewTag};
use crate::python::convert::errors::input_error;
use crate::python::convert::from_python::from_python;

/// A dict that is sent as free-form JSON.
pub struct Metadata(pub JsonObject);

impl FromPyObject<'_, '_> for Metadata {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        from_python(&object, "additional_metadata").map(Metadata)
    }
}

/// Tags to create: dicts with `tag` and `code`, or names alone.
pub struct NewTags(pub Vec<NewTag>);

impl FromPyObject<'_, '_> for NewTags {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(input_error("tags are a list: of dicts with tag and code, or of names"));
        }
        let tag = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            match item.cast::<PyString>() {
                Ok(name) => Ok(NewTag { tag: name.extract()?, code: String::new() }),
                Err(_) => from_python(&item, &format!("tags[{index}]")),
            }
        };
        object.try_iter()?.enumerate().map(tag).collect::<PyResult<_>>().map(NewTags)
    }
}

/// Systems to create: dicts with `name`, `color`, and maybe `tag`, `description` and `cost`.
pub struct NewSystems(pub Vec<NewSystem>);

impl FromPyObject<'_, '_> for NewSystems {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let system = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let mut fields: JsonObject = from_python(&item?, &format!("systems[{index}]"))?;
            const KNOWN: [&str; 7] = ["name", "color", "tag", "description", "display", "verbose_description", "cost"];
            if let Some(unknown) = fields.keys().find(|field| !KNOWN.contains(&field.as_str())) {
                return Err(input_error(format!(
                    "systems[{index}]: there is no field {unknown:?}; a system has {}",
                    KNOWN.join(", ")
                )));
            }
            if let Some(description) = fields.shift_remove("description") {
                fields.insert("verbose_description".into(), description);
            }
            let system = serde_json::from_value(Value::Object(fields.0));
            let mut system: NewSystem =
                system.map_err(|problem| input_error(format!("systems[{index}]: {problem}")))?;
            // The service reads the description under one name and answers it under the other, so both are sent.
            let description = system.description().to_owned();
            (system.display, system.verbose_description) = (description.clone(), description);
            Ok(system)
        };
        object.try_iter()?.enumerate().map(system).collect::<PyResult<_>>().map(NewSystems)
    }
}
