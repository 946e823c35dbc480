//! Any value with serde's `Serialize` as plain Python objects: dicts, lists, numbers and text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Display};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyString};
use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct};
use serde::{Serialize, Serializer};
use smallvec::SmallVec;

use super::errors::decode_error;
use crate::engine::interrupts::Steps;

/// A value that becomes Python objects when a method returns it.
pub struct Json<T>(pub T);

impl<'py, T: Serialize> IntoPyObject<'py> for Json<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _paused = GarbageCollectionPaused::new(py)?;
        let context = Context { py, keys: RefCell::default(), steps: Steps::default() };
        self.0.serialize(PySerializer { context: &context, is_key: false }).map_err(PyErr::from)
    }
}

/// While this exists, Python's cyclic garbage collection is off. Dicts and lists made here hold no cycles, but
/// each new object would bring the next collection closer, which visits all of them.
struct GarbageCollectionPaused<'py> {
    /// The module `gc`, if collection was on before.
    gc_to_enable: Option<Bound<'py, PyModule>>,
}

impl<'py> GarbageCollectionPaused<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        let gc = py.import("gc")?;
        let was_on = gc.call_method0("isenabled")?.is_truthy()?;
        if was_on {
            gc.call_method0("disable")?;
        }
        Ok(GarbageCollectionPaused { gc_to_enable: was_on.then_some(gc) })
    }
}

impl Drop for GarbageCollectionPaused<'_> {
    fn drop(&mut self) {
        if let Some(gc) = &self.gc_to_enable {
            // `gc.enable()` cannot fail.
            let _ = gc.call_method0("enable");
        }
    }
}

/// The reason why a value has no Python object.
#[derive(Debug)]
pub enum Problem {
    Python(PyErr),
    /// A collection keeps its body as bytes, which are parsed while they are serialized.
    Unreadable(String),
}

impl From<PyErr> for Problem {
    fn from(error: PyErr) -> Self {
        Problem::Python(error)
    }
}

impl From<Problem> for PyErr {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Python(error) => error,
            Problem::Unreadable(message) => decode_error(message),
        }
    }
}

impl ser::Error for Problem {
    fn custom<T: Display>(message: T) -> Self {
        Problem::Unreadable(message.to_string())
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Problem::Python(error) => error.fmt(f),
            Problem::Unreadable(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Problem {}

/// Shared state of the serializers of all parts of a value.
struct Context<'py> {
    py: Python<'py>,
    /// Features have the same few keys: each is made once, which saves memory more than time.
    keys: RefCell<HashMap<Box<str>, Bound<'py, PyAny>>>,
    steps: Steps,
}

impl<'py> Context<'py> {
    /// Called for every object. An error ends the conversion: Ctrl-C, in most cases.
    #[inline]
    fn count(&self) -> Result<(), Problem> {
        Ok(self.steps.count(self.py)?)
    }

    fn key(&self, text: &str) -> Bound<'py, PyAny> {
        let mut keys = self.keys.borrow_mut();
        if let Some(known) = keys.get(text) {
            return known.clone();
        }
        let key = PyString::new(self.py, text).into_any();
        keys.insert(text.into(), key.clone());
        key
    }
}

type Made<'py> = Result<Bound<'py, PyAny>, Problem>;

/// Serializes one value to a Python object.
#[derive(Clone, Copy)]
struct PySerializer<'w, 'py> {
    context: &'w Context<'py>,
    /// True for the key of a dict.
    is_key: bool,
}

impl<'w, 'py> PySerializer<'w, 'py> {
    fn object(self, value: impl IntoPyObjectExt<'py>) -> Made<'py> {
        self.context.count()?;
        Ok(value.into_bound_py_any(self.context.py)?)
    }

    /// `length` is the number of items, if it is known.
    fn list(self, length: Option<usize>) -> Result<List<'w, 'py>, Problem> {
        self.context.count()?;
        Ok(List { serializer: self, items: SmallVec::with_capacity(length.unwrap_or_default()) })
    }

    fn dict(self) -> Result<Dict<'w, 'py>, Problem> {
        self.context.count()?;
        Ok(Dict { serializer: self, dict: PyDict::new(self.context.py), key: None })
    }
}

macro_rules! objects {
    ($($serialize:ident: $value:ty),*) => {$(
        fn $serialize(self, value: $value) -> Made<'py> {
            self.object(value)
        }
    )*};
}

impl<'w, 'py> Serializer for PySerializer<'w, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;
    type SerializeSeq = List<'w, 'py>;
    type SerializeTuple = List<'w, 'py>;
    type SerializeTupleStruct = List<'w, 'py>;
    type SerializeTupleVariant = Impossible<Self::Ok, Problem>;
    type SerializeMap = Dict<'w, 'py>;
    type SerializeStruct = Dict<'w, 'py>;
    type SerializeStructVariant = Impossible<Self::Ok, Problem>;

    /// Python objects are not text: a cost of 12.0 stays a float.
    fn is_human_readable(&self) -> bool {
        false
    }

    objects! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32, serialize_char: char
    }

    fn serialize_f64(self, number: f64) -> Made<'py> {
        self.context.count()?;
        Ok(PyFloat::new(self.context.py, number).into_any())
    }

    fn serialize_str(self, text: &str) -> Made<'py> {
        self.context.count()?;
        Ok(if self.is_key { self.context.key(text) } else { PyString::new(self.context.py, text).into_any() })
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Made<'py> {
        Ok(PyBytes::new(self.context.py, bytes).into_any())
    }

    fn serialize_none(self) -> Made<'py> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made<'py> {
        self.context.count()?;
        Ok(self.context.py.None().into_bound(self.context.py))
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Made<'py> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Made<'py> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Made<'py> {
        Err(no_variants())
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List<'w, 'py>, Problem> {
        self.list(length)
    }

    fn serialize_tuple(self, length: usize) -> Result<List<'w, 'py>, Problem> {
        self.list(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<List<'w, 'py>, Problem> {
        self.list(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleVariant, Problem> {
        Err(no_variants())
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Dict<'w, 'py>, Problem> {
        self.dict()
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Dict<'w, 'py>, Problem> {
        self.dict()
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeStructVariant, Problem> {
        Err(no_variants())
    }
}

/// Values of the service are objects, lists, numbers and text: no type has such a variant.
fn no_variants() -> Problem {
    ser::Error::custom("a variant of an enum with content has no counterpart in Python")
}

/// A list in progress, also for a Rust tuple. Short ones, such as positions, need no allocation here.
struct List<'w, 'py> {
    serializer: PySerializer<'w, 'py>,
    items: SmallVec<[Bound<'py, PyAny>; 3]>,
}

macro_rules! lists {
    ($($trait:ident $add:ident;)*) => {$(
        impl<'py> $trait for List<'_, 'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = Problem;

            #[inline]
            fn $add<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Problem> {
                self.items.push(item.serialize(self.serializer)?);
                Ok(())
            }

            #[inline]
            fn end(self) -> Made<'py> {
                Ok(PyList::new(self.serializer.context.py, self.items)?.into_any())
            }
        }
    )*};
}

lists! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
}

/// A dict in progress.
struct Dict<'w, 'py> {
    serializer: PySerializer<'w, 'py>,
    dict: Bound<'py, PyDict>,
    /// The key of the next value.
    key: Option<Bound<'py, PyAny>>,
}

impl<'py> SerializeMap for Dict<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Problem> {
        self.key = Some(key.serialize(PySerializer { is_key: true, ..self.serializer })?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Problem> {
        Ok(self.dict.set_item(self.key.take(), value.serialize(self.serializer)?)?)
    }

    fn end(self) -> Made<'py> {
        Ok(self.dict.into_any())
    }
}

impl<'py> SerializeStruct for Dict<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Problem> {
        self.serialize_entry(name, value)
    }

    fn end(self) -> Made<'py> {
        Ok(self.dict.into_any())
    }
}
