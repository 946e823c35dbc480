//! A tile file's description of itself, for the pages that show it.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::BasemapError;
use super::tile::Form;

/// Maximum characters of the credits and of the name.
const MAX_TEXT: usize = 500;

/// Layers of vector tiles that the pages draw (Protomaps). Tiles with neither are of another schema.
const KNOWN_LAYERS: [&str; 2] = ["earth", "roads"];

/// Form, zoom levels, bounds, credits and name of a tile file.
#[derive(Debug, Clone, Serialize)]
pub struct About {
    /// True for vector tiles.
    pub vector: bool,
    pub min_zoom: u32,
    pub max_zoom: u32,
    /// West, south, east, north; `None` if the file does not state them.
    pub bounds: Option<[f64; 4]>,
    pub credits: String,
    pub name: String,
}

impl About {
    /// `attribution` and `name` may be HTML.
    pub fn new(form: Form, zooms: [u32; 2], bounds: [f64; 4], attribution: &str, name: &str) -> Self {
        let (credits, name) = (plain(attribution), plain(name));
        let credits = if credits.is_empty() { name.clone() } else { credits };
        let [min_zoom, max_zoom] = zooms;
        About { vector: form == Form::Vectors, min_zoom, max_zoom, bounds: on_earth(bounds), credits, name }
    }

    /// Returns an error if the metadata list vector layers, and the pages draw none of them.
    pub fn check_layers(&self, path: &Path, metadata: &Value) -> Result<(), BasemapError> {
        let listed = metadata.get("vector_layers").and_then(Value::as_array).into_iter().flatten();
        let layers: Vec<&str> = listed.filter_map(|layer| layer.get("id")?.as_str()).collect();
        let is_known = layers.is_empty() || layers.iter().any(|layer| KNOWN_LAYERS.contains(layer));
        if is_known || !self.vector {
            return Ok(());
        }
        let layers = layers.join(", ").chars().take(MAX_TEXT).collect();
        Err(BasemapError::Schema { path: path.to_owned(), layers })
    }
}

/// Reads four numbers with commas between them. Others are not a place on Earth.
pub fn bounds(text: &str) -> [f64; 4] {
    let sides: Option<Vec<f64>> = text.split(',').map(|side| side.trim().parse().ok()).collect();
    sides.and_then(|sides| sides.try_into().ok()).unwrap_or([f64::NAN; 4])
}

fn on_earth(sides: [f64; 4]) -> Option<[f64; 4]> {
    let [west, south, east, north] = sides;
    let is_on_earth =
        (-180.0..east).contains(&west) && east <= 180.0 && (-90.0..north).contains(&south) && north <= 90.0;
    is_on_earth.then_some(sides)
}

/// Returns the visible text of HTML: tile files have their credits as HTML.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        text.push(' ');
        rest = rest[start..].split_once('>').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let words = unescaped(&text);
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_TEXT).collect()
}

/// Replaces HTML's named characters. Unknown names stay.
fn unescaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        shown.push_str(&rest[..start]);
        rest = &rest[start..];
        let named = rest[1..].split_once(';').and_then(|(name, after)| Some((character(name)?, after)));
        match named {
            Some((character, after)) => {
                shown.push(character);
                rest = after;
            }
            None => {
                shown.push('&');
                rest = &rest[1..];
            }
        }
    }
    shown + rest
}

fn character(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "copy" => '©',
        _ => {
            let code = name.strip_prefix('#')?;
            let code = match code.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => code.parse(),
            };
            char::from_u32(code.ok()?).filter(|character| !character.is_control())?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_are_the_text_that_their_html_shows() {
        let html =
            "<a href=\"https://a.org\" onclick='x()'>&copy; Example</a>\n &amp; fri&#101;nds &unknown; &#0; 5 & 6";
        assert_eq!(plain(html), "© Example & friends &unknown; &#0; 5 & 6");
        assert_eq!(plain("&lt;script&gt;"), "<script>");
        assert_eq!((plain("<b"), plain("&"), plain("&;")), (String::new(), "&".into(), "&;".into()));
        assert_eq!(plain(&"ä".repeat(9_999)).chars().count(), MAX_TEXT);
    }

    #[test]
    fn bounds_are_four_numbers_on_the_earth() {
        assert_eq!(on_earth(bounds("-74.26,40.49, -74.05,40.65")), Some([-74.26, 40.49, -74.05, 40.65]));
        for text in ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "5,0,4,1", "0,0,nan,1", "-181,0,1,1", "0,0,inf,1"] {
            assert_eq!(on_earth(bounds(text)), None, "{text}");
        }
    }
}
