//! Builds the geometry column of a chunk.

use arrow_array::BinaryArray;
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};

use super::error::TableError;
use crate::geometry::{Geometry, write_wkb};

/// A new array is started once the current one is larger than this, so that no array comes near Arrow's limit of 2 GiB.
const MAX_ARRAY_BYTES: usize = 64 * 1024 * 1024;

/// Builds the WKB of consecutive rows, in as many arrays as its size needs.
#[derive(Default)]
pub struct WkbBuilder {
    /// The full arrays, which hold the first rows.
    full: Vec<ArrayBuilder>,
    current: ArrayBuilder,
}

impl WkbBuilder {
    /// Adds a row.
    #[inline]
    pub fn push(&mut self, geometry: Option<&Geometry>) {
        if self.current.bytes.len() > MAX_ARRAY_BYTES {
            self.full.push(std::mem::take(&mut self.current));
        }
        self.current.push(geometry);
    }

    pub fn finish(self) -> Result<Vec<BinaryArray>, TableError> {
        self.full.into_iter().chain([self.current]).map(ArrayBuilder::finish).collect()
    }
}

/// The WKB of rows, one after the other.
#[derive(Default)]
struct ArrayBuilder {
    bytes: Vec<u8>,
    /// For each row the offset at which its WKB ends, and whether it has a geometry.
    ends: Vec<(usize, bool)>,
}

impl ArrayBuilder {
    #[inline]
    fn push(&mut self, geometry: Option<&Geometry>) {
        if let Some(geometry) = geometry {
            write_wkb(geometry, &mut self.bytes);
        }
        self.ends.push((self.bytes.len(), geometry.is_some()));
    }

    fn finish(self) -> Result<BinaryArray, TableError> {
        if i32::try_from(self.bytes.len()).is_err() {
            return Err(TableError::GeometryTooLong);
        }
        let offsets = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end as i32));
        let validity: NullBuffer = self.ends.iter().map(|(_, has_geometry)| *has_geometry).collect();
        let validity = Some(validity).filter(|validity| validity.null_count() > 0);
        let array = BinaryArray::try_new(OffsetBuffer::new(offsets.collect()), Buffer::from_vec(self.bytes), validity);
        Ok(array.expect("the last offset is the number of bytes, and every row has one bit of validity"))
    }
}
