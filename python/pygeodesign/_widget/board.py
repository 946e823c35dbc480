"""`Board`: sliders for rates, budgets and targets in a notebook cell, with a comparison's answers."""

from __future__ import annotations

import copy
from typing import Any, Generic, TypeVar

import pandas as pd
import traitlets

from pygeodesign._html import card, paragraph
from pygeodesign._planning.arguments import finite
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.questions.what_if import what_if
from pygeodesign._text import NEEDS_OF_WIDGETS, Units, counted
from pygeodesign._widget.board_answer import board_answer
from pygeodesign._widget.cell import new_widget, shown_widget
from pygeodesign.errors import InputError

# The sliders by the argument of `what_if`: the figure of a system, and its name.
KINDS = {"rates": ("rate", "Rate"), "budgets": ("budget", "Budget"), "targets": ("target_ha", "Target")}
# The end of a slider, as a multiple of the project's value.
LENGTH = 2

Asked = TypeVar("Asked", bound=Compared)


class Board(Generic[Asked]):
    """Sliders for the rates, budgets and targets of a project's systems, and the resulting figures of its designs.

    `Comparison.board()` creates it. Next to the sliders are the costs of each design against the budgets, the met
    targets, and the best choice among all diagrams of the project under the sum of the budgets: the answers of
    the comparison's `targets()` and `optimum()` at these values. Nothing is sent to the service.

    Attributes:
        title: The title of the board.
    """

    def __init__(self, comparison: Asked, units: Units, currency: str, theme: str | None) -> None:
        """Called by `Comparison.board`."""
        self.title = comparison.title
        self._asked, self._units, self._currency, self._theme = comparison, units, currency, theme
        self._keys = system_keys(comparison.systems)
        self._initial = {kind: self._figures(column) for kind, (column, _) in KINDS.items()}
        self._state = copy.deepcopy(self._initial)
        self._supposed: Asked | None = None
        self._widget: Any = None

    @property
    def state(self) -> dict[str, dict[str, float | None]]:
        """The values of the sliders: `rates`, `budgets` and `targets`, each a dict by the name of the system.

        It consists of JSON types. Rates are money per hectare (or kilometre of a line), targets hectares, whatever
        the board's units; None is an unknown rate, or no budget or target. If systems share a name, their
        keys are their ids, as strings. Setting it moves the sliders; missing values are the project's, so
        `{}` resets the board.

        Raises:
            InputError: It has an invalid key or value; the error names the key.
        """
        return copy.deepcopy(self._state)

    @state.setter
    def state(self, state: dict[str, dict[str, float | None]]) -> None:
        self._take(self._checked(state))

    @property
    def comparison(self) -> Asked:
        """The `Comparison` at these values, for any other question."""
        if self._supposed is None:
            ids = dict(zip(self._keys, self._asked.systems.index, strict=True))
            changed = {
                kind: {ids[key]: value for key, value in values.items() if value != self._initial[kind][key]}
                for kind, values in self._state.items()
            }
            self._supposed = what_if(self._asked, **changed)
        return self._supposed

    @property
    def widget(self) -> Any:
        """The ipywidgets widget, for layouts with others."""
        if self._widget is None:
            traits: dict[str, Any] = {name: traitlets.Dict() for name in ("settings", "state", "answer")}
            values = {"settings": self._settings(), "state": self.state, "answer": self._answer()}
            self._widget = new_widget("BoardWidget", "board.js", traits, values)
            self._widget.observe(lambda change: self._take(self._checked(change["new"])), "state")
        return self._widget

    def close(self) -> None:
        """Ends the board in the browser; `state` and `comparison` stay."""
        if self._widget is not None:
            self._widget.close()

    def __repr__(self) -> str:
        """The number of moved sliders."""
        moved = sum(
            value != self._initial[kind][key] for kind, values in self._state.items() for key, value in values.items()
        )
        return f"<Board of {self.title}: {counted(moved, 'value')} changed>"

    def _display_(self) -> Any:
        """The widget, which marimo shows."""
        return self.widget

    def _repr_mimebundle_(self, **options: Any) -> Any:
        picture = self._repr_html_() + paragraph(f"The tables of a board. {NEEDS_OF_WIDGETS}")
        return shown_widget(self.widget, options, repr(self), "text/html", picture)

    def _repr_html_(self) -> str:
        answer = self._answer()
        return "".join(
            card(
                table["caption"],
                ("system", *table["columns"]),
                [(row["name"], *(cell["text"] for cell in row["cells"])) for row in table["rows"]],
                answer["best"] if place == 0 else "",
            )
            for place, table in enumerate(answer["tables"])
        )

    def _take(self, state: dict[str, dict[str, float | None]]) -> None:
        if state == self._state:
            return
        self._state, self._supposed = copy.deepcopy(state), None
        if self._widget is not None:
            answer = self._answer()
            with self._widget.hold_trait_notifications():
                self._widget.state, self._widget.answer = self.state, answer

    def _figures(self, column: str) -> dict[str, float | None]:
        figures = pd.to_numeric(self._asked.systems[column])
        return {key: None if pd.isna(value) else float(value) for key, value in zip(self._keys, figures, strict=True)}

    def _checked(self, state: Any) -> dict[str, dict[str, float | None]]:
        """A state, completed with the values that it leaves out."""
        checked = copy.deepcopy(self._initial)
        if not isinstance(state, dict):
            raise InputError(f"state is {state!r}: give a dict with {', '.join(KINDS)}, as board.state has it")
        for kind, values in state.items():
            if kind not in KINDS:
                raise InputError(f"state has {kind!r}: its keys are {', '.join(KINDS)}")
            if not isinstance(values, dict):
                raise InputError(f"state[{kind!r}] is {values!r}: give a dict by the name of the system")
            for key, value in values.items():
                if key not in checked[kind]:
                    raise InputError(f"state[{kind!r}] has {key!r}: the systems are {', '.join(self._keys)}")
                wanted = "give a number, 0 or more, or None"
                checked[kind][key] = None if value is None else finite(f"state[{kind!r}][{key!r}]", value, wanted, 0)
        return checked

    def _settings(self) -> dict[str, Any]:
        """Settings for the program, which are sent once."""
        systems, area = self._asked.systems, self._units.area
        units = {
            "rates": (f"{self._currency} per {area.removesuffix('s')}".lstrip(), 1 / self._units.per_hectare),
            "budgets": (self._currency, 1.0),
            "targets": (area, self._units.per_hectare),
        }
        diagrams = self._asked.diagrams
        follows = diagrams[diagrams["rate_source"] == "system"].groupby("sysid").size()
        longest = {kind: max([*filter(None, values.values())], default=1.0) for kind, values in self._initial.items()}
        return {
            "title": f"What if: {self.title}",
            "theme": self._theme,
            "kinds": [
                {"kind": kind, "title": name, "unit": units[kind][0], "scale": units[kind][1]}
                for kind, (_, name) in KINDS.items()
            ],
            "systems": [
                {
                    "key": key,
                    "name": systems.at[sysid, "name"],
                    "color": systems.at[sysid, "color"],
                    "follows": int(follows.get(sysid, 0)),
                    "most": {kind: LENGTH * (self._initial[kind][key] or longest[kind]) for kind in KINDS},
                }
                for key, sysid in zip(self._keys, systems.index, strict=True)
            ],
            "initial": self._initial,
        }

    def _answer(self) -> dict[str, Any]:
        """The answer next to the sliders."""
        return board_answer(self.comparison, self._units, self._currency)


def system_keys(systems: pd.DataFrame) -> list[str]:
    """The names of the systems, or the ids of those that share a name."""
    shared = set(systems["name"][systems["name"].duplicated()])
    ids = [str(sysid) for sysid in systems.index]
    keys = [key if name in shared else str(name) for key, name in zip(ids, systems["name"], strict=True)]
    # A name may be a number, too.
    return keys if len(set(keys)) == len(keys) else ids
