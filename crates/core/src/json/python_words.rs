//! Deserializers' errors about Python values, in Python's terms.

/// Translates a deserializer's message: ``missing field `color` `` becomes `it has no "color"`.
pub fn in_words_of_python(message: &str) -> String {
    // Positions refer to text that no user wrote.
    let message = message.split(" at line ").next().unwrap_or(message);
    if let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("it has no {field:?}");
    }
    let mismatch = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((given, expected)) = mismatch.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("{} is not {}", given_in_python(given), expected_in_python(expected));
    }
    let types = message.strip_prefix("unexpected type: '").and_then(|rest| rest.strip_suffix('\''));
    if let Some((given, expected)) = types.and_then(|rest| rest.split_once("' object is not an instance of '")) {
        return format!("a value of type {given} is not {}", expected_in_python(expected));
    }
    if let Some((given, expected)) = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        let expected = expected.trim_start_matches(", expected ").trim_start_matches("one of ").replace('`', "\"");
        return format!("there is no field {given:?}; the fields are {expected}");
    }
    if let Some((given, expected)) = message.strip_prefix("unknown variant `").and_then(|rest| rest.split_once('`')) {
        let expected = expected.trim_start_matches(", expected ").trim_start_matches("one of ").replace('`', "\"");
        return format!("{given:?} is not one of {expected}");
    }
    message.to_owned()
}

fn given_in_python(given: &str) -> String {
    match given {
        "null" | "unit" | "unit value" | "Option value" => return "None".to_owned(),
        "map" => return "a dict".to_owned(),
        "sequence" => return "a list".to_owned(),
        "boolean `true`" => return "True".to_owned(),
        "boolean `false`" => return "False".to_owned(),
        _ => {}
    }
    let number = ["integer `", "floating point `"].iter().find_map(|prefix| given.strip_prefix(prefix));
    match (number, given.strip_prefix("string ")) {
        (Some(number), _) => number.trim_end_matches('`').to_owned(),
        (_, Some(text)) => format!("the text {text}"),
        _ => given.to_owned(),
    }
}

fn expected_in_python(expected: &str) -> String {
    let plain = match expected {
        "a string" | "a borrowed string" | "string" | "str" => "text",
        "i64" | "u64" | "i32" | "u32" | "usize" | "integer" => "a whole number",
        "f64" | "f32" | "a JSON number" => "a number",
        "a boolean" => "True or False",
        "a sequence" | "Sequence" => "a list",
        "a map" | "Mapping" => "a dict",
        _ if expected.starts_with("struct ") => "a dict",
        _ => expected,
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_serde_and_rust_become_words_of_python() {
        for (message, plain) in [
            ("missing field `color`", "it has no \"color\""),
            ("invalid type: string \"A\", expected struct NewTag", "the text \"A\" is not a dict"),
            ("invalid type: floating point `0.5`, expected i64", "0.5 is not a whole number"),
            ("invalid type: string \"1\", expected f64 at line 1 column 9", "the text \"1\" is not a number"),
            ("invalid type: null, expected a string", "None is not text"),
            ("invalid type: string \"7\", expected a JSON number", "the text \"7\" is not a number"),
            ("unexpected type: 'int' object is not an instance of 'Mapping'", "a value of type int is not a dict"),
            ("it is nested too deep", "it is nested too deep"),
        ] {
            assert_eq!(in_words_of_python(message), plain);
        }
    }
}
