"""Next steps of a negotiation: diagrams that a team could take up or give up to agree more with others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import number, t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.charts import Row, figure, rows_of_bars
from pygeodesign._paper.shown import links
from pygeodesign._planning.arguments import finite, whole
from pygeodesign._planning.compared import Compared, membership, pictures
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.questions.conflicts import claimed_pairs, compatible_systems
from pygeodesign._planning.questions.negotiate import limit_of, weights_of
from pygeodesign._planning.solving.choice import budget_limit, in_units
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Gains up to this are rounding.
ROUNDING = 1e-12
COLUMNS = ["give_up", "take_up", "gain", "before", "after", "cost_change", "also_in"]


def swaps(
    self: Compared,
    most: int = 5,
    scope: str = "designs",
    *,
    weights: Mapping[str, float] | None = None,
    budget: float | None = None,
    compatible: Any = None,
    tolerance_ha: float = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """The exchanges of one diagram that bring a design most agreement with the other designs.

    The agreement of a design is the mean of its similarity with each other design, as from `similarity()`,
    weighted by `weights`:

        agreement(A) = sum over other designs B: weight(B) * J(A, B) / sum of the weights

    An exchange gives up one diagram of the design, takes up one of another design, or both. A diagram taken up is in
    no conflict with those that the design keeps, and does not bring it beyond the budget. All exchanges are compared.

    Args:
        most: The most exchanges to list for each design, those with the largest gain first.
        scope: `"designs"`, or the label of a design for its exchanges alone.
        weights: See `negotiate()`. Designs of weight 0 count nothing, and nothing is taken from them.
        budget: See `negotiate()`; a design that already costs more may make exchanges that reduce its cost.
        compatible: See `conflicts()`.
        tolerance_ha: See `negotiate()`.
        progress: See `negotiate()`.

    Returns:
        One row per exchange, with `design`: `give_up` and `take_up`, the ids of the diagrams, `<NA>` for none;
        `gain`, and the agreement `before` and `after`, from 0 to 1; `cost_change`, NaN if a cost is unknown;
        and `also_in`, the labels of the other designs with the diagram taken up. Of the same gain, the cheaper
        comes first. Under a budget, no diagram of unknown cost is taken up. A design that no exchange brings nearer to
        others has no row.

    Raises:
        InputError: There are fewer than two designs, no design has that label, or a number is invalid.

    Examples:
        >>> table = project.compare().swaps(1)
        >>> table[["give_up", "take_up", "gain"]].round(4)
           give_up  take_up    gain
        0     1016     1131  0.0147
        1     1174     1056  0.0160
        2     1129     1047  0.0168
        3     1167     1062  0.0148
    """
    whole("most", most, "give a number of exchanges, 1 or more", 1)
    tolerance = finite("tolerance_ha", tolerance_ha, "give hectares, 0 or more", 0)
    if scope == "project" or len(self.designs) < 2:
        raise InputError(
            'swaps() needs several designs: compare at least two, and give "designs" or the label of one as scope='
        )
    labels = list(self._in_scope(scope))
    weight = weights_of(self, weights)
    limit = limit_of(self.systems, budget)
    members = membership(self.diagrams, self.designs).drop(columns="chosen").sort_index()
    members = members[members.any(axis=1)]
    pairs = claimed_pairs(self, members.index, compatible, progress)
    pairs = pairs[pairs["area_ha"] > tolerance]
    # The last row and column stand for no diagram.
    against = np.zeros((len(members) + 1, len(members) + 1), dtype=bool)
    ones, others = (members.index.get_indexer(pd.Index(pairs[name].astype(int))) for name in pairs.columns[:2])
    against[ones, others] = against[others, ones] = True
    cost = self.diagrams["cost"].reindex(members.index)
    return self._long_frame(
        {str(label): _swaps_of(str(label), members, weight, cost, limit, against, most) for label in labels}
    )


def plot_swaps(
    self: Compared,
    most: int = 5,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    weights: Mapping[str, float] | None = None,
    budget: float | None = None,
    compatible: Any = None,
    tolerance_ha: float = 0,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `swaps()` as bars: the gain in agreement by each exchange.

    Args:
        most: See `swaps()`.
        scope: See `swaps()`. Each design has its own panel, all with the same scale.
        ax: The matplotlib axes to draw on. Default: new ones.
        weights: See `swaps()`.
        budget: See `swaps()`.
        compatible: See `swaps()`.
        tolerance_ha: See `swaps()`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several designs those of the first one; along x is the gain in agreement.

    Raises:
        InputError: As for `swaps()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_swaps(2)
        >>> axes.get_yticklabels()[0].get_text()
        '1016 for 1131'
    """
    table = swaps(self, most, scope, weights=weights, budget=budget, compatible=compatible, tolerance_ha=tolerance_ha)
    axes: Axes = pictures("deciding").draw_swaps(
        table, list(self._in_scope(scope)), self.diagrams["title"], self.title, ax, theme
    )
    return axes


def _swaps_of(
    label: str,
    members: pd.DataFrame,
    weight: pd.Series[float],
    cost: pd.Series[float],
    limit: float,
    against: Numbers,
    most: int,
) -> pd.DataFrame:
    """The exchanges of a design that gain something, the best first."""
    chosen = members.to_numpy(dtype=bool)
    own, rest = chosen[:, members.columns == label][:, 0], chosen[:, members.columns != label]
    weights = weight[members.columns != label].to_numpy(dtype=float)
    # The last one stands for no diagram.
    gives = np.append(np.flatnonzero(own), -1)
    takes = np.append(np.flatnonzero(~own & rest[:, weights > 0].any(axis=1)), -1)
    has = np.vstack([rest, np.zeros(rest.shape[1], dtype=bool)])
    agreement = _agreements(own, rest, weights, has[gives], has[takes])
    # With what the design keeps: all its conflicts, except those with the diagram given up.
    conflicts = against[takes][:, np.append(own, False)].sum(axis=1)[None, :] - against[np.ix_(takes, gives)].T
    amounts = np.append(cost.to_numpy(dtype=float), 0.0)
    gain = agreement - agreement[-1, -1]
    allowed = (conflicts == 0) & (gain > ROUNDING)
    if math.isfinite(limit):
        # A diagram given up without a known cost frees an unknown amount.
        units, divisor = in_units(np.nan_to_num(amounts))
        room = budget_limit(limit, amounts[:-1][own & (amounts[:-1] < 0)]) * divisor - int(units[:-1][own].sum())
        allowed &= ~np.isnan(amounts[takes])[None, :]
        allowed &= units[takes][None, :] - units[gives][:, None] <= max(0, math.floor(room))
    rank = np.where(allowed, -gain.round(12), 0.0)
    last = np.partition(rank, min(most, rank.size) - 1, axis=None)[min(most, rank.size) - 1]
    give, take = np.nonzero(allowed & (rank <= last))
    ids = np.append(members.index.to_numpy(), 0)
    table = pd.DataFrame(
        {
            "give_up": pd.array(ids[gives[give]], dtype="Int64"),
            "take_up": pd.array(ids[takes[take]], dtype="Int64"),
            "gain": gain[give, take],
            "before": agreement[-1, -1],
            "after": agreement[give, take],
            "cost_change": amounts[takes[take]] - amounts[gives[give]],
            "rank": rank[give, take],
            "place": takes[take],
        }
    )
    for name in ("give_up", "take_up"):
        table[name] = table[name].where(table[name] > 0)
    table = table.sort_values(["rank", "cost_change", "give_up", "take_up"], kind="stable", ignore_index=True)[:most]
    names = members.columns[members.columns != label]
    also_in = [names[has[place]].tolist() for place in table["place"]]
    return table.assign(also_in=pd.Series(also_in, table.index, dtype=object))[COLUMNS]


def _agreements(own: Numbers, rest: Numbers, weights: Numbers, given_up: Numbers, taken_up: Numbers) -> Numbers:
    """The agreement after each exchange; from masks of the designs that have each diagram, the last for no diagram."""
    shared, sizes = own.astype(int) @ rest, rest.sum(axis=0)
    # The change in shared diagrams, by whether a design loses the one given up, and has the one taken up.
    change = np.array([[0, 1], [-1, 0]])[:, :, None]
    after = np.empty((len(given_up), len(taken_up)))
    for rows, gives in ((slice(-1), 1), (slice(-1, None), 0)):
        for columns, takes in ((slice(-1), 1), (slice(-1, None), 0)):
            size = own.sum() - gives + takes
            known = weights * ((size > 0) | (sizes > 0))
            with np.errstate(invalid="ignore", divide="ignore"):
                similarity = (shared + change) / (size + sizes - shared - change)
                similarity = np.nan_to_num(similarity, posinf=0) * (known / known.sum())
            (none, more), (less, both) = similarity
            give, take = given_up[rows].astype(float), taken_up[columns].astype(float)
            mixed = (give * (both - more - less + none)) @ take.T
            after[rows, columns] = none.sum() + (give @ (less - none))[:, None] + take @ (more - none) + mixed
    return after


def _section(answers: Answers) -> str:
    """The exchanges of one diagram that bring designs nearer to each other."""
    compared, figures = answers.compared, answers.figures
    if len(compared.designs) < 2:
        return paragraph(t("nothing_to_exchange"))
    scope = "designs" if figures.scope == "project" else figures.scope
    frame = swaps(
        compared, scope=scope, **{"compatible": compatible_systems(answers)} | dict(answers.arguments("swaps"))
    )
    if not len(frame):
        return paragraph(t("no_exchange"))
    rows = []
    for row in frame.to_dict("records"):
        ids = (links([row[name]]) if pd.notna(row[name]) else t("none") for name in ("give_up", "take_up"))
        near = (number(row["before"], 3), number(row["after"], 3), figures.money(row["cost_change"]))
        rows.append((row["design"], *ids, *near, ", ".join(row["also_in"])))
    columns = [
        Column(t("design"), "text"),
        Column(t("gives_up"), "ids"),
        Column(t("takes_up"), "ids"),
        Column(t("agreement_now")),
        Column(t("then")),
        Column(t("cost_of_exchange", unit=figures.money_unit)),
        Column(t("also_in"), "text"),
    ]
    most = float(frame["after"].max()) or 1.0
    bars = []
    for row in frame.to_dict("records"):
        out, into = (t("nothing") if pd.isna(row[name]) else f"{row[name]:.0f}" for name in ("give_up", "take_up"))
        parts = [(row["before"] / most, "claimed"), ((row["after"] - row["before"]) / most, "bar")]
        name = t("exchange", design=answers.named(row["design"]), out=out, into=into)
        bars.append(Row(name, parts, t("to", low=number(row["before"], 3), high=number(row["after"], 3))))
    alt = "; ".join(t("agreement_from", exchange=row.name, agreement=row.text) for row in bars)
    said = t("exchanges_picture", most=number(most, 3))
    return figure(rows_of_bars(bars, alt), said) + table(t("exchanges_caption"), columns, rows)


SECTION = Section(
    "swaps_heading",
    "swaps_question",
    _section,
    is_asked_for=True,
)
