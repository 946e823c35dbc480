//! Giving up in the middle.

use super::error::LoadProblem;

/// Tells whether whoever waits for the project has given up. Threads that read an archive ask it.
pub type IsInterrupted<'i> = &'i (dyn Fn() -> bool + Sync);

pub fn check(is_interrupted: IsInterrupted) -> Result<(), LoadProblem> {
    if is_interrupted() { Err(LoadProblem::Interrupted) } else { Ok(()) }
}
