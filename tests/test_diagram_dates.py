"""Start and end of a diagram are sent as date-times in UTC, and shown as the date in UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import square
from fake_service import FakeService
from pygeodesign import InputError
from small_project import WATER, Workshop, running_workshop

UTC_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture(scope="module")
def with_diagram() -> Iterator[Workshop]:
    """The workshop with one diagram, whose id is 1; each test sets its dates."""
    with running_workshop() as workshop:
        workshop.project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="Rain garden")
        yield workshop


@pytest.fixture(scope="module")
def service() -> Iterator[FakeService]:
    """A service that accepts updates of diagram 1 and records their bodies."""
    with FakeService({"diagrams/1/": {"status": "Heard."}}) as service:
        yield service


def sent_start_date(service: FakeService, start: Any) -> str:
    """The start date in the body that the client sends."""
    service.project().update_diagram(1, additional_metadata={}, start_date=start)
    text: str = service.sent[-1]["start_date"]
    return text


def returned_start_date(workshop: Workshop, start: Any) -> str:
    """The start date that the service returns after an update."""
    workshop.project.update_diagram(1, additional_metadata={}, start_date=start, end_date="2999-01-01")
    text: str = workshop.details_of(1)["start_date"]
    return text


def test_a_new_diagram_starts_and_ends_today(workshop: Workshop) -> None:
    before = datetime.now(UTC).date().isoformat()
    workshop.project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="New")
    days = {before, datetime.now(UTC).date().isoformat()}
    detail = workshop.details_of(1)
    assert {detail["start_date"], detail["end_date"]} <= days


@pytest.mark.parametrize(
    ("given", "expected_text"),
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
        (datetime(2030, 5, 1, 12, 30), "2030-05-01T12:30:00.000Z"),
        ("2030-05-01T12:30:00", "2030-05-01T12:30:00.000Z"),
        ("2030-05-01 12:30", "2030-05-01T12:30:00.000Z"),
        (pd.Timestamp("2030-05-01"), "2030-05-01T00:00:00.000Z"),
        (pd.Timestamp("2030-05-01T12:30", tz="America/New_York"), "2030-05-01T16:30:00.000Z"),
        (pd.Timestamp("2030-05-01T12:30:00.123456789Z"), "2030-05-01T12:30:00.123Z"),
    ],
    ids=str,
)
def test_a_date_time_is_sent_in_utc_with_milliseconds(given: Any, expected_text: str, service: FakeService) -> None:
    assert sent_start_date(service, given) == expected_text
    assert len(expected_text) in (24, 27)


MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.timezones())


@settings(deadline=None)
@given(moment=MOMENTS)
def test_a_date_time_in_any_zone_is_sent_as_the_same_moment(service: FakeService, moment: datetime) -> None:
    text = sent_start_date(service, moment)
    assert UTC_DATE_TIME.fullmatch(text)
    cut_off = moment.astimezone(UTC) - datetime.fromisoformat(text)
    assert timedelta(0) <= cut_off < timedelta(milliseconds=1)


@settings(max_examples=40, deadline=None)
@given(moment=MOMENTS)
def test_a_date_time_in_any_zone_is_shown_as_its_date_in_utc(with_diagram: Workshop, moment: datetime) -> None:
    assert returned_start_date(with_diagram, moment) == moment.astimezone(UTC).date().isoformat()


@settings(max_examples=40, deadline=None)
@given(day=st.dates(date(1, 1, 1), date(2900, 1, 1)))
def test_a_date_is_shown_as_the_same_date(with_diagram: Workshop, day: date) -> None:
    assert returned_start_date(with_diagram, day) == day.isoformat()


def test_the_dates_of_a_frame_can_be_set_again(with_diagram: Workshop) -> None:
    """Frames have the days of the service as timestamps without a time zone."""
    returned_start_date(with_diagram, "2030-05-01")
    (start,) = with_diagram.project.diagrams().to_geopandas().start_date
    assert returned_start_date(with_diagram, start) == "2030-05-01"


@pytest.mark.parametrize(
    "invalid", ["tomorrow", "", "2030-02-30", "01.05.2030", "2030-05-01T", 2030, 1.5, pd.NaT, time(12), {}], ids=str
)
def test_a_value_that_is_not_a_date_is_rejected(invalid: Any, service: FakeService) -> None:
    before = service.requests.total()
    with pytest.raises(InputError):
        service.project().update_diagram(1, additional_metadata={}, start_date=invalid)
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
def test_a_start_after_the_end_is_rejected(start: Any, end: Any, service: FakeService) -> None:
    before = service.requests.total()
    with pytest.raises(InputError, match=r"start_date .* is after end_date"):
        service.project().update_diagram(1, additional_metadata={}, start_date=start, end_date=end)
    assert service.requests.total() == before


def test_start_and_end_may_be_the_same(with_diagram: Workshop) -> None:
    with_diagram.project.update_diagram(1, additional_metadata={}, start_date="2030-05-01", end_date=date(2030, 5, 1))
    detail = with_diagram.details_of(1)
    assert (detail["start_date"], detail["end_date"]) == ("2030-05-01", "2030-05-01")


def test_dates_are_timestamps_in_a_data_frame(with_diagram: Workshop) -> None:
    returned_start_date(with_diagram, "2030-05-01T23:00:00-02:00")
    assert list(with_diagram.project.diagrams().to_geopandas().start_date) == [pd.Timestamp("2030-05-02")]


# As plain HTTP


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2030-05-01T23:59:59.999Z", "2030-05-01"),
        ("+002030-05-01T00:00:00.000Z", "2030-05-01"),
        ("0001-01-01T00:00:00.000Z", "0001-01-01"),
    ],
)
def test_the_service_accepts_date_times_of_24_or_27_characters(text: str, day: str, with_diagram: Workshop) -> None:
    with_diagram.send("POST", "diagrams/1/", {"additional_metadata": {}, "start_date": text}).raise_for_status()
    assert with_diagram.details_of(1)["start_date"] == day


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
def test_the_service_rejects_other_forms_of_dates_with_a_status_message(text: Any, with_diagram: Workshop) -> None:
    before = with_diagram.details_of(1)
    response = with_diagram.send("POST", "diagrams/1/", {"additional_metadata": {}, "title": "New", "start_date": text})
    assert response.status_code == 400
    assert "start_date" in response.json()["status"]
    assert with_diagram.details_of(1) == before
