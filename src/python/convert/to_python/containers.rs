//! The serializers of lists and dicts. `S` is the serializer of their elements, keys and values.

use pyo3::prelude::{Bound, PyAny, PyDictMethods, Python};
use pyo3::types::{PyDict, PyList};
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};
use smallvec::SmallVec;

use super::context::Context;
use super::problem::Problem;

pub type PyResult<'py> = Result<Bound<'py, PyAny>, Problem>;

/// A list that is being made. Short ones need no allocation here.
pub struct List<'w, 'py, S> {
    context: &'w Context<'py>,
    serializer: S,
    elements: SmallVec<[Bound<'py, PyAny>; 3]>,
}

impl<'w, 'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> List<'w, 'py, S> {
    /// `length` is the number of elements, as far as it is known.
    pub fn new(context: &'w Context<'py>, serializer: S, length: Option<usize>) -> Self {
        List { context, serializer, elements: SmallVec::with_capacity(length.unwrap_or_default()) }
    }

    #[inline]
    fn push<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
        self.elements.push(element.serialize(self.serializer)?);
        Ok(())
    }

    #[inline]
    fn complete(mut self) -> PyResult<'py> {
        Ok(PyList::new(self.context.py, std::mem::take(&mut self.elements))?.into_any())
    }
}

impl<S> Drop for List<'_, '_, S> {
    #[inline]
    fn drop(&mut self) {
        if self.context.is_interrupted() {
            // Collected in place: there may be millions.
            let elements = std::mem::take(&mut self.elements).into_vec();
            self.context.leave(elements.into_iter().map(Bound::unbind).collect());
        }
    }
}

/// A tuple that is being made, which becomes a list as in JSON. Most are positions, of which there are millions.
pub enum Tuple<'w, 'py, S> {
    Pair {
        context: &'w Context<'py>,
        serializer: S,
        first: Option<Bound<'py, PyAny>>,
        second: Option<Bound<'py, PyAny>>,
    },
    Other(List<'w, 'py, S>),
}

impl<'w, 'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> Tuple<'w, 'py, S> {
    #[inline]
    pub fn new(context: &'w Context<'py>, serializer: S, length: usize) -> Self {
        match length {
            2 => Tuple::Pair { context, serializer, first: None, second: None },
            _ => Tuple::Other(List::new(context, serializer, Some(length))),
        }
    }
}

impl<'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> SerializeTuple for Tuple<'_, 'py, S> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
        match self {
            Tuple::Pair { serializer, first, second, .. } => {
                let place = if first.is_none() { first } else { second };
                *place = Some(element.serialize(*serializer)?);
                Ok(())
            }
            Tuple::Other(list) => list.push(element),
        }
    }

    #[inline]
    fn end(self) -> PyResult<'py> {
        match self {
            Tuple::Pair { context, first: Some(first), second: Some(second), .. } => {
                Ok(PyList::new(context.py, [first, second])?.into_any())
            }
            Tuple::Pair { .. } => Err(Problem::custom("a tuple of two has fewer elements")),
            Tuple::Other(list) => list.complete(),
        }
    }
}

/// A dict that is being made. Its items are inserted in the end, when it is known whether the last dict had the same keys.
pub struct Dict<'w, 'py, S> {
    context: &'w Context<'py>,
    keys: SmallVec<[Bound<'py, PyAny>; 4]>,
    values: SmallVec<[Bound<'py, PyAny>; 4]>,
    key_serializer: S,
    value_serializer: S,
}

impl<'w, 'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> Dict<'w, 'py, S> {
    pub fn new(context: &'w Context<'py>, key_serializer: S, value_serializer: S, length: Option<usize>) -> Self {
        let length = length.unwrap_or_default();
        let (keys, values) = (SmallVec::with_capacity(length), SmallVec::with_capacity(length));
        Dict { context, keys, values, key_serializer, value_serializer }
    }

    fn complete(mut self) -> PyResult<'py> {
        let (keys, values) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.values));
        Ok(self.context.dict(&keys, values)?.into_any())
    }

    fn insert<K: Serialize + ?Sized, V: Serialize + ?Sized>(&mut self, key: &K, value: &V) -> Result<(), Problem> {
        self.keys.push(key.serialize(self.key_serializer)?);
        self.values.push(value.serialize(self.value_serializer)?);
        Ok(())
    }
}

impl<S> Drop for Dict<'_, '_, S> {
    #[inline]
    fn drop(&mut self) {
        if self.context.is_interrupted() {
            let values = std::mem::take(&mut self.values).into_vec();
            self.context.leave(values.into_iter().map(Bound::unbind).collect());
        }
    }
}

/// The variant of an enum that holds a list or a dict.
pub struct Variant<'py, C> {
    pub py: Python<'py>,
    pub name: &'static str,
    pub content: C,
}

/// The variant of an enum that holds a value: a dict with one member, as in JSON.
pub fn variant<'py>(py: Python<'py>, name: &str, value: Bound<'py, PyAny>) -> PyResult<'py> {
    let dict = PyDict::new(py);
    dict.set_item(name, value)?;
    Ok(dict.into_any())
}

macro_rules! lists {
    ($($trait:ident $add:ident;)*) => {$(
        impl<'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> $trait for List<'_, 'py, S> {
            type Ok = Bound<'py, PyAny>;
            type Error = Problem;

            fn $add<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
                self.push(element)
            }

            fn end(self) -> PyResult<'py> {
                self.complete()
            }
        }
    )*};
}

lists! {
    SerializeSeq serialize_element;
    SerializeTupleStruct serialize_field;
}

impl<'py, S> SerializeTupleVariant for Variant<'py, List<'_, 'py, S>>
where
    S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy,
{
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Problem> {
        self.content.push(element)
    }

    fn end(self) -> PyResult<'py> {
        variant(self.py, self.name, self.content.complete()?)
    }
}

impl<'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> SerializeMap for Dict<'_, 'py, S> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Problem> {
        self.keys.push(key.serialize(self.key_serializer)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Problem> {
        self.values.push(value.serialize(self.value_serializer)?);
        Ok(())
    }

    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), Problem>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        self.insert(key, value)
    }

    fn end(self) -> PyResult<'py> {
        self.complete()
    }
}

impl<'py, S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy> SerializeStruct for Dict<'_, 'py, S> {
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Problem> {
        self.insert(name, value)
    }

    fn end(self) -> PyResult<'py> {
        self.complete()
    }
}

impl<'py, S> SerializeStructVariant for Variant<'py, Dict<'_, 'py, S>>
where
    S: Serializer<Ok = Bound<'py, PyAny>, Error = Problem> + Copy,
{
    type Ok = Bound<'py, PyAny>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Problem> {
        self.content.insert(name, value)
    }

    fn end(self) -> PyResult<'py> {
        variant(self.py, self.name, self.content.complete()?)
    }
}
