"""The designs of each team in their order: diagrams that each kept, added and dropped, as bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.rows import finish, name_axis, name_rows, write_legend_below, write_notes
from pygeodesign._pictures.style import BLUE, Frame, ThemeName, panels_for, tall, write_title
from pygeodesign._text import short_amount

KEPT, ADDED, DROPPED = BLUE, "#8fbf7f", "#c0504d"


@with_letters
def draw_evolution(table: pd.DataFrame, title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """A panel for each team: to the right what a design kept and added, to the left what it dropped."""
    teams = list(dict.fromkeys(table["team"]))
    titles = {team: (f"{title}: {team}", _told(table[table["team"] == team])) for team in teams}
    longest = int(table["team"].value_counts().max())
    panels = panels_for(teams, ax, theme, tall((9, 0.45 * max(longest, 2) + 2.2), list(titles.values())))
    reach = 1.05 * max(float((table["kept"] + table["added"]).max()), 1.0)
    for team, frame in panels:
        _draw(table[table["team"] == team], frame)
        frame.ax.set_xlim(-1.05 * float(table["dropped"].max()), reach)
        write_title(frame, *titles[str(team)])
    return panels[0][1].ax


def _told(rows: pd.DataFrame) -> str:
    first, last = rows.iloc[0], rows.iloc[-1]
    return f"From {first['diagrams']} to {last['diagrams']} diagrams in {len(rows)} designs"


def _draw(rows: pd.DataFrame, frame: Frame) -> None:
    ax, colors, *_ = frame
    places = np.arange(len(rows))
    style: dict[str, Any] = {"height": 0.66, "edgecolor": colors.faint, "linewidth": 0.6}
    ax.barh(places, rows["kept"], color=KEPT, **style)
    ax.barh(places, rows["added"], left=rows["kept"], color=ADDED, **style)
    ax.barh(places, -rows["dropped"], color=DROPPED, **style)
    ax.axvline(0, color=colors.ink, linewidth=1)
    for place, (cost, met, targets) in enumerate(zip(rows["cost"], rows["targets_met"], rows["targets"], strict=True)):
        price = "cost not known" if pd.isna(cost) else short_amount(cost)
        write_notes(frame, place, f"{price}\n{met} of {targets} targets" if targets else price)
    name_rows(frame, rows["design"].str.split(" – ", n=1).str[-1])
    finish(frame, "x", lambda amount: f"{abs(amount):,.0f}", whole=True)
    name_axis(frame, "x", "diagrams")
    handles = [Patch(color=hue, label=name) for hue, name in ((DROPPED, "dropped"), (KEPT, "kept"), (ADDED, "added"))]
    write_legend_below(frame, handles, 2.4)
