"""What a report asks a comparison, each question once: its first pages and its appendix show the same answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from pygeodesign._report.shown import Figures

if TYPE_CHECKING:
    import pandas as pd

    from pygeodesign._planning import Questions
    from pygeodesign._planning.negotiation import Negotiation
    from pygeodesign._planning.optimum import Optimum
    from pygeodesign._planning.pareto import Front

# The most designs whose names stand above columns.
MOST_NAMED = 6
# Letters of a name in a sentence or a table of the first pages.
LONGEST_NAME = 60


@dataclass
class Answers:
    """A comparison, how its figures are shown, and what was asked about it. Frames have the rows of all scopes."""

    compared: Questions
    figures: Figures
    #: What each section asks, by the name of its question: the arguments, or what the question returned.
    sections: Mapping[str, Any]
    progress: bool | None = None

    def arguments(self, question: str) -> Mapping[str, Any]:
        """What a section asks its question with; nothing where it was not asked for."""
        asked = self.sections.get(question)
        return asked if isinstance(asked, Mapping) else {}

    @property
    def percent(self) -> Any:
        """By how much rates change in the section on them."""
        return self.arguments("sensitivity").get("percent", 20)

    @property
    def compatible(self) -> Any:
        """The pairs of systems that are in no conflict."""
        return self.arguments("conflicts").get("compatible")

    def of(self, frame: pd.DataFrame, scope: str) -> Any:
        """The rows of a scope."""
        return frame if scope == "project" else frame[frame["design"] == scope]

    def number(self, scope: str) -> int:
        """The number of a design, or of the project, in pictures, tables and anchors."""
        return self.figures.scopes.index(scope) + 1

    def short(self, scope: str) -> str:
        """What a design is called where there is little room."""
        name = "All diagrams" if scope == "project" else self.compared._short_labels.get(scope, scope)
        return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"

    def numbered(self, scope: str) -> str:
        return self.short(scope) if len(self.figures.scopes) == 1 else f"{self.number(scope)} {self.short(scope)}"

    @property
    def are_many(self) -> bool:
        """Whether there are so many designs that tables and small maps have their numbers only, explained by `key`."""
        return len(self.figures.scopes) > MOST_NAMED

    def heading(self, scope: str) -> str:
        """What is above a column, or below a small map."""
        return str(self.number(scope)) if self.are_many else self.numbered(scope)

    def key(self) -> str:
        """What the numbers of many designs mean."""
        names = "; ".join(map(self.numbered, self.figures.scopes))
        return f'<p class="note">Designs: {escape(names)}.</p>' if self.are_many else ""

    def diagrams(self, scope: str) -> Any:
        """The rows of its diagrams."""
        everything = self.compared.diagrams
        return everything if scope == "project" else everything.loc[self.compared.designs[scope]]

    @cached_property
    def targets(self) -> Any:
        return self.compared.targets(self.figures.scope)

    @cached_property
    def targets_of(self) -> dict[str, Any]:
        """The rows of `targets` of each scope, by `sysid`."""
        return {scope: self.of(self.targets, scope).set_index("sysid") for scope in self.figures.scopes}

    @cached_property
    def agreement(self) -> Any:
        return self.compared.agreement()

    @cached_property
    def consensus(self) -> Any:
        return self.compared.consensus(progress=self.progress)

    @cached_property
    def conflicts(self) -> Any:
        """Pairs of systems, with the land that both claim."""
        return self.compared._conflicts("systems", self.figures.scope, self.compatible, False, True)

    @cached_property
    def claimed_twice(self) -> dict[str, float]:
        """The hectares that two systems or more claim in each scope, once: of three systems, pairs share land."""
        once_ha: dict[str, float] = self.conflicts.attrs["once_ha"]
        return once_ha

    @cached_property
    def conflicting_diagrams(self) -> Any:
        return self.compared._conflicts("diagrams", self.figures.scope, self.compatible, False, False, self.progress)

    @cached_property
    def schedule(self) -> Any:
        return self.compared.schedule(self.figures.scope, **self.arguments("schedule"))

    def years(self, scope: str) -> Any:
        """The schedule of one scope; None where it has no diagram."""
        frame = self.schedule
        if scope == "project":
            return frame
        return frame.loc[scope] if scope in frame.index.get_level_values(0) else None

    @cached_property
    def sensitivity(self) -> Any:
        return self.compared.sensitivity(self.percent, self.figures.scope)

    @cached_property
    def optimum(self) -> Optimum | None:
        """The best choice, where it was asked for and a system has a target."""
        if "optimum" not in self.sections or not (self.compared.systems["target_ha"] > 0).any():
            return None
        return self._answered("optimum")  # type: ignore[no-any-return]

    @cached_property
    def negotiation(self) -> Negotiation:
        return self._answered("negotiate", compatible=self.compatible, progress=self.progress)  # type: ignore[no-any-return]

    @cached_property
    def front(self) -> Front:
        return self._answered("pareto")  # type: ignore[no-any-return]

    def _answered(self, question: str, **usual: Any) -> Any:
        """What a question returned, where that was given, or returns now."""
        asked = self.sections[question]
        return getattr(self.compared, question)(**usual | dict(asked)) if isinstance(asked, Mapping) else asked
