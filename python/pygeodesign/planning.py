"""Planners' questions: where designs agree, where diagrams collide, and what suits the land. For the extra `geo`.

`Project.compare()` gives a `Comparison`, which answers them:

    >>> from pygeodesign import Sandbox
    >>> with Sandbox() as sandbox:
    ...     comparison = sandbox.client().project("StatenIsland2050").compare()
    >>> comparison
    <Comparison of Staten Island 2050: 4 designs, 180 diagrams>

Nothing is downloaded after that. Areas are geodesic, in hectares, and agree with `pygeodesign.measure`; money is in the
project's currency. `docs/comparing-designs.md` has the formulas.
"""

from __future__ import annotations

from pygeodesign._core import _missing_extra

try:
    from pygeodesign._planning.compared import Compared
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

__all__ = ["Comparison"]


class Comparison(Compared):
    """Designs of a project, compared. It shows the project at the time of `Project.compare()`.

    Attributes:
        project: The `Project`.
        title: The title of the project.
        designs: A dict from the label of each design to the sorted list of the ids of its diagrams.
        costs: The `CostReport` of all diagrams of the project.
        diagrams: A GeoDataFrame in EPSG:4326 with one row per diagram, by `diagramid`, in the order of the systems:
            `sysid`, `system` (its name), `title`, `kind` (`project`, `policy` or None), `author`, `cost`, `area_ha`,
            `area_source`, `length_km`, `rate`, `rate_source`, `start_date`, `end_date` and `geometry`, one for all
            features of the diagram. The geometry is None where the diagram has none, as external ones; figures that
            nobody knows are NaN.
        systems: A DataFrame with one row per system, by `sysid`: `name`, `tag`, `color`, `rate` (per hectare, or per
            kilometre of line), and the figures of `CostReport.systems`.
        boundaries: The study area as a GeoDataFrame; empty where the project has none.
        constraints: Where nothing can be changed, as a GeoDataFrame; empty where the project has none.
        evaluations: A dict from `sysid` to the evaluation map of the system, a GeoDataFrame with the column `areatype`;
            empty where it has none.

    Examples:
        >>> comparison = project.compare()
        >>> for label, ids in comparison.designs.items():
        ...     print(label, len(ids))
        Conservation – Design 3 – with the Residents' parks 46
        Developers – Design 2 – North Shore first 38
        Mobility – Design 3 – what the budget carries 33
        Residents – Design 2 – à la carte 52
    """

    def __repr__(self) -> str:
        """The number of designs and diagrams."""
        return f"<Comparison of {self.title}: {len(self.designs)} designs, {len(self.diagrams)} diagrams>"
