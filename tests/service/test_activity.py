"""`project.activity()`: the history of members in counts, and who is silent."""

from collections import Counter
from typing import Any

import pandas as pd
import pytest
import shapely

from pygeodesign import InputError
from small_project import ADMINISTRATOR, MEMBER, STRANGER, Workshop

LAND = shapely.box(-9.15, 38.72, -9.149, 38.721)
COUNTS = ["drawn", "changed", "chosen", "designed", "said", "other"]


@pytest.fixture
def evening(workshop: Workshop) -> Any:
    """A member who draws, changes, chooses and comments, an administrator who draws, and a member who is silent."""
    workshop.add_member(STRANGER)
    workshop.project.add_team("Shore", members=[MEMBER])
    own = workshop.project_of(MEMBER)
    pond = own.add_diagram("Water", LAND, title="Pond")
    pond.set_notes("Ask the neighbours.")
    pond.comment("Deep enough?")
    own.member(MEMBER).set_selection([pond.id])
    workshop.project.add_diagram("Green", shapely.Point(-9.15, 38.72), title="Tree")
    return workshop


def test_each_change_of_a_member_counts_once(evening: Workshop) -> None:
    table = evening.project.activity()
    history = [entry for entry in evening.project.history() if entry["username"] in (ADMINISTRATOR, MEMBER)]
    assert table[COUNTS].to_numpy().sum() == len(history)
    by_member = Counter(str(entry["username"]) for entry in history)
    assert table.groupby("username")[COUNTS].sum().sum(axis=1).to_dict() == by_member


def test_a_row_has_the_team_the_system_and_what_was_done(evening: Workshop) -> None:
    table = evening.project.activity()
    water = table[table["system"] == "Water"]
    assert set(water["username"]) == {MEMBER} and set(water["team"]) == {"Shore"}
    assert water[["drawn", "changed", "said"]].sum().tolist() == [1, 1, 1]
    elsewhere = table[table["system"].isna() & (table["username"] == MEMBER)]
    assert elsewhere["chosen"].sum() == 1
    assert table.loc[table["username"] == ADMINISTRATOR, "team"].isna().all()


def test_who_changed_nothing_is_silent(evening: Workshop) -> None:
    assert evening.project.activity().attrs["silent"] == [STRANGER]
    later = evening.project.activity(since="2100-01-01")
    assert len(later) == 0 and later.attrs["silent"] == sorted([ADMINISTRATOR, MEMBER, STRANGER])


@pytest.mark.parametrize("minutes", [1, 15, 60, 1440])
def test_periods_begin_at_whole_minutes_of_their_length(evening: Workshop, minutes: int) -> None:
    times = pd.DatetimeIndex(evening.project.activity(minutes=minutes)["time"])
    assert (times == times.floor(f"{minutes}min")).all()


@pytest.mark.parametrize("minutes", [0, 1441])
def test_other_lengths_are_refused(workshop: Workshop, minutes: Any) -> None:
    with pytest.raises(InputError, match="minutes is"):
        workshop.project.activity(minutes=minutes)
