"""The loss of the best choice without each of its diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Literal

import pandas as pd

from pygeodesign import _progress
from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import number, t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import hue, links
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.questions.optimum import optimum


def importance(
    self: Compared,
    budget: float | None = None,
    targets: Mapping[Any, float] | None = None,
    keep: Iterable[int] = (),
    drop: Iterable[int] = (),
    time_limit: float = 1,
    *,
    policies: bool = False,
    among: Literal["project", "designs"] = "project",
    constraints: Literal["exclude", "ignore"] = "ignore",
    progress: bool | None = None,
) -> pd.DataFrame:
    """The loss of the best choice without each of its diagrams.

    This is the replacement cost of conservation planning (Cabeza & Moilanen 2006, doi 10.1016/j.biocon.2006.04.025):
    for each diagram that `optimum()` chooses, a best choice without it is found.

        loss = shortfall without the diagram - shortfall of the best choice

    A diagram with a loss of 0 can be replaced: `replaced_by` says by which.

    Args:
        budget: See `optimum()`, as the other arguments.
        targets: Hectares by system.
        keep: Ids of diagrams that are always chosen, except where one of them is left out itself.
        drop: Ids of diagrams that are never chosen.
        time_limit: Seconds for each choice: one, and one more for each chosen diagram.
        policies: True to choose among policies, too.
        among: The diagrams that may be chosen: those of the `"project"`, or of the compared `"designs"`.
        constraints: `"exclude"` to choose nothing on the project's constraints.
        progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

    Returns:
        One row per chosen diagram, by `diagramid`, the most important first: `sysid`, `system`, `title`, `cost`,
        `loss`, `shortfall_without`, `cost_without` (of the whole choice without it), `replaced_by` (a list of the ids
        that come instead), and `gap`: no choice without it has a shortfall below `shortfall_without * (1 - gap)`.
        `attrs["best"]` is the `Optimum`.

    Raises:
        InputError: As for `optimum()`.

    Examples:
        >>> table = project.compare().importance(budget=1e9, among="designs", progress=False)
        >>> table["title"].iloc[0], table["loss"].iloc[0].round(3)
        ('Freshkills solar fields', np.float64(0.095))
    """
    kept, dropped = list(keep), list(drop)
    solved = partial(
        optimum, self, budget, targets, time_limit=time_limit, policies=policies, among=among, constraints=constraints
    )
    best = solved(keep=kept, drop=dropped)
    rows = []
    with _progress.counting("choices without a diagram", len(best.chosen), progress) as advance:
        for left_out in best.chosen:
            other = solved(keep=[each for each in kept if each != left_out], drop=[*dropped, left_out])
            rows.append(
                {
                    "diagramid": left_out,
                    "loss": max(0.0, other.shortfall - best.shortfall),
                    "shortfall_without": other.shortfall,
                    "cost_without": other.cost,
                    "replaced_by": sorted(set(other.chosen) - set(best.chosen)),
                    "gap": other.gap,
                }
            )
            advance(1)
    columns = ["loss", "shortfall_without", "cost_without", "replaced_by", "gap"]
    found = pd.DataFrame(rows, columns=["diagramid", *columns]).set_index("diagramid")
    about = self.diagrams.loc[found.index, ["sysid", "system", "title", "cost"]]
    answer = pd.DataFrame(about).join(found).sort_values(["loss", "cost"], ascending=False, kind="stable")
    answer.attrs["best"] = best
    return answer


def _section(answers: Answers) -> str:
    """The diagrams without which the choice loses something."""
    compared, figures = answers.compared, answers.figures
    frame: Any = importance(compared, progress=answers.progress, **answers.arguments("importance"))
    needed = frame[frame["loss"] > 0]
    rows = [
        (
            hue(compared, row.sysid, row.system),
            links([row.Index]),
            row.title,
            figures.money(row.cost),
            number(row.loss, 3),
            links(row.replaced_by) if row.replaced_by else t("nothing"),
        )
        for row in needed.itertuples()
    ]
    columns = [
        Column(t("system"), "text"),
        Column(t("diagrams_heading"), "ids"),
        Column(t("diagram_title"), "text"),
        Column(t("cost_unit", unit=figures.money_unit)),
        Column(t("loss")),
        Column(t("replaced_by"), "ids"),
    ]
    said = paragraph(t("importance_replaceable", count=len(frame) - len(needed)))
    return (table(t("importance_caption"), columns, rows) if rows else "") + said


SECTION = Section("importance_heading", "importance_question", _section, is_asked_for=True)
