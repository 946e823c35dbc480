//! JSON read fast, and errors that name the field and the byte that they are about.

mod cow_str;
mod decimal;
mod decode;
mod json_text;
mod objects;
mod parsed;
mod scanner;
mod transcode;

pub use cow_str::CowStr;
pub use decode::{decode, decode_object, message_with_byte};
pub use json_text::JsonText;
pub use objects::{object, objects};
pub use parsed::ParsedJson;
#[cfg(feature = "service")]
pub use scanner::Value;
pub use scanner::{POSITION, POSITIONS, Scanner, ScannerError};
