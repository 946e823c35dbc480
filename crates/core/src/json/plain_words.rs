//! Problems of a JSON text in plain words, for its sender: serde and serde_json mention structs, sequences, and line numbers of a text that
//! has only one line.

/// At most this many characters of a wrong text are quoted.
const MAX_CHARS: usize = 60;

/// Returns the problem of the value that an error is about, without its place.
///
/// An error about a text inside another one must not name its place: serde_json would take that for a place in the outer text.
pub fn in_plain_words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    if error.is_data() { of_a_value(message) } else { of_the_text(message).to_owned() }
}

/// Returns the same problem; if the error is about the text itself, with the byte, counted from 0.
pub fn in_plain_words_with_byte(text: &[u8], error: &serde_json::Error) -> String {
    let problem = in_plain_words(error);
    if error.is_data() || error.line() == 0 || text.trim_ascii().is_empty() {
        return problem;
    }
    format!("{problem}, at byte {}", start_of_line(text, error.line()) + error.column().saturating_sub(1))
}

/// Returns the problem of a wrong value.
fn of_a_value(message: &str) -> String {
    let named = |start: &str| message.strip_prefix(start)?.split('`').next();
    if let Some(field) = named("missing field `") {
        return format!("the field {field} is missing");
    }
    if let Some(field) = named("duplicate field `") {
        return format!("the field {field} is given twice");
    }
    let wrong = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    let Some((wrong, (found, expected))) = wrong.into_iter().find_map(|wrong| {
        let rest = message.strip_prefix(wrong)?;
        Some((wrong, rest.rsplit_once(", expected ").unwrap_or((rest, "something else"))))
    }) else {
        return message.to_owned();
    };
    let expected = expected_value(expected);
    match wrong {
        "invalid length " => format!("it has {found} values, and must be {expected}"),
        _ => format!("it is {}, and must be {expected}", found_value(found)),
    }
}

/// Returns the value that was found, in plain words, from serde's name for it.
fn found_value(found: &str) -> String {
    let quoted = found.split_once('`').and_then(|(kind, rest)| Some((kind.trim_end(), rest.strip_suffix('`')?)));
    match (found, quoted) {
        ("null" | "unit value" | "Option value", _) => "null".into(),
        ("sequence", _) => "a list".into(),
        ("map", _) => "an object".into(),
        (_, Some(("integer" | "floating point", number))) => format!("the number {}", shortened(number)),
        (_, Some(("boolean", value))) => value.into(),
        (_, Some(("", variant))) => format!("\"{}\"", shortened(variant)),
        _ => match found.strip_prefix("string ") {
            Some(text) => format!("the text {}", shortened(text)),
            None => shortened(found),
        },
    }
}

/// Returns the expected value, in plain words, from serde's name for it; types of this crate use plain words already.
fn expected_value(expected: &str) -> String {
    match expected {
        "a string" | "str" => "text".into(),
        "a boolean" | "bool" => "true or false".into(),
        "a JSON number" | "f64" | "f32" => "a number".into(),
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        _ if expected.starts_with("struct ") => "an object".into(),
        _ => expected.replace('`', "\""),
    }
}

/// Returns the problem of a text that is not JSON. serde_json's messages name what its parser looked for.
fn of_the_text(message: &str) -> &'static str {
    match message {
        "EOF while parsing a value"
        | "EOF while parsing a list"
        | "EOF while parsing an object"
        | "EOF while parsing a string" => "it ends before the JSON is complete",
        "trailing characters" => "more follows after the end of the JSON",
        "number out of range" => "a number is too large",
        "recursion limit exceeded" => "lists and objects are nested too deeply",
        "invalid unicode code point" | "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "a text has characters that are not Unicode"
        }
        _ => "it is not JSON",
    }
}

/// The number of bytes before a line; lines count from 1.
pub(super) fn start_of_line(text: &[u8], line: usize) -> usize {
    text.split_inclusive(|&byte| byte == b'\n').take(line - 1).map(<[u8]>::len).sum()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    fn told<T: DeserializeOwned>(text: &str) -> String {
        in_plain_words_with_byte(text.as_bytes(), &serde_json::from_str::<T>(text).err().unwrap())
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Named {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    enum Kind {
        Project,
        Policy,
    }

    #[test]
    fn a_value_is_told_with_what_it_must_be() {
        assert_eq!(told::<Named>("{}"), "the field name is missing");
        assert_eq!(told::<Named>(r#"{"name":"a","name":"b"}"#), "the field name is given twice");
        assert_eq!(told::<Named>("7"), "it is the number 7, and must be an object");
        assert_eq!(told::<Named>(r#"{"name":null}"#), "it is null, and must be text");
        assert_eq!(told::<f64>(r#""a, expected b""#), r#"it is the text "a, expected b", and must be a number"#);
        assert_eq!(told::<u8>("[]"), "it is a list, and must be a whole number");
        assert_eq!(told::<u8>("300"), "it is the number 300, and must be a whole number");
        assert_eq!(told::<Vec<bool>>("{}"), "it is an object, and must be a list");
        assert_eq!(told::<Vec<bool>>("[1.5]"), "it is the number 1.5, and must be true or false");
        assert_eq!(told::<Kind>(r#""plan""#), r#"it is "plan", and must be "Project" or "Policy""#);
        let _ = (Kind::Project, Kind::Policy);
    }

    #[test]
    fn a_long_text_is_shortened() {
        let problem = told::<u8>(&format!("{:?}", "x".repeat(1_000_000)));
        assert!(problem.len() < 120 && problem.ends_with("…, and must be a whole number"), "{problem}");
    }

    #[test]
    fn a_text_that_is_no_json_is_told_with_the_byte() {
        type Any = BTreeMap<String, f64>;
        assert_eq!(told::<Any>(""), "it ends before the JSON is complete");
        assert_eq!(told::<Any>("{"), "it ends before the JSON is complete, at byte 0");
        assert_eq!(told::<Any>("{\"a\":\n tru}"), "it is not JSON, at byte 10");
        assert_eq!(told::<Any>("{} x"), "more follows after the end of the JSON, at byte 3");
        assert_eq!(told::<Any>(r#"{"a":1e999}"#), "a number is too large, at byte 9");
    }
}
