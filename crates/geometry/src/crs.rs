//! The member `crs` of GeoJSON 2008. RFC 7946 allows WGS 84 only.

use serde_json::Value as Tree;

pub const OTHER_CRS: &str = "its crs is not WGS 84";
/// Longer text is not a CRS name, and is not parsed.
pub const MAX_CRS_BYTES: usize = 64 * 1024;

/// Returns the name of the CRS in the member; `None` for WGS 84 and if there is no member.
pub fn crs_name(crs: Option<&str>) -> Option<String> {
    let text = crs.filter(|_| !is_wgs84(crs))?;
    let tree: Tree = serde_json::from_str(text).unwrap_or_default();
    let properties = &tree["properties"];
    let name = tree.as_str().or_else(|| properties["name"].as_str()).map(str::to_owned);
    // As in GeoJSON before 2008.
    name.or_else(|| Some(format!("EPSG:{}", properties["code"].as_u64()?))).or_else(|| Some(text.to_owned()))
}

/// True if positions are longitude and latitude, which is also the default.
pub fn is_wgs84(crs: Option<&str>) -> bool {
    let Some(text) = crs.filter(|crs| *crs != "null") else { return true };
    if text.len() > MAX_CRS_BYTES {
        return false;
    }
    let crs: Tree = serde_json::from_str(text).unwrap_or_default();
    let name = crs.as_str().or_else(|| crs["properties"]["name"].as_str());
    let code = name.map(|name| name.rsplit([':', '/', '#']).next().unwrap_or_default().to_ascii_uppercase());
    // In GeoJSON, positions of EPSG:4326 have the longitude first, too.
    code.is_some_and(|code| ["CRS84", "CRS84H", "4326", "4979", "WGS84", "WGS 84"].contains(&code.as_str()))
}
