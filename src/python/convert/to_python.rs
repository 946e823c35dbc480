//! Any resource as plain Python: dicts, lists, numbers, text.

use std::cell::RefCell;
use std::fmt::{self, Display};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PyString};
use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};
use smallvec::SmallVec;

use super::errors::decode_error;

/// A value that becomes Python objects when it is handed over, and not before.
pub struct Json<T>(pub T);

impl<'py, T: Serialize> IntoPyObject<'py> for Json<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }
}

/// A value as Python objects.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let _paused = GarbageCollectionPaused::new(py)?;
    let workshop = Context { py, keys: RefCell::new(KeyCache::new()) };
    value.serialize(PySerializer { workshop: &workshop, is_key: false }).map_err(|problem| match problem {
        Problem::Python(error) => error,
        Problem::Unreadable(message) => decode_error(message),
    })
}

/// No cyclic garbage collection while this lives: trees and shapes hold no cycles, yet every new one would bring the
/// collector closer to walking all of them.
pub struct GarbageCollectionPaused<'py> {
    /// The module `gc`, where collection was on before.
    resumes: Option<Bound<'py, PyModule>>,
}

impl<'py> GarbageCollectionPaused<'py> {
    pub fn new(py: Python<'py>) -> PyResult<Self> {
        let gc = py.import("gc")?;
        let was_on = gc.call_method0("isenabled")?.is_truthy()?;
        if was_on {
            gc.call_method0("disable")?;
        }
        Ok(GarbageCollectionPaused { resumes: was_on.then_some(gc) })
    }
}

impl Drop for GarbageCollectionPaused<'_> {
    fn drop(&mut self) {
        if let Some(gc) = &self.resumes {
            // `gc.enable()` cannot fail.
            let _ = gc.call_method0("enable");
        }
    }
}

/// What all parts of a value share while it is made.
struct Context<'py> {
    py: Python<'py>,
    keys: RefCell<KeyCache<'py>>,
}

/// KeyCache that were made lately: features have the same ones, each over and over.
struct KeyCache<'py>(Vec<Option<(Box<str>, Bound<'py, PyString>)>>);

impl<'py> KeyCache<'py> {
    const PLACES: usize = 256;
    const MAX_KEY_BYTES: usize = 64;

    fn new() -> Self {
        KeyCache(vec![None; KeyCache::PLACES])
    }

    fn make(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if key.len() > KeyCache::MAX_KEY_BYTES {
            return PyString::new(py, key);
        }
        // FNV-1a.
        let hash = key.bytes().fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let place = &mut self.0[hash as usize % KeyCache::PLACES];
        match place {
            Some((text, made)) if **text == *key => made.clone(),
            _ => {
                let made = PyString::new(py, key);
                *place = Some((key.into(), made.clone()));
                made
            }
        }
    }
}

/// Makes one Python object.
#[derive(Clone, Copy)]
struct PySerializer<'w, 'py> {
    workshop: &'w Context<'py>,
    is_key: bool,
}

#[derive(Debug)]
enum Problem {
    Python(PyErr),
    /// The value cannot be read to its end.
    Unreadable(String),
}

impl From<PyErr> for Problem {
    fn from(error: PyErr) -> Self {
        Problem::Python(error)
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

type Made<'py> = Result<Bound<'py, PyAny>, Problem>;

impl<'w, 'py> PySerializer<'w, 'py> {
    fn object(self, value: impl IntoPyObjectExt<'py>) -> Made<'py> {
        Ok(value.into_bound_py_any(self.workshop.py)?)
    }

    fn value(self) -> Self {
        PySerializer { is_key: false, ..self }
    }

    fn dict(self) -> Dict<'w, 'py> {
        Dict { maker: self.value(), dict: PyDict::new(self.workshop.py), key: None }
    }

    fn list(self) -> List<'w, 'py> {
        List { maker: self.value(), elements: SmallVec::new() }
    }

    /// A dict of one member, as an enum's variant with a value is written in JSON.
    fn variant(self, name: &str, value: Bound<'py, PyAny>) -> Made<'py> {
        let dict = PyDict::new(self.workshop.py);
        dict.set_item(name, value)?;
        Ok(dict.into_any())
    }
}

macro_rules! numbers {
    ($($serialize:ident: $number:ty),*) => {$(
        fn $serialize(self, number: $number) -> Made<'py> {
            self.object(number)
        }
    )*};
}

impl<'w, 'py> Serializer for PySerializer<'w, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;
    type SerializeSeq = List<'w, 'py>;
    type SerializeTuple = List<'w, 'py>;
    type SerializeTupleStruct = List<'w, 'py>;
    type SerializeTupleVariant = Variant<List<'w, 'py>>;
    type SerializeMap = Dict<'w, 'py>;
    type SerializeStruct = Dict<'w, 'py>;
    type SerializeStructVariant = Variant<Dict<'w, 'py>>;

    numbers! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_char: char
    }

    fn serialize_f64(self, number: f64) -> Made<'py> {
        Ok(PyFloat::new(self.workshop.py, number).into_any())
    }

    fn serialize_str(self, text: &str) -> Made<'py> {
        let py = self.workshop.py;
        Ok(if self.is_key { self.workshop.keys.borrow_mut().make(py, text) } else { PyString::new(py, text) }
            .into_any())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Made<'py> {
        Ok(PyBytes::new(self.workshop.py, bytes).into_any())
    }

    fn serialize_none(self) -> Made<'py> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made<'py> {
        Ok(self.workshop.py.None().into_bound(self.workshop.py))
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
        variant: &'static str,
        value: &T,
    ) -> Made<'py> {
        self.variant(variant, value.serialize(self.value())?)
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<List<'w, 'py>, Problem> {
        Ok(self.list())
    }

    fn serialize_tuple(self, _length: usize) -> Result<List<'w, 'py>, Problem> {
        Ok(self.list())
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<List<'w, 'py>, Problem> {
        Ok(self.list())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        name: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleVariant, Problem> {
        Ok(Variant { name, content: self.list() })
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Dict<'w, 'py>, Problem> {
        Ok(self.dict())
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Dict<'w, 'py>, Problem> {
        Ok(self.dict())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        name: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeStructVariant, Problem> {
        Ok(Variant { name, content: self.dict() })
    }
}

/// A list in the making. Positions, which are most lists, need no memory beside it.
struct List<'w, 'py> {
    maker: PySerializer<'w, 'py>,
    elements: SmallVec<[Bound<'py, PyAny>; 3]>,
}

impl<'py> List<'_, 'py> {
    #[inline]
    fn push<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
        self.elements.push(element.serialize(self.maker)?);
        Ok(())
    }

    #[inline]
    fn complete(self) -> Made<'py> {
        Ok(PyList::new(self.maker.workshop.py, self.elements)?.into_any())
    }
}

/// A dict in the making.
struct Dict<'w, 'py> {
    maker: PySerializer<'w, 'py>,
    dict: Bound<'py, PyDict>,
    key: Option<Bound<'py, PyAny>>,
}

impl<'py> Dict<'_, 'py> {
    fn insert<K, V>(&mut self, key: &K, value: &V) -> Result<(), Problem>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        let key = key.serialize(PySerializer { is_key: true, ..self.maker })?;
        Ok(self.dict.set_item(key, value.serialize(self.maker)?)?)
    }
}

/// A list or dict that is a dict's only value.
struct Variant<C> {
    name: &'static str,
    content: C,
}

macro_rules! lists {
    ($($trait:ident $add:ident;)*) => {$(
        impl<'py> $trait for List<'_, 'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = Problem;

            fn $add<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
                self.push(element)
            }

            fn end(self) -> Made<'py> {
                self.complete()
            }
        }
    )*};
}

lists! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
}

impl<'py> SerializeTupleVariant for Variant<List<'_, 'py>> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
        self.content.push(element)
    }

    fn end(self) -> Made<'py> {
        self.content.maker.variant(self.name, self.content.complete()?)
    }
}

impl<'py> SerializeMap for Dict<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Problem> {
        self.key = Some(key.serialize(PySerializer { is_key: true, ..self.maker })?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Problem> {
        let key = self.key.take().ok_or_else(|| <Problem as ser::Error>::custom("a value without a key"))?;
        Ok(self.dict.set_item(key, value.serialize(self.maker)?)?)
    }

    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), Problem>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        self.insert(key, value)
    }

    fn end(self) -> Made<'py> {
        Ok(self.dict.into_any())
    }
}

impl<'py> SerializeStruct for Dict<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Problem> {
        self.insert(name, value)
    }

    fn end(self) -> Made<'py> {
        Ok(self.dict.into_any())
    }
}

impl<'py> SerializeStructVariant for Variant<Dict<'_, 'py>> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Problem> {
        self.content.insert(name, value)
    }

    fn end(self) -> Made<'py> {
        self.content.maker.variant(self.name, self.content.dict.into_any())
    }
}
