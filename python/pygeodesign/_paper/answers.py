"""The answers of a comparison to a report, each asked for once: first pages and appendix show the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pygeodesign._language import t
from pygeodesign._paper.shown import Figures

if TYPE_CHECKING:
    import pandas as pd

    from pygeodesign._planning.compared import Compared

# The most designs whose names are above columns.
MOST_NAMED = 6
# Letters of a name in a sentence or a table of the first pages.
LONGEST_NAME = 60
Answer = TypeVar("Answer")
Ask = TypeVar("Ask", bound="Callable[[Answers], Any]")


class Section(NamedTuple):
    """A section of the appendix: the texts of its heading and its question, and the function that answers it."""

    heading: str
    question: str | Callable[[Answers], str]
    write: Callable[[Answers], str]
    #: True if a report has it only on request.
    is_asked_for: bool = False
    #: The arguments of its question that a report takes; if empty, all arguments of a section on request.
    takes: tuple[str, ...] = ()
    #: The type of the question's result, if the result may be given instead of arguments.
    result: type | None = None
    #: True if the project has what the section is about.
    applies: Callable[[Answers], bool] = lambda _: True

    def is_in(self, answers: Answers, question: str) -> bool:
        """True if a report has the section of this question."""
        return answers.asks_for(question) if self.is_asked_for else self.applies(answers)


@dataclass
class Answers:
    """A comparison, the format of its figures, and the answers so far. Frames have the rows of all scopes."""

    compared: Compared
    figures: Figures
    #: The arguments or the result for each section, by the name of its question.
    sections: Mapping[str, Any]
    progress: bool | None = None
    #: The answers of `once`.
    known: dict[Any, Any] = field(default_factory=dict)

    def asks_for(self, question: str) -> bool:
        return question in self.sections

    def arguments(self, question: str) -> Mapping[str, Any]:
        """The arguments of a section's question; empty if it was not requested."""
        asked = self.sections.get(question)
        return asked if isinstance(asked, Mapping) else {}

    def answered(self, question: Callable[..., Answer], **usual: Any) -> Answer:
        """The result of a question: the given one for its section, or else a new one."""
        asked: Any = self.sections[question.__name__]
        return question(self.compared, **usual | dict(asked)) if isinstance(asked, Mapping) else asked

    def named(self, label: str) -> str:
        """A design's name next to a bar, also for designs that are not on the page."""
        return self.compared._short_labels.get(label, label)

    def of(self, frame: pd.DataFrame, scope: str) -> Any:
        """The rows of a scope."""
        return frame if scope == "project" else frame[frame["design"] == scope]

    def number(self, scope: str) -> int:
        """The number of a design, or of the project, in pictures, tables and anchors."""
        return self.figures.scopes.index(scope) + 1

    def short(self, scope: str) -> str:
        """A design's short name, where there is little room."""
        name = t("all_diagrams") if scope == "project" else self.compared._short_labels.get(scope, scope)
        return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"

    def numbered(self, scope: str) -> str:
        return self.short(scope) if len(self.figures.scopes) == 1 else f"{self.number(scope)} {self.short(scope)}"

    @property
    def are_many(self) -> bool:
        """True if there are too many designs for names: tables and small maps show numbers, explained by `key`."""
        return len(self.figures.scopes) > MOST_NAMED

    def heading(self, scope: str) -> str:
        """The heading of a column, or the caption of a small map."""
        return str(self.number(scope)) if self.are_many else self.numbered(scope)

    def key(self) -> str:
        """The key to the designs' numbers, if there are many."""
        names = "; ".join(map(self.numbered, self.figures.scopes))
        return f'<p class="note">{escape(t("key_to_designs", names=names))}</p>' if self.are_many else ""

    def diagrams(self, scope: str) -> Any:
        """The rows of a scope's diagrams."""
        everything = self.compared.diagrams
        return everything if scope == "project" else everything.loc[self.compared.designs[scope]]


def once(ask: Ask) -> Ask:
    """Makes a report ask each question once, even if it shows the answer in several places."""

    @wraps(ask)
    def asked(answers: Answers) -> Any:
        if ask not in answers.known:
            answers.known[ask] = ask(answers)
        return answers.known[ask]

    return asked  # type: ignore[return-value]
