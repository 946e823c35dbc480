//! The serializer of single values.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat};
use serde::{Serialize, Serializer};

use super::containers::{Dict, List, PyResult, Tuple, Variant, variant};
use super::context::Context;
use super::problem::Problem;

/// Serializes one value to a Python object.
#[derive(Clone, Copy)]
pub struct PySerializer<'w, 'py> {
    pub context: &'w Context<'py>,
    /// Whether the value is the key of a dict.
    is_key: bool,
}

impl<'w, 'py> PySerializer<'w, 'py> {
    pub fn new(context: &'w Context<'py>) -> Self {
        PySerializer { context, is_key: false }
    }

    /// The serializer of a dict's keys.
    fn key(self) -> Self {
        PySerializer { is_key: true, ..self }
    }

    fn object(self, value: impl IntoPyObjectExt<'py>) -> PyResult<'py> {
        self.context.count()?;
        Ok(value.into_bound_py_any(self.context.py)?)
    }

    fn value(self) -> Self {
        PySerializer { is_key: false, ..self }
    }

    fn dict(self, length: Option<usize>) -> Result<Dict<'w, 'py, Self>, Problem> {
        self.context.count()?;
        Ok(Dict::new(self.context, self.key(), self.value(), length))
    }

    fn list(self, length: Option<usize>) -> Result<List<'w, 'py, Self>, Problem> {
        self.context.count()?;
        Ok(List::new(self.context, self.value(), length))
    }
}

macro_rules! numbers {
    ($($serialize:ident: $number:ty),*) => {$(
        fn $serialize(self, number: $number) -> PyResult<'py> {
            self.object(number)
        }
    )*};
}

impl<'w, 'py> Serializer for PySerializer<'w, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;
    type SerializeSeq = List<'w, 'py, Self>;
    type SerializeTuple = Tuple<'w, 'py, Self>;
    type SerializeTupleStruct = List<'w, 'py, Self>;
    type SerializeTupleVariant = Variant<'py, List<'w, 'py, Self>>;
    type SerializeMap = Dict<'w, 'py, Self>;
    type SerializeStruct = Dict<'w, 'py, Self>;
    type SerializeStructVariant = Variant<'py, Dict<'w, 'py, Self>>;

    /// Python objects are no text: a cost of 12.0 stays a float.
    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_char: char
    }

    fn serialize_f64(self, number: f64) -> PyResult<'py> {
        self.context.count()?;
        Ok(PyFloat::new(self.context.py, number).into_any())
    }

    fn serialize_str(self, text: &str) -> PyResult<'py> {
        self.context.count()?;
        Ok(if self.is_key { self.context.key(text) } else { self.context.text(text) }.into_any())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> PyResult<'py> {
        Ok(PyBytes::new(self.context.py, bytes).into_any())
    }

    fn serialize_none(self) -> PyResult<'py> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> PyResult<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> PyResult<'py> {
        self.context.count()?;
        Ok(self.context.py.None().into_bound(self.context.py))
    }

    fn serialize_unit_struct(self, _name: &'static str) -> PyResult<'py> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> PyResult<'py> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> PyResult<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        name: &'static str,
        value: &T,
    ) -> PyResult<'py> {
        variant(self.context.py, name, value.serialize(self.value())?)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List<'w, 'py, Self>, Problem> {
        self.list(length)
    }

    #[inline]
    fn serialize_tuple(self, length: usize) -> Result<Tuple<'w, 'py, Self>, Problem> {
        self.context.count()?;
        Ok(Tuple::new(self.context, self.value(), length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<List<'w, 'py, Self>, Problem> {
        self.list(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, Problem> {
        Ok(Variant { py: self.context.py, name, content: self.list(Some(length))? })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Dict<'w, 'py, Self>, Problem> {
        self.dict(length)
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Dict<'w, 'py, Self>, Problem> {
        self.dict(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, Problem> {
        Ok(Variant { py: self.context.py, name, content: self.dict(Some(length))? })
    }
}
