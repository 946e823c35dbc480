//! Texts of cards: a file per language. A missing text is in English.

use std::collections::HashMap;
use std::fmt::Display;

const FILES: [(&str, &str); 7] = [
    ("ar", include_str!("card_texts/ar.json")),
    ("de", include_str!("card_texts/de.json")),
    ("en", include_str!("card_texts/en.json")),
    ("es", include_str!("card_texts/es.json")),
    ("fr", include_str!("card_texts/fr.json")),
    ("it", include_str!("card_texts/it.json")),
    ("pt-BR", include_str!("card_texts/pt-BR.json")),
];
const ENGLISH: &str = "en";

/// The texts in one language.
pub struct CardTexts {
    pub language: &'static str,
    texts: HashMap<&'static str, &'static str>,
}

impl CardTexts {
    /// Takes a project's language, or English.
    pub fn of(language: Option<&str>) -> Self {
        let known = FILES.iter().map(|(tag, _)| *tag).find(|tag| Some(*tag) == language);
        let language = known.unwrap_or(ENGLISH);
        let mut texts = file(ENGLISH);
        texts.extend(file(language));
        CardTexts { language, texts }
    }

    pub fn get(&self, name: &str) -> &'static str {
        self.texts[name]
    }

    /// A text with this value in place of `{}`.
    pub fn with(&self, name: &str, value: &dyn Display) -> String {
        self.get(name).replace("{}", &value.to_string())
    }
}

/// The texts of a language's file, which tests read.
fn file(language: &str) -> HashMap<&'static str, &'static str> {
    let text = FILES.iter().find(|(tag, _)| *tag == language).map_or("{}", |(_, text)| *text);
    serde_json::from_str(text).expect("the file has a text for each name")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use geodesign::model::LANGUAGES;

    use super::*;

    #[test]
    fn every_language_of_projects_has_all_texts_with_their_values() {
        assert_eq!(FILES.map(|(tag, _)| tag), LANGUAGES);
        let english = file(ENGLISH);
        let shape = |texts: &HashMap<&str, &str>| {
            texts.iter().map(|(name, text)| (name.to_string(), text.matches("{}").count())).collect::<BTreeSet<_>>()
        };
        for language in LANGUAGES {
            assert_eq!(shape(&file(language)), shape(&english), "{language}");
        }
    }
}
