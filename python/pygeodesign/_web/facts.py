"""What a page tells of each diagram."""

from __future__ import annotations

from typing import Any

import pandas as pd
from geopandas import GeoDataFrame

from pygeodesign._pictures.units import Units, short_amount

# The lines of a tooltip, and the facts in each.
LINES = (("id", "system", "kind", "by"), ("size", "cost", "years"))


def fact_lines(frame: GeoDataFrame, units: Units, currency: str) -> list[list[str]]:
    """A few short lines for each row; a fact that is not known is left out."""
    facts = _facts(frame, units, currency)
    lines = [
        [" · ".join(filter(None, row)) for row in zip(*(facts[name] for name in line), strict=True)] for line in LINES
    ]
    return [list(filter(None, row)) for row in zip(*lines, strict=True)]


def _facts(frame: GeoDataFrame, units: Units, currency: str) -> dict[str, list[str]]:
    texts = {
        "id": [known(value, "{:.0f}") for value in frame["id"]],
        "system": list(frame["label"]),
        # The kind of an area of an evaluation map is its class.
        "kind": [
            known(kind) if kind != label else "" for kind, label in zip(frame["kind"], frame["label"], strict=True)
        ],
        "by": [known(value) for value in frame["author"]],
        "size": [
            units.length_text(length) if not area > 0 and length > 0 else (units.area_text(area) if area > 0 else "")
            for area, length in zip(frame["area_ha"], frame["length_km"], strict=True)
        ],
        "cost": [f"{short_amount(cost)} {currency}".strip() if pd.notna(cost) else "" for cost in frame["cost"]],
    }
    ends = [
        [f"{date:%Y}" if pd.notna(date) else "?" for date in pd.to_datetime(frame[end], errors="coerce")]
        for end in ("start_date", "end_date")
    ]
    texts["years"] = ["–".join(years) if years != ("?", "?") else "" for years in zip(*ends, strict=True)]
    return texts


def known(value: Any, form: str = "{}") -> str:
    """A value as text; what is missing is empty."""
    if pd.isna(value):
        return ""
    return form.format(value) if isinstance(value, (int, float)) else str(value)
