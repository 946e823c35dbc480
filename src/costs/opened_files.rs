//! What the files of external diagrams hold.

use std::collections::HashMap;

use super::geometry_problem::geometry_problem;
use crate::features::fault_of;
use crate::geometry::{Geometry, InvalidGeometry, Measured};

/// What the files of external diagrams hold, or why they could not be opened, by the ids of the diagrams.
pub type OpenedFiles = HashMap<i64, Result<OpenedFile, String>>;

/// What the file of an external diagram holds.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedFile {
    /// The area and length of all its geometries together.
    pub measured: Measured,
    /// Why a geometry is not valid; `None` if all are, or if they were not checked.
    pub geometry_problem: Option<String>,
}

impl OpenedFile {
    /// A file with these geometries, which are in longitude and latitude.
    pub fn new(geometries: &[Geometry], check: bool) -> Self {
        let mut measured = Measured::Nothing;
        geometries.iter().for_each(|geometry| measured += Measured::of(geometry));
        let faults = geometries.iter().filter(|_| check).filter_map(fault_of);
        OpenedFile { measured, geometry_problem: geometry_problem(&faults.collect::<Vec<InvalidGeometry>>()) }
    }
}
