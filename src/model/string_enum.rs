//! Enumerations that are written as text.

/// Implements serde for enumerations: reading with `from_name`, writing with the named method. The text completes the error
/// "… is not".
macro_rules! string_enum {
    ($($name:ident: $written:ident, $expected:literal;)*) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.$written())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                $name::from_name(&name)
                    .ok_or_else(|| serde::de::Error::custom(format!(concat!("{:?} is not ", $expected), name)))
            }
        }
    )*};
}

pub(super) use string_enum;
