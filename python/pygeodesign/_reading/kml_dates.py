"""The dates of placemarks as in KML, since GDAL does not read years and months."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.parsers import expat

DATES = {"begin", "end", "when"}


def keep_dates(path: Path) -> dict[str, dict[str, str | None]]:
    """Gives each placemark with a date a new id; returns its dates and its original id by the new one."""
    content = path.read_bytes()
    dates: dict[str, dict[str, str | None]] = {}
    starts: list[int] = []
    placemark: dict[str, Any] | None = None
    field: str | None = None
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal placemark, field
        local = name.rpartition(":")[2]
        if local == "Placemark":
            placemark = {"at": parser.CurrentByteIndex, "id": attributes.get("id"), "dates": {}}
        elif placemark is not None and local in DATES:
            field = local
            placemark["dates"][field] = ""

    def text(characters: str) -> None:
        if placemark is not None and field is not None:
            placemark["dates"][field] += characters

    def end(name: str) -> None:
        nonlocal placemark, field
        local = name.rpartition(":")[2]
        field = None if local in DATES else field
        if local == "Placemark" and placemark is not None:
            if placemark["dates"]:
                starts.append(placemark["at"])
                dates[f"dated-{len(dates)}"] = {"id": placemark["id"], **placemark["dates"]}
            placemark = None

    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = start, text, end
    try:
        parser.Parse(content, True)
    except expat.ExpatError:
        # GDAL reports the error.
        return {}
    if dates:
        path.write_bytes(_with_ids(content, starts))
    return dates


def _with_ids(content: bytes, starts: list[int]) -> bytes:
    """The text with a new id in each of the tags that begin at these places, instead of any existing one."""
    parts, done = [], 0
    for number, at in enumerate(starts):
        end = content.index(b">", at)
        tag = re.sub(rb"""\sid\s*=\s*("[^"]*"|'[^']*')""", b"", content[at:end])
        name = re.match(rb"<[^\s/>]+", tag)
        assert name is not None
        parts += [content[done:at], name[0], b' id="dated-%d"' % number, tag[name.end() :]]
        done = end
    return b"".join([*parts, content[done:]])
