//! Fast JSON reading: texts, numbers bit for bit, and a deserializer for large bodies.

/// Lets visitors be seeds: `Seed => Value, by deserialize_map;`.
#[macro_export]
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

/// Methods that visit an object that may be null; null gives this value.
#[macro_export]
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

pub use crate::{null_is, seeds};

mod decimal;
mod scanner;
mod text;

pub use scanner::{POSITION, POSITIONS, Scanner, ScannerError, Value};
pub use text::{CowStr, JsonText};
