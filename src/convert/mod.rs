//! Values from Python to Rust and back, and errors as exceptions.

/// A dict of these names: `dict!(py, path, status = 404)`.
macro_rules! dict {
    ($py:expr, $($name:ident $(= $value:expr)?),*) => {{
        let dict = pyo3::types::PyDict::new($py);
        $(pyo3::types::PyDictMethods::set_item(&dict, stringify!($name), dict!(@ $name $($value)?))?;)*
        dict
    }};
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
}

pub mod arguments;
pub mod errors;
pub mod external_frame;
pub mod from_python;
pub mod geometries;
pub mod impacts;
pub mod quantities;
pub mod results;
pub mod row_diagrams;
pub mod to_python;
