"""What a report asks a comparison, each question once: its first pages and its appendix show the same answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pygeodesign._paper.shown import Figures

if TYPE_CHECKING:
    import pandas as pd

    from pygeodesign._planning.compared import Compared

# The most designs whose names stand above columns.
MOST_NAMED = 6
# Letters of a name in a sentence or a table of the first pages.
LONGEST_NAME = 60
Answer = TypeVar("Answer")


class Section(NamedTuple):
    """A section of the appendix: its heading, its question in a sentence, and what answers it."""

    heading: str
    question: str | Callable[[Answers], str]
    write: Callable[[Answers], str]
    #: Whether a report has it only where it is asked for.
    is_asked_for: bool = False
    #: The arguments of its question that a report takes; without any, all of one that is asked for.
    takes: tuple[str, ...] = ()
    #: What its question returns, where that may be given in place of arguments.
    result: type | None = None


@dataclass
class Answers:
    """A comparison, how its figures are shown, and what was asked about it. Frames have the rows of all scopes."""

    compared: Compared
    figures: Figures
    #: What each section asks, by the name of its question: the arguments, or what the question returned.
    sections: Mapping[str, Any]
    progress: bool | None = None
    #: The answers of `once`.
    known: dict[Any, Any] = field(default_factory=dict)

    def asks_for(self, question: str) -> bool:
        return question in self.sections

    def arguments(self, question: str) -> Mapping[str, Any]:
        """What a section asks its question with; nothing where it was not asked for."""
        asked = self.sections.get(question)
        return asked if isinstance(asked, Mapping) else {}

    def answered(self, question: Callable[..., Answer], **usual: Any) -> Answer:
        """What a question returned, where that was given for its section, or returns now."""
        asked: Any = self.sections[question.__name__]
        return question(self.compared, **usual | dict(asked)) if isinstance(asked, Mapping) else asked

    def named(self, label: str) -> str:
        """A design beside a bar; also one that the page is not about."""
        return self.compared._short_labels.get(label, label)

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


def once(ask: Callable[[Answers], Answer]) -> Callable[[Answers], Answer]:
    """Has a report ask once what it shows in several places."""

    @wraps(ask)
    def asked(answers: Answers) -> Answer:
        if ask not in answers.known:
            answers.known[ask] = ask(answers)
        answer: Answer = answers.known[ask]
        return answer

    return asked
