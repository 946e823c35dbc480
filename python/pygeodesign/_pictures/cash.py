"""Cash flows of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pygeodesign._pictures.bars import YEAR_COLOR, finish
from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.style import Label, ThemeName, panels_for, part_of, title_of, visible, write_title
from pygeodesign._text import NO_CURRENCY, short_amount


@with_letters
def draw_cash_flow(
    table: pd.DataFrame,
    left_out: Mapping[Label, Sequence[int]],
    title: str,
    currency: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The cash of each year as bars, and the sum until then as a line, with what is left out in the title."""
    amounts = table[["cash", "cumulative"]].to_numpy()
    span = max(float(amounts.max()) - min(float(amounts.min()), 0.0), 1.0)
    panels = panels_for(list(left_out), ax, theme, (9, 3.6))
    for label, frame in panels:
        rows = part_of(table, label)
        hue = [visible(YEAR_COLOR, frame.colors) if cash >= 0 else frame.colors.over for cash in rows["cash"]]
        frame.ax.bar(rows["year"], rows["cash"], color=hue, width=0.8)
        frame.ax.plot(rows["year"], rows["cumulative"], color=frame.colors.ink, linewidth=1.5)
        frame.ax.axhline(0, color=frame.colors.ink, linewidth=0.8)
        frame.ax.set_ylim(min(float(amounts.min()), 0.0) - 0.05 * span, max(float(amounts.max()), 0.0) + 0.05 * span)
        finish(frame.ax, "y", frame.colors, frame.size)
        frame.ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        last = rows["cumulative"].iloc[-1]
        notes = zip(left_out[label], ("without dates", "without a cost", "without an area"), strict=True)
        missing = ", ".join(f"{count} {what}" for count, what in notes if count)
        subtitle = (
            f"Cash of each year as bars, and summed as a line to {short_amount(last)} in {rows['year'].iloc[-1]}, "
            f"{currency or NO_CURRENCY.strip('()')}, not discounted{f'; left out: {missing}' if missing else ''}"
        )
        write_title(
            frame.ax, title_of(title, label), subtitle, frame.colors, frame.size + 1.5, frame.width - 4 * frame.size
        )
    return panels[0][1].ax
