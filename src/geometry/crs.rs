//! The member `crs` of GeoJSON of 2008. RFC 7946 knows WGS 84 only.

use serde::Deserialize;
use serde_json::Value as Tree;

use crate::json::{JsonText, Scanner, ScannerError, Value};

pub const OTHER_CRS: &str = "its crs is not WGS 84";

/// Whether the member says that positions are longitude and latitude. That is also so where there is none.
pub fn is_wgs84(crs: Option<&str>) -> bool {
    let Some(text) = crs.filter(|crs| *crs != "null") else { return true };
    let crs: Tree = serde_json::from_str(text).unwrap_or_default();
    let name = crs.as_str().or_else(|| crs["properties"]["name"].as_str());
    let code = name.map(|name| name.rsplit([':', '/', '#']).next().unwrap_or_default().to_ascii_uppercase());
    // In GeoJSON, positions of EPSG:4326 have the longitude first, too.
    code.is_some_and(|code| ["CRS84", "CRS84H", "4326", "4979", "WGS84", "WGS 84"].contains(&code.as_str()))
}

/// Whether a CRS in a text is an address, which some readers of GeoJSON ask for the CRS, or a path, which they open.
pub fn has_linked_crs(text: &str) -> Result<bool, ScannerError> {
    let mut scanner = Scanner::new(text);
    let mut found = false;
    look_for_linked_crs(&mut scanner, &mut found)?;
    scanner.end()?;
    Ok(found)
}

fn look_for_linked_crs(scanner: &mut Scanner, found: &mut bool) -> Result<(), ScannerError> {
    match scanner.value()? {
        Value::Array => {
            let mut elements = scanner.elements();
            while elements.advance()? {
                look_for_linked_crs(elements.scanner, found)?;
            }
            elements.finish()
        }
        Value::Object => {
            let mut members = scanner.members();
            while members.advance()? {
                let is_crs = members.scanner.string()? == "crs";
                members.scanner.take(b':')?;
                members.scanner.peek();
                if is_crs {
                    let JsonText(crs) = JsonText::deserialize(&mut *members.scanner)?;
                    let crs: Tree = serde_json::from_str(crs).unwrap_or_default();
                    *found |= crs.is_object() && crs["type"] != "name";
                } else {
                    look_for_linked_crs(members.scanner, found)?;
                }
            }
            members.finish()
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crs_at_an_address_is_found_wherever_it_is() {
        let link = r#"{"type":"link","properties":{"href":"https://example.org/crs"}}"#;
        for text in
            [format!(r#"{{"crs":{link}}}"#), format!(r#"{{"features":[{{"geometry":{{"\u0063rs":{link}}}}}]}}"#)]
        {
            assert!(has_linked_crs(&text).unwrap(), "{text}");
        }
        let named = r#"{"crs":{"type":"name","properties":{"name":"EPSG:3763"}},"features":[[1.5,2],null,"crs"]}"#;
        assert!(!has_linked_crs(named).unwrap());
        assert!(has_linked_crs(r#"{"crs":{"type":"name"}} {"#).is_err());
    }
}
