//! Names and titles as people compare them: people see neither the form of Unicode that a keyboard sends nor invisible characters.

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};

use super::ids::Username;

/// Returns the form of a text that is compared: names and titles are alike if their forms are equal. It ignores the width and composition
/// of letters (NFKC), upper and lower case, repeated blanks and invisible characters.
pub fn folded(text: &str) -> String {
    let seen = text.nfkc().filter(|character| !is_invisible(*character));
    // Upper case first: ß and ſ have no other form in lower case.
    let same_case = seen.collect::<String>().to_uppercase().to_lowercase();
    let folded: String = same_case.nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text in the usual form of Unicode (NFC), in which an accent is part of its letter.
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

impl Username {
    /// Returns the name in the usual form of Unicode.
    pub fn composed(&self) -> Self {
        composed(self.as_str()).parse().unwrap_or_else(|_| self.clone())
    }
}

/// Returns the reason why a name is not allowed: others could confuse it with another name, or not be able to read it. `None` if it is
/// allowed.
pub fn problem_of_name(name: &str) -> Option<String> {
    if folded(name).is_empty() {
        return Some("it has no visible letter".to_owned());
    }
    let mut scripts: Vec<Script> = name.chars().filter(|letter| letter.is_alphabetic()).filter_map(script).collect();
    scripts.sort_unstable_by_key(|script| script.full_name());
    scripts.dedup();
    // In other scripts, and in emoji, they change how the sign before them looks.
    let acts_on_signs =
        scripts.iter().all(|script| !matches!(script, Script::Latin | Script::Greek | Script::Cyrillic | Script::Han));
    let mut before = None;
    for character in name.chars() {
        let is_part_of_sign = matches!(character, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
            && before.is_some_and(|before: char| {
                if before.is_alphanumeric() { acts_on_signs } else { !before.is_whitespace() && !before.is_ascii() }
            });
        if is_invisible(character) && !is_part_of_sign {
            return Some(format!("it has an invisible character (U+{:04X})", u32::from(character)));
        }
        before = Some(character);
    }
    match scripts[..] {
        [] | [_] | [Script::Han, Script::Latin] => None,
        ref several => {
            let named = several.iter().map(|script| script.full_name()).collect::<Vec<_>>().join(" and ");
            Some(format!("it has letters of several scripts ({named}), which look alike"))
        }
    }
}

/// The script of a letter; `None` for a letter that several scripts share. The scripts of Chinese, Japanese and Korean are written together
/// and count as one.
fn script(letter: char) -> Option<Script> {
    match letter.script() {
        Script::Common | Script::Inherited | Script::Unknown => None,
        Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul => Some(Script::Han),
        script => Some(script),
    }
}

/// True if a character is invisible and takes no space, so that texts with and without it look the same (Default_Ignorable_Code_Point), or
/// is a blank other than a space.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_take_for_each_other_are_alike() {
        for (one, other) in [
            ("Ren\u{e9}e", "Rene\u{301}e"),
            ("Ren\u{e9}e", "REN\u{c9}E"),
            ("Ren\u{e9}e", "Ren\u{e9}e\u{200b}"),
            ("Ren\u{e9}e", "Re\u{ad}n\u{e9}e"),
            ("Ana Sousa", " ana\u{a0} \u{3000}sousa"),
            ("ana", "\u{ff21}\u{ff2e}\u{ff21}"),
            ("Stra\u{df}e", "STRASSE"),
            ("\u{39f}\u{3b4}\u{3cc}\u{3c2}", "\u{39f}\u{394}\u{38c}\u{3a3}"),
            ("fi", "\u{fb01}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        for (one, other) in [("Rene", "Ren\u{e9}"), ("Ana", "Anna"), ("Ana Sousa", "AnaSousa")] {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
    }

    #[test]
    fn names_of_all_scripts_are_good_and_those_of_several_or_without_ink_are_not() {
        for name in [
            "amara.okafor",
            "Ren\u{e9}e O'Neill-2",
            "\u{10d0}\u{10dc}\u{10d0}",
            "\u{5c71}\u{7530} \u{3048}\u{308a}",
            "\u{5c71}\u{7530} Ken",
            "\u{ae40}\u{bbfc}\u{c9c0}",
            "\u{639}\u{644}\u{6cc}\u{200c}\u{631}\u{636}\u{627}",
            "\u{410}\u{43d}\u{43d}\u{430}",
            "Ana \u{2764}\u{fe0f}",
            "7",
        ] {
            assert_eq!(problem_of_name(name), None, "{name}");
        }
        for name in [
            "",
            " ",
            "\u{a0}",
            "\u{3164}",
            "\u{2800}\u{2800}",
            "\u{200b}",
            "Ana\u{200b}",
            "A\u{200d}na",
            "Ana\u{fe0f}",
            "Ren\u{e9}e\u{ad}",
            "\u{202e}ana",
            "\u{410}na",
            "An\u{3b1}",
            "\u{410}\u{3b1}",
        ] {
            assert!(problem_of_name(name).is_some(), "{name:?}");
        }
    }
}
