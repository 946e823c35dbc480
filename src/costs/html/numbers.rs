//! Numbers as people read them.

use std::fmt::{self, Display, Write};

/// Displays a number of diagrams in words, such as `3 diagrams`.
pub struct Diagrams(pub i64);

impl Display for Diagrams {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} diagram{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Displays a number with commas between its thousands, and with the given number of decimals.
pub struct Thousands(pub f64, pub usize);

impl Display for Thousands {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = format!("{:.*}", self.1, self.0.abs());
        let (whole, decimals) = text.split_once('.').map_or((text.as_str(), ""), |(whole, decimals)| (whole, decimals));
        let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        f.write_str(if self.0 < 0.0 && !is_zero { "-" } else { "" })?;
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        if decimals.is_empty() { Ok(()) } else { write!(f, ".{decimals}") }
    }
}

#[cfg(test)]
mod tests {
    use super::Thousands;

    #[test]
    fn numbers_are_rounded_and_have_commas_between_thousands() {
        let shown = |number, decimals| Thousands(number, decimals).to_string();
        assert_eq!(shown(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(shown(-1000.0, 0), "-1,000");
        assert_eq!(shown(999.0, 0), "999");
        assert_eq!(shown(-0.01, 1), "0.0");
    }
}
