//! Thumbnails: small pictures of a diagram, in its system's colour, over the outline of the study area.

mod backdrop;
mod date_line;
mod drawing;
mod paths;

use std::collections::HashMap;

use tiny_skia::Pixmap;

pub use backdrop::Backdrop;
use paths::SIZE;

/// Reasons why a thumbnail cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ThumbnailError {
    #[error("a canvas of {SIZE} by {SIZE} pixels cannot be allocated", SIZE = SIZE)]
    Canvas,
    #[error("the picture cannot be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}

const MAX_PALETTE_COLORS: usize = 256;

/// Writes a PNG file with a palette, compressed fast. `Pixmap::encode_png` takes many times as long, and its files are larger.
fn encode(canvas: &Pixmap) -> Result<Vec<u8>, ThumbnailError> {
    let (palette, pixels) = index_colors(canvas.data());
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIZE, SIZE);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::Fastest);
    encoder.set_filter(png::Filter::Up);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(file)
}

/// Returns a palette, as RGB, and for each pixel the index of its colour in the palette. If there are too many colours, those that agree in
/// their higher bits share an index.
fn index_colors(rgba: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut palette = Vec::new();
    let mut indices = Vec::with_capacity(rgba.len() / 4);
    for mask in (0..8).map(|ignored_bits| u32::from_le_bytes([u8::MAX << ignored_bits; 4])) {
        palette.clear();
        indices.clear();
        let mut known = HashMap::new();
        // Most pixels equal the one before. No pixel of an opaque picture equals 0, which is transparent black.
        let mut previous = (0, 0);
        for pixel in rgba.as_chunks().0.iter().copied().map(u32::from_le_bytes) {
            if pixel != previous.0 {
                let index = *known.entry(pixel & mask).or_insert_with(|| {
                    palette.extend_from_slice(&pixel.to_le_bytes()[..3]);
                    palette.len() / 3 - 1
                });
                previous = (pixel, index as u8);
            }
            indices.push(previous.1);
        }
        if known.len() <= MAX_PALETTE_COLORS {
            break;
        }
    }
    (palette, indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_that_do_not_fit_into_a_palette_are_replaced_by_similar_ones() {
        let rgba: Vec<u8> = (0..4096_u32).flat_map(|i| [(i >> 4) as u8, (i << 4) as u8, 7, 255]).collect();
        let (palette, indices) = index_colors(&rgba);
        assert!((64..=MAX_PALETTE_COLORS).contains(&(palette.len() / 3)));
        for (pixel, index) in rgba.chunks(4).zip(indices) {
            let color = &palette[usize::from(index) * 3..][..3];
            assert!(pixel.iter().zip(color).all(|(a, b)| a.abs_diff(*b) < 32));
        }
    }
}
