"""`pygeodesign upload`: adds the features of a file as diagrams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pygeodesign._core import Project
from pygeodesign._reading.table import read_file
from pygeodesign.errors import InputError

USUAL_TITLES = ("title", "name", "description")


def upload(
    project: Project, system: str, path: Path, *, layer: str | None, title: str | None, **options: Any
) -> list[dict[str, Any]]:
    """Adds a diagram for each feature; returns the report of `Project.add_diagrams`."""
    table: Any = read_file(Path(path), layer)
    report: list[Any] = list(
        project.add_diagrams(
            int(system) if system.isdecimal() else system,
            table,
            title=title or _title(table.columns(), Path(path)),
            **options,
        )
    )
    return report


def _title(columns: list[str], path: Path) -> str:
    """The column that usually has titles."""
    by_name = {column.lower(): column for column in reversed(columns)}
    for usual in USUAL_TITLES:
        if usual in by_name:
            return by_name[usual]
    listed = ", ".join(columns) or "none"
    raise InputError(f"name the attribute of {path} that has the titles with --title; its attributes are {listed}")
