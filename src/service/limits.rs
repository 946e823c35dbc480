//! The limits of a service: how much one request, one user or one project may take of it. The operator of a service can change
//! each of them by its name.

use crate::model::{JsonObject, Limit};

/// `name: default, "unit", "description";` for every limit.
macro_rules! limits {
    ($($name:ident: $default:expr, $unit:literal, $description:literal;)*) => {
        /// What a service accepts. The default values allow a project of 2,000 diagrams with 500,000 vertices.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $(
                #[doc = concat!($description, " In ", $unit, ".")]
                pub $name: u64,
            )*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($name: $default,)* }
            }
        }

        impl Limits {
            /// Changes the limit of that name. A limit is at least 1.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), InvalidLimit> {
                let limit = match name {
                    $(stringify!($name) => &mut self.$name,)*
                    _ => return Err(InvalidLimit::Unknown(name.to_owned())),
                };
                if value == 0 {
                    return Err(InvalidLimit::Zero(name.to_owned()));
                }
                *limit = value;
                Ok(())
            }

            /// Every limit, with what it is about.
            pub fn all(&self) -> Vec<Limit> {
                vec![$(Limit {
                    name: stringify!($name).into(),
                    value: self.$name,
                    unit: $unit.into(),
                    description: $description.into(),
                    extra: JsonObject::default(),
                },)*]
            }
        }

        const NAMES: &[&str] = &[$(stringify!($name),)*];
    };
}

limits! {
    // Fewer than the 1024 files that many systems let a process open, so that the database can open its own.
    connections: 800, "connections", "Connections that are open at the same time.";
}

/// Why a limit cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLimit {
    #[error("there is no limit {0:?}; the limits are {names}", names = NAMES.join(", "))]
    Unknown(String),
    #[error("the limit {0} must be at least 1")]
    Zero(String),
    #[error("{0:?} is not NAME=VALUE with a whole number as value, such as connections=400")]
    NotAnAssignment(String),
}

/// A limit and its new value, from `NAME=VALUE`.
#[derive(Debug, Clone)]
pub struct LimitChange {
    pub name: String,
    pub value: u64,
}

impl std::str::FromStr for LimitChange {
    type Err = InvalidLimit;

    fn from_str(text: &str) -> Result<Self, InvalidLimit> {
        let invalid = || InvalidLimit::NotAnAssignment(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(invalid)?;
        let change = LimitChange { name: name.trim().to_owned(), value: value.trim().parse().map_err(|_| invalid())? };
        Limits::default().set(&change.name, change.value)?;
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_changed_by_its_name() {
        let mut limits = Limits::default();
        limits.set("connections", 5).unwrap();
        assert_eq!(limits.connections, 5);
        assert_eq!(limits.all()[0].value, 5);
    }

    #[test]
    fn an_unknown_limit_is_refused_with_the_names_of_all() {
        let error = "conections=5".parse::<LimitChange>().unwrap_err().to_string();
        assert!(error.contains("connections"), "{error}");
    }

    #[test]
    fn zero_and_other_text_are_refused() {
        for text in ["connections=0", "connections", "connections=-1", "connections=many"] {
            assert!(text.parse::<LimitChange>().is_err(), "{text}");
        }
    }
}
