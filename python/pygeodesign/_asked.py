"""Answers `pygeodesign ask` as JSON: the list of a comparison's questions, or the answer to one of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from inspect import Signature, cleandoc, signature
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pygeodesign._core import _missing_extra, _write_whole
from pygeodesign.errors import InputError

try:
    import geopandas
    import numpy as np
    import pandas as pd
    import shapely

    from pygeodesign._planning.arguments import check_question
    from pygeodesign.planning import QUESTIONS
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

if TYPE_CHECKING:
    from pygeodesign._core import Project

# For tables in a terminal: decimals of numbers up to each limit.
DECIMALS = ((10.0, 3), (1_000.0, 1))
PICTURES = "plot_"


def questions_as_json() -> str:
    """Each question with the first sentence of its documentation and its arguments."""
    rows = [
        {
            "question": name,
            "what": cleandoc(question.__doc__ or "").partition("\n")[0],
            "arguments": [argument for argument in signature(question).parameters if argument != "self"],
            "picture": f"{PICTURES}{name}" in QUESTIONS,
        }
        for name, question in _questions().items()
    ]
    return json.dumps(rows)


def answer_as_json(
    project: Project,
    designs: list[tuple[int, str]] | None,
    land: Literal["all", "inside"],
    question: str,
    arguments: str,
    picture: str | None,
) -> str:
    """The answer: `summary`, its figures in a line or None; `columns`, each a name and decimals; and `rows`, dicts.

    `arguments` is a JSON object. `picture` is a file to write; there are no rows then. An invalid question is refused
    before anything is downloaded.
    """
    asked = _questions().get(question)
    if asked is None:
        raise InputError(f"there is no question {question!r}; `pygeodesign ask` lists them")
    if picture is not None:
        asked = QUESTIONS.get(f"{PICTURES}{question}")
        if asked is None:
            raise InputError(f"{question} has no picture")
        if Path(picture).suffix.lower() not in (".png", ".svg", ".pdf"):
            raise InputError(f"{picture} is not a file for a picture: its extension must be .png, .svg or .pdf")
    given = json.loads(arguments)
    parameters = [parameter for name, parameter in signature(asked).parameters.items() if name != "self"]
    check_question(question, Signature(parameters), given, [parameter.name for parameter in parameters])
    if picture is not None:
        _draw(partial(asked, project.compare(designs, land=land), **given), picture)
        return json.dumps({"summary": None, "columns": [], "rows": []})
    answer = asked(project.compare(designs, land=land), **given)
    summary = None
    if not isinstance(answer, pd.DataFrame):
        summary, answer = str(answer).strip("<>"), answer.to_pandas()
    return json.dumps({"summary": summary, **_table(answer)})


def _questions() -> dict[str, Any]:
    """The questions whose answer is a table."""
    return {
        name: question for name, question in QUESTIONS.items() if not name.startswith(PICTURES) and name != "what_if"
    }


def _draw(draw: Callable[[], Any], file: str) -> None:
    import matplotlib

    # A command needs no window, whatever the environment says.
    matplotlib.use("agg")
    content = BytesIO()
    draw().figure.savefig(content, format=Path(file).suffix[1:].lower(), bbox_inches="tight", dpi=150)
    _write_whole(file, content.getvalue())


def _table(frame: pd.DataFrame) -> dict[str, Any]:
    """A frame's columns and rows. The index is first unless it only counts; geometries are GeoJSON in a last column."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.rename_axis(["design"] if frame.index.name is None else frame.index.names).reset_index()
    places = None
    if isinstance(frame, geopandas.GeoDataFrame):
        places = [json.loads(shapely.to_geojson(shape)) if shape else None for shape in frame.geometry]
        frame = pd.DataFrame(frame.drop(columns=frame.geometry.name))
    columns = [{"name": str(name), "decimals": _decimals(frame[name])} for name in frame.columns]
    values = [[_plain(value) for value in frame[name]] for name in frame.columns]
    names = [column["name"] for column in columns]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
    if places is not None:
        for row, place in zip(rows, places, strict=True):
            row["geometry"] = place
    return {"columns": columns, "rows": rows}


def _decimals(column: pd.Series[Any]) -> int | None:
    """Decimals of a column of numbers; None for a column of strings, ids or booleans."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return None
    if pd.api.types.is_integer_dtype(column):
        return None
    largest = float(column.abs().max()) if column.notna().any() else 0.0
    return next((digits for most, digits in DECIMALS if largest < most), 0)


def _plain(value: Any) -> Any:
    """The value in JSON's types; an unknown one is None."""
    if isinstance(value, (list, tuple, set, np.ndarray)):
        return [_plain(item) for item in value]
    if pd.isna(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str)) else str(value)
