//! Text of a server as errors and log records show it.

use std::iter;

/// The most characters that are shown. Of a longer text the middle is left out, because the end often tells where a fault is.
const MAX_CHARS: usize = 500;
const END_CHARS: usize = 150;
const GAP: &str = " … ";

/// A text without characters that a terminal would obey or that would make it look like another text: control characters,
/// escapes, marks that change the direction of writing and characters without a width are written as escapes of Python.
pub fn shown(text: &str) -> String {
    let whole = up_to(MAX_CHARS, text.chars().map(escaped));
    match whole.len() == text.chars().take(MAX_CHARS + 1).count() {
        true => whole.concat(),
        false => {
            let start = up_to(MAX_CHARS - END_CHARS - GAP.chars().count(), text.chars().map(escaped));
            let end = up_to(END_CHARS, text.chars().rev().map(escaped));
            start.into_iter().chain(iter::once(GAP.to_owned())).chain(end.into_iter().rev()).collect()
        }
    }
}

/// The first pieces that have no more than this many characters together.
fn up_to(max_chars: usize, pieces: impl Iterator<Item = String>) -> Vec<String> {
    let mut chars = 0;
    let counted = pieces.take_while(|piece| {
        chars += piece.chars().count();
        chars <= max_chars
    });
    counted.collect()
}

fn escaped(character: char) -> String {
    match character {
        '\n' => r"\n".to_owned(),
        '\r' => r"\r".to_owned(),
        '\t' => r"\t".to_owned(),
        _ if !is_unseen(character) => character.to_string(),
        ..='\u{FF}' => format!(r"\x{:02x}", u32::from(character)),
        ..='\u{FFFF}' => format!(r"\u{:04x}", u32::from(character)),
        _ => format!(r"\U{:08x}", u32::from(character)),
    }
}

/// Whether a character acts on the text around it, or on a terminal, instead of being seen.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{AD}' | '\u{61C}' | '\u{180E}'
            // Zero width, direction marks, separators of lines and paragraphs, embeddings and overrides.
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            // Joiners, isolates, byte-order mark, annotations, tags.
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(shown("\x1b[2Jgone\r\n\u{9b}"), r"\x1b[2Jgone\r\n\x9b");
        assert_eq!(shown("user\u{202e}nimda\u{2066}\u{200b}\u{e0041}"), r"user\u202enimda\u2066\u200b\U000e0041");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "Fläche „Süd“ 10 m² 😀", r"C:\new", "مساحة"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown(&"é".repeat(500)), "é".repeat(500));
    }

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        let text = format!("start{}end", "-".repeat(1_000_000));
        let text = shown(&text);
        assert_eq!(text.chars().count(), 500);
        assert!(text.starts_with("start---") && text.contains("- … -") && text.ends_with("---end"), "{text}");
        assert!(shown(&"\x1b".repeat(200)).chars().count() <= 500);
        assert_eq!(shown(&text), text);
    }
}
