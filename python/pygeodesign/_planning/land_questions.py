"""The questions about land: who claims the same, whom it suits, and what that does to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import geopandas

from pygeodesign._core import _missing_extra
from pygeodesign._planning import conflicts, suitability
from pygeodesign._planning.compared import Compared, note_of_missing

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pd
    from matplotlib.axes import Axes


class LandQuestions(Compared):
    """What is under the diagrams, and what that means for systems."""

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
        axes: Axes = draw(pairs, names, self.title, where, note_of_missing(pairs.attrs["without_geometry"]), ax, theme)
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
        axes: Axes = draw(
            self.suitability("systems", scope), self.title, note_of_missing(self.without_geometry), ax, theme
        )
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


def _pictures() -> ModuleType:
    """Matplotlib is of another extra than GeoPandas."""
    try:
        from pygeodesign._pictures import comparison
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return comparison
