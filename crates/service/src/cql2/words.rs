//! The words of a filter as text.

use super::{FilterError, MAX_DEPTH, Result};
use geodesign_geometry::Crs;

/// The words of a filter, one after the other.
pub struct Words<'t> {
    pub text: &'t str,
    /// Bytes read so far.
    pub at: usize,
    pub depth: usize,
    pub crs: Crs,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    /// A name without quotes.
    Name(String),
    /// A name in double quotes.
    Quoted(String),
    /// A text in single quotes.
    Text(String),
    Number(f64),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 13] = ["<=", ">=", "<>", "=", "<", ">", "(", ")", ",", "+", "-", "*", "/"];

impl<'t> Words<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Returns the next word without taking it.
    pub fn peek(&mut self) -> Result<Word> {
        let at = self.at;
        let word = self.next();
        self.at = at;
        word
    }

    pub fn next(&mut self) -> Result<Word> {
        self.skip_spaces();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Word::End) };
        match first {
            '\'' => self.quoted('\'').map(Word::Text),
            '"' => self.quoted('"').map(Word::Quoted),
            _ if first.is_ascii_digit() || first == '.' => {
                let end = number_end(rest);
                let number = rest[..end].parse().map_err(|_| self.problem(&rest[..end.max(1)], "a number"))?;
                self.at += end;
                Ok(Word::Number(number))
            }
            _ if first.is_alphabetic() || first == '_' || first == ':' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:.".contains(c))).unwrap_or(rest.len());
                self.at += end;
                Ok(Word::Name(rest[..end].to_owned()))
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => {
                    self.at += sign.len();
                    Ok(Word::Sign(sign))
                }
                None => Err(self.problem(&first.to_string(), "a property, a value or an operator")),
            },
        }
    }

    /// Reads a quoted string. A doubled quote, or one after a backslash, stands for a quote.
    fn quoted(&mut self, quote: char) -> Result<String> {
        let mut content = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((index, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            match c {
                '\\' if next == Some(quote) => {
                    content.push(quote);
                    chars.next();
                }
                _ if c == quote && next == Some(quote) => {
                    content.push(quote);
                    chars.next();
                }
                _ if c == quote => {
                    self.at += index + 1;
                    return Ok(content);
                }
                _ => content.push(c),
            }
        }
        Err(FilterError::Ended { expected: "a closing quote" })
    }

    pub fn problem(&self, found: &str, expected: &'static str) -> FilterError {
        let position = self.text[..self.at].chars().count() + 1;
        FilterError::Unexpected { found: found.chars().take(40).collect(), position, expected }
    }

    pub fn unexpected(&self, word: &Word, expected: &'static str) -> FilterError {
        match word {
            Word::End => FilterError::Ended { expected },
            Word::Name(text) | Word::Quoted(text) | Word::Text(text) => self.problem(text, expected),
            Word::Number(number) => self.problem(&number.to_string(), expected),
            Word::Sign(sign) => self.problem(sign, expected),
        }
    }

    /// Takes a keyword if it comes next, in upper or lower case.
    pub fn take(&mut self, keyword: &str) -> Result<bool> {
        let at = self.at;
        let is_next = matches!(self.next()?, Word::Name(name) if name.eq_ignore_ascii_case(keyword));
        if !is_next {
            self.at = at;
        }
        Ok(is_next)
    }

    /// Takes a sign, if it comes next.
    pub fn take_sign(&mut self, sign: &str) -> bool {
        let at = self.at;
        let is_next = matches!(self.next(), Ok(Word::Sign(found)) if found == sign);
        if !is_next {
            self.at = at;
        }
        is_next
    }

    pub fn sign(&mut self, sign: &'static str) -> Result<()> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let word = self.peek()?;
        Err(self.unexpected(&word, sign))
    }

    /// Reads items between parentheses, separated by commas.
    pub fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(FilterError::TooDeep);
        }
        self.sign("(")?;
        item(self)?;
        while self.take_sign(",") {
            item(self)?;
        }
        self.depth -= 1;
        self.sign(")")
    }

    pub fn number(&mut self) -> Result<f64> {
        let negative = self.take_sign("-");
        if !negative {
            self.take_sign("+");
        }
        match self.next()? {
            Word::Number(number) => Ok(if negative { -number } else { number }),
            word => Err(self.unexpected(&word, "a number")),
        }
    }

    pub fn name(&mut self, expected: &'static str) -> Result<String> {
        match self.next()? {
            Word::Name(name) | Word::Quoted(name) => Ok(name),
            word => Err(self.unexpected(&word, expected)),
        }
    }
}

/// Returns the end of a number without a sign.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}
