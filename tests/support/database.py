"""Reads the database file of a service."""

import sqlite3
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

Rows = dict[str, list[tuple[Any, ...]]]


def snapshot(path: Path) -> Rows:
    """The rows of all tables, for a later comparison, except those whose last use is written with other changes."""
    return reader().submit(rows, path).result()


@cache
def reader() -> ProcessPoolExecutor:
    """Runs in another process: in a running `Sandbox`'s, Python's SQLite would release the service's locks."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def rows(path: Path) -> Rows:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('tokens', 'links')"
        )
        return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables.fetchall()}
