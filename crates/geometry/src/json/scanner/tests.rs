use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::{Result, Scanner};
use crate::json::JsonText;

fn scanned<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T> {
    let mut scanner = Scanner::new(text);
    let value = T::deserialize(&mut scanner)?;
    scanner.end().map(|()| value)
}

/// The scanner and serde_json both reject the text, or both read the same value from it; floats agree to the last bit.
fn reads_like_serde_json(text: &str) {
    let theirs: Option<Value> = serde_json::from_str(text).ok();
    let ours: Option<Value> = scanned(text).ok();
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{text}");
    let theirs = serde_json::from_str::<Box<serde_json::value::RawValue>>(text).ok();
    let ours = scanned::<JsonText>(text).ok();
    assert_eq!(ours.map(|text| text.0), theirs.as_deref().map(|raw| raw.get()), "{text}");
    let theirs = serde_json::from_str::<Vec<f64>>(text).ok();
    let ours = scanned::<Vec<f64>>(text).ok();
    let bits = |floats: Option<Vec<f64>>| floats.map(|floats| floats.into_iter().map(f64::to_bits).collect::<Vec<_>>());
    assert_eq!(bits(ours), bits(theirs), "{text}");
}

#[test]
fn the_scanner_accepts_and_rejects_the_same_texts_as_serde_json() {
    let numbers = "0 -0 00 01 -01 1. .5 1.5 -1.5e3 1e5 1E+5 1e-5 1e 1e+ -  +1 1e999 -1e999 1e-999 0.0 -0.0 0e0 1.0e 12345678 \
        123456789 9007199254740991 9007199254740992 9007199254740993 18446744073709551615 18446744073709551616 \
        -9223372036854775808 -9223372036854775809 0.1 0.30000000000000004 123456789.123456789123456789 9999.9999999999999999 \
        0.00000000000000000000000001 2.2250738585072014e-308 4.9e-324 1.7976931348623157e308 NaN Infinity 1_000 0x10 ١";
    #[rustfmt::skip]
    let strings = [
        r#""""#, r#""a""#, r#""abcdefg""#, r#""abcdefgh""#, r#""abcdefghi""#, r#""ä€😀""#, r#""\"""#, r#""\\""#,
        r#""abcdefg\n""#, r#""\u00e4\ud83d\ude00""#, r#""\ud83d""#, r#""\u12""#, r#""\x""#, r#"""#, "\"\u{1}\"", "\"a\nb\"",
        "\"\u{7f}\u{80}\"", r#""a\"#, r#""abcdefgh"#, r#""\u00e""#,
    ];
    #[rustfmt::skip]
    let shapes = [
        "", " ", "null", "nul", "nullx", "true", "false", "[]", "[ ]", "[1]", "[1,]", "[,1]", "[1 2]", "[1,2", "[", "]", "{}",
        r#"{"a":1}"#, r#"{"a":1,}"#, r#"{"a" 1}"#, r#"{"a"}"#, r#"{a:1}"#, r#"{"a":1 "b":2}"#, r#"{"a":1,"a":2}"#, "{1:2}",
        "[1}", "[1],", "[1] 2", " \n\t\r [ 1 , 2.5 ] \n", "\u{feff}[]", "\u{a0}1", r#"{"a":{"b":[null,true,{"c":[]}]}}"#,
    ];
    for text in numbers.split_whitespace().chain(strings).chain(shapes) {
        reads_like_serde_json(text);
        reads_like_serde_json(&format!("[{text}]"));
        reads_like_serde_json(&format!("[{text},{text}]"));
        reads_like_serde_json(&format!(r#"{{"key":{text}}}"#));
    }
}

#[test]
fn skipping_in_a_valid_text_finds_the_same_ends_of_values_as_checking_it() {
    let text = r#"{"a":[[1],{"b":"]}[{\"\\"},"]"],"c":{"d":[]},"e":"}","f":-1.5e3,"g":null}"#;
    let read = |mut scanner: Scanner| {
        let members = std::collections::BTreeMap::<String, JsonText>::deserialize(&mut scanner).unwrap();
        scanner.end().unwrap();
        format!("{members:?}")
    };
    assert_eq!(read(Scanner::over_valid(text)), read(Scanner::new(text)));
}

#[test]
fn arrays_may_be_nested_as_deep_as_in_serde_json() {
    for depth in [126, 127, 128, 129] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(scanned::<Value>(&text).is_ok(), serde_json::from_str::<Value>(&text).is_ok(), "{depth}");
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-180.0..180.0f64).prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(".{0,9}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_is_read_as_serde_json_reads_it(value in json()) {
        reads_like_serde_json(&value.to_string());
        reads_like_serde_json(&serde_json::to_string_pretty(&value).unwrap());
        let text = value.to_string();
        let mut scanner = Scanner::over_valid(&text);
        prop_assert_eq!(JsonText::deserialize(&mut scanner).unwrap().0, &text);
        prop_assert_eq!(serde_json::to_value(JsonText(&text)).unwrap(), value);
    }

    #[test]
    fn a_truncated_text_and_a_text_with_an_extra_character_are_read_as_serde_json_reads_them(value in json(), at in any::<prop::sample::Index>(), byte in 0..0x80u8) {
        let text = value.to_string();
        let at = (0..=at.index(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        reads_like_serde_json(&text[..at]);
        reads_like_serde_json(&format!("{}{}{}", &text[..at], char::from(byte), &text[at..]));
    }

    #[test]
    fn every_number_is_read_to_the_last_bit_as_serde_json_reads_it(whole in "-?(0|[1-9][0-9]{0,24})", rest in "(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?") {
        reads_like_serde_json(&format!("[{whole}{rest}]"));
    }
}
