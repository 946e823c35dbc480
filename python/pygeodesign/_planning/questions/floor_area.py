"""Square metres of floor, and plot ratios."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from pygeodesign._planning.compared import Compared
from pygeodesign._planning.groups import Group, groups, part_hectares
from pygeodesign._planning.land.lands import HECTARE


def floor_area(
    self: Compared, by: Literal["design", "system", "year", "part"] = "design", scope: str = "designs"
) -> pd.DataFrame:
    """Square metres of floor of each design, and how densely it builds.

        floor = area of the project * its storeys

    The storeys of a diagram are `storeys_above_ground` and `storeys_below_ground` of its `building_data`, and its area
    is the ground that its buildings cover. Floors are summed over diagrams: where two overlap, both count. Policies
    build nothing.

    Args:
        by: `"design"` for one row, `"system"`, `"year"` for the years in which diagrams are finished, or `"part"` for
            the parts of the second boundaries, by the share of each diagram's land in them.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

    Returns:
        One row per design and group, whose columns are `sysid` and `system`, `year` (`<NA>` for diagrams without
        dates), or `part` (its name; `outside` for land in no part, `<NA>` for diagrams without a geometry). `area_ha`
        is the ground of projects with storeys, `floor_above_m2` and `floor_below_m2` their floor above and below the
        ground, and `floor_m2` both. `plot_ratio` is floor above the ground for each square metre of that ground, or, by
        part, of all land of the part. `without_storeys` counts projects whose floor is unknown; if all are, floors are
        NaN.

    Raises:
        InputError: `by` has another value, no design has that label, the project has no second boundaries for
            `"part"`, or there is no design.

    Examples:
        >>> project.compare().floor_area()[["plot_ratio", "without_storeys"]].round(1)
           plot_ratio  without_storeys
        0         3.0               29
        1         7.8                7
        2         5.5                6
        3         3.9               17
    """
    return self._long_frame(
        {label: _floors(self, rows[rows["kind"] != "policy"], by) for label, rows in self._in_scope(scope).items()}
    )


def _floors(compared: Compared, rows: pd.DataFrame, by: str) -> pd.DataFrame:
    above, below = rows["floor_above_m2"], rows["floor_below_m2"]
    ground = rows["area_ha"].where(above.notna())
    whole = part_hectares(compared) if by == "part" else {}

    def row(group: Group) -> dict[str, object]:
        area, floor = group.sum(ground), group.sum(above)
        land = whole.get(group.key["part"], float("nan")) if by == "part" else area
        return {
            **group.key,
            "area_ha": area,
            "floor_above_m2": floor,
            "floor_below_m2": group.sum(below),
            "floor_m2": group.sum(above + below),
            "plot_ratio": floor / (land * HECTARE) if land > 0 else float("nan"),
            "without_storeys": group.unknown(above),
        }

    return pd.DataFrame([row(group) for group in groups(compared, rows, by)])
