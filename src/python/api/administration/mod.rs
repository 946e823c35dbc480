//! Methods of `Sandbox` for what no operation of the service can change or read.

mod backup;
mod figures;
mod history;
mod maps;
mod reading;
mod teams;
mod users;
