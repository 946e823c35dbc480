//! Many workshops in one service: each has its own database, users and commit queue, below `/w/NAME`; they share its threads and
//! its memory.

mod opening;
mod operator;
mod slot;
mod unopened;

pub use opening::{Target, Workshops};
pub use unopened::{answer_unopened, has_token};
