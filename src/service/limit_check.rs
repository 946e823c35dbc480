//! Whether something is within a limit, and the error where it is not. All checks say it alike.

use std::fmt;

/// A limit with its name, by which an operator can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedLimit {
    pub name: &'static str,
    /// What `value` counts, such as `bytes`.
    pub unit: &'static str,
    pub value: u64,
}

/// Something is more than a limit of the service allows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitExceeded {
    /// A part of a request, such as the field `title`.
    #[error("{part} has {} {}; the limit {} is {}", Grouped(*found), limit.unit, limit.name, Grouped(limit.value))]
    Part { part: String, found: u64, limit: NamedLimit },
    /// What a project or a user has, with what the request would add.
    #[error(
        "{owner} has {} {} and this adds {}; the limit {} is {}, so that {} are left",
        Grouped(*used), limit.unit, Grouped(*added), limit.name, Grouped(limit.value),
        Grouped(limit.value.saturating_sub(*used))
    )]
    Total { owner: &'static str, used: u64, added: u64, limit: NamedLimit },
}

impl NamedLimit {
    /// Checks a part of a request. `found` is how many units it has.
    pub fn check(self, part: &str, found: usize) -> Result<(), LimitExceeded> {
        match found as u64 {
            found if found > self.value => Err(LimitExceeded::Part { part: part.to_owned(), found, limit: self }),
            _ => Ok(()),
        }
    }

    /// Checks the number of characters of a text.
    pub fn check_text(self, part: &str, text: &str) -> Result<(), LimitExceeded> {
        // A text has at most as many characters as bytes, so that short ones are not counted.
        if text.len() as u64 <= self.value { Ok(()) } else { self.check(part, text.chars().count()) }
    }

    /// Checks what a project or a user would have after a request that adds something. A request that adds nothing is
    /// accepted whatever they have, so that they can remove some of it.
    pub fn check_total(self, owner: &'static str, used: u64, added: u64) -> Result<(), LimitExceeded> {
        if added == 0 || used.saturating_add(added) <= self.value {
            return Ok(());
        }
        Err(LimitExceeded::Total { owner, used, added, limit: self })
    }
}

impl LimitExceeded {
    /// The same error, with the place of the part in the body, such as `tags[3]`.
    pub fn within(self, place: &str) -> Self {
        match self {
            LimitExceeded::Part { part, found, limit } => {
                LimitExceeded::Part { part: format!("{place}.{part}"), found, limit }
            }
            total => total,
        }
    }

    /// The limit that it is about.
    pub fn limit(&self) -> NamedLimit {
        match self {
            LimitExceeded::Part { limit, .. } | LimitExceeded::Total { limit, .. } => *limit,
        }
    }
}

/// A number with commas between groups of three digits, such as `70,000`.
struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TITLE: NamedLimit = NamedLimit { name: "title_characters", unit: "characters", value: 500 };

    #[test]
    fn an_error_names_the_part_the_limit_and_its_value() {
        let error = TITLE.check_text("title", &"é".repeat(70_000)).unwrap_err();
        assert_eq!(error.to_string(), "title has 70,000 characters; the limit title_characters is 500");
        assert!(error.within("systems[2]").to_string().starts_with("systems[2].title has"));
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(TITLE.check_text("title", &"é".repeat(500)).is_ok());
        assert!(TITLE.check_text("title", &"e".repeat(501)).is_err());
    }

    #[test]
    fn an_error_about_a_total_says_how_much_is_left() {
        let bytes = NamedLimit { name: "project_bytes", unit: "bytes", value: 10_000 };
        let error = bytes.check_total("the project", 9_000, 1_001).unwrap_err();
        let message = "the project has 9,000 bytes and this adds 1,001; the limit project_bytes is 10,000, so that 1,000 are left";
        assert_eq!(error.to_string(), message);
        assert!(bytes.check_total("the project", 9_000, 1_000).is_ok());
        assert!(bytes.check_total("the project", 20_000, 0).is_ok());
    }
}
