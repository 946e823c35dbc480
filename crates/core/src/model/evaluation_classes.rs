//! The classes of evaluation maps: their codes in data, the field's words for them, and their colours.

use super::languages::LANGUAGES;

/// A class of evaluation maps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluationClass {
    /// The code in data, such as `green2`.
    pub areatype: &'static str,
    /// `#RRGGBB`.
    pub color: &'static str,
    /// The field's word in each of the languages, in their order.
    words: [&'static str; LANGUAGES.len()],
}

/// All classes, from where change is least wanted to where it is most wanted. The words are those with which Geodesignhub explains its
/// classes (<https://community.geodesignhub.com/t/evaluation-map-color-codes-on-geodesignhub/56>); `red2`, between the first two, has none
/// there.
#[rustfmt::skip]
pub const EVALUATION_CLASSES: [EvaluationClass; 6] = [
    class("red", "#D73027", ["قائم", "Bestand", "Existing", "Existente", "Existant", "Esistente", "Existente"]),
    class("red2", "#F46D43", [
        "غير مناسب إطلاقًا", "Gar nicht geeignet", "Not at all appropriate", "Nada apropiado", "Pas du tout approprié", "Per nulla appropriato",
        "Nada apropriado",
    ]),
    class("yellow", "#FEE08B", [
        "غير مناسب", "Nicht geeignet", "Not appropriate", "No apropiado", "Pas approprié", "Non appropriato", "Não apropriado",
    ]),
    class("green", "#86BF8C", ["ممكن", "Möglich", "Capable", "Posible", "Possible", "Possibile", "Possível"]),
    class("green2", "#31A354", ["مناسب", "Geeignet", "Suitable", "Adecuado", "Adapté", "Adatto", "Adequado"]),
    class("green3", "#006837", ["قابل للتنفيذ", "Umsetzbar", "Feasible", "Factible", "Réalisable", "Fattibile", "Viável"]),
];

/// The color of any other class.
pub const OTHER_EVALUATION_COLOR: &str = "#9E9E9E";

const fn class(areatype: &'static str, color: &'static str, words: [&'static str; LANGUAGES.len()]) -> EvaluationClass {
    EvaluationClass { areatype, color, words }
}

impl EvaluationClass {
    /// The class that a text means: its code, or its word in any of the languages. Upper and lower case do not matter.
    ///
    /// ```
    /// use geodesign::model::EvaluationClass;
    ///
    /// assert_eq!(EvaluationClass::named("suitable").unwrap().areatype, "green2");
    /// assert_eq!(EvaluationClass::named("Geeignet").unwrap().areatype, "green2");
    /// assert_eq!(EvaluationClass::named("blue"), None);
    /// ```
    pub fn named(text: &str) -> Option<&'static EvaluationClass> {
        let text = text.trim();
        // Most areas have the code, and a map has many.
        let by_code = EVALUATION_CLASSES.iter().find(|class| class.areatype == text);
        by_code.or_else(|| {
            let text = text.to_lowercase();
            let means = |class: &&EvaluationClass| {
                class.areatype == text || class.words.iter().any(|word| word.to_lowercase() == text)
            };
            EVALUATION_CLASSES.iter().find(means)
        })
    }

    /// The place among all classes, from 0 for `red`; others come after them.
    pub fn rank(areatype: &str) -> usize {
        let place = EVALUATION_CLASSES.iter().position(|class| class.areatype == areatype);
        place.unwrap_or(EVALUATION_CLASSES.len())
    }

    /// True for land that a system can use: capable, suitable and feasible.
    pub fn is_good(areatype: &str) -> bool {
        matches!(areatype, "green" | "green2" | "green3")
    }

    /// The field's word in each language: pairs such as `("en", "Suitable")`.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        LANGUAGES.into_iter().zip(self.words)
    }

    /// The English word, such as `Suitable`.
    pub fn word(&self) -> &'static str {
        self.words().find(|(language, _)| *language == "en").map_or(self.areatype, |(_, word)| word)
    }
}

/// The color of a class, by its code or its word.
pub fn evaluation_color(areatype: &str) -> &'static str {
    EvaluationClass::named(areatype).map_or(OTHER_EVALUATION_COLOR, |class| class.color)
}

/// All classes in words: `red (existing), …, green3 (feasible)`.
pub fn evaluation_classes_in_words() -> String {
    let named = EVALUATION_CLASSES.iter().map(|class| format!("{} ({})", class.areatype, class.word().to_lowercase()));
    named.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this variable is set, the test writes the table of the room instead of checking it.
    const WRITE: &str = "WRITE_OPENAPI";

    #[test]
    fn a_word_of_any_language_is_one_class() {
        for class in &EVALUATION_CLASSES {
            for (language, word) in class.words() {
                assert_eq!(EvaluationClass::named(word), Some(class), "{language}: {word}");
            }
        }
    }

    #[test]
    fn the_room_has_the_same_table() {
        let rows = EVALUATION_CLASSES.iter().map(|class| {
            let words = class
                .words()
                .map(|(language, word)| format!("\"{language}\": \"{word}\""))
                .collect::<Vec<_>>()
                .join(", ");
            format!("  {{ areatype: \"{}\", color: \"{}\", words: {{ {words} }} }},\n", class.areatype, class.color)
        });
        let table = format!(
            "// The classes of evaluation maps, from where change is least wanted to where it is most wanted. Written by `make openapi`.\n\n\
             /** @type {{{{ areatype: string, color: string, words: Record<string, string> }}[]}} */\n\
             export const EVALUATION_CLASSES = [\n{}];\n\n\
             export const OTHER_EVALUATION_COLOR = \"{OTHER_EVALUATION_COLOR}\";\n",
            rows.collect::<String>()
        );
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/room/evaluation_table.js");
        if std::env::var_os(WRITE).is_some() {
            return std::fs::write(path, table).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), table, "write it again: make openapi");
    }
}
