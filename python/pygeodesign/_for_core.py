"""The names that the extension module uses from Python. It is given this module, and knows no other by name.

`import pygeodesign` imports this file. Each name's own module is imported with its libraries on first use.
"""

from __future__ import annotations

import sys
from importlib import import_module

from pygeodesign import _core, errors

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["errors"]

# The module of each name, and its name there.
PLACES = {
    "History": ("_history", "History"),
    "Rows": ("_rows", "Rows"),
    "answer_as_json": ("_asked", "answer_as_json"),
    "archive_all_as_json": ("_many.archive_all", "archive_all_as_json"),
    "cut_basemap": ("_basemap.cut", "cut_basemap"),
    "design_figures": ("_planning.summary", "design_figures"),
    "explained_error": ("_wrong_arguments", "explained"),
    "frame_of_flatgeobuf": ("_reading.table", "frame_of_flatgeobuf"),
    "guard_forks": ("_forks", "guard"),
    "interpreter": ("_reading.interpreter", "interpreter"),
    "known_ending": ("_files", "known_ending"),
    "open_in_browser": ("_browser", "open_in_browser"),
    "options": ("_options", "options"),
    "progress_bar": ("_progress", "bar"),
    "questions_as_json": ("_asked", "questions_as_json"),
    "read_as_geojson": ("_reading.table", "read_as_geojson"),
    "read_geometries": ("_inputs", "read_geometries"),
    "renamed_arguments": ("_wrong_arguments", "renamed"),
    "rows": ("_inputs", "rows"),
    "short_amount": ("_text", "short_amount"),
    "upload": ("_upload", "upload"),
    "write_file": ("_files", "write"),
}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"the extension module has no {name}")
    module, attribute = PLACES[name]
    return getattr(import_module(f"pygeodesign.{module}"), attribute)


_core._use(sys.modules[__name__])
