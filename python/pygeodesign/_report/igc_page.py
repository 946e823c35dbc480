"""The poster of the International Geodesign Collaboration as one page of HTML: its heading and its columns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pygeodesign._html import page, paragraph, unlinked
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import patterns
from pygeodesign._report.igc import Poster, heading_of
from pygeodesign._report.igc_columns import Columns
from pygeodesign._report.igc_figures import POINTS
from pygeodesign._report.sentences import sentences

# Millimetres of A3, which the page enlarges to A1: the sheet's height within its margins, and the heights of the names
# below the title, of a sentence's line, and of the gap below them; the letters of a sentence's line.
HEIGHT, NAMES, LINE, GAP, LETTERS = 284.0, 9.0, 6.2, 6.0, 80
# Points of the title's letters: the most, the least, and those of one letter on two lines.
MOST_TITLE, LEAST_TITLE, OF_TITLE = 30.0, 9.0, 1850.0
STYLE = """
@page { size: 841mm 594mm; margin: 12mm; @bottom-right { content: none } @bottom-left { content: none } }
main.igc { max-width: 408mm }
.igc header h1 { margin: 0 }
.igc .columns { display: grid; gap: 0 6mm }
.igc .years svg, .igc .designs svg { border: 1px solid var(--faint); box-sizing: border-box }
.igc .maps figcaption { font-size: .88em; line-height: 1.25 }
.bars .missed { fill: none; stroke: var(--quiet); stroke-width: 2 }
.bars .unsure { fill: var(--faint) }
.goals { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1.6mm 3mm;
  list-style: none; margin: .3rem 0; padding: 0 }
.goals li { display: grid; grid-template-columns: 10mm minmax(0, 1fr); gap: 0 1.5mm; line-height: 1.15 }
.goals svg { width: 10mm; height: 10mm; grid-row: 1 / 3 }
.goals text { font-size: 54px; font-weight: 700; text-anchor: middle }
.goals .light { fill: #fff } .goals .dark { fill: #1d2226 }
.goals li > div > span { display: inline-block; min-width: 1.9em; text-align: center; padding: 0 .2em;
  border-radius: .25em; color: #1d2226 }
@media (max-width: 1100px) { .igc .columns { display: block } }
@media (max-width: 40rem) { .goals { grid-template-columns: minmax(0, 1fr) } }
@media print {
  /* The sheet is laid out as A3, so that letters, lines and patterns of A1 are twice as large. */
  main.igc { zoom: 2; width: 408mm; height: 284mm; display: flex; flex-direction: column }
  .igc h1 { font-size: var(--title) } .igc h2 { font-size: 11pt; margin: 0 0 1mm }
  .igc header { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; align-items: end; margin-bottom: 3mm }
  .igc .answers { font-size: 12pt; margin: 0 }
  .igc .columns { display: grid; grid-template-columns: var(--columns); flex: 1 }
  .igc .columns > div { display: flex; flex-direction: column; justify-content: space-between; min-height: 0 }
  .igc .figures { font-size: var(--size) }
  .igc .figures section:has(table) { display: flex; flex-direction: column; flex: 1 0 auto }
  .igc .figures .wide { display: grid; flex: 1 0 auto }
  .igc .figures tbody th, .igc .figures td:not(.text) { white-space: nowrap }
  .igc .figures td, .igc .figures tbody th { vertical-align: middle; padding: .02rem .2rem }
  .igc table, .igc p, .igc .maps, .igc ul { margin: .1rem 0 }
  .goals svg, .goals li > div > span { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
"""


def poster_page(poster: Poster, title: str | None, author: str, gaps: Sequence[str]) -> str:
    """The complete page as a string; it lists the `gaps`."""
    answers = Answers(poster.compared, poster.figures, {}, progress=False)
    heading, names = heading_of(poster, title, author)
    said = [unlinked(sentence) for sentence in sentences(answers)]
    size = min(max(OF_TITLE / max(len(heading), 1), LEAST_TITLE), MOST_TITLE)
    head = (
        f'<header><div><h1 style="--title: {size:.0f}pt">{escape(heading)}</h1>'
        + (paragraph(" · ".join(names)) if names else "")
        + f'</div><div class="answers">{"".join(map(paragraph, said))}</div></header>'
    )
    columns = Columns(poster, answers, gaps, HEIGHT - _head_height(heading, size, said)).drawn()
    body = f'<main class="document report igc">{patterns(poster.compared)}{head}{columns}</main>'
    return page(heading, body, STYLE)


def _head_height(heading: str, size: float, said: Sequence[str]) -> float:
    lines = 2 if len(heading) * MOST_TITLE > OF_TITLE / 2 else 1
    titled = lines * 1.25 * size / POINTS + NAMES
    return max(titled, LINE * sum(1 + len(sentence) // LETTERS for sentence in said)) + GAP
