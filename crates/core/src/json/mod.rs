//! Resources read from JSON, with errors in plain words that name the field and the byte that they are about.

mod decode;
mod gaps;
mod plain_words;
mod python_words;

pub use decode::{DecodeError, decode, decode_object, message_with_byte, object, objects, optional_object};
pub use gaps::{Gap, Gaps, decode_around_gaps, decode_list, null_is_empty};
pub use plain_words::in_plain_words;
pub use python_words::in_words_of_python;
