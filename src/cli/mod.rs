//! The command line of pygeodesign, with a file per command.

mod backup;
mod run;
mod serve;
mod welcome;

pub use run::run;
