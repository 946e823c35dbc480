"""`Board`: sliders for rates, budgets and targets in the cell of a notebook, with what a comparison answers to them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import pandas as pd
import traitlets

from pygeodesign._html import card
from pygeodesign._planning import Questions
from pygeodesign._planning.given import finite
from pygeodesign._planning.summary import cost_of
from pygeodesign._report.marks import MARKS
from pygeodesign._text import NO_CURRENCY, Units, counted, money, short_amount
from pygeodesign._widget.cell import new_widget, shown_widget
from pygeodesign.errors import InputError

# What the sliders stand for, by the argument of `what_if`: the figure of a system, and what it is called.
KINDS = {"rates": ("rate", "Rate"), "budgets": ("budget", "Budget"), "targets": ("target_ha", "Target")}
# A slider is this many times as long as what the project says.
LENGTH = 2
# A board answers while a slider moves; what is not proven by then is said.
SOLVER_SECONDS = 0.1
BEST = "Best choice"

Asked = TypeVar("Asked", bound=Questions)


class Board(Generic[Asked]):
    """Sliders for the rates, budgets and targets of a project's systems, and what its designs would be under them.

    `Comparison.board()` makes it. Beside the sliders stand the costs of each design against the budgets, the targets
    that are met, and the best choice, of all diagrams of the project, under the sum of the budgets: the answers of
    `targets()` and `optimum()` of the comparison at these values. Nothing is sent to the service.

    Attributes:
        title: What the board is about.
    """

    def __init__(self, comparison: Asked, units: Units, currency: str, theme: str | None) -> None:
        """`Comparison.board` makes it."""
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

        It is made of what JSON has. Rates are money per hectare (or kilometre of a line), targets hectares, whatever
        the units of the board; None is a rate that is not known, and no budget or target. Of systems that share a name
        the keys are their ids, as text. Setting it moves the sliders; what it leaves out is as in the project, so that
        `{}` resets the board.

        Raises:
            InputError: It has a key or a value that is none; the error names the key.
        """
        return copy.deepcopy(self._state)

    @state.setter
    def state(self, state: dict[str, dict[str, float | None]]) -> None:
        self._take(self._checked(state))

    @property
    def comparison(self) -> Asked:
        """The `Comparison` at these values, for any further question."""
        if self._supposed is None:
            ids = dict(zip(self._keys, self._asked.systems.index, strict=True))
            changed = {
                kind: {ids[key]: value for key, value in values.items() if value != self._initial[kind][key]}
                for kind, values in self._state.items()
            }
            self._supposed = self._asked.what_if(**changed)
        return self._supposed

    @property
    def widget(self) -> Any:
        """The widget of ipywidgets, for layouts with others."""
        if self._widget is None:
            traits: dict[str, Any] = {name: traitlets.Dict() for name in ("settings", "state", "answer")}
            values = {"settings": self._settings(), "state": self.state, "answer": self._answer()}
            self._widget = new_widget("BoardWidget", "board.js", traits, values)
            self._widget.observe(lambda change: self._take(self._checked(change["new"])), "state")
        return self._widget

    def close(self) -> None:
        """End the board in the browser; `state` and `comparison` stay."""
        if self._widget is not None:
            self._widget.close()

    def __repr__(self) -> str:
        """How many sliders are moved."""
        moved = sum(
            value != self._initial[kind][key] for kind, values in self._state.items() for key, value in values.items()
        )
        return f"<Board of {self.title}: {counted(moved, 'value')} changed>"

    def _display_(self) -> Any:
        """For marimo."""
        return self.widget

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return shown_widget(self.widget, options, repr(self), "text/html", self._repr_html_())

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
        """A state with all that it leaves out."""
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
        """What the program is told once."""
        systems, area = self._asked.systems, self._units.area
        currency = self._currency or NO_CURRENCY
        units = {
            "rates": (f"{currency} per {area.removesuffix('s')}", 1 / self._units.per_hectare),
            "budgets": (currency, 1.0),
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
        """What stands beside the sliders."""
        asked = self.comparison
        choice, best = self._best(asked)
        targets = asked.targets() if asked.designs else None
        return {"best": best, "tables": [self._table(asked, targets, choice, of) for of in ("budget", "area")]}

    def _best(self, asked: Questions) -> tuple[pd.DataFrame | None, str]:
        """The best choice by system, and a sentence about it."""
        try:
            best = asked.optimum(time_limit=SOLVER_SECONDS)
        except InputError as problem:
            return None, f"{BEST}: none, since {problem}"
        proven = f", at most {100 * best.gap:.2g} % above the least" if best.gap else ""
        left_out = f"; {counted(len(best.excluded), 'diagram')} of unknown cost or area left out" * bool(best.excluded)
        return best.systems, (
            f"{BEST} under all budgets together, {money(best.budget, self._currency)}: "
            f"{counted(len(best.chosen), 'diagram')} for {money(best.cost, self._currency)}, "
            f"shortfall {best.shortfall:.3g}{proven}{left_out}"
        )

    def _table(
        self, asked: Questions, targets: pd.DataFrame | None, best: pd.DataFrame | None, of: str
    ) -> dict[str, Any]:
        """Costs against budgets, or areas against targets: a row for each system, a column for each design."""
        in_area = of == "area"
        unit = self._units.area if in_area else self._currency or NO_CURRENCY.strip("()")
        what = "what is missing" if in_area else "cost"
        columns: list[tuple[str, list[dict[str, Any]]]] = []
        for label, ids in asked.designs.items():
            assert targets is not None
            rows = targets[targets["design"] == label].to_dict("records")
            cells = [self._area_cell(row) if in_area else self._cost_cell(row) for row in rows]
            cells += [] if in_area else [total_cell(asked, ids)]
            columns.append((asked._short_labels.get(label, label), cells))
        if best is not None:
            cells = [self._best_cell(row, in_area) for row in best.to_dict("records")]
            total = cell("none", short_amount(best["cost"].sum()), "")
            columns.append((BEST, cells if in_area else [*cells, total]))
        systems = asked.systems
        heads = [{"name": row["name"], "color": row["color"], "isTotal": False} for row in systems.to_dict("records")]
        heads += [] if in_area else [{"name": "Total", "color": None, "isTotal": True}]
        cells_by_row = zip(*(cells for _, cells in columns), strict=True)
        return {
            "caption": f"{'Targets' if in_area else 'Budgets'}: met, and {what} ({unit})",
            "columns": [name for name, _ in columns],
            "rows": [head | {"cells": list(cells)} for head, cells in zip(heads, cells_by_row, strict=True)]
            if columns
            else [],
        }

    def _cost_cell(self, row: Mapping[Any, Any]) -> dict[str, Any]:
        over = row["over_budget"]
        more = "no budget" if pd.isna(row["budget"]) else f"budget {money(row['budget'], self._currency)}"
        more += f", {short_amount(over)} over" if over > 0 else ""
        return cell(row["budget_status"], cost_text(row["cost"], row["unpriced"]), more)

    def _area_cell(self, row: Mapping[Any, Any]) -> dict[str, Any]:
        missing = row["missing_ha"]
        text = "" if pd.isna(missing) or missing == 0 else self._area(missing)
        if row["unmeasured"]:
            text += f" + {row['unmeasured']:,} not known"
        target = row["target_ha"]
        more = "no target" if pd.isna(target) else f"target {self._area(target)} {self._units.area}"
        return cell(row["area_status"], text.strip(), more)

    def _best_cell(self, row: Mapping[Any, Any], in_area: bool) -> dict[str, Any]:
        if not in_area:
            return cell("none", short_amount(row["cost"]), "")
        missing = row["missing_ha"]
        status = "none" if pd.isna(missing) else "missed" if missing > 0 else "met"
        return cell(status, self._area(missing) if status == "missed" else "", "")

    def _area(self, hectares: float) -> str:
        return f"{hectares * self._units.per_hectare:,.0f}" if hectares >= 0.5 else "< 1"


def cost_text(cost: float, unpriced: int) -> str:
    """An amount, and of how many diagrams it is not known."""
    if pd.isna(cost):
        return "not known"
    return short_amount(cost) + (f" + {unpriced:,} not known" if unpriced else "")


def total_cell(asked: Questions, ids: list[int]) -> dict[str, Any]:
    """What a design costs in all."""
    rows = asked.diagrams.loc[ids]
    return cell("none", cost_text(cost_of(rows), int(rows["cost"].isna().sum())), "")


def cell(status: str, text: str, more: str) -> dict[str, Any]:
    """A mark with a text; `word` is read out, and `more` is told under the pointer."""
    mark = MARKS[status]
    return {"text": f"{mark} {text}".strip(), "status": status, "word": status if mark else "", "more": more}


def system_keys(systems: pd.DataFrame) -> list[str]:
    """The names of the systems, and the ids of those that share one."""
    shared = set(systems["name"][systems["name"].duplicated()])
    return [str(sysid) if name in shared else str(name) for sysid, name in systems["name"].items()]
