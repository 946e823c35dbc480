"""The activity of a project's members: changes by quarter of an hour, member, team and system."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pygeodesign._core import Project
from pygeodesign.errors import InputError

# The column that counts each operation of the history; other operations count as `other`.
COLUMNS = {
    **dict.fromkeys(["add_project", "add_policy", "add_external_project", "add_external_policy"], "drawn"),
    **dict.fromkeys(["edit_diagram", "update_diagram", "set_notes", "set_diagram_tags", "delete_diagram"], "changed"),
    **dict.fromkeys(["set_selection", "set_vote", "withdraw_vote"], "chosen"),
    **dict.fromkeys(["add_design", "edit_design", "remove_design", "add_negotiation", "add_move"], "designed"),
    **dict.fromkeys(["add_comment", "edit_comment", "delete_comment"], "said"),
}
COUNTS = ["drawn", "changed", "chosen", "designed", "said", "other"]
MOST_MINUTES = 24 * 60


def activity(project: Project, since: Any, minutes: int) -> pd.DataFrame:
    """The changes of members, counted."""
    if isinstance(minutes, bool) or not isinstance(minutes, int) or not 1 <= minutes <= MOST_MINUTES:
        raise InputError(f"minutes is {minutes!r}: give a whole number from 1 to {MOST_MINUTES}")
    history = project.history(since).to_pandas()
    members = [member.username for member in project.members()]
    teams = {name: team.title for team in project.teams() for name in team.members()}
    systems = {system.id: system.name for system in project.systems()}
    of_diagrams = {row["id"]: systems.get(row["sysid"]) for row in project.diagrams(fields="details")}
    own = history[history["username"].isin(members)]
    what = own["operation"].map(COLUMNS).fillna("other")
    keys = pd.DataFrame(
        {
            "time": own["time"].dt.floor(f"{minutes}min"),
            "username": own["username"],
            "team": own["username"].map(teams),
            "system": own["diagram"].map(of_diagrams),
        }
    )
    counts = pd.DataFrame({name: (what == name).astype(int) for name in COUNTS})
    frame = pd.concat([keys, counts], axis=1).groupby(list(keys), dropna=False, as_index=False)[COUNTS].sum()
    seen = set(own["username"])
    frame.attrs["silent"] = sorted(name for name in members if name not in seen)
    return frame
