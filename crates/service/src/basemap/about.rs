//! A tile file's description of itself, for the pages that show it.

use super::file::TileFile;
use serde::Serialize;

/// Maximum characters of the credits and of the name.
const MAX_TEXT: usize = 500;

/// Zoom levels, bounds, credits and name of a tile file.
#[derive(Debug, Clone, Serialize)]
pub struct About {
    pub min_zoom: u32,
    pub max_zoom: u32,
    /// West, south, east, north; `None` if the file does not state them.
    pub bounds: Option<[f64; 4]>,
    pub credits: String,
    pub name: String,
}

impl About {
    pub fn read(file: &TileFile, min_zoom: u32, max_zoom: u32) -> rusqlite::Result<Self> {
        let (credits, name) = (plain(&metadata(file, "attribution")?), plain(&metadata(file, "name")?));
        let bounds = bounds(&metadata(file, "bounds")?);
        let credits = if credits.is_empty() { name.clone() } else { credits };
        Ok(About { min_zoom, max_zoom, bounds, credits, name })
    }
}

/// Returns a value of the metadata, or an empty string if there is none.
pub fn metadata(file: &TileFile, name: &str) -> rusqlite::Result<String> {
    let sql = "SELECT value FROM metadata WHERE name = ?1 LIMIT 1";
    let value = file.first(sql, [name], |row| Ok(row.get_ref(0)?.as_str().unwrap_or_default().to_owned()))?;
    Ok(value.unwrap_or_default())
}

fn bounds(text: &str) -> Option<[f64; 4]> {
    let sides: Vec<f64> = text.split(',').map(|side| side.trim().parse().ok()).collect::<Option<_>>()?;
    let [west, south, east, north] = sides.try_into().ok()?;
    let is_on_earth =
        (-180.0..east).contains(&west) && east <= 180.0 && (-90.0..north).contains(&south) && north <= 90.0;
    is_on_earth.then_some([west, south, east, north])
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
        assert_eq!(bounds("-74.26,40.49, -74.05,40.65"), Some([-74.26, 40.49, -74.05, 40.65]));
        for text in ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "5,0,4,1", "0,0,nan,1", "-181,0,1,1", "0,0,inf,1"] {
            assert_eq!(bounds(text), None, "{text}");
        }
    }
}
