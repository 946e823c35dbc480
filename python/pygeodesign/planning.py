"""Planners' questions: where designs agree, where diagrams collide, and what suits the land. For the extra `geo`.

`Project.compare()` gives a `Comparison`, which answers them:

    >>> from pygeodesign import Sandbox
    >>> with Sandbox() as sandbox:
    ...     comparison = sandbox.client().project("StatenIsland2050").compare()
    >>> comparison
    <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>

Nothing is downloaded after that. Areas are geodesic, in hectares, and agree with `pygeodesign.measure`; money is in the
project's currency. `docs/comparing-designs.md` has the formulas.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pygeodesign._core import _missing_extra

try:
    import geopandas
    import pandas as pd

    from pygeodesign._planning import agreement, card, conflicts, consensus, suitability
    from pygeodesign._planning.money import MoneyQuestions
    from pygeodesign._planning.optimum import Optimum
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from types import ModuleType

    from matplotlib.axes import Axes

__all__ = ["Comparison", "Optimum"]

# Where callers, and pickle, find it.
Optimum.__module__ = __name__


class Comparison(MoneyQuestions):
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
        missing = len(self.without_geometry)
        gap = f", {missing} without a geometry" if missing else ""
        return f"<Comparison of {self.title}: {len(self.designs)} designs, {len(self.diagrams)} diagrams{gap}>"

    def _repr_html_(self) -> str:
        return card.comparison_card(self)

    @property
    def without_geometry(self) -> list[int]:
        """The ids of the diagrams without a geometry, such as external ones. No question about land counts them.

        Examples:
            >>> project.compare().without_geometry
            [1015, 1055]
        """
        ids: list[int] = self.diagrams.index[self.diagrams.geometry.isna()].tolist()
        return ids

    def agreement(self) -> pd.DataFrame:
        """Which designs have which diagrams.

        Returns:
            One row per diagram of the project, by `diagramid`: a boolean column per design, and `chosen`, by how many
            designs. It is 0 for a diagram that is in none.

        Examples:
            >>> table = project.compare().agreement()
            >>> table["chosen"].value_counts().sort_index().to_dict()
            {0: 60, 1: 80, 2: 32, 3: 7, 4: 1}
        """
        return agreement.agreement(self.diagrams, self.designs)

    def similarity(self, by: Literal["diagrams", "cost"] = "diagrams") -> pd.DataFrame:
        """How alike designs are, from 0, nothing in common, to 1, the same diagrams.

        It is the Jaccard index: the diagrams that two designs share, divided by those that either of them has
        (Jaccard 1912, doi 10.1111/j.1469-8137.1912.tb05611.x).

        Args:
            by: `"diagrams"` counts each diagram once, `"cost"` as much as it costs: the cost of what two designs share,
                divided by the cost of what either of them has.

        Returns:
            One row and one column per design. NaN where neither of two designs has a diagram, or any cost.

        Raises:
            InputError: `by` is neither of the two.

        Warns:
            UserWarning: The cost of a diagram is not known, so `by="cost"` leaves it out.

        Examples:
            >>> project.compare([[1001, 1002], [1002, 1003, 1004]]).similarity()
                      Design 1  Design 2
            Design 1      1.00      0.25
            Design 2      0.25      1.00
        """
        return agreement.similarity(self.diagrams, self.designs, by)

    def consensus(self) -> geopandas.GeoDataFrame:
        """Every place that a design changes: how many do, and which system most of them choose there.

        A design changes the land under its projects; policies and lines change none. This is a planar overlay, like the
        scenario consensus of GeoPlanner.

        Returns:
            A GeoDataFrame in EPSG:4326, with the places that most designs change first. No two rows overlap. `designs`
            is the number of designs that change the places of the row; `sysid` and `system` what most of them choose,
            `votes` the number of designs that do. `tied` is whether another system has as many, of which `system` is
            the first in the order of the project. `area_ha` is geodesic.

        Examples:
            >>> layer = project.compare().consensus()
            >>> layer.loc[layer["designs"] > 1, "area_ha"].sum().round(1)
            np.float64(413.3)
        """
        return consensus.consensus(self.diagrams, self.designs, self.systems)

    def conflicts(
        self,
        by: Literal["systems", "diagrams"] = "systems",
        scope: str = "project",
        compatible: Any = None,
        *,
        constraints: bool = False,
        geometry: bool = True,
        progress: bool | None = None,
    ) -> geopandas.GeoDataFrame | pd.DataFrame:
        """Which systems, or diagrams, claim the same land, how much of it, and what is at stake there.

        Only the land under projects counts, each place once; policies and lines claim none, and a diagram whose kind is
        not known counts as a project. Borders that touch are no conflict: overlaps of less than 100 cm² are left out.

        Args:
            by: `"systems"` for pairs of systems; `"diagrams"` for pairs of diagrams, of one system too.
            scope: `"project"` for all diagrams, the label of a design for its own, or `"between"` for what one design
                puts where a different design puts something else.
            compatible: Pairs of systems, by name, id or tag, that may share land and are left out: a list such as
                `[("Water", "Agriculture")]`, or a DataFrame or dict of dicts that is true for such pairs. The pair of a
                system with itself leaves out pairs of its diagrams.
            constraints: Whether to add rows for what lies on the constraints of the project; their `system_b` is
                `"constraints"`, and their `sysid_b` and `diagramid_b` are missing.
            geometry: For diagrams: whether to keep the land of each pair. Without, hundreds of thousands of pairs need
                little memory, and the result is a DataFrame.
            progress: For diagrams: whether to show a progress bar, which needs tqdm. Default: in a notebook or a
                terminal.

        Returns:
            A GeoDataFrame in EPSG:4326, each pair once and the first of the pair first in the order of the project:
            `sysid_a`, `sysid_b`, `system_a`, `system_b`, `area_ha`, `cost` at stake, `unpriced`, and the common land.
            For diagrams, `diagramid_a` and `diagramid_b` come first. `cost` is the hectares times what a hectare of
            each of the two costs: a diagram its cost by its hectares, a system the cost of all its projects with land
            in the scope by the hectares under them. Diagrams whose cost is not known are left out of `cost` and counted
            in `unpriced`. `attrs["without_geometry"]` lists projects in the scope whose land is not known.

        Raises:
            InputError: No system or design has such a name, or `by` is neither of the two.

        Examples:
            >>> comparison = project.compare()
            >>> pairs = comparison.conflicts()
            >>> len(pairs), pairs["area_ha"].sum().round(1)
            (24, np.float64(133.5))
            >>> pairs.attrs["without_geometry"]
            [1015, 1055]
            >>> comparison.conflicts(by="diagrams", scope="between")[["diagramid_a", "diagramid_b", "area_ha"]].head(2)
               diagramid_a  diagramid_b   area_ha
            0         1009         1146  1.545836
            1         1011         1106  0.004028
        """
        return conflicts.conflicts(self, by, scope, compatible, constraints, geometry, progress)

    def suitability(self, by: Literal["diagrams", "systems"] = "diagrams", scope: str = "project") -> pd.DataFrame:
        """Whether diagrams are on land that suits them: hectares in each class of the evaluation map of their system.

        Args:
            by: `"diagrams"`, or `"systems"` for the sums of their diagrams.
            scope: `"project"`, or the label of a design.

        Returns:
            One row per diagram with land, policies too, by `diagramid`, with `sysid`, `system` and `title`; or per
            system, by `sysid`. `land_ha` is the land under the diagram. A column for each class (`red` where change is
            least wanted, `green` where it is most) and `outside` of all classes follow, in hectares; they are NaN
            for a system without an evaluation map. Where two classes of a map overlap, both count. Diagrams without a
            geometry, and lines, have no row.

        Raises:
            InputError: No design has that label, or `by` is neither of the two.

        Examples:
            >>> table = project.compare().suitability().reset_index()
            >>> table.loc[1:2, ["diagramid", "land_ha", "red", "green", "outside"]].round(1)
               diagramid  land_ha  red  green  outside
            1       1002     23.7  0.0   23.7      0.0
            2       1003     21.8  0.2   18.0      3.5
        """
        return suitability.suitability(self, by, scope)

    def impact(
        self, matrix: Any, by: Literal["systems", "diagrams"] = "systems", scope: str = "project"
    ) -> pd.DataFrame:
        """What projects of one system do to the other systems, by weights that you give.

        The impact of a diagram on another system is the sum of its hectares times their weight: one weight for all its
        land, or one for each class of the evaluation map of the other system. Services have no such weights; impact
        models of geodesign use a scale of five or seven steps, such as -2 to 2 (Steinitz 2012, A Framework for
        Geodesign).

        Args:
            matrix: A dict of dicts, or a DataFrame: for each system that acts, for each system that it acts on, a
                weight per hectare, or a dict from classes, and `"outside"`, to weights. Systems go by name, id or tag.
            by: `"systems"`, or `"diagrams"`.
            scope: `"project"`, or the label of a design.

        Returns:
            One row per pair of systems, or per diagram and other system (by `diagramid`), of the pairs that the matrix
            has a weight for: `sysid_a`, `sysid_b`, `system_a`, `system_b`, `area_ha` of land under the projects, and
            `impact`.

        Raises:
            InputError: No system has such a name, no class of the map has, or the system has no map.

        Examples:
            >>> weights = {"Transport": {"Water": -1, "Energy": {"red": -1, "green": 2}}}
            >>> project.compare().impact(weights)[["system_a", "system_b", "area_ha", "impact"]].round(1)
                system_a system_b  area_ha  impact
            0  Transport    Water      9.8    -9.8
            1  Transport   Energy      9.8     7.0
        """
        return suitability.impact(self, matrix, by, scope)

    def plot_consensus(self, ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None) -> Axes:
        """Draw `consensus()` as a map: the more designs change a place, the darker it is.

        Args:
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes, in degrees.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> print(project.compare().plot_consensus().get_title("left"))
            Staten Island 2050
            Changed by any of 4 designs: 1,415 ha, by several: 413 ha
        """
        draw = _pictures().draw_consensus
        axes: Axes = draw(self.consensus(), len(self.designs), self.boundaries, self.title, self._note(), ax, theme)
        return axes

    def plot_similarity(
        self,
        by: Literal["diagrams", "cost"] = "diagrams",
        ax: Axes | None = None,
        *,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw `similarity()` as a table of colours, each pair of designs once.

        Args:
            by: `"diagrams"` or `"cost"`.
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_similarity()
        """
        axes: Axes = _pictures().draw_similarity(self.similarity(by), by, self.title, ax, theme)
        return axes

    def plot_conflicts(
        self,
        scope: str = "project",
        compatible: Any = None,
        ax: Axes | None = None,
        *,
        constraints: bool = False,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw the conflicts of systems as a table of colours, in hectares.

        Args:
            scope: As for `conflicts()`.
            compatible: As for `conflicts()`.
            ax: The matplotlib axes to draw on. Default: new ones.
            constraints: Whether to add a row for the constraints of the project.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_conflicts(constraints=True)
        """
        draw = _pictures().draw_conflicts
        pairs = self.conflicts("systems", scope, compatible, constraints=constraints)
        names = self.systems["name"].tolist()
        where = {"project": "in the project", "between": "in different designs"}.get(scope, f"in {scope}")
        axes: Axes = draw(pairs, names, self.title, where, self._note(pairs.attrs["without_geometry"]), ax, theme)
        return axes

    def plot_suitability(
        self, scope: str = "project", ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None
    ) -> Axes:
        """Draw the suitability of systems as bars: the share of their land in each class of their evaluation maps.

        Args:
            scope: `"project"`, or the label of a design.
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes; along x are percent.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_suitability()
        """
        draw = _pictures().draw_suitability
        axes: Axes = draw(self.suitability("systems", scope), self.title, self._note(), ax, theme)
        return axes

    def plot_impact(
        self,
        matrix: Any,
        scope: str = "project",
        ax: Axes | None = None,
        *,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw the impact of systems on each other as a table of colours: green is better, red is worse.

        Args:
            matrix: As for `impact()`.
            scope: `"project"`, or the label of a design.
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_impact({"Transport": {"Water": -1, "Energy": 1}})
        """
        names = self.systems["name"].tolist()
        axes: Axes = _pictures().draw_impact(self.impact(matrix, scope=scope), names, self.title, ax, theme)
        return axes

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        currency: str = "",
        units: Literal["metric", "us"] = "metric",
        budget: float | None = None,
        per_hectare: Mapping[str, Mapping[Any, float]] | None = None,
        percent: float = 20,
        rate: float | None = None,
        compatible: Any = None,
    ) -> str | None:
        """The answers as one page, for a browser or paper (A4). It loads nothing and explains its words.

        Every sum lists the ids of the diagrams that it is made of, and each id leads to the row of its diagram. What
        the project has no data for, such as evaluation maps or dates, is said in a sentence.

        Args:
            path: The file to write. Default: return the page as text.
            title: The heading. Default: the title of the project.
            currency: Such as `"USD"`; no service tells it.
            units: `"metric"` for hectares and kilometres, `"us"` for acres and miles.
            budget: Adds the section on `optimum()` under this budget, with highspy of the extra `planning`.
            per_hectare: Adds the section on `quantities()`.
            percent: As for `sensitivity()`.
            rate: As for `schedule()`: adds the present value.
            compatible: As for `conflicts()`.

        Returns:
            The page, or None where it is written to a file.

        Raises:
            InputError: Units, a percentage, rate, system or budget is none.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> page = project.compare().to_html(currency="USD")
            >>> page.startswith("<!DOCTYPE html>")
            True
        """
        try:
            from pygeodesign._report.page import page
        except ImportError as missing:
            raise _missing_extra(missing) from missing
        text = page(self, title, currency, units, budget, per_hectare, percent, rate, compatible)
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return None

    def _note(self, ids: list[int] | None = None) -> str:
        """What a picture leaves out; by default of the whole project."""
        count = len(self.without_geometry if ids is None else ids)
        return f"{count} diagram{'' if count == 1 else 's'} without a geometry not counted" if count else ""


def _pictures() -> ModuleType:
    """Matplotlib is of another extra than GeoPandas."""
    try:
        from pygeodesign._pictures import comparison
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return comparison
