"""The columns of the poster: the large map above bars, small maps and words, and figures. All of them are full."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pygeodesign._html import html
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import UNITS_PER_MM, legend
from pygeodesign._report.igc import Poster
from pygeodesign._report.igc_bars import FEW, bars, bars_height
from pygeodesign._report.igc_figures import by_systems, column, words
from pygeodesign._report.igc_maps import YearsRoom, maps_of_designs, maps_of_years, room_of_years
from pygeodesign._report.summary import MAX_MAPS, WIDE_SHAPE, Hero, about_ground, best_of, large_map, shape_of

# Millimetres of A3: the sheet within its margins, the gap between columns, and the height of a heading.
WIDTH, BETWEEN, HEADING = 408.0, 6.0, 8.0
# The widest large map next to maps of years and of designs, next to one kind of them, and without them; the least width
# of a column, the least height of the map, and the height of its caption, legend and notes below the widest of them.
LARGE, LARGER, LARGEST, LEAST, LEAST_HEIGHT, NOTES = 150.0, 188.0, 264.0, 90.0, 84.0, 26.0
# The share of a column for the map of a design above those of years, and the height of words that fit below them.
A_DESIGN, MOST_WORDS = 0.055, 64.0


class Columns:
    """The layout of a poster in a height in millimetres."""

    def __init__(self, poster: Poster, answers: Answers, gaps: Sequence[str], height: float) -> None:
        scopes = answers.figures.scopes
        self._poster, self._answers, self._height = poster, answers, height
        #: Maps of a wide study area are below the large one.
        self._is_wide = shape_of(poster.compared) >= WIDE_SHAPE
        self._shown = scopes[:MAX_MAPS] if len(scopes) > 1 else ()
        has_designs = bool(self._shown) and not self._is_wide
        #: The kinds of small maps in the second column; without one, there is no such column.
        self._kinds = bool(poster.designs) + has_designs
        #: True if the bars are below the small maps, where there are no maps of years.
        self._is_bars_second = has_designs and not poster.designs and len(scopes) <= FEW
        self._figures, self._words = by_systems(poster, answers), words(poster, gaps)
        if not self._kinds or sum(part.height for part in self._words) > MOST_WORDS:
            self._figures, self._words = self._figures + self._words, []

    def drawn(self) -> str:
        """The columns."""
        columns = [self._first(), *([self._second()] if self._kinds else [])]
        widths = [self._width, *([self._second_width] if self._kinds else [])]
        figures = column(self._figures, WIDTH - sum(widths) - BETWEEN * len(widths), self._height)
        sizes = "".join(f"{width:.0f}mm " for width in widths)
        texts = "".join(f"<div>{text}</div>" for text in columns)
        return f'<div class="columns" style="--columns: {sizes}minmax(0, 1fr)">{texts}{figures}</div>'

    @cached_property
    def _map_height(self) -> float:
        """The height that is left for the large map."""
        # Notes have more lines below a narrow map.
        wide = max(min(self._most, self._height * shape_of(self._poster.compared) / 2), LEAST)
        chart = 0.0 if self._is_bars_second else bars_height(self._answers)
        return max(LEAST_HEIGHT, self._height - NOTES * LARGE / wide - chart)

    @property
    def _most(self) -> float:
        return (LARGEST, LARGER, LARGE)[self._kinds]

    @cached_property
    def _hero(self) -> Hero:
        return large_map(self._answers, best_of(self._answers), self._most, self._map_height)

    @property
    def _hero_size(self) -> tuple[float, float]:
        width, height = self._hero.ground.size if self._hero.ground else (0, 0)
        return width / UNITS_PER_MM, height / UNITS_PER_MM

    @property
    def _width(self) -> float:
        return max(self._hero_size[0], LEAST)

    @property
    def _half(self) -> float:
        """Half of the width beside the first column."""
        return (WIDTH - self._width - 2 * BETWEEN) / 2

    @property
    def _second_width(self) -> float:
        is_years_alone = self._poster.designs and self._kinds == 1
        return min(max(self._years.width, LEAST), self._half) if is_years_alone else self._half

    @cached_property
    def _left(self) -> float:
        """The height that words and bars leave in the second column."""
        chart = bars_height(self._answers) if self._is_bars_second else 0.0
        return self._height - sum(part.height for part in self._words) - chart

    @cached_property
    def _years(self) -> YearsRoom:
        share = 1.0 if self._is_wide else 1.0 - A_DESIGN * len(self._shown)
        return room_of_years(self._poster, self._half, share * self._left - HEADING)

    def _first(self) -> str:
        compared, hero = self._poster.compared, self._hero
        note = f"{t('how_drawn')} {about_ground(hero.ground, self._answers.figures)} {compared._source}"
        drawn = (
            f"<section>{hero.picture}{legend(compared.systems['name'].to_dict())}"
            f'<p class="note">{html(note.strip())}</p></section>'
        )
        if self._is_wide:
            drawn += self._designs(self._width, self._map_height - self._hero_size[1])
        return drawn if self._is_bars_second else drawn + bars(self._answers, self._width)

    def _second(self) -> str:
        used = self._years.height + HEADING if self._poster.designs else 0.0
        designs = "" if self._is_wide else self._designs(self._half, self._left - used)
        chart = bars(self._answers, self._half) if self._is_bars_second else ""
        needed = sum(part.height for part in self._words)
        texts = column(self._words, self._half, needed) if self._words else ""
        return designs + maps_of_years(self._poster, self._years) + chart + texts

    def _designs(self, width: float, height: float) -> str:
        return maps_of_designs(self._answers, self._shown, width, height) if self._shown else ""
