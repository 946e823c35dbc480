"""How far designs agree: which diagrams and which places they have in common."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

import geopandas
import numpy as np
import pandas as pd

from pygeodesign._planning import consensus
from pygeodesign._planning.compared import Compared, membership, note_of_missing, pictures
from pygeodesign._text import units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class AgreementQuestions(Compared):
    """How far designs agree."""

    def agreement(self) -> pd.DataFrame:
        """Which designs have which diagrams.

        Returns:
            One row per diagram of the project, by `diagramid`: `title`, `kind`, a boolean column per design, and
            `chosen`, by how many designs. It is 0 for a diagram that is in none.

        Examples:
            >>> table = project.compare().agreement()
            >>> table["chosen"].value_counts().sort_index().to_dict()
            {0: 60, 1: 80, 2: 32, 3: 7, 4: 1}
        """
        known = pd.DataFrame(self.diagrams[["title", "kind"]])
        return pd.concat([known, membership(self.diagrams, self.designs)], axis=1)

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
        if by not in ("diagrams", "cost"):
            raise InputError(f'by is "diagrams" or "cost", not {by!r}')
        chosen = membership(self.diagrams, self.designs).drop(columns="chosen").to_numpy(dtype=float)
        weights = np.ones(len(self.diagrams)) if by == "diagrams" else self.diagrams["cost"].to_numpy(dtype=float)
        unknown = np.isnan(weights) & chosen.any(axis=1)
        if unknown.any():
            ids = ", ".join(map(str, self.diagrams.index[unknown]))
            warnings.warn(f"diagrams whose cost is not known are left out of the similarity: {ids}", stacklevel=2)
        weights = np.nan_to_num(weights)
        both = chosen.T @ (weights[:, None] * chosen)
        own = np.diag(both)
        either = own[:, None] + own[None, :] - both
        with np.errstate(invalid="ignore", divide="ignore"):
            # Two designs without diagrams, or that cost nothing, are not comparable: NaN.
            return pd.DataFrame(both / either, index=list(self.designs), columns=list(self.designs))

    def consensus(self, *, progress: bool | None = None) -> geopandas.GeoDataFrame:
        """Every place that a design changes: how many do, and which system most of them choose there.

        A design changes the land under its projects; policies and lines change none. This is a planar overlay, like the
        scenario consensus of GeoPlanner.

        Args:
            progress: Has no effect: the overlay takes seconds and shows no progress bar.

        Returns:
            A GeoDataFrame in EPSG:4326, with the places that most designs change first. No two rows overlap. `designs`
            is the number of designs that change the places of the row; `sysid` and `system` what most of them choose,
            `votes` the number of designs that do. `tied` is whether another system has as many, of which `system` is
            the first in the order of the project. `area_ha` is land, each place once.

        Examples:
            >>> layer = project.compare().consensus()
            >>> layer.loc[layer["designs"] > 1, "area_ha"].sum().round(1)
            np.float64(413.3)
        """
        return consensus.consensus(self.diagrams, self.designs, self.systems, self._lands)

    def plot_agreement(self, ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None) -> Axes:
        """Draw `agreement()`: how many diagrams of each system are in all designs, in some, and in none.

        Beside each bar are the ids of the diagrams that most designs have.

        Args:
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes; along x are diagrams of the project.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> print(project.compare().plot_agreement().get_title("left"))
            Staten Island 2050
            In how many of 4 designs each of 180 diagrams is: 40 in several, 60 in none
        """
        axes: Axes = pictures("bars").draw_agreement(
            membership(self.diagrams, self.designs), self.diagrams, self.systems["name"], self.title, ax, theme
        )
        return axes

    def plot_consensus(
        self,
        ax: Axes | None = None,
        *,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw `consensus()` as a map: the more designs change a place, the further its colour is from the paper.

        Args:
            ax: The matplotlib axes to draw on. Default: new ones.
            units: `"metric"`, or `"us"` for acres and miles. Default: as `pygeodesign.options` says.
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes, in degrees.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> print(project.compare().plot_consensus().get_title("left"))
            Staten Island 2050
            Land under the projects of any of 4 designs, each place once: 1,415 ha, of several: 413 ha
        """
        chosen = self.diagrams[(self.agreement()["chosen"] > 0) & (self.diagrams["kind"] != "policy")]
        note = note_of_missing(chosen)
        axes: Axes = pictures("comparison").draw_consensus(
            self.consensus(), len(self.designs), self.boundaries, self.title, note, units_named(units), ax, theme
        )
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
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_similarity()
        """
        short = self._short_labels
        table = self.similarity(by).rename(index=short, columns=short)
        axes: Axes = pictures("comparison").draw_similarity(table, by, self.title, ax, theme)
        return axes
