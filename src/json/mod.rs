//! JSON read fast, and errors that name the field and the byte that they are about.

/// Lets visitors be seeds: `Seed => Value, by deserialize_map;`.
macro_rules! seeds {
    ($($seed:ty => $value:ty, by $how:ident;)*) => {$(
        impl<'de> serde::de::DeserializeSeed<'de> for $seed {
            type Value = $value;

            fn deserialize<D: serde::de::Deserializer<'de>>(self, deserializer: D) -> Result<$value, D::Error> {
                deserializer.$how(self)
            }
        }
    )*};
}

/// The methods of a visitor of an object that may be null, which stands for this value.
macro_rules! null_is {
    ($value:expr) => {
        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_some<D: serde::de::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            deserializer.deserialize_map(self)
        }
    };
}

pub(crate) use {null_is, seeds};

mod decimal;
mod decode;
mod gaps;
mod plain_words;
mod scanner;
mod text;

pub use decode::{DecodeError, decode, decode_object, message_with_byte, object, objects, optional_object};
pub use gaps::{Gap, Gaps, decode_around_gaps, decode_list, null_is_empty};
pub use plain_words::in_plain_words;
pub use scanner::{POSITION, POSITIONS, Scanner, ScannerError, Value};
pub use text::{CowStr, JsonText};
