//! Painting what lines pass and polygons cover.

use tiny_skia::Pixmap;

use super::lattice::{Coverage, LATTICE, PIXELS};
use crate::service::thumbnail::colors::Rgb;

/// The largest distance that matters, in steps of the lattice: half the width of the widest line and half a pixel.
const REACH: usize = 10;
/// More layers of a translucent colour could not be told apart.
const MAX_LAYERS: i32 = 8;

impl Coverage {
    /// Paints the inside of polygons, once for each polygon.
    pub fn fill(&self, canvas: &mut Pixmap, color: Rgb, opacity: u8) {
        let rows = self.overlap_changes.chunks_exact(PIXELS + 1).zip(canvas.data_mut().chunks_exact_mut(4 * PIXELS));
        for (changes, row) in rows {
            let mut layers = 0;
            for (change, pixel) in changes.iter().zip(row.as_chunks_mut().0) {
                layers += change;
                (0..layers.min(MAX_LAYERS)).for_each(|_| blend(pixel, color, opacity));
            }
        }
    }

    /// Paints lines of these colours and widths over one another.
    pub fn stroke(&self, canvas: &mut Pixmap, layers: &[(Rgb, f32)]) {
        let distances = self.squared_distances();
        for &(color, width) in layers {
            // A pixel that a line only touches is painted in part.
            let opacity = |squared: usize| (width / 2.0 + 0.5 - (squared as f32).sqrt() / 2.0).clamp(0.0, 1.0) * 255.0;
            let opacities: [u8; 2 * REACH * REACH + 1] = std::array::from_fn(|squared| opacity(squared).round() as u8);
            for (pixel, &squared) in canvas.data_mut().as_chunks_mut().0.iter_mut().zip(&distances) {
                if let Some(&opacity @ 1..) = opacities.get(usize::from(squared)) {
                    blend(pixel, color, opacity);
                }
            }
        }
    }

    /// For each pixel, the square of the distance from its centre to the nearest point that a line passes, in steps of the
    /// lattice. Distances beyond [`REACH`] may be larger than they are.
    fn squared_distances(&self) -> Vec<u16> {
        const FAR: u16 = 2 * REACH as u16;
        let mut within_row = vec![0; LATTICE * PIXELS];
        for (passed, nearest) in self.passed.chunks_exact(LATTICE).zip(within_row.chunks_exact_mut(PIXELS)) {
            let mut from_left = [FAR; LATTICE];
            let mut distance = FAR;
            for (from_left, passed) in from_left.iter_mut().zip(passed) {
                distance = if *passed { 0 } else { FAR.min(distance + 1) };
                *from_left = distance;
            }
            distance = FAR;
            for at in (1..LATTICE).rev() {
                distance = if passed[at] { 0 } else { FAR.min(distance + 1) };
                if at % 2 == 1 {
                    nearest[at / 2] = distance.min(from_left[at]).pow(2);
                }
            }
        }
        let mut squared = vec![u16::MAX; PIXELS * PIXELS];
        for (row, squared) in squared.chunks_exact_mut(PIXELS).enumerate() {
            let center = 2 * row + 1;
            for other in center.saturating_sub(REACH)..(center + REACH + 1).min(LATTICE) {
                let between_rows = center.abs_diff(other).pow(2) as u16;
                let nearest = &within_row[other * PIXELS..][..PIXELS];
                squared
                    .iter_mut()
                    .zip(nearest)
                    .for_each(|(least, nearest)| *least = (*least).min(nearest + between_rows));
            }
        }
        squared
    }
}

/// Paints a colour over an opaque pixel.
fn blend(pixel: &mut [u8; 4], color: Rgb, opacity: u8) {
    let opacity = u32::from(opacity);
    for (channel, color) in pixel.iter_mut().zip(color) {
        *channel = ((u32::from(color) * opacity + u32::from(*channel) * (255 - opacity) + 127) / 255) as u8;
    }
}
