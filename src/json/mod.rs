//! JSON read fast, and errors that name the field and the byte that they are about.

mod decimal;
mod decode;
mod scanner;
mod text;

pub use decode::{DecodeError, decode, decode_object, message_with_byte, object, objects, optional_object};
#[cfg(feature = "service")]
pub use scanner::Value;
pub use scanner::{POSITION, POSITIONS, Scanner, ScannerError};
pub use text::{CowStr, JsonText};
