//! Texts of cards, which the room's page reads too: a file per language. A missing text is in English.

use std::collections::HashMap;
use std::fmt::Display;

use geodesign::model::LANGUAGES;
use geodesign_service::web_file;

const ENGLISH: &str = "en";

/// The texts in one language.
pub struct CardTexts {
    pub language: &'static str,
    texts: HashMap<String, String>,
}

impl CardTexts {
    /// Takes a project's language, or English.
    pub fn of(language: Option<&str>) -> Self {
        let language = LANGUAGES.into_iter().find(|tag| Some(*tag) == language).unwrap_or(ENGLISH);
        let mut texts = file(ENGLISH);
        texts.extend(file(language));
        CardTexts { language, texts }
    }

    pub fn get(&self, name: &str) -> &str {
        &self.texts[name]
    }

    /// A text with this value in place of `{}`.
    pub fn with(&self, name: &str, value: impl Display) -> String {
        self.get(name).replace("{}", &value.to_string())
    }
}

/// The texts of a language's file, which tests read.
fn file(language: &str) -> HashMap<String, String> {
    let text = web_file(&format!("cards/texts/{language}.json")).unwrap_or_default();
    serde_json::from_str(&text).expect("the file has a text for each name")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_language_of_projects_has_all_texts_with_their_values() {
        let english = file(ENGLISH);
        let shape = |texts: &HashMap<String, String>| {
            texts.iter().map(|(name, text)| (name.clone(), text.matches("{}").count())).collect::<BTreeSet<_>>()
        };
        for language in LANGUAGES {
            assert_eq!(shape(&file(language)), shape(&english), "{language}");
        }
    }
}
