"""Pairs of teams that could sign one design together."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, Markup, paragraph, table
from pygeodesign._language import in_digits, number, t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.charts import Row, figure, rows_of_bars
from pygeodesign._paper.shown import links
from pygeodesign._planning.arguments import finite
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.decisions import votes_by_diagram
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.questions.agreement import similarity
from pygeodesign._planning.questions.conflicts import claimed_pairs, compatible_systems
from pygeodesign._planning.solving.bargain import Bargain
from pygeodesign._planning.solving.program import cliques
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# For a pair of designs, most of which take a hundredth of it; and for all pairs.
SECONDS, SECONDS_OF_ALL = 2.0, 2.0


def alliances(
    self: Compared,
    votes: Iterable[Mapping[str, Any]] | None = None,
    *,
    compatible: Any = None,
    tolerance_ha: float = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """The share of their designs that two teams could keep in a common design, for each pair of designs.

    The largest part of both designs without a conflict on land is kept, as `negotiate()` finds it without a
    budget:

        kept_share = kept diagrams of A and of B, those of both twice, / diagrams of A and of B

    It is 1 if two designs have no conflict at all, so that their teams could sign both together (Steinitz 2012,
    A Framework for Geodesign, chapter 7, on negotiations in pairs of teams).

    Args:
        votes: The result of `project.votes()`, for the column `votes`. A comparison does not download them.
        compatible: See `conflicts()`.
        tolerance_ha: See `negotiate()`.
        progress: See `negotiate()`.

    Returns:
        One row per pair of designs, those that could keep most first: `design_a`, `design_b`, and their teams,
        `team_a`, `team_b`; `shared`, the number of diagrams that both have; `similarity`, as from `similarity()`;
        `shared_land_ha`, land that projects of both change, each place once; `conflicts`, the number of pairs of
        diagrams, one of each design, that are in conflict, and `conflict_ha`, their shared land, summed over pairs;
        `votes`, the mean of all votes on the diagrams that both have, from -2 to 2, NaN without any; `kept_share`,
        NaN for two designs without diagrams; and `gap`, 0 if it is proven that no more can be kept, else the
        share by which more could be. Projects of unknown land are in no conflict and have no land:
        `attrs["without_geometry"]` lists them.

    Raises:
        InputError: There are fewer than two designs, or the votes or a number are invalid.
        ImportError: SciPy is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> table = project.compare().alliances(project.votes())
        >>> table[["shared", "conflicts", "kept_share"]].round(2).head(2)
           shared  conflicts  kept_share
        0       6          2        0.95
        1      11          2        0.93
    """
    if len(self.designs) < 2:
        raise InputError("alliances() needs several designs: compare at least two")
    tolerance = finite("tolerance_ha", tolerance_ha, "give hectares, 0 or more", 0)
    on_diagram = votes_by_diagram(votes)
    ids = sorted({number for own in self.designs.values() for number in own})
    rows = self.diagrams.loc[ids]
    is_project = (rows["kind"] != "policy").to_numpy()
    found = claimed_pairs(self, ids, compatible, progress)
    found = found[found["area_ha"] > tolerance]
    firsts, seconds = (rows.index.get_indexer(found[name]) for name in ("diagramid_a", "diagramid_b"))
    areas, numbers = found["area_ha"].to_numpy(), rows.index.to_numpy()
    members = {label: set(own) for label, own in self.designs.items()}
    has = [rows.index.isin(own) for own in self.designs.values()]
    lands = self._lands.of(rows.geometry).united(np.flatnonzero(own & is_project) for own in has)
    designs = list(itertools.combinations(range(len(has)), 2))
    shared_land = lands.shared_hectares(*zip(*designs, strict=True))
    labels = list(self.designs)
    alike: Any = similarity(self)
    table: list[dict[str, Any]] = []
    groups = cliques(zip(found["diagramid_a"].tolist(), found["diagramid_b"].tolist(), strict=True))
    end = time.monotonic() + SECONDS_OF_ALL
    for (one, other), land_ha in zip(designs, shared_land, strict=True):
        label, second = labels[one], labels[other]
        a, b = members[label], members[second]
        against = (has[one][firsts] & has[other][seconds]) | (has[other][firsts] & has[one][seconds])
        either = has[one] | has[other]
        within = either[firsts] & either[seconds]
        both = np.column_stack([numbers[firsts[within]], numbers[seconds[within]]])
        # Time that earlier pairs leave is for later ones.
        share = (end - time.monotonic()) / (len(designs) - len(table))
        deadline = time.monotonic() + min(SECONDS, share)
        kept, gap = _kept(a, b, both, groups, deadline)
        cast = [vote for number in a & b for vote in on_diagram.get(number, [])]
        table.append(
            {
                "design_a": label,
                "design_b": second,
                "team_a": self.teams.get(label),
                "team_b": self.teams.get(second),
                "shared": len(a & b),
                "similarity": float(alike.loc[label, second]),
                "shared_land_ha": float(land_ha),
                "conflicts": int(against.sum()),
                "conflict_ha": math.fsum(areas[against]),
                "votes": float(np.mean(cast)) if cast else math.nan,
                "kept_share": kept / (len(a) + len(b)) if a or b else math.nan,
                "gap": gap,
            }
        )
    answer = pd.DataFrame(table).sort_values("kept_share", ascending=False, kind="stable", ignore_index=True)
    no_land = is_project & rows.index.isin(self.without_geometry)
    answer.attrs = {"without_geometry": rows.index[no_land].tolist()}
    return answer


def plot_alliances(
    self: Compared,
    show: Literal["tree", "matrix"] = "tree",
    ax: Axes | None = None,
    *,
    compatible: Any = None,
    tolerance_ha: float = 0,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `alliances()`: the possible partners, as a tree (dendrogram) or as a table of colours.

    The tree joins the two designs that could keep most of their diagrams, then goes on with groups, between which
    the mean over all pairs counts (average linkage, Sokal and Michener 1958).

    Args:
        show: `"tree"`, or `"matrix"` for the share that each pair could keep.
        ax: The matplotlib axes to draw on. Default: new ones.
        compatible: See `conflicts()`.
        tolerance_ha: See `negotiate()`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; along x of the tree is the share that is kept, in percent.

    Raises:
        InputError: As for `alliances()`, or `show` has another value.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_alliances("matrix")
    """
    if show not in ("tree", "matrix"):
        raise InputError(f'show must be "tree" or "matrix", not {show!r}')
    table = alliances(self, compatible=compatible, tolerance_ha=tolerance_ha)
    labels = list(self.designs)
    kept = pd.DataFrame(np.nan, index=labels, columns=labels)
    for one, other, share in zip(table["design_a"], table["design_b"], table["kept_share"], strict=True):
        kept.loc[one, other] = kept.loc[other, one] = share
    short = self._short_labels
    axes: Axes = pictures("deciding").draw_alliances(
        kept.rename(index=short, columns=short), show, self.title, ax, theme
    )
    return axes


def _kept(
    one: set[int], other: set[int], pairs: Numbers, groups: list[list[int]], deadline: float
) -> tuple[float, float]:
    """The number of diagrams of two designs that can be kept without a conflict, shared ones twice; and the gap."""
    ids = sorted(one | other)
    place = {number: at for at, number in enumerate(ids)}
    support = np.array([(number in one) + (number in other) for number in ids], dtype=float)
    nothing = np.zeros(len(ids))
    places = np.searchsorted(np.array(ids, dtype=np.int64), pairs)

    def own() -> list[tuple[int, ...]]:
        return sorted({tuple(place[number] for number in group if number in place) for group in groups})

    bargain = Bargain(support, nothing, nothing > 0, places, math.inf, deadline, own)
    chosen, most, _ = bargain.run()
    kept = float(support[chosen].sum())
    return kept, most / kept - 1 if kept and most > kept else 0.0


def _section(answers: Answers) -> str:
    """The share that each pair of designs could keep."""
    compared, figures = answers.compared, answers.figures
    if len(compared.designs) < 2:
        return paragraph(t("nobody_to_sign_with"))
    given = {"compatible": compatible_systems(answers), "progress": answers.progress} | dict(
        answers.arguments("alliances")
    )
    frame = alliances(compared, **given)
    rows = []
    for row in frame.to_dict("records"):
        both = sorted(set(compared.designs[row["design_a"]]) & set(compared.designs[row["design_b"]]))
        kept = _kept_share(row)
        if row["gap"]:
            below = in_digits(f"{100 * row['gap']:.2g}")
            kept += f", {t('below_most', percent=below)}"
        areas = (figures.area(row[name]) for name in ("shared_land_ha", "conflict_ha"))
        rows.append((row["design_a"], row["design_b"], kept, number(row["conflicts"]), *areas, links(both)))
    columns = [
        Column(t("design"), "text"),
        Column(t("and_design"), "text"),
        Column(t("could_keep")),
        Column(t("conflicts")),
        figures.area_column("land_both_change"),
        figures.area_column("land_in_conflict"),
        Column(t("both_have"), "ids"),
    ]
    unknown = frame.attrs["without_geometry"]
    note = t("land_in_doubt", ids=links(unknown)) if unknown else ""
    bars = [
        Row(
            f"{answers.named(row['design_a'])}, {answers.named(row['design_b'])}",
            [] if pd.isna(row["kept_share"]) else [(row["kept_share"], "bar"), (1 - row["kept_share"], "claimed")],
            _kept_share(row),
        )
        for row in frame.to_dict("records")
    ]
    alt = "; ".join(t("pair_could_keep", designs=row.name, kept=row.text) for row in bars)
    picture = figure(rows_of_bars(bars, alt), t("alliances_picture"))
    return picture + table(t("alliances_heading"), columns, rows) + (paragraph(Markup(note)) if note else "")


def _kept_share(row: Any) -> str:
    return t("not_known") if pd.isna(row["kept_share"]) else f"{number(100 * row['kept_share'], 1)} %"


SECTION = Section(
    "alliances_heading",
    "alliances_question",
    _section,
    is_asked_for=True,
)
