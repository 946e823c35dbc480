"""The poster of the International Geodesign Collaboration as slides, for PowerPoint and LibreOffice."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any
from unicodedata import category

import geopandas
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Inches, Pt

from pygeodesign._language import t
from pygeodesign._paper.drawing import bounds_of
from pygeodesign._paper.shown import hue_of
from pygeodesign._planning.compared import pictures
from pygeodesign._report.igc import (
    Poster,
    Sheet,
    about_maps,
    adopter,
    begun_by,
    carbon,
    changes,
    goals,
    heading_of,
    left_out,
    not_given,
    square_around,
)
from pygeodesign._text import without_lone_surrogates

if TYPE_CHECKING:
    from pptx.slide import Slide

# Inches. The shape of projectors and screens, 16 to 9.
WIDTH, HEIGHT, MARGIN, TOP = 13.333, 7.5, 0.5, 1.25
ROOM = WIDTH - 2 * MARGIN
# The largest map, and the maps in a row.
LARGEST_MAP, MAPS_IN_A_ROW = 3.9, 4
# Rows of a table, and lines of text, on one slide.
ROWS, LINES = 17, 15
# Letters per line.
LETTERS = 105
# The height of a table's rows and headings, and the width of its first column next to few others or many.
ROW, NAMES, SHORT_NAMES = 0.29, 4.4, 2.6
FEW_COLUMNS, HEADINGS = 6, 0.5
# Letters that XML forbids, in addition to control characters.
NO_XML = "\ufffe\uffff"


def write_slides(
    poster: Poster, path: str | PathLike[str], title: str | None, author: str, gaps: Sequence[str]
) -> None:
    """Writes a slide for each part; a part that does not fit continues on the next slide."""
    presentation = Presentation()
    presentation.slide_width, presentation.slide_height = Inches(WIDTH), Inches(HEIGHT)
    heading, names = heading_of(poster, title, author)
    properties = presentation.core_properties
    properties.title, properties.author = _text(heading), _text(author)
    deck = _Deck(presentation)
    deck.texts(heading, [" · ".join(names), not_given(gaps)])
    _add_maps(deck, poster)
    for name, sheets in (("changes_by_system", changes(poster)), ("goals", goals(poster)), ("carbon", carbon(poster))):
        for sheet in sheets:
            deck.table(t(name), sheet, poster, t("about_changes") if name == "changes_by_system" else "")
    if poster.assumptions:
        deck.texts(t("assumptions"), [f"• {line}" for line in poster.assumptions])
    presentation.save(fspath(path))


class _Deck:
    """Slides, made one after another."""

    def __init__(self, presentation: Any) -> None:
        self._presentation = presentation
        # The layout "Title Only" of python-pptx's template.
        self._layout = presentation.slide_layouts[5]

    def slide(self, title: str) -> Slide:
        made: Slide = self._presentation.slides.add_slide(self._layout)
        shape: Any = made.shapes.title
        shape.left, shape.top, shape.width, shape.height = map(Inches, (MARGIN, 0.3, ROOM, 0.8))
        shape.text_frame.text = _text(title)
        shape.text_frame.word_wrap = True
        shape.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        paragraph = shape.text_frame.paragraphs[0]
        paragraph.alignment = PP_ALIGN.LEFT
        # A title of any length stays on its two lines.
        paragraph.font.size = Pt(26 if len(title) <= 70 else 18 if len(title) <= 160 else 12)
        return made

    def texts(self, title: str, lines: Sequence[str]) -> None:
        """Paragraphs, on as many slides as they need."""
        for number, part in enumerate(_in_parts([piece for line in lines if line for piece in _pieces(line)])):
            made = self.slide(title if not number else f"{title} ({number + 1})")
            _write(made, part, TOP + 0.1, HEIGHT - TOP - 0.5, 18)

    def table(self, title: str, sheet: Sheet, poster: Poster, note: str) -> None:
        """A table, on as many slides as its rows need."""
        for start in range(0, len(sheet.rows), ROWS):
            rows_of_it = t("to", low=start + 1, high=min(start + ROWS, len(sheet.rows)))
            made = self.slide(f"{title}, {rows_of_it}" if len(sheet.rows) > ROWS else title)
            _write(made, [sheet.caption, *([note] if note else [])], TOP - 0.15, 0.8, 11)
            rows = list(zip(sheet.rows, sheet.sysids, strict=True))[start : start + ROWS]
            _add_table(made, sheet, rows, poster)


def _text(text: str) -> str:
    """Text that XML can hold, on one line."""
    return "".join(
        " " if category(letter) == "Cc" or letter in NO_XML else letter for letter in without_lone_surrogates(text)
    )


def _pieces(text: str) -> list[str]:
    """A long text in pieces that fit on a slide, cut at spaces if it has some."""
    most, pieces = LETTERS * LINES, []
    while len(text) > most:
        cut = text.rfind(" ", 0, most)
        cut = cut if cut > 0 else most
        pieces.append(text[:cut])
        text = text[cut:].lstrip()
    return [*pieces, text]


def _in_parts(lines: Sequence[str]) -> list[list[str]]:
    """Paragraphs in groups that fit on a slide; one empty group if there is none."""
    parts: list[list[str]] = [[]]
    used = 0
    for line in lines:
        needed = 1 + len(line) // LETTERS
        if parts[-1] and used + needed > LINES:
            parts.append([])
            used = 0
        parts[-1].append(line)
        used += needed
    return parts


def _write(made: Slide, lines: Sequence[str], top: float, height: float, size: float) -> None:
    if not lines:
        return
    frame = made.shapes.add_textbox(*map(Inches, (MARGIN, top, ROOM, height))).text_frame
    frame.word_wrap = True
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if not number else frame.add_paragraph()
        paragraph.text = _text(line)
        paragraph.font.size = Pt(size)


def _add_maps(deck: _Deck, poster: Poster) -> None:
    """A slide for each adopter with a map for each year, then notes on diagrams that no map shows."""
    bounds = bounds_of(poster.compared)
    if bounds is None:
        deck.texts(t("poster_maps"), [t("nothing_on_map")])
        return
    square = square_around(bounds)
    for key, label in poster.designs.items():
        rows = poster.rows(label)
        for start in range(0, len(poster.years), MAPS_IN_A_ROW):
            years = poster.years[start : start + MAPS_IN_A_ROW]
            made = deck.slide(f"{adopter(key)}: {label}")
            step = ROOM / len(years)
            side = min(LARGEST_MAP, step - 0.15)
            for place, year in enumerate(years):
                _add_map(made, poster, begun_by(rows, year), square, year, label, MARGIN + place * step, side)
            _add_legend(made, poster, TOP + side + 0.5)
    notes = [note for key in poster.designs for note in left_out(poster, key)]
    deck.texts(t("about_the_maps"), [about_maps(poster), *notes])


def _add_map(
    made: Slide, poster: Poster, begun: Any, square: Sequence[float], year: int, label: str, left: float, side: float
) -> None:
    compared, drawing = poster.compared, pictures("map")
    frame = geopandas.GeoDataFrame(begun.reset_index())
    frame = frame.assign(sysname=frame["system"], color=[hue_of(compared.systems, sysid) for sysid in frame["sysid"]])
    outline = compared.boundaries if len(compared.boundaries) else None
    content = drawing.png_of_square(drawing.shown(frame, outline, title="", credits=""), square, side)
    picture: Any = made.shapes.add_picture(BytesIO(content), *map(Inches, (left, TOP, side, side)))
    alt = t("map_of_begun", diagrams=t("diagrams", count=len(begun)), design=label, year=str(year))
    picture.name, picture._element.nvPicPr.cNvPr.attrib["descr"] = t("map_of_year", year=str(year)), _text(alt)
    caption = made.shapes.add_textbox(*map(Inches, (left, TOP + side, side, 0.35))).text_frame
    caption.text = f"{year}: {t('diagrams', count=len(begun))}"
    caption.paragraphs[0].font.size = Pt(14)


def _add_legend(made: Slide, poster: Poster, top: float) -> None:
    """The systems, each after a square of its colour."""
    systems = poster.compared.systems
    frame = made.shapes.add_textbox(*map(Inches, (MARGIN, top, ROOM, HEIGHT - top - 0.1))).text_frame
    frame.word_wrap = True
    for sysid, name in systems["name"].items():
        _add_system(
            frame.paragraphs[0],
            hue_of(systems, sysid),
            f"{name}".replace(" ", "\u00a0") + "    ",
            12 if len(systems) <= 30 else 8,
        )


def _add_system(paragraph: Any, color: str, name: str, size: float) -> None:
    mark, words = paragraph.add_run(), paragraph.add_run()
    mark.text, words.text = "■ ", _text(name)
    mark.font.color.rgb = RGBColor(*bytes.fromhex(color.lstrip("#")))
    mark.font.size = words.font.size = Pt(size)


def _add_table(made: Slide, sheet: Sheet, rows: Sequence[tuple[Sequence[str], Any]], poster: Poster) -> None:
    count = len(sheet.headings)
    size, names = (11, NAMES) if count <= FEW_COLUMNS else (9, SHORT_NAMES)
    box = map(Inches, (MARGIN, TOP + 0.6, ROOM, ROW * (len(rows) + 1)))
    table: Any = made.shapes.add_table(len(rows) + 1, count, *box).table
    # With many columns, headings have three lines.
    table.rows[0].height = Inches(ROW if count <= FEW_COLUMNS else HEADINGS)
    # Words take the width of three figures.
    shares = [0 if place == 0 else 3 if place in sheet.words else 1 for place in range(count)]
    for place, share in enumerate(shares):
        table.columns[place].width = Inches((ROOM - names) * share / sum(shares) if place else names)
    for place, heading in enumerate(sheet.headings):
        _fill(table.cell(0, place), heading, size, place in sheet.words)
    for number, (cells, sysid) in enumerate(rows, 1):
        table.rows[number].height = Inches(ROW)
        for place, text in enumerate(cells):
            cell = table.cell(number, place)
            _fill(cell, text if place or sysid is None else "", size, place in sheet.words)
            if place == 0 and sysid is not None:
                _add_system(cell.text_frame.paragraphs[0], hue_of(poster.compared.systems, sysid), text, size)


def _fill(cell: Any, text: str, size: float, is_word: bool) -> None:
    cell.text = _text(text)
    cell.margin_top = cell.margin_bottom = Inches(0.02)
    cell.margin_left = cell.margin_right = Inches(0.06)
    paragraph = cell.text_frame.paragraphs[0]
    paragraph.font.size = Pt(size)
    paragraph.alignment = PP_ALIGN.LEFT if is_word else PP_ALIGN.RIGHT
