"""HTML: escaped text, tables, whole pages, and cards for notebooks. Pages made in Rust have the same style sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from pygeodesign._core import _web_file, _write_whole
from pygeodesign._language import current, direction
from pygeodesign._text import without_lone_surrogates

if TYPE_CHECKING:
    from os import PathLike

# A page loads nothing, whatever a service has written into a title; its pictures are data of the page itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


STYLE = _web_file("page.css")
# Pictures place their texts from left to right; cells on a phone begin where lines do.
RIGHT_TO_LEFT = """
svg text { direction: ltr }
@media screen and (max-width: 40rem) { .report table, .report tbody th, .report td { text-align: start } }
"""


def colors_of(theme: str) -> dict[str, str]:
    """The colours of the style sheet, for pictures and notebook output: `"light"` or `"dark"`."""
    block = re.search(rf"\.{theme} {{(.*?)}}", STYLE, re.DOTALL)
    return dict(re.findall(r"--(\w+): (#\w+)", block[1] if block else ""))


class Markup(str):
    """A string that is HTML already; any other string is escaped."""

    __slots__ = ()


def html(value: Any) -> str:
    """The value as HTML."""
    return value if isinstance(value, Markup) else escape(str(value))


def paragraph(text: Any) -> str:
    return f"<p>{html(text)}</p>"


def link(anchor: str, text: Any) -> Markup:
    """A link to another place on the page."""
    return Markup(f'<a href="#{anchor}">{html(text)}</a>')


def unlinked(text: str) -> Markup:
    """HTML whose links are texts, for a page without their targets."""
    return Markup(re.sub(r"</?a\b[^>]*>", "", text))


def swatch(color: str, name: Any = "") -> Markup:
    """A name after its colour, as in a legend."""
    return Markup(f'<i class="swatch" style="background:{color}"></i>{html(name)}')


@dataclass(frozen=True)
class Column:
    """A column of a table: heading and kind: `text`, `ids`, `mark`, `turned` (marks under a turned heading) or none."""

    heading: str
    kind: str = ""


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Any]], row_ids: Sequence[str] | None = None
) -> str:
    """A table whose first column names the rows. On a phone, each cell is below a copy of its heading."""
    labels = [f' data-label="{escape(re.sub("<.*?>", "", html(column.heading)))}"' for column in columns]
    head = "".join(f'<th scope="col"{_kind(column.kind)}>{html(column.heading)}</th>' for column in columns)
    body = []
    for place, row in enumerate(rows):
        first, *others = zip(columns, row, labels, strict=True)
        cells = "".join(f"<td{_kind(column.kind)}{label}>{html(cell)}</td>" for column, cell, label in others)
        anchor = f' id="{row_ids[place]}"' if row_ids else ""
        body.append(f'<tr{anchor}><th scope="row"{_kind(first[0].kind)}>{html(first[1])}</th>{cells}</tr>')
    return (
        f'<div class="wide"><table><caption>{html(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def page(title: str, body: str, style: str = "", theme: str = "") -> str:
    """A complete page. Without a theme, it is light or dark like the screen, and light on paper."""
    attributes = f'lang="{current()}"'
    if direction() == "rtl":
        attributes, style = f'{attributes} dir="rtl"', style + RIGHT_TO_LEFT
    return without_lone_surrogates(
        f'<!DOCTYPE html>\n<html {attributes}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{style}</style></head>"
        f'<body class="{theme}">{body}</body></html>\n'
    )


def written(text: str, path: str | PathLike[str] | None) -> str | None:
    """The text of a page; None if it is written to a file."""
    if path is None:
        return text
    _write_whole(path, text.encode())
    return None


def small_swatch(color: str, name: Any = "") -> Markup:
    """A name after its colour, without a style sheet."""
    return Markup(f'<span style="color:{color}">■</span> {html(name)}')


def card(
    heading: str, headings: Sequence[str], rows: Iterable[Sequence[str]], note: str = "", align: str = "right"
) -> str:
    """A card for a notebook. Its styles are in the elements: some notebooks leave out style sheets."""
    lines = [
        f'<tr><td style="text-align:left">{html(first)}</td>'
        + "".join(f'<td style="text-align:{align}">{html(cell)}</td>' for cell in others)
        + "</tr>"
        for first, *others in rows
    ]
    head = "".join(f'<th style="text-align:{align}">{escape(name)}</th>' for name in headings)
    body = (f"<tr>{head}</tr>" if head else "") + "".join(lines)
    return (
        f'<div style="font-family:sans-serif;font-size:13px"><b>{html(heading)}</b>'
        f'<table style="margin-top:4px">{body}</table>{escape(note)}</div>'
    )
