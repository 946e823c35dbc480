//! The colours of thumbnails.

pub type Rgb = [u8; 3];

pub const LAND: Rgb = [0xef, 0xf1, 0xee];
pub const SHORE: Rgb = [0xb3, 0xb9, 0xb4];
pub const WHITE: Rgb = [0xff; 3];
/// For systems whose colour is not of the form `#RRGGBB`.
const GREY: Rgb = [0x7a, 0x80, 0x88];

/// The opacity of a diagram's polygons, from 0 to 255. The outline of the study area and overlaps show through.
pub const FILL_OPACITY: u8 = 153;

/// The colours of a diagram: that of its system, and a darker one that is visible on it and on white.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiagramColors {
    pub fill: Rgb,
    pub edge: Rgb,
}

impl DiagramColors {
    /// From `#RRGGBB`; any other text gives grey.
    pub fn from_hex(color: &str) -> Self {
        let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6 && !digits.contains('+'));
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let fill = number.map_or(GREY, |number| [(number >> 16) as u8, (number >> 8) as u8, number as u8]);
        let [red, green, blue] = fill.map(f32::from);
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
        let darkening = (105.0 / brightness.max(1.0)).min(0.68);
        DiagramColors { fill, edge: fill.map(|channel| (f32::from(channel) * darkening) as u8) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_hexadecimal_digits_are_a_color_and_any_other_text_is_grey() {
        assert_eq!(DiagramColors::from_hex("#F2a091").fill, [0xf2, 0xa0, 0x91]);
        for other in ["", "#", "red", "#fff", "F2A091", "#+2A091", "#F2A0911", "#F2A09é", "#F2A09 "] {
            assert_eq!(DiagramColors::from_hex(other).fill, GREY, "{other}");
        }
    }
}
