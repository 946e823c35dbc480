"""Limits on the contents of a text file, counted by its marks before anything parses it.

Readers take far longer for a byte of tiny values, layers or elements than for a byte of an ordinary file, and some do
not end in time. Counting takes a moment, whatever the contents.
"""

from __future__ import annotations

import mmap
import re
from pathlib import Path

from pygeodesign._reading.rows import RefusedError

# An ordinary position in WKT has at least 15 bytes and one mark.
MAX_CSV_VALUES = 5_000_000
MAX_ELEMENTS = 5_000_000
# A position in KML has two or three, and each takes far longer to read than an element.
MAX_XML_NUMBERS = 10_000_000
MAX_DIGITS = 10_000
# Each folder of KML is a layer, and each name of an element or of data in KML or GML is a layer or a column.
MAX_LAYERS = 1_000
MAX_NAMES = 4_096
PIECE = 1024 * 1024
# Digits become 0, and separators of numbers become commas.
SAME_MARKS = bytes.maketrans(b"123456789 \t\r\n", b"000000000,,,,")
TOO_MANY_DIGITS = b"0" * (MAX_DIGITS + 1)
FOLDER = re.compile(rb"<(?:[\w.-]+:)?(?:Folder|Document)\b")
NAME = re.compile(rb"<([A-Za-z_][^\s/>]*)(?:\s+name\s*=\s*[\"']([^\"']*))?")


def check_csv(label: str, copy: Path) -> None:
    values = _count(copy, b",\n(")
    if values > MAX_CSV_VALUES:
        raise RefusedError(
            f"{label} has about {values:,} values and positions; at most {MAX_CSV_VALUES:,} are read. Split it, or "
            "save it as a GeoPackage"
        )


def check_xml(label: str, copy: Path) -> None:
    """Checks KML, GML or GPX."""
    elements = _count(copy, b"<")
    if elements > MAX_ELEMENTS:
        raise RefusedError(f"{label} has {elements:,} tags; at most {MAX_ELEMENTS:,} are read. Split it")
    numbers = _count_numbers(label, copy)
    if numbers > MAX_XML_NUMBERS:
        raise RefusedError(
            f"{label} has about {numbers:,} numbers in its coordinates; at most {MAX_XML_NUMBERS:,} are read. Split "
            "it, or save it as a GeoPackage"
        )
    with copy.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for layers, _ in enumerate(FOLDER.finditer(content), 1):
            if layers > MAX_LAYERS:
                raise RefusedError(
                    f"{label} has more than {MAX_LAYERS:,} folders, each of which is a layer. Split it, or put its "
                    "features into fewer folders"
                )
        names = set[tuple[bytes | None, ...]]()
        for found in NAME.finditer(content):
            names.add(found.groups())
            if len(names) > MAX_NAMES:
                raise RefusedError(
                    f"{label} has more than {MAX_NAMES:,} different names of elements and data, each of which may be a "
                    "layer or a column. Leave some out"
                )


def _count_numbers(label: str, copy: Path) -> int:
    """The number of digits followed by a blank or a comma."""
    numbers = 0
    with copy.open("rb") as file:
        while piece := file.read(PIECE):
            marks = piece.translate(SAME_MARKS)
            numbers += marks.count(b"0,")
            if TOO_MANY_DIGITS in marks:
                raise RefusedError(f"{label} has a number of more than {MAX_DIGITS:,} digits")
    return numbers


def _count(copy: Path, marks: bytes) -> int:
    """The number of these bytes in a file."""
    count = 0
    with copy.open("rb") as file:
        while piece := file.read(PIECE):
            count += len(piece) - len(piece.translate(None, marks))
    return count
