//! Patterns of LIKE: `%` stands for any characters, `_` for one; a `\` before them makes them literal.
//!
//! SQLite's own operators refuse patterns of more than 50,000 bytes.

/// A pattern, parsed once for all texts to compare.
#[derive(Debug)]
pub struct Pattern {
    parts: Vec<Part>,
    /// Number of characters in the shortest text that it matches.
    min_characters: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Any,
    One,
    Character(char),
}

impl Pattern {
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            parts.push(match character {
                '\\' => Part::Character(characters.next_if(|next| matches!(next, '%' | '_' | '\\')).unwrap_or('\\')),
                '%' => Part::Any,
                '_' => Part::One,
                character => Part::Character(character),
            });
        }
        // Several in a row match the same as one.
        parts.dedup_by(|next, part| *next == Part::Any && *part == Part::Any);
        let min_characters = parts.iter().filter(|part| **part != Part::Any).count();
        Pattern { parts, min_characters }
    }

    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        if text.len() < self.min_characters {
            return false;
        }
        let (mut at, mut part) = (0, 0);
        // After the last `%`: the part that follows it, and the position in the text where it was last tried.
        let mut retry: Option<(usize, usize)> = None;
        while at < text.len() {
            match self.parts.get(part) {
                Some(Part::Any) => {
                    part += 1;
                    retry = Some((part, at));
                }
                Some(Part::One) => (at, part) = (at + 1, part + 1),
                Some(Part::Character(character)) if *character == text[at] => (at, part) = (at + 1, part + 1),
                _ => {
                    let Some((after_any, tried)) = retry else { return false };
                    (at, part) = (tried + 1, after_any);
                    retry = Some((after_any, at));
                }
            }
        }
        self.parts[part..].iter().all(|part| *part == Part::Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_texts_and_escapes_stand_for_themselves() {
        for (pattern, matching, others) in [
            ("Rain%", &["Rain", "Rain garden"][..], &["rain", "A Rain"][..]),
            ("%a%b%", &["ab", "xaxxbx", "aab"], &["ba", "a"]),
            ("_0\\%", &["50%", "é0%"], &["50", "0%", "50%%"]),
            ("a\\b\\\\", &["a\\b\\"], &["ab"]),
            ("[a]*?", &["[a]*?"], &["a"]),
            ("%%_%%", &["x", "xy"], &[""]),
            ("", &[""], &["x"]),
            ("%", &["", "x"], &[]),
        ] {
            let pattern = Pattern::parse(pattern);
            assert!(matching.iter().all(|text| pattern.matches(text)), "{pattern:?}");
            assert!(!others.iter().any(|text| pattern.matches(text)), "{pattern:?}");
        }
    }
}
