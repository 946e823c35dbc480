"""Reads the database file of a service."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def snapshot(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables except `tokens`, to compare with later."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'tokens'")
        return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables.fetchall()}
