//! The elements of arrays and the members of objects of a scanned text.

use super::cursor::Scanner;
use super::error::Result;

/// The items of an open array or object: its elements or members.
pub struct Items<'s, 't> {
    pub scanner: &'s mut Scanner<'t>,
    closing_bracket: u8,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    BeforeFirst,
    AfterFirst,
    Ended,
}

impl<'t> Scanner<'t> {
    /// The elements of an array whose opening bracket has been taken.
    pub fn elements(&mut self) -> Items<'_, 't> {
        Items { scanner: self, closing_bracket: b']', state: State::BeforeFirst }
    }

    /// The members of an object whose opening bracket has been taken.
    pub fn members(&mut self) -> Items<'_, 't> {
        Items { scanner: self, closing_bracket: b'}', state: State::BeforeFirst }
    }
}

impl Items<'_, '_> {
    /// Moves the scanner to the next item; false where there is none left.
    #[inline]
    pub fn advance(&mut self) -> Result<bool> {
        let scanner = &mut *self.scanner;
        match (scanner.peek(), self.state) {
            (_, State::Ended) => return Ok(false),
            (Some(found), _) if found == self.closing_bracket => {
                scanner.offset += 1;
                self.state = State::Ended;
                return Ok(false);
            }
            (Some(b','), State::AfterFirst) => scanner.offset += 1,
            (Some(_), State::BeforeFirst) => self.state = State::AfterFirst,
            _ => return Err(scanner.error("expected ',' or the end")),
        }
        Ok(true)
    }

    /// Checks that no item is left, and takes the closing bracket unless [`Items::advance`] has taken it.
    #[inline]
    pub fn finish(mut self) -> Result<()> {
        if self.state != State::Ended && self.advance()? {
            return Err(self.scanner.error("trailing characters"));
        }
        self.scanner.depth -= 1;
        Ok(())
    }
}
