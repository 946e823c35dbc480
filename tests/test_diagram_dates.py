"""A diagram starts and ends at a moment that everybody understands alike, and on the day that it is in UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import square
from fake_service import FakeService
from pygeodesign import InputError
from small_project import WATER, Lisbon, lisbon_in

ON_THE_WIRE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture(scope="module")
def drawn() -> Iterator[Lisbon]:
    """With the diagram 1, whose dates each test sets."""
    with lisbon_in() as lisbon:
        lisbon.project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="Rain garden")
        yield lisbon


@pytest.fixture(scope="module")
def service() -> Iterator[FakeService]:
    """It remembers what it was sent."""
    with FakeService({"diagrams/1/": {"status": "Heard."}}) as service:
        yield service


def sent(service: FakeService, start: Any) -> str:
    """A start date as it travels."""
    service.project().update_diagram(1, additional_metadata={}, start_date=start)
    text: str = service.sent[-1]["start_date"]
    return text


def shown(lisbon: Lisbon, start: Any) -> str:
    """A start date as the service shows it."""
    lisbon.project.update_diagram(1, additional_metadata={}, start_date=start, end_date="2999-01-01")
    text: str = lisbon.detail(1)["start_date"]
    return text


def test_a_new_diagram_starts_and_ends_today(lisbon: Lisbon) -> None:
    before = datetime.now(UTC).date().isoformat()
    lisbon.project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="New")
    days = {before, datetime.now(UTC).date().isoformat()}
    detail = lisbon.detail(1)
    assert {detail["start_date"], detail["end_date"]} <= days


@pytest.mark.parametrize(
    ("given", "travels"),
    [
        (date(2030, 5, 1), "2030-05-01T00:00:00.000Z"),
        ("2030-05-01", "2030-05-01T00:00:00.000Z"),
        (datetime(2030, 5, 1, 12, 30, tzinfo=UTC), "2030-05-01T12:30:00.000Z"),
        (datetime(2030, 5, 1, 0, 30, tzinfo=timezone(timedelta(hours=2))), "2030-04-30T22:30:00.000Z"),
        (datetime(2030, 7, 1, 12, tzinfo=ZoneInfo("Europe/Lisbon")), "2030-07-01T11:00:00.000Z"),
        (datetime(2030, 5, 1, 12, 30, 15, 999_999, tzinfo=UTC), "2030-05-01T12:30:15.999Z"),
        ("2030-05-01T12:30:00+05:30", "2030-05-01T07:00:00.000Z"),
        ("2030-05-01T12:30:00.5Z", "2030-05-01T12:30:00.500Z"),
        ("2030-05-01T12:30:00.000Z", "2030-05-01T12:30:00.000Z"),
        ("+002030-05-01T12:30:00.000Z", "2030-05-01T12:30:00.000Z"),
        (pd.Timestamp("2030-05-01T12:30", tz="America/New_York"), "2030-05-01T16:30:00.000Z"),
        (pd.Timestamp("2030-05-01T12:30:00.123456789Z"), "2030-05-01T12:30:00.123Z"),
    ],
    ids=str,
)
def test_a_moment_travels_in_utc_to_the_millisecond(given: Any, travels: str, service: FakeService) -> None:
    assert sent(service, given) == travels
    assert len(travels) in (24, 27)


MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.timezones())


@settings(deadline=None)
@given(moment=MOMENTS)
def test_a_moment_in_any_zone_travels_as_itself(service: FakeService, moment: datetime) -> None:
    text = sent(service, moment)
    assert ON_THE_WIRE.fullmatch(text)
    late = moment.astimezone(UTC) - datetime.fromisoformat(text)
    assert timedelta(0) <= late < timedelta(milliseconds=1)


@settings(max_examples=40, deadline=None)
@given(moment=MOMENTS)
def test_a_moment_in_any_zone_shows_as_its_day_in_utc(drawn: Lisbon, moment: datetime) -> None:
    assert shown(drawn, moment) == moment.astimezone(UTC).date().isoformat()


@settings(max_examples=40, deadline=None)
@given(day=st.dates(date(1, 1, 1), date(2900, 1, 1)))
def test_a_day_shows_as_that_day(drawn: Lisbon, day: date) -> None:
    assert shown(drawn, day) == day.isoformat()


@pytest.mark.parametrize("naive", [datetime(2030, 5, 1), "2030-05-01T12:30:00", pd.Timestamp("2030-05-01T12:30")])
def test_a_moment_without_a_zone_is_refused(naive: Any, service: FakeService) -> None:
    before = service.requests.total()
    for dates in ({"start_date": naive}, {"end_date": naive}):
        with pytest.raises(InputError, match="time zone"):
            service.project().update_diagram(1, additional_metadata={}, **dates)
    assert service.requests.total() == before


@pytest.mark.parametrize("unfit", ["tomorrow", "", "2030-02-30", "01.05.2030", 2030, 1.5, pd.NaT, {}], ids=str)
def test_what_is_no_moment_is_refused(unfit: Any, service: FakeService) -> None:
    before = service.requests.total()
    with pytest.raises(InputError):
        service.project().update_diagram(1, additional_metadata={}, start_date=unfit)
    assert service.requests.total() == before


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2030-05-02", "2030-05-01"),
        (date(2030, 5, 2), datetime(2030, 5, 1, 23, 59, tzinfo=UTC)),
        (datetime(2030, 5, 1, 12, tzinfo=UTC), datetime(2030, 5, 1, 12, tzinfo=timezone(timedelta(hours=1)))),
    ],
    ids=str,
)
def test_a_start_after_the_end_is_refused(start: Any, end: Any, service: FakeService) -> None:
    before = service.requests.total()
    with pytest.raises(InputError, match=r"start_date .* is after end_date"):
        service.project().update_diagram(1, additional_metadata={}, start_date=start, end_date=end)
    assert service.requests.total() == before


def test_a_diagram_may_start_and_end_at_one_moment(drawn: Lisbon) -> None:
    drawn.project.update_diagram(1, additional_metadata={}, start_date="2030-05-01", end_date=date(2030, 5, 1))
    detail = drawn.detail(1)
    assert (detail["start_date"], detail["end_date"]) == ("2030-05-01", "2030-05-01")


def test_dates_become_timestamps_in_a_frame(drawn: Lisbon) -> None:
    shown(drawn, "2030-05-01T23:00:00-02:00")
    assert list(drawn.project.diagrams().to_geopandas().start_date) == [pd.Timestamp("2030-05-02")]


# As plain HTTP


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2030-05-01T23:59:59.999Z", "2030-05-01"),
        ("+002030-05-01T00:00:00.000Z", "2030-05-01"),
        ("0001-01-01T00:00:00.000Z", "0001-01-01"),
    ],
)
def test_a_date_has_24_or_27_characters_on_the_wire(text: str, day: str, drawn: Lisbon) -> None:
    drawn.send("POST", "diagrams/1/", {"additional_metadata": {}, "start_date": text}).raise_for_status()
    assert drawn.detail(1)["start_date"] == day


@pytest.mark.parametrize(
    "text",
    [
        "2030-05-01",
        "2030-05-01T00:00:00Z",
        "2030-05-01T00:00:00.000",
        "2030-05-01T00:00:00.0000Z",
        "2030-05-01 00:00:00.000Z",
        "2030-05-01T00:00:00.00+01",
        "02030-05-01T00:00:00.000Z",
        "2030-02-30T00:00:00.000Z",
        "2030-05-01T24:00:01.000Z",
        "-000044-03-15T12:00:00.000Z",
        "+012030-05-01T00:00:00.000Z",
        "",
        7,
    ],
)
def test_another_form_of_date_is_a_bad_request_with_a_status(text: Any, drawn: Lisbon) -> None:
    before = drawn.detail(1)
    answer = drawn.send("POST", "diagrams/1/", {"additional_metadata": {}, "title": "New", "start_date": text})
    assert answer.status_code == 400
    assert "start_date" in answer.json()["status"]
    assert drawn.detail(1) == before
