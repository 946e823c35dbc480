"""The design that most teams support, and what each of them gives up for it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from pygeodesign._html import Column, Markup, card, link, paragraph, table
from pygeodesign._language import in_digits, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.charts import Row, figure, rows_of_bars
from pygeodesign._paper.drawing import Maps, diagrams_on
from pygeodesign._paper.shown import links, title_of
from pygeodesign._planning.arguments import diagrams_named, finite, listed_ids, whole
from pygeodesign._planning.compared import Compared, membership, pictures
from pygeodesign._planning.land.constraints import locked_out
from pygeodesign._planning.questions.conflicts import claimed_pairs, compatible_systems
from pygeodesign._planning.questions.targets import system_figures
from pygeodesign._planning.solving.bargain import SAME_SUPPORT, Bargain
from pygeodesign._planning.solving.choice import budget_limit, decimal
from pygeodesign._text import counted, short_amount
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CENT = 0.01
# Reasons why a diagram is not chosen.
CONFLICT, BUDGET, NOT_KNOWN, ON_CONSTRAINTS = "conflict", "budget", "cost not known", "constraints"
# Their texts in a report.
REASONS = {
    CONFLICT: "reason_conflict",
    BUDGET: "reason_budget",
    NOT_KNOWN: "reason_cost",
    ON_CONSTRAINTS: "reason_constraints",
}
# The size of the map in a report, in millimetres on paper.
MAP_SIZE = (110.0, 90.0)


@dataclass(frozen=True, eq=False, repr=False)
class Negotiation:
    """The design that `Comparison.negotiate()` proposes to all teams.

    Attributes:
        chosen: The ids of the chosen diagrams, sorted. `team.save(title, result.chosen)` makes a design of them.
        teams: A DataFrame with one row per design, by its label: `weight`; `diagrams`, their number; `kept` and
            `given_up`, the numbers of its chosen and its other diagrams; `kept_share`, NaN for a design without
            diagrams; `given_up_ids`; `cost_given_up` and `area_ha_given_up`, summed over known values, NaN if all are
            unknown, with `unpriced` and `unmeasured`, the numbers of unknown ones; and `added`, the number of chosen
            diagrams that the design does not have.
        diagrams: A DataFrame with one row per diagram of any design with a weight above 0, by `diagramid`: `system`,
            `title`, `kind`, `designs` (their number), `support` (the sum of their weights), `chosen`, `cost`,
            `reason` (why it is not chosen: `"conflict"` with a chosen one, `"budget"`, `"cost not known"`, or
            `"constraints"`; empty for a chosen one) and `conflicts_with`, the ids of the chosen diagrams that it has a
            conflict with.
        support: The sum of the support of the chosen diagrams.
        most: The sum of the support of all diagrams, which no choice exceeds.
        gap: The proof: no choice has more support than `support * (1 + gap)`. 0 proves the choice.
        cost: The cost of the chosen diagrams, in the project's currency, without those in `unpriced`.
        cost_gap: No choice with the same support costs less than `cost - cost_gap * abs(cost)`. 0 proves the cost.
        budget: The most that they may cost; infinite for no limit.
        unpriced: The ids of chosen diagrams of unknown cost, sorted. There are none under a budget.
        excluded: The ids of diagrams that are not chosen because their cost is unknown, sorted.
        locked_out: The ids of diagrams that are not chosen because they lie on constraints, sorted.
        without_geometry: The ids of chosen projects of unknown land, sorted; their conflicts are
            unknown.

    Examples:
        >>> result = project.compare().negotiate()
        >>> result
        <Negotiation: 104 diagrams for 7.36 bn of 13.3 bn, support 152 of 169, 1 of unknown land>
        >>> result.teams["given_up"].tolist()
        [3, 4, 2, 8]
    """

    chosen: list[int]
    teams: pd.DataFrame
    diagrams: pd.DataFrame
    support: float
    most: float
    gap: float
    cost: float
    cost_gap: float
    budget: float
    unpriced: list[int]
    excluded: list[int]
    locked_out: list[int]
    without_geometry: list[int]

    def __repr__(self) -> str:
        """The number of diagrams, their cost, and their support with its proof."""
        return f"<Negotiation: {self._summary()}>"

    def to_pandas(self) -> pd.DataFrame:
        """`teams`, the table of the diagrams that each design gives up.

        Examples:
        >>> project.compare().negotiate().to_pandas()["given_up"].tolist()
        [3, 4, 2, 8]
        """
        return self.teams

    def _repr_html_(self) -> str:
        rows = [
            (label, f"{row['diagrams']:,}", f"{row['kept']:,}", f"{row['given_up']:,}", f"{row['added']:,}")
            for label, row in zip(self.teams.index.astype(str), self.teams.to_dict("records"), strict=True)
        ]
        return card("Negotiation", ("design", "diagrams", "kept", "given up", "added"), rows, self._summary())

    def _summary(self) -> str:
        limit = "" if math.isinf(self.budget) else f" of {short_amount(self.budget)}"
        proven = "" if self.gap == 0 else f", at most {100 * self.gap:.2g} % below the most"
        text = f"{counted(len(self.chosen), 'diagram')} for {short_amount(self.cost)}{limit}, "
        text += f"support {self.support:g} of {self.most:g}{proven}"
        for ids, what in ((self.unpriced, "of unknown cost"), (self.without_geometry, "of unknown land")):
            text += f", {len(ids):,} {what}" if ids else ""
        return text


def common_core(self: Compared, at_least: int | None = None) -> pd.DataFrame:
    """The diagrams that several designs have, which teams need not negotiate.

    Args:
        at_least: The least number of designs with the diagram, from 1 to the number of designs. Default: all of them.

    Returns:
        One row per diagram, by `diagramid`, those that most designs have first, policies included: `sysid`,
        `system`, `title`, `kind`, `cost`, `area_ha`, `designs` (the number of designs with it) and `held_by`, the list
        of their labels.

    Raises:
        InputError: `at_least` is out of range, or there is no design.

    Examples:
        >>> core = project.compare().common_core(3)
        >>> core["designs"].tolist()
        [4, 3, 3, 3, 3, 3, 3, 3]
        >>> core["title"].iloc[0]
        'Congestion charge at the Goethals Bridge'
    """
    self._in_scope("designs")
    count = len(self.designs)
    if at_least is None:
        at_least = count
    wanted = f"give a number of designs, from 1 to {count}"
    if whole("at_least", at_least, wanted, 1) > count:
        raise InputError(f"at_least is {at_least!r}: {wanted}")
    table = membership(self.diagrams, self.designs)
    labels = list(self.designs)
    held_by = [
        [label for label, has in zip(labels, row, strict=True) if has]
        for row in table.drop(columns="chosen").to_numpy().tolist()
    ]
    names = ["sysid", "system", "title", "kind", "cost", "area_ha"]
    core = pd.DataFrame(self.diagrams[names]).assign(designs=table["chosen"])
    core["held_by"] = pd.Series(held_by, core.index, dtype=object)
    core = core[core["designs"] >= at_least].sort_values("designs", ascending=False, kind="stable")
    core.attrs = {"at_least": at_least}
    return core


def negotiate(
    self: Compared,
    weights: Mapping[str, float] | None = None,
    budget: float | None = None,
    compatible: Any = None,
    *,
    keep: Iterable[int] = (),
    tolerance_ha: float = 0,
    time_limit: float = 4,
    constraints: Literal["exclude", "ignore"] = "ignore",
    progress: bool | None = None,
) -> Negotiation:
    """The design with the most support of all teams, without conflicts on land and within the budget.

    Among all choices of diagrams of the compared designs, it has the most

        support = sum over the designs: weight * number of its diagrams that are chosen

    and among those with the same support the least cost. No two chosen diagrams are in conflict, as
    `conflicts(by="diagrams")` defines it, and together they cost at most the budget. This is the negotiation of change
    teams that leads to one design (Steinitz 2012, A Framework for Geodesign, chapter 7). Among several choices with
    the same support and cost, the same data always give the same one.

    Args:
        weights: The weight of each design, 0 or more, by its label or, if it is unique, the title of its
            team; other designs count 1. A design with more diagrams has more to say: `1 / len(ids)` for each makes
            all equal. Diagrams that only designs of weight 0 have are not chosen.
        budget: The most that all chosen diagrams may cost together, added as decimal numbers. Default: the sum of the
            budgets of the systems, and no limit if no system has one; `math.inf` is no limit either.
        compatible: Pairs of systems that may share land, as for `conflicts()`. The pair of a system with itself
            lets its diagrams share land.
        keep: Ids of diagrams of the project that are chosen in any case.
        tolerance_ha: Hectares that two diagrams may share without a conflict; hand-drawn shapes overlap at their
            edges.
        time_limit: Seconds. After them, the best choice so far is the result, and `gap` bounds its distance from the
            most support. The search for conflicts, which comes first, is not counted.
        constraints: `"exclude"` chooses no diagram with land, a line or a point on the project's constraints; policies
            change no land. `"ignore"` chooses them like any other.
        progress: True to show a progress bar of the search for conflicts, which needs tqdm. Default: in a
            notebook or a terminal.

    Returns:
        A `Negotiation`. Under a budget, diagrams of unknown cost are not chosen; its `excluded` lists them.
        Projects of unknown land are chosen as if they had no conflict; `without_geometry` lists them.
        Policies and lines claim no land.

    Raises:
        InputError: There is no design, a label, number or diagram is invalid, or the diagrams to keep are in conflict,
            beyond the budget, of unknown cost, or on constraints that are excluded.
        ImportError: SciPy is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> result = project.compare().negotiate({"Residents": 2}, budget=2e9)
        >>> result.cost <= 2e9, result.gap
        (True, 0.0)
        >>> result.teams[["diagrams", "kept", "given_up"]].to_numpy().tolist()
        [[46, 38, 8], [38, 20, 18], [33, 18, 15], [52, 39, 13]]
        >>> design = project.team("Residents").save("Round 3", result.chosen)
        >>> len(design.diagram_ids()) == len(result.chosen)
        True
    """
    self._in_scope("designs")
    seconds = "give a number of seconds above 0"
    if finite("time_limit", time_limit, seconds) <= 0:
        raise InputError(f"time_limit is {time_limit!r}: {seconds}")
    tolerance = finite("tolerance_ha", tolerance_ha, "give hectares, 0 or more", 0)
    weight = weights_of(self, weights)
    kept = diagrams_named(self.diagrams, "keep", keep)
    limit = limit_of(self.systems, budget)
    members = membership(self.diagrams, self.designs).drop(columns="chosen")
    support = pd.Series(members.to_numpy(dtype=float) @ weight.to_numpy(), self.diagrams.index)
    wanted = (support > 0) | self.diagrams.index.isin(sorted(kept))
    everything = pd.DataFrame(self.diagrams.drop(columns="geometry"))
    rows = everything.assign(designs=members.sum(axis=1).astype(int), support=support)[wanted].sort_index()
    is_kept = rows.index.isin(sorted(kept))
    excluded = rows.index[rows["cost"].isna() & math.isfinite(limit)]
    if unknown := sorted(kept & set(excluded)):
        raise InputError(f"the cost of diagrams to keep is not known: {listed_ids(unknown)}")
    locked = rows.index[locked_out(self, rows, constraints, kept)]
    shared = claimed_pairs(self, rows.index, compatible, progress)
    shared = shared[shared["area_ha"] > tolerance]
    pairs = list(zip(shared["diagramid_a"].astype(int), shared["diagramid_b"].astype(int), strict=True))
    _check_kept(kept, pairs, rows.loc[is_kept, "cost"], limit)
    pool = rows[~rows.index.isin(excluded) & ~rows.index.isin(locked)]
    place = {number: at for at, number in enumerate(pool.index)}
    bargain = Bargain(
        support=pool["support"].to_numpy(dtype=float),
        cost=pool["cost"].fillna(0).to_numpy(dtype=float),
        kept=pool.index.isin(sorted(kept)),
        pairs=[(place[one], place[other]) for one, other in pairs if one in place and other in place],
        budget=limit,
        deadline=time.monotonic() + time_limit,
    )
    mask, most, least_cost = bargain.run()
    chosen = [int(number) for number in pool.index[mask]]
    reached = math.fsum(pool["support"][mask])
    priced = pool["cost"][mask].dropna()
    cost = min(float(sum(map(decimal, priced))), limit)
    saving = cost - least_cost
    has_gap = most > reached * (1 + SAME_SUPPORT)
    no_land = (rows["kind"] != "policy") & rows.index.isin(self.without_geometry)
    return Negotiation(
        chosen=chosen,
        teams=_given_up(self, weight, set(chosen)),
        diagrams=_reasons(rows, chosen, excluded, locked, pairs),
        support=reached,
        most=math.fsum(rows["support"]),
        gap=(most / reached - 1 if reached else math.inf) if has_gap else 0.0,
        cost=cost,
        cost_gap=saving / abs(cost) if cost and saving > max(CENT / 2, 1e-9 * abs(cost)) else 0.0,
        budget=limit,
        unpriced=[number for number in chosen if math.isnan(rows["cost"][number])],
        excluded=[int(number) for number in excluded],
        locked_out=[int(number) for number in locked],
        without_geometry=[number for number in chosen if no_land[number]],
    )


def weights_of(compared: Compared, weights: Mapping[str, float] | None) -> pd.Series[float]:
    """The weight of each design, by its label."""
    weight = pd.Series(1.0, index=pd.Index(list(compared.designs), dtype=object))
    if weights is not None and not isinstance(weights, (Mapping, pd.Series)):
        raise InputError(f"weights is {weights!r}: give a number by design, such as {{'Residents': 2}}")
    labels = {short: label for label, short in compared._short_labels.items() if label in compared.designs}
    for name, given in {} if weights is None else dict(weights).items():
        label = name if name in compared.designs else labels.get(name)
        if label is None:
            known = ", ".join(map(repr, compared.designs))
            raise InputError(f"weights has {name!r}, which is not a design; designs: {known}")
        weight[label] = finite(f"the weight of {name!r}", given, "give a number, 0 or more", 0)
    if not weight.any():
        raise InputError("the weight of every design is 0: give one of them a weight above 0")
    return weight


def _given_up(compared: Compared, weight: pd.Series[float], chosen: set[int]) -> pd.DataFrame:
    """Diagrams that each design keeps and gives up."""
    table = []
    for label, ids in compared.designs.items():
        given_up = [number for number in ids if number not in chosen]
        kept, lost = len(ids) - len(given_up), compared.diagrams.loc[given_up]
        row: dict[str, Any] = {"weight": weight[label], "diagrams": len(ids), "kept": kept}
        row |= {"given_up": len(given_up), "kept_share": kept / len(ids) if ids else math.nan}
        row["given_up_ids"] = given_up
        for name, unknown in (("cost", "unpriced"), ("area_ha", "unmeasured")):
            row[f"{name}_given_up"] = float(lost[name].sum(min_count=1)) if given_up else 0.0
            row[unknown] = int(lost[name].isna().sum())
        table.append(row | {"added": len(chosen - set(ids))})
    frame = pd.DataFrame(table, index=pd.Index(list(compared.designs), name="design"))
    frame.insert(0, "team", pd.Series(compared.teams, frame.index, dtype="str"))
    return frame


def plot_negotiation(
    self: Compared,
    result: Negotiation,
    ax: Axes | None = None,
    *,
    currency: str | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws the result of `negotiate()`: the diagrams that each design keeps, and the others by reason.

    Args:
        result: The result of `negotiate()`.
        ax: The matplotlib axes to draw on. Default: new ones.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; along x are diagrams.

    Raises:
        InputError: `result` is not a `Negotiation`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> comparison = project.compare()
        >>> axes = comparison.plot_negotiation(comparison.negotiate())
        >>> axes.get_yticklabels()[0].get_text()
        'Conservation'
    """
    if not isinstance(result, Negotiation):
        raise InputError(f"result is {result!r}: give what negotiate() returned")
    axes: Axes = pictures("deciding").draw_negotiation(
        result, self._short_labels, self.title, currency_of(currency, self.currency), ax, theme
    )
    return axes


def plot_common_core(self: Compared, ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None) -> Axes:
    """Draws `common_core()`: the number of diagrams that at least one design has, at least two, and so on, by system.

    Args:
        ax: The matplotlib axes to draw on. Default: new ones.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; along x are diagrams.

    Raises:
        InputError: There is no design.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_common_core()
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['all 4 designs', 'at least 3', 'at least 2', 'at least 1']
    """
    axes: Axes = pictures("deciding").draw_common_core(
        common_core(self, 1), len(self.designs), self.systems, self.title, ax, theme
    )
    return axes


def limit_of(systems: pd.DataFrame, budget: float | None) -> float:
    """The most that diagrams may cost together; infinite for no limit."""
    if budget is None:
        budgets = system_figures(systems, "budget")
        return math.inf if budgets.isna().all() else float(budgets.sum())
    if isinstance(budget, float) and budget == math.inf:
        return math.inf
    return finite("budget", budget, "give an amount of money, 0 or more, or math.inf for no limit", 0)


def _check_kept(kept: set[int], pairs: list[tuple[int, int]], costs: pd.Series[float], limit: float) -> None:
    for one, other in pairs:
        if one in kept and other in kept:
            raise InputError(
                f"the diagrams to keep {one} and {other} are in conflict: leave out one of them, or let them "
                "share land with compatible= or tolerance_ha="
            )
    if math.isfinite(limit) and sum(map(decimal, costs)) > budget_limit(limit, costs):
        raise InputError(f"the diagrams to keep cost {costs.sum():,.0f}, which is more than the budget of {limit:,.0f}")


def _reasons(
    rows: pd.DataFrame,
    chosen: list[int],
    excluded: Iterable[int],
    locked: Iterable[int],
    pairs: list[tuple[int, int]],
) -> pd.DataFrame:
    """The candidates, and the reasons why some are not chosen."""
    taken = set(chosen)
    against: dict[int, list[int]] = {number: [] for number in rows.index}
    for pair in pairs:
        for one, other in (pair, pair[::-1]):
            if other in taken:
                against[one].append(other)
    known = {
        **dict.fromkeys(excluded, NOT_KNOWN),
        **dict.fromkeys(locked, ON_CONSTRAINTS),
        **dict.fromkeys(chosen, ""),
    }
    reasons = [known.get(number, CONFLICT if against[number] else BUDGET) for number in rows.index]
    table = rows[["system", "title", "kind", "designs", "support", "cost"]].assign(
        chosen=rows.index.isin(chosen), reason=reasons
    )
    table["conflicts_with"] = pd.Series([sorted(against[number]) for number in rows.index], rows.index, dtype=object)
    return table


@once
def _reported(answers: Answers) -> Negotiation:
    return answers.answered(negotiate, compatible=compatible_systems(answers), progress=answers.progress)


def proposal(answers: Answers) -> str:
    """The negotiated design on a first page: its support, its map, and the share that each design keeps."""
    result = _reported(answers)
    said = _support(answers, link("negotiate", t("appendix")))
    return paragraph(Markup(said)) + _map_of(answers, result) + _kept(answers, result)


def _support(answers: Answers, ids: str) -> str:
    """Cost and support of the chosen diagrams; `ids` lists them."""
    figures, result = answers.figures, _reported(answers)
    cost = escape(figures.full_money(result.cost))
    if not math.isinf(result.budget):
        cost = t("of", some=cost, all=escape(figures.full_money(result.budget)))
    return t(
        "negotiated",
        diagrams=t("diagrams", count=len(result.chosen)),
        cost=cost,
        support=t("of", some=in_digits(f"{result.support:g}"), all=in_digits(f"{result.most:g}")),
        proof=t("below_most", percent=in_digits(f"{100 * result.gap:.2g}")) if result.gap else t("proven_most"),
        ids=ids,
    )


def _section(answers: Answers) -> str:
    """The chosen diagrams, and what each design gives up for them."""
    figures, result = answers.figures, _reported(answers)
    text = _support(answers, links(result.chosen))
    for ids, what in (
        (result.unpriced, "negotiated_unpriced"),
        (result.without_geometry, "land_in_doubt"),
        (result.excluded, "negotiated_excluded"),
    ):
        text += f" {t(what, ids=links(ids))}" if ids else ""
    rows = []
    for label, row in zip(result.teams.index, result.teams.to_dict("records"), strict=True):
        cost = figures.money(row["cost_given_up"])
        if row["unpriced"] and not pd.isna(row["cost_given_up"]):
            cost = t("and", one=cost, other=t("unknown_costs", count=int(row["unpriced"])))
        lost = (figures.area(row["area_ha_given_up"]), cost, links(row["given_up_ids"]))
        rows.append((str(label), in_digits(f"{row['weight']:g}"), _kept_of(row), *lost))
    columns = [
        Column(t("design"), "text"),
        Column(t("weight")),
        Column(t("kept")),
        figures.area_column("given_up_summed"),
        Column(t("given_up", unit=figures.money_unit)),
        Column(t("diagrams_given_up"), "ids"),
    ]
    reasons = []
    for number, why in zip(result.diagrams.index, result.diagrams.to_dict("records"), strict=True):
        if not why["chosen"]:
            against = links(why["conflicts_with"]) if why["conflicts_with"] else ""
            title = title_of(why["title"])
            reason = t(REASONS[why["reason"]])
            reasons.append((links([number]), title, in_digits(f"{why['support']:g}"), reason, against))
    why_not = [
        Column(t("id")),
        Column(t("diagram"), "text"),
        Column(t("support")),
        Column(t("not_chosen_for")),
        Column(t("in_conflict_with"), "ids"),
    ]
    return (
        paragraph(Markup(text))
        + table(t("given_up_caption"), columns, rows)
        + (table(t("why_not_caption"), why_not, reasons) if reasons else "")
    )


def _map_of(answers: Answers, result: Negotiation) -> str:
    """The chosen diagrams on the land."""
    compared = answers.compared
    made = Maps(compared, "ground-of-negotiated", *MAP_SIZE)
    draw = partial(diagrams_on, compared.diagrams.loc[result.chosen], compared.systems)
    drawn = made.drawn(draw, t("negotiated_map", count=len(result.chosen)))
    return made.land + figure(drawn, t("negotiated_drawn")) if drawn else ""


def _kept(answers: Answers, result: Negotiation) -> str:
    """The share of its diagrams that each design keeps."""
    rows = []
    for label, row in zip(result.teams.index, result.teams.to_dict("records"), strict=True):
        share = row["kept"] / row["diagrams"] if row["diagrams"] else 0.0
        bars = [(share, "bar"), (1 - share if row["diagrams"] else 0.0, "claimed")]
        rows.append(Row(answers.named(str(label)), bars, _kept_of(row)))
    alt = "; ".join(t("keeps", design=row.name, kept=row.text) for row in rows)
    return figure(rows_of_bars(rows, alt), t("kept_picture"))


def _kept_of(row: Any) -> str:
    return t("of", some=row["kept"], all=row["diagrams"])


SECTION = Section(
    "negotiate_heading",
    "negotiate_question",
    _section,
    is_asked_for=True,
    result=Negotiation,
)
