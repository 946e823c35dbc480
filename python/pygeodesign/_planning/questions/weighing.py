"""Designs under criteria whose weights are unknown, or on which teams do not agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import number, t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.charts import Row, figure, rows_of_bars
from pygeodesign._planning.arguments import finite, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land.lands import Numbers
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_WEIGHTS = 1_000_000
# Values of designs that differ by less have the same rank: sums of shares in another order.
ALIKE = 1e-12
# Classes of the style sheet from the lightest to the darkest.
SHADES = tuple(f"agree{shade}" for shade in range(1, 6))


def weighing(
    self: Compared,
    criteria: pd.DataFrame,
    best: Mapping[str, Literal["min", "max"]],
    weights: Mapping[str, Mapping[str, float]] | None = None,
    *,
    samples: int = 10_000,
    seed: int = 1,
) -> pd.DataFrame:
    """The share of all weights under which each design has each rank, and its rank under each team's weights.

    Since no weights are the right ones, they are drawn at random: all that are not negative and sum to 1 are equally
    likely. Each design's first, second and other ranks are counted (SMAA, Lahdelma and Salminen 2001, doi
    10.1287/opre.49.3.444.11220). Each criterion ranges from 0, the worst of the designs, to 1, the best:

        share = (figure - worst) / (best - worst), and 1 for all where the designs do not differ
        value of a design = sum of weight * share over the criteria

    Args:
        criteria: A row for each compared design, by its label, and a column of numbers for each criterion, such as
            a column of any other answer: `comparison.robustness(rates).set_index("design")[["p90"]]`.
        best: For each criterion, `"min"` if less is better, as with costs, and `"max"` if more is.
        weights: For each team, or any other name, the weight of each criterion, 0 or more; a missing one is 0. They are
            divided by their sum. Default: none.
        samples: The number of draws of the weights, from 100 to 1,000,000.
        seed: The seed of the random numbers, an integer from 0.

    Returns:
        One row per design, by `design`: its `team`, then `rank_1`, `rank_2` and so on, the share of all weights
        under which it has this rank; designs of the same value share the better rank. Then for each name in
        `weights`, `rank: name`, its rank. `attrs` has `samples` and `seed`, and with `weights` of two names or
        more, `kendalls_w`, from 0, no agreement, to 1, if all rank the designs alike (Kendall and Babington
        Smith 1939, doi 10.1214/aoms/1177732186, with the correction for ties), NaN without ranks; and `apart`,
        a dict of the distance of each one's ranks from the others' mean ranks, as the mean of the differences.

    Raises:
        InputError: A design or criterion is missing or unknown, a figure is unknown, or a weight, `samples` or
            `seed` is invalid.

    Examples:
        >>> comparison = project.compare()
        >>> goals = comparison.targets().groupby("design", sort=False)
        >>> criteria = goals.agg({"cost": "sum", "area_met": "sum"})
        >>> weights = {"Treasury": {"cost": 1}, "Residents": {"cost": 1, "area_met": 3}}
        >>> table = comparison.weighing(criteria, {"cost": "min", "area_met": "max"}, weights)
        >>> table["rank_1"].round(2).tolist(), table["rank: Treasury"].tolist()
        ([1.0, 0.0, 0.0, 0.0], [1, 4, 3, 2])
    """
    names = list(self.designs)
    if not names:
        raise InputError("the comparison has no design to weigh: give designs to project.compare()")
    shares = _shares(criteria, best, names)
    wanted = f"give a whole number from 100 to {MAX_WEIGHTS:,}"
    if whole("samples", samples, wanted, 100) > MAX_WEIGHTS:
        raise InputError(f"samples is {samples!r}: {wanted}")
    random = np.random.default_rng(whole("seed", seed, "give a whole number, 0 or more", 0))
    # Exponential numbers, divided by their sum, are uniform over all weights.
    drawn = random.exponential(size=(samples, shares.shape[1]))
    ranks = _ranks((drawn / drawn.sum(axis=1, keepdims=True)) @ shares.T)
    table = pd.DataFrame(
        {f"rank_{rank}": (ranks == rank).mean(axis=0) for rank in range(1, len(names) + 1)},
        index=pd.Index(names, name="design"),
    )
    table.insert(0, "team", pd.Series(self.teams, table.index, dtype="str"))
    own = {
        name: _ranks((_weights(name, given, list(best)) @ shares.T)[None])[0] for name, given in _named(weights).items()
    }
    for name, values in own.items():
        table[f"rank: {name}"] = values
    table.attrs = {"samples": samples, "seed": seed}
    if len(own) > 1:
        mean_ranks = pd.DataFrame(own).rank(axis=0).to_numpy().T
        others = (mean_ranks.sum(axis=0) - mean_ranks) / (len(own) - 1)
        apart = np.abs(mean_ranks - others).mean(axis=1)
        table.attrs |= {
            "kendalls_w": _kendalls_w(mean_ranks),
            "apart": {name: float(distance) for name, distance in zip(own, apart, strict=True)},
        }
    return table


def plot_weighing(
    self: Compared,
    criteria: pd.DataFrame,
    best: Mapping[str, Literal["min", "max"]],
    ax: Axes | None = None,
    *,
    samples: int = 10_000,
    seed: int = 1,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `weighing()`: a bar for each design, with the share of all weights for each of its ranks.

    Args:
        criteria: See `weighing()`.
        best: See `weighing()`.
        ax: The matplotlib axes to draw on. Default: new ones.
        samples: See `weighing()`.
        seed: See `weighing()`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; along x is the share of all weights, in percent.

    Raises:
        InputError: As for `weighing()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> comparison = project.compare()
        >>> criteria = comparison.targets().groupby("design").agg({"cost": "sum", "area_met": "sum"})
        >>> axes = comparison.plot_weighing(criteria, {"cost": "min", "area_met": "max"})
        >>> axes.texts[0].get_text()
        'first in 100 %'
    """
    axes: Axes = pictures("ranges").draw_weighing(
        weighing(self, criteria, best, samples=samples, seed=seed),
        [self._short_labels.get(label, label) for label in self.designs],
        list(best),
        self.title,
        ax,
        theme,
    )
    return axes


def _shares(criteria: Any, best: Any, names: list[str]) -> Numbers:
    """The designs' figures from 0, the worst, to 1, the best: a row for each design, a column per criterion."""
    if not isinstance(best, Mapping) or not best or not set(best.values()) <= {"min", "max"}:
        raise InputError(f'best must be a dict of "min" or "max" by criterion, such as {{"cost": "min"}}, not {best!r}')
    if not isinstance(criteria, pd.DataFrame):
        raise InputError(f"criteria must be a DataFrame with a row for each design, by its label, not {criteria!r}")
    if missing := [name for name in best if name not in criteria.columns]:
        raise InputError(f"criteria has no column {missing[0]!r}, which best names; it has {list(criteria.columns)}")
    if forgotten := [name for name in criteria.columns if name not in best]:
        raise InputError(f'best has no value for {forgotten[0]!r}: give "min" or "max"')
    if criteria.index.has_duplicates or set(criteria.index) != set(names):
        raise InputError(f"criteria has the rows {list(criteria.index)}: give one for each of the designs {names}")
    figures = criteria.loc[names, list(best)].apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    for row, column in np.argwhere(~np.isfinite(figures)):
        raise InputError(
            f"{list(best)[column]!r} of {names[row]!r} is not known: leave the criterion or the design out, or "
            "give a value with criteria.fillna()"
        )
    figures = figures * [1.0 if side == "max" else -1.0 for side in best.values()]
    low, span = figures.min(axis=0), np.ptp(figures, axis=0)
    return np.where(span > 0, (figures - low) / np.where(span > 0, span, 1.0), 1.0)


def _named(weights: Any) -> Mapping[str, Any]:
    if weights is None:
        return {}
    if not isinstance(weights, Mapping) or not all(isinstance(given, Mapping) for given in weights.values()):
        raise InputError('weights must be a dict of dicts: by team, the weight of criteria: {"Residents": {"cost": 2}}')
    return weights


def _weights(name: str, given: Mapping[str, Any], criteria: list[str]) -> Numbers:
    if unknown := [criterion for criterion in given if criterion not in criteria]:
        raise InputError(f"the weights of {name!r} have {unknown[0]!r}, which is not a criterion: {criteria}")
    amounts = [
        finite(f"the weight of {criterion!r} for {name!r}", given.get(criterion, 0), "give a number, 0 or more", 0)
        for criterion in criteria
    ]
    if not sum(amounts):
        raise InputError(f"the weights of {name!r} are all 0: give a number above 0 for at least one criterion")
    return np.array(amounts) / sum(amounts)


def _ranks(values: Numbers) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The rank of each design (column) in each case (row): 1 plus the number of better ones."""
    ranks = np.ones(values.shape, dtype=np.int64)
    for place in range(values.shape[1]):
        ranks += values[:, [place]] > values + ALIKE
    return ranks


def _kendalls_w(ranks: Numbers) -> float:
    """The agreement of rankings (rows); designs of the same value share the mean of their ranks."""
    judges, designs = ranks.shape
    sums = ranks.sum(axis=0)
    ties = sum(float((counts**3 - counts).sum()) for counts in (np.unique(row, return_counts=True)[1] for row in ranks))
    most = judges**2 * (designs**3 - designs) - judges * ties
    return float(12 * ((sums - sums.mean()) ** 2).sum() / most) if most > 0 else float("nan")


def _section(answers: Answers) -> str:
    """The share of all weights under which each design is first, and the teams' rankings."""
    compared, given = answers.compared, answers.arguments("weighing")
    frame = weighing(compared, **given)
    ranks = range(1, len(frame) + 1)
    teams = [str(name).removeprefix("rank: ") for name in frame.columns if str(name).startswith("rank: ")]
    best = given["best"]
    sides = ", ".join(t(f"best_at_{side}", criterion=name) for name, side in best.items())
    samples, seed = frame.attrs["samples"], str(frame.attrs["seed"])
    text = paragraph(t("weighing_intro", criteria=sides, samples=samples, seed=seed))
    rows, bars = [], []
    for label, row in zip(frame.index, frame.to_dict("records"), strict=True):
        shares = [row[f"rank_{rank}"] for rank in ranks]
        own = (str(row[f"rank: {team}"]) for team in teams)
        rows.append((str(label), *(f"{number(100 * share, 1)} %" for share in shares), *own))
        parts = [(share, _shade(rank, len(frame))) for rank, share in zip(ranks, shares, strict=True)]
        bars.append(Row(answers.named(str(label)), parts, t("first_in", percent=number(100 * shares[0]))))
    columns = [
        Column(t("design"), "text"),
        *(Column(t("rank", rank=rank)) for rank in ranks),
        *(Column(t("for_team", team=team)) for team in teams),
    ]
    alt = "; ".join(t("first_of_all_weights", design=row.name, first=row.text) for row in bars)
    text += figure(rows_of_bars(bars, alt), t("weighing_picture")) + table(t("weighing_caption"), columns, rows)
    if "apart" in frame.attrs:
        agree, apart = frame.attrs["kendalls_w"], frame.attrs["apart"]
        far = max(apart, key=lambda name: apart[name])
        how = t("not_known") if pd.isna(agree) else number(agree, 2)
        text += paragraph(t("kendalls_w", agreement=how, team=far, places=number(apart[far], 1)))
    return text


def _shade(rank: int, designs: int) -> str:
    return SHADES[round((len(SHADES) - 1) * (1 - (rank - 1) / max(designs - 1, 1)))]


SECTION = Section(
    "weighing_heading",
    "weighing_question",
    _section,
    is_asked_for=True,
)
