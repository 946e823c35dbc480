"""The bars of the poster: what each design costs, by system, and the targets that it meets."""

from __future__ import annotations

from html import escape

from pygeodesign._language import t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import UNITS_PER_MM, svg
from pygeodesign._planning.questions.targets import targets_by_scope
from pygeodesign._planning.summary import cost_of
from pygeodesign._report.sentences import figures_by_scope
from pygeodesign._report.summary import MAX_MAPS

# Millimetres: the height of a design's row, of many designs' rows, of a line of text, and of heading and notes.
ROW, LOW_ROW, TEXT, AROUND = 11.0, 7.8, 3.9, 19.0
FEW = 6
# The shares of the width for costs, and for the start of the targets; the width of a letter in tenths of a millimetre.
COSTS, TARGETS, LETTER = 0.62, 0.68, 16
# The most tenths of a millimetre of a target's square, and the class of its status in the style sheet.
SQUARE = 40
STATUSES = {"missed": "missed", "nothing planned": "missed", "not known": "unsure"}


def bars_height(answers: Answers) -> float:
    """Millimetres that the bars need."""
    return AROUND + _step(answers) * len(answers.figures.scopes[:MAX_MAPS])


def _step(answers: Answers) -> float:
    return ROW if len(answers.figures.scopes) <= FEW else LOW_ROW


def bars(answers: Answers, width: float) -> str:
    """A bar of each design's cost by system, and a square for each target, filled if it is met."""
    scopes = answers.figures.scopes[:MAX_MAPS]
    wide, step = width * UNITS_PER_MM, _step(answers) * UNITS_PER_MM
    most = max((own["cost"] or 0.0 for own in figures_by_scope(answers).values()), default=0.0)
    drawn = "".join(_row(answers, scope, place * step, (wide, step), most) for place, scope in enumerate(scopes))
    alt = t("poster_bars_alt", designs=len(scopes))
    has_targets = any(own["targets"] for own in figures_by_scope(answers).values())
    heading = t("poster_costs_and_targets" if has_targets else "poster_costs", unit=answers.figures.money_unit)
    unpriced = any(own["unpriced"] for own in figures_by_scope(answers).values())
    notes = [t("poster_bars_note")] * has_targets + [t("poster_unpriced")] * unpriced
    return (
        f'<section class="bars"><h2>{escape(heading)}</h2>{svg((round(wide), round(len(scopes) * step)), drawn, alt)}'
        + (f'<p class="note">{" ".join(notes)}</p>' if notes else "")
        + "</section>"
    )


def _row(answers: Answers, scope: str, y: float, size: tuple[float, float], most: float) -> str:
    (wide, step), own = size, figures_by_scope(answers)[scope]
    amount = answers.figures.read_amount(cost_of(answers.diagrams(scope))) + ("*" if own["unpriced"] else "")
    line, end = y + TEXT * 8, COSTS * wide
    letters = max(int(end / LETTER) - len(amount) - 2, 8)
    name = answers.numbered(scope)
    name = name if len(name) <= letters else f"{name[: letters - 1].rstrip()}…"
    drawn = f'<text class="start" x="0" y="{line:.0f}">{escape(name)}</text>'
    drawn += f'<text class="end" x="{end:.0f}" y="{line:.0f}">{escape(amount)}</text>'
    top, high = y + TEXT * UNITS_PER_MM, step - TEXT * UNITS_PER_MM - 12
    x = 0.0
    for sysid, row in targets_by_scope(answers)[scope].iterrows():
        if most > 0 and row["cost"] > 0:
            long = row["cost"] / most * end
            drawn += (
                f'<rect fill="url(#s{sysid})" x="{x:.1f}" y="{top:.1f}" width="{long:.1f}" height="{high:.1f}">'
                f"<title>{escape(str(answers.compared.systems['name'][sysid]))}</title></rect>"
            )
            x += long
    return drawn + (_targets(answers, scope, line, (top, high), wide) if own["targets"] else "")


def _targets(answers: Answers, scope: str, line: float, place: tuple[float, float], wide: float) -> str:
    own, frame = figures_by_scope(answers)[scope], targets_by_scope(answers)[scope]
    (top, high), left = place, TARGETS * wide
    step = min(SQUARE + 6, (wide - left) / own["targets"])
    met = t("of", some=own["targets_met"], all=own["targets"])
    drawn = f'<text class="start" x="{left:.0f}" y="{line:.0f}">{met}</text>'
    asked = frame[frame["area_status"] != "none"]
    for number, (sysid, status) in enumerate(asked["area_status"].items()):
        look = f'fill="url(#s{sysid})"' if status == "met" else f'class="{STATUSES[status]}"'
        side = min(step - 6, high)
        drawn += f'<rect {look} x="{left + number * step:.1f}" y="{top:.1f}" width="{side:.1f}" height="{side:.1f}"/>'
    return drawn
