"""The evolution of each team's designs: diagrams that were kept, added and dropped from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from pygeodesign._html import Column, table
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import links
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.summary import figures_of
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def evolution(self: Compared) -> pd.DataFrame:
    """The evolution of each team's designs: diagrams that were kept, added and dropped from one to the next.

    A comparison has the latest design of each team unless you give others: `project.compare(project.designs())` has
    all. Designs given as lists of ids have no team and are left out.

    Returns:
        One row per design, by `team` and in the order in which the team saved them: `team`, `design`, `saved_at` (UTC;
        NaT if unknown), `diagrams`, `kept`, `added` and `dropped`, their numbers in comparison with the team's design
        before, `added_ids` and `dropped_ids`, lists of diagram ids, `cost` (NaN if unknown), `cost_change` (NaN for
        the first), `targets_met` of `targets`, and `budgets_met` of `budgets`. All diagrams of a first design are
        `added`.

    Raises:
        InputError: No team has two of the compared designs.

    Examples:
        >>> table = project.compare(project.designs()).evolution()
        >>> table[["team", "diagrams", "kept", "added", "dropped"]].head(3)
                   team  diagrams  kept  added  dropped
        0  Conservation        34     0     34        0
        1  Conservation        41    26     15        8
        2  Conservation        46    32     14        9
    """
    rows: list[dict[str, Any]] = []
    for team, labels in _by_team(self).items():
        before: set[int] = set()
        last_cost = float("nan")
        for label in labels:
            now, figures = set(self.designs[label]), figures_of(self, label)
            cost = float("nan") if figures["cost"] is None else figures["cost"]
            rows.append(
                {
                    "team": team,
                    "design": label,
                    "saved_at": self._saved_at.get(label),
                    "diagrams": len(now),
                    "kept": len(now & before),
                    "added": len(now - before),
                    "dropped": len(before - now),
                    "added_ids": sorted(now - before),
                    "dropped_ids": sorted(before - now),
                    "cost": cost,
                    "cost_change": cost - last_cost,
                    **{name: figures[name] for name in ("targets_met", "targets", "budgets_met", "budgets")},
                }
            )
            before, last_cost = now, cost
    frame = pd.DataFrame(rows)
    return frame.assign(saved_at=pd.to_datetime(frame["saved_at"], utc=True))


def plot_evolution(self: Compared, ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None) -> Axes:
    """Draws `evolution()` as bars: for each team, the diagrams that each design kept and added, and those it dropped.

    Args:
        ax: The matplotlib axes to draw on. Default: new ones.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several teams those of the first one; along x are diagrams.

    Raises:
        InputError: As for `evolution()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare(project.designs()).plot_evolution()
        >>> axes.get_xlabel()
        'diagrams'
    """
    axes: Axes = pictures("evolution").draw_evolution(evolution(self), self.title, ax, theme)
    return axes


def _by_team(compared: Compared) -> dict[str, list[str]]:
    """The labels of each team's designs, in the order in which they were saved."""
    of_teams: dict[str, list[str]] = {}
    for label, team in compared.teams.items():
        if team is not None:
            of_teams.setdefault(team, []).append(label)
    if not any(len(labels) > 1 for labels in of_teams.values()):
        raise InputError(
            "evolution() needs several designs of a team: project.compare(project.designs()) compares all of them"
        )
    order = {label: saved for label, saved in compared._saved_at.items() if saved is not None}
    for labels in of_teams.values():
        if all(label in order for label in labels):
            labels.sort(key=lambda label: order[label])
    return of_teams


def _section(answers: Answers) -> str:
    """The designs of each team, one after another."""
    frame: Any = evolution(answers.compared)
    columns = [Column(t("design"), "text"), *(Column(t(f"evolution_{name}")) for name in ("kept", "added", "dropped"))]
    columns += [Column(t("cost_unit", unit=answers.figures.money_unit)), Column(t("targets_met"))]
    columns += [Column(t("evolution_added"), "ids"), Column(t("evolution_dropped"), "ids")]
    text = ""
    for team, rows in frame.groupby("team", sort=False):
        shown = [
            (
                row.design,
                row.kept,
                row.added,
                row.dropped,
                answers.figures.money(row.cost),
                t("of", some=row.targets_met, all=row.targets),
                links(row.added_ids) if row.kept else "",
                links(row.dropped_ids),
            )
            for row in rows.itertuples()
        ]
        text += table(str(team), columns, shown)
    return text


SECTION = Section("evolution_heading", "evolution_question", _section, is_asked_for=True)
