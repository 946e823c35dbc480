"""A table of diagrams whose geometries are in external files, in the format of the public platform's archiver."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Any

from pygeodesign._core import Project
from pygeodesign._reading.table import read_file
from pygeodesign._rows import Rows
from pygeodesign.errors import GeodesignError, InputError

#: The names that a column may have, in upper or lower case; the first is the argument's name in `System.add_external`.
COLUMNS: dict[str, tuple[str, ...]] = {
    "url": ("url", "flat_geobuf_url"),
    "title": ("title", "description"),
    "system": ("system", "system_id", "sysid"),
    "layer_type": ("layer_type",),
    "kind": ("kind", "project_or_policy"),
    "funding": ("funding", "funding_type", "fundingtype"),
    "feature_type": ("feature_type", "featuretype"),
    "cost": ("cost",),
    "cost_type": ("cost_type",),
    "additional_metadata": ("additional_metadata",),
}
REQUIRED = ("url", "title", "system")
FLATGEOBUF = "fgb-layer"
SENDERS = 8
MAX_NAMED = 20
KINDS = ("project", "policy")
FEATURE_TYPES = ("polygon", "line", "point")
FUNDINGS = ("public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u")
COST_TYPES = {"t": "total", "u": "unit", "total": "total", "unit": "unit"}


def add_external_diagrams(
    project: Project, table: Any, layer_type: str | None, on_error: str, dry_run: bool
) -> list[Any]:
    """Adds a diagram for each row. All rows are checked before the first is sent."""
    rows = _rows_of(table)
    columns = _columns_of(rows)
    systems = _Systems(project)
    checked = [_Checked(number, row, columns, layer_type, systems) for number, row in enumerate(rows)]
    wrong: list[Any] = [row.outcome(None) for row in checked if row.problem]
    if wrong and on_error == "raise":
        named = "; ".join(str(row["error"]) for row in wrong[:MAX_NAMED])
        more = f"; and {len(wrong) - MAX_NAMED} more" if len(wrong) > MAX_NAMED else ""
        problem = InputError(f"{len(wrong)} of {len(rows)} rows cannot be added: {named}{more}. Nothing was added")
        problem.rows = wrong
        raise problem
    if dry_run:
        return Rows(row.outcome(None) for row in checked)
    with ThreadPoolExecutor(SENDERS) as senders:
        return Rows(senders.map(lambda row: row.send(project), checked))


class _Systems:
    """The ids of a project's systems, by the names that rows use."""

    def __init__(self, project: Project) -> None:
        self.ids: dict[str, int] = {}
        systems = project.systems()
        for system in systems:
            for name in (system.tag, system.name, system.id):
                if name is not None:
                    self.ids[str(name).strip().casefold()] = system.id
        self.names = ", ".join(f"{system.name} ({system.id})" for system in systems)

    def find(self, name: Any) -> int:
        try:
            return self.ids[_text(name).casefold()]
        except KeyError:
            raise InputError(f"the project has no system {_text(name)!r}; it has {self.names}") from None


class _Checked:
    """A row with the arguments of `System.add_external`, or with its error."""

    def __init__(
        self, number: int, row: Mapping[str, Any], columns: Mapping[str, str], layer_type: str | None, systems: _Systems
    ) -> None:
        self.number, self.problem = number, ""
        cells = {name: row.get(column) for name, column in columns.items() if not _is_empty(row.get(column))}
        self.title = _text(cells.get("title", ""))
        try:
            for name in REQUIRED:
                if name not in cells:
                    raise InputError(f"it has no {name} (column {columns[name]!r})")
            self.system = systems.find(cells["system"])
            self.arguments: dict[str, Any] = {
                "title": self.title,
                "layer_type": _text(cells.get("layer_type") or layer_type or FLATGEOBUF),
                "kind": _one_of(KINDS, "kind", cells.get("kind", "project")),
                "funding": _one_of(FUNDINGS, "funding", cells.get("funding", "public")),
                "feature_type": _one_of(FEATURE_TYPES, "feature_type", cells.get("feature_type", "polygon")),
                "additional_metadata": _metadata(cells.get("additional_metadata")),
                **_cost(cells),
            }
            self.url = _text(cells["url"])
            scheme, _, rest = self.url.partition("://")
            if scheme not in ("http", "https") or not rest or any(letter.isspace() for letter in self.url):
                raise InputError(f"{self.url!r} is not a file's address; write it with https:// and %20 for a space")
        except InputError as problem:
            self.problem = f"row {number}: {problem}"

    def send(self, project: Project) -> dict[str, Any]:
        if self.problem:
            return self.outcome(None)
        try:
            return self.outcome(project.system(self.system).add_external(self.url, **self.arguments))
        except GeodesignError as problem:
            self.problem = str(problem)
            return self.outcome(None)

    def outcome(self, added: Any) -> dict[str, Any]:
        return {
            "position": self.number,
            "row": self.number,
            "title": self.title,
            "diagram_id": added.id if added is not None else None,
            "grid_location": None,
            "error": self.problem or None,
        }


def _rows_of(table: Any) -> list[dict[str, Any]]:
    if isinstance(table, str | PathLike):
        path = Path(table).expanduser()
        if not path.exists():
            raise InputError(f"no file has the path {str(table)!r}; the working folder is {Path.cwd()}")
        return [row.properties for row in read_file(path, None).rows]
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    if isinstance(table, Iterable) and not isinstance(table, Mapping | bytes):
        rows = list(table)
        if all(isinstance(row, Mapping) for row in rows):
            return [dict(row) for row in rows]
    raise InputError(
        f"a table of external diagrams must be the path of a CSV or Excel file, a DataFrame or a list of dicts, not a "
        f"{type(table).__name__}"
    )


def _columns_of(rows: list[dict[str, Any]]) -> dict[str, str]:
    """The column for each argument."""
    given = {name.strip().lower(): name for row in rows for name in row}
    columns = {
        argument: next((given[name] for name in names if name in given), "") for argument, names in COLUMNS.items()
    }
    missing = [names for argument, names in COLUMNS.items() if argument in REQUIRED and not columns[argument]]
    if rows and missing:
        wanted = "; ".join(" or ".join(names) for names in missing)
        raise InputError(f"the table lacks the columns {wanted}; its columns are {', '.join(given.values())}")
    return {argument: column for argument, column in columns.items() if column}


def _is_empty(cell: Any) -> bool:
    """True for None, NaN and blank strings, which tables use for a missing value."""
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())


def _text(cell: Any) -> str:
    """The cell as a string; a whole number that a column with gaps holds as a float is an integer again."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _one_of(known: tuple[str, ...], name: str, cell: Any) -> str:
    text = _text(cell).lower().replace("-", "_").replace(" ", "_")
    if text not in known:
        raise InputError(f"{name} is {_text(cell)!r}, not one of {', '.join(known)}")
    return text


def _cost(cells: Mapping[str, Any]) -> dict[str, Any]:
    """The cost and its kind. The archiver writes a missing cost as 0."""
    cost, kind = cells.get("cost"), cells.get("cost_type")
    try:
        amount = int(_text(cost)) if cost is not None else 0
    except ValueError:
        raise InputError(f"cost is {_text(cost)!r}, not a whole number") from None
    if amount < 0:
        raise InputError(f"cost is {amount}; it must be 0 or more")
    if amount == 0:
        return {}
    if kind is None or _text(kind).lower() not in COST_TYPES:
        raise InputError(f"cost_type is {_text(kind or '')!r}, not one of total, unit (t, u)")
    return {"cost": amount, "cost_type": COST_TYPES[_text(kind).lower()]}


def _metadata(cell: Any) -> Mapping[str, Any] | None:
    if cell is None or isinstance(cell, Mapping):
        return cell
    try:
        found = json.loads(_text(cell))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputError("additional_metadata is not a JSON object")
    return found
