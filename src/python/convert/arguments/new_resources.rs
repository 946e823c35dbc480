//! Tags and systems to create, and free-form metadata.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use serde_json::Value;

use crate::model::{JsonObject, NewSystem, NewTag};
use crate::python::convert::errors::input_error;
use crate::python::convert::from_python::from_python;
use crate::python::convert::given::{given, kind};
use crate::python::convert::plain_words::plain_words;

/// A dict that is sent as free-form JSON.
pub struct Metadata(pub JsonObject);

impl FromPyObject<'_, '_> for Metadata {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyMapping>() {
            let message = format!("additional_metadata is a dict, such as {{\"phase\": 2}}; {} is not", given(&object));
            return Err(input_error(message));
        }
        from_python(&object, "additional_metadata").map(Metadata)
    }
}

/// Tags to create: dicts with `tag` and `code`, or names alone.
pub struct NewTags(pub Vec<NewTag>);

impl FromPyObject<'_, '_> for NewTags {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let form = "a list of dicts with tag and code, or of names, such as [{\"tag\": \"Coast\", \"code\": \"CO\"}]";
        let tag = |(index, item): (usize, Bound<'_, PyAny>)| {
            let name = format!("tags[{index}]");
            match item.cast::<PyString>() {
                Ok(text) => Ok(NewTag { tag: text.extract()?, code: String::new() }),
                Err(_) => from_python(check_dict(&item, &name, form)?, &name),
            }
        };
        items(&object, "tags", form)?.into_iter().enumerate().map(tag).collect::<PyResult<_>>().map(NewTags)
    }
}

/// Systems to create: dicts with `name`, `color`, and maybe `tag`, `description` and `cost`.
pub struct NewSystems(pub Vec<NewSystem>);

impl FromPyObject<'_, '_> for NewSystems {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let form = "a list of dicts with name and color, such as [{\"name\": \"Water\", \"color\": \"#2B7BBA\"}]; tag, \
                    description and cost may be added";
        let system = |(index, item): (usize, Bound<'_, PyAny>)| {
            let name = format!("systems[{index}]");
            let mut fields: JsonObject = from_python(check_dict(&item, &name, form)?, &name)?;
            const KNOWN: [&str; 7] = ["name", "color", "tag", "description", "display", "verbose_description", "cost"];
            if let Some(unknown) = fields.keys().find(|field| !KNOWN.contains(&field.as_str())) {
                return Err(input_error(format!(
                    "{name}: there is no field {unknown:?}; a system has {}",
                    KNOWN.join(", ")
                )));
            }
            if let Some(description) = fields.shift_remove("description") {
                fields.insert("verbose_description".into(), description);
            }
            let system = serde_path_to_error::deserialize(Value::Object(fields.0));
            let mut system: NewSystem = system.map_err(|error| {
                let problem = plain_words(&error.inner().to_string());
                let field = error.path().to_string();
                input_error(match field.as_str() {
                    "." => format!("{name}: {problem}; systems are {form}"),
                    _ => format!("{name}: {field}: {problem}"),
                })
            })?;
            // The service reads the description under one name and answers it under the other, so both are sent.
            let description = system.description().to_owned();
            (system.display, system.verbose_description) = (description.clone(), description);
            Ok(system)
        };
        items(&object, "systems", form)?.into_iter().enumerate().map(system).collect::<PyResult<_>>().map(NewSystems)
    }
}

/// The items of a list; a single text or dict is none.
fn items<'py>(object: &Bound<'py, PyAny>, name: &str, form: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_one = object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>();
    let items = object.try_iter().ok().filter(|_| !is_one);
    items.ok_or_else(|| input_error(format!("{name} cannot be {}; {name} are {form}", kind(object))))?.collect()
}

fn check_dict<'o, 'py>(item: &'o Bound<'py, PyAny>, name: &str, form: &str) -> PyResult<&'o Bound<'py, PyAny>> {
    let things = name.split('[').next().unwrap_or(name);
    match item.is_instance_of::<PyDict>() {
        true => Ok(item),
        false => Err(input_error(format!("{name} is {}, not a dict; {things} are {form}", given(item)))),
    }
}
