//! The ellipsoid of WGS 84.

use std::sync::LazyLock;

use geographiclib_rs::Geodesic;

/// Shared, because its series take a while to set up.
pub static WGS84: LazyLock<Geodesic> = LazyLock::new(Geodesic::wgs84);
