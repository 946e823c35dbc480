//! The languages of pages.

/// The BCP 47 tags of the languages with texts.
pub const LANGUAGES: [&str; 7] = ["ar", "de", "en", "es", "fr", "it", "pt-BR"];
