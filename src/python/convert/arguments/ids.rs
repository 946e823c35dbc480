//! Ids: of diagrams and other resources, of several diagrams, and of groups of diagrams.

use std::convert::Infallible;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::client::SystemReference;
use crate::model::{DesignId, DiagramGroup, DiagramId, EntryId, LayerId, ProjectId, SystemId, TeamId, Username, Uuid};
use crate::python::convert::errors::input_error;

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                // The service answers the id of a new diagram as text.
                if let Ok(text) = object.cast::<PyString>() {
                    let id = text.to_cow()?.trim().parse();
                    return id.map($name).map_err(|_| input_error(format!("{text:?} is not an id; ids are integers")));
                }
                object.extract().map($name)
            }
        }
    )*};
}

integers! { DiagramId EntryId LayerId SystemId TeamId }

impl FromPyObject<'_, '_> for SystemReference {
    type Error = PyErr;

    /// From an id, or from a name or a tag.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) if text.to_cow()?.trim().parse::<i64>().is_err() => Ok(SystemReference::Name(text.to_string())),
            _ => object.extract().map(SystemReference::Id),
        }
    }
}

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

impl<'py> IntoPyObject<'py> for ProjectId {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyString::new(py, self.as_str()))
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
