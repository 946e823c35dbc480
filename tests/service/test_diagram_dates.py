"""Start and end of a diagram are sent as date-times in UTC, and shown as the date in UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import pygeodesign
from builders import square
from fake_service import UPLOAD_CHECKS, FakeService, Response
from pygeodesign import BadRequestError, InputError, Project, Sandbox
from small_project import GREEN, WATER, Workshop, running_workshop

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
    service.project().diagram(1).update(additional_metadata={}, start_date=start)
    text: str = service.sent[-1]["start_date"]
    return text


def returned_start_date(workshop: Workshop, start: Any) -> str:
    """The start date that the service returns after an update."""
    workshop.project.diagram(1).update(additional_metadata={}, start_date=start, end_date="2999-01-01")
    text: str = workshop.details_of(1)["start_date"]
    return text


POND = square(-9.15, 38.71, 0.01)
WATER_SYSTEM = {"id": 1, "sysname": "Water", "syscolor": "#0000ff"}


def is_undated(project: Project) -> bool:
    """True if the first diagram of a project has no dates, everywhere they are shown."""
    (detail, *_), frame = project.diagrams(fields="details"), project.diagrams().to_geopandas()
    alone = project.diagram(detail["id"]).features().metadata
    written = project.diagrams()["features"][0]["properties"]
    rows = (detail, alone, written, frame.iloc[0])
    assert not any("undated" in row for row in rows)
    (shown,) = {bool(pd.isna(row["start_date"]) and pd.isna(row["end_date"])) for row in rows}
    return shown


def test_a_new_diagram_is_undated_and_has_its_day_of_creation_on_the_wire(
    workshop: Workshop,
) -> None:
    """The wire has no null for dates."""
    workshop.project.add_diagram(WATER, POND, title="New")
    assert is_undated(workshop.project)
    (sent,) = workshop.send("GET", "diagrams/all/details/").json()
    assert {sent["start_date"], sent["end_date"]} == {sent["created_at"][:10]}
    workshop.project.diagram(1).update(title="Later")
    assert is_undated(workshop.project)


def test_a_diagram_is_added_with_its_dates(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, POND, title="New", start_date="2030-05-01", end_date=date(2031, 5, 1))
    detail = workshop.details_of(1)
    assert (detail["start_date"], detail["end_date"]) == ("2030-05-01", "2031-05-01")
    with pytest.raises(InputError, match="is after end_date"):
        workshop.project.add_diagram(WATER, POND, title="New", start_date="2030-05-01", end_date="2029-05-01")
    assert len(workshop.project.diagrams(fields="summary")) == 1


def test_one_date_alone_stands_for_both(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, POND, title="New", start_date="2030-05-01")
    workshop.project.add_diagram(WATER, POND, title="Later")
    workshop.project.diagram(2).update(end_date="2020-05-01")
    dates = [(detail["start_date"], detail["end_date"]) for detail in workshop.project.diagrams(fields="details")]
    assert dates == [("2030-05-01", "2030-05-01"), ("2020-05-01", "2020-05-01")]


def test_a_diagram_that_was_given_the_day_of_its_creation_has_dates(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, POND, title="New")
    today = str(workshop.project.diagrams(fields="summary")[0]["created_at"])[:10]
    workshop.project.diagram(1).update(start_date=today, end_date=today)
    assert not is_undated(workshop.project)
    assert workshop.details_of(1)["start_date"] == today
    (change, *_) = workshop.project.history()
    workshop.project.undo(change["id"])
    assert is_undated(workshop.project)


def frame_with_dates() -> gpd.GeoDataFrame:
    """Three ponds with dates, without, and with the first alone."""
    dates: dict[str, Any] = {
        "begin": pd.to_datetime(pd.Series(["2030-05-01", None, "2032-05-01"])),
        "end": ["2031-05-01", None, ""],
    }
    shapes = [shapely.box(-9.2 + step / 100, 38.7, -9.195 + step / 100, 38.71) for step in range(3)]
    return gpd.GeoDataFrame({"name": list("abc")} | dates, geometry=shapes, crs=4326)


def test_the_dates_of_rows_are_in_columns(workshop: Workshop) -> None:
    workshop.project.add_diagrams(WATER, frame_with_dates(), title="name", start_date="begin", end_date="end")
    details = sorted(workshop.project.diagrams(fields="details"), key=lambda detail: str(detail["description"]))
    assert [detail["start_date"] for detail in details] == ["2030-05-01", None, "2032-05-01"]
    assert [detail["end_date"] for detail in details] == ["2031-05-01", None, "2032-05-01"]
    workshop.project.add_diagrams(GREEN, frame_with_dates(), title="name", start_date=date(2040, 1, 1))
    assert {detail["end_date"] for detail in workshop.project.diagrams(fields="details")[3:]} == {"2040-01-01"}


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"start_date": "begins"}, 'start_date "begins" is neither a date nor the name of a column'),
        ({"start_date": "name"}, 'row 0: start_date: "a" is neither a date'),
        ({"start_date": "begin", "end_date": "2031-01-01"}, "row 2: start_date 2032"),
    ],
    ids=str,
)
def test_rows_whose_dates_cannot_be_sent_are_named(columns: Any, problem: str, workshop: Workshop) -> None:
    with pytest.raises(InputError) as refused:
        workshop.project.add_diagrams(WATER, frame_with_dates(), title="name", **columns)
    assert problem in str(refused.value)
    assert workshop.project.diagrams(fields="summary") == []


def test_an_undated_diagram_stays_undated_through_archive_load_and_upload_again(
    workshop: Workshop, tmp_path: Path
) -> None:
    workshop.project.add_diagram(WATER, POND, title="New")
    team = workshop.project.add_team("Planners")["id"]
    design = workshop.project.team(team).save("First", [1])["id"]
    path = tmp_path / "lisbon.zip"
    workshop.project.archive(path)
    archived = pygeodesign.open(path)
    assert is_undated(archived)
    with Sandbox(project=path) as loaded:
        again = loaded.client().project(workshop.id)
        assert is_undated(again)
        assert again.design(design, team).features().to_geopandas().start_date.isna().all()
        assert again.design(design, team).timeline() == {1: {"start": None, "end": None}}
    frame = archived.diagrams().to_geopandas()
    report = workshop.project.add_diagrams(
        GREEN, frame, title="description", start_date="start_date", end_date="end_date"
    )
    assert workshop.details_of(report[0]["diagram_id"] or 0)["start_date"] is None


@pytest.mark.parametrize(
    ("start", "end", "undated"),
    [("2026-03-02", "2026-03-02", True), ("2026-03-02", "2026-03-03", False), ("2026-03-01", "2026-03-01", False)],
)
def test_a_diagram_with_only_its_utc_day_of_creation_is_undated_from_any_service(
    start: str, end: str, undated: bool
) -> None:
    diagram = {"id": 1, "sysid": 1, "created_at": "2026-03-03T00:30:00+02:00", "start_date": start, "end_date": end}
    answers: dict[str, Any] = {
        "diagrams/all/": [diagram],
        "diagrams/all/details/": [diagram],
        "systems/": [WATER_SYSTEM],
    }
    answers["diagrams/1/"] = diagram | {"geojson": {"type": "FeatureCollection", "features": []}}
    with FakeService(answers) as service:
        assert is_undated(service.project()) == undated


def test_a_diagram_whose_dates_fail_is_told_as_added() -> None:
    answers: dict[str, Any] = {
        "systems/1/add/project/": {"diagram_id": "7"},
        "diagrams/7/": Response({"status": "No."}, 400),
    }
    with FakeService({**UPLOAD_CHECKS, **answers}) as service:
        (row,) = service.project().add_diagrams(WATER, frame_with_dates()[:1], title="name", start_date="begin")
        assert row["diagram_id"] == 7
        assert "dates" in str(row["error"]) and "No." in str(row["error"])
        with pytest.raises(BadRequestError, match="diagram 7 was added without its dates"):
            service.project().add_diagram(WATER, frame_with_dates()[:1], title="name", start_date="2030-01-01")


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
        service.project().diagram(1).update(additional_metadata={}, start_date=invalid)
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
        service.project().diagram(1).update(additional_metadata={}, start_date=start, end_date=end)
    assert service.requests.total() == before


def test_start_and_end_may_be_the_same(with_diagram: Workshop) -> None:
    with_diagram.project.diagram(1).update(additional_metadata={}, start_date="2030-05-01", end_date=date(2030, 5, 1))
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
