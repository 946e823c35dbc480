//! Arguments that are one of a few names.

use pyo3::prelude::*;

use crate::client::Outside;
use crate::costs::Units;
use crate::model::{CostType, DiagramKind, FeatureType, FundingType, LayerType, ServerType};
use crate::python::convert::errors::input_error;
use crate::service::Paging;

/// A type whose values have names in Python.
pub trait Choice: Sized {
    fn known(name: &str) -> Option<Self>;

    /// What to say of any other name.
    fn problem(name: &str) -> String;
}

/// The value of that name; the error lists all names.
pub fn choice<C: Choice>(name: &str) -> PyResult<C> {
    C::known(name).ok_or_else(|| input_error(C::problem(name)))
}

macro_rules! choices {
    ($($choice:ident: $known:expr, |$name:ident| $problem:expr;)*) => {$(
        impl Choice for $choice {
            fn known(name: &str) -> Option<Self> {
                $known(name)
            }

            fn problem($name: &str) -> String {
                $problem
            }
        }

        impl FromPyObject<'_, '_> for $choice {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                choice(&object.extract::<String>()?)
            }
        }
    )*};
}

choices! {
    DiagramKind: DiagramKind::from_name, |name| format!("kind {name:?} is neither \"project\" nor \"policy\"");
    FundingType: FundingType::from_name, |name| format!("funding {name:?} is not {}", FundingType::NAMES);
    FeatureType: FeatureType::from_name, |name| format!("feature_type {name:?} is not {}", FeatureType::NAMES);
    CostType: CostType::from_name, |name| format!("cost_type {name:?} is not {}", CostType::NAMES);
    ServerType: ServerType::from_name, |name| format!("server_type {name:?} is not one of {}", ServerType::ALL.join(", "));
    LayerType: LayerType::from_name, |name| format!("layer_type {name:?} is not one of {}", LayerType::ALL.join(", "));
    Outside: outside, |name| format!("outside is \"refuse\" or \"allow\", not {name:?}");
    Paging: paging, |name| format!("paging is \"plain\", \"enveloped\" or \"on-request\", not {name:?}");
    Units: Units::from_name, |name| format!("units are \"metric\" (hectares, kilometres) or \"us\" (acres, miles), not {name:?}");
}

fn outside(name: &str) -> Option<Outside> {
    match name {
        "refuse" => Some(Outside::Refuse),
        "allow" => Some(Outside::Allow),
        _ => None,
    }
}

fn paging(name: &str) -> Option<Paging> {
    match name {
        "plain" => Some(Paging::Plain),
        "enveloped" => Some(Paging::Enveloped),
        "on-request" | "off" => Some(Paging::OnRequest),
        _ => None,
    }
}
