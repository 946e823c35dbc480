"""A frame becomes one diagram a row; the report says what became of each."""

import sys
import threading
from types import ModuleType
from typing import Any, ClassVar

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from fake_service import Answer, FakeService
from geometries import wkb
from pygeodesign import InputError, NotFoundError
from small_project import WATER, Lisbon

NAMES = ["Alfama", "Belém", "Chiado", "Estrela", "Graça", "Lapa"]
BOXES = [shapely.box(-9.2 + step / 100, 38.7, -9.195 + step / 100, 38.71) for step in range(len(NAMES))]
FRAME = gpd.GeoDataFrame({"name": NAMES}, geometry=BOXES, crs=4326)
ADD = f"systems/{WATER}/add/project/"


def added(body: Any) -> Answer:
    return Answer({"diagram_id": f"{100 + NAMES.index(body['description'])}", "grid_location": "A1", "status": "added"})


# One a row


def test_each_row_is_a_diagram_with_its_geometry(lisbon: Lisbon) -> None:
    report = lisbon.project.add_diagrams(WATER, FRAME.to_crs(3763), title="name")
    assert [row["title"] for row in report] == NAMES
    drawn = [lisbon.project.diagram(row["diagram_id"] or "").to_geopandas().geometry[0] for row in report]
    assert wkb(drawn) == wkb(FRAME.to_crs(3763).to_crs(4326).geometry)


def test_each_row_takes_a_place_of_its_own(lisbon: Lisbon) -> None:
    report = lisbon.project.add_diagrams(WATER, FRAME, title="name")
    assert {row["grid_location"] for row in report} == {f"A{place}" for place in range(1, 7)}
    assert {row["error"] for row in report} == {None}
    assert len({row["diagram_id"] for row in report}) == len(NAMES)


def test_each_row_has_its_kind_and_funding(lisbon: Lisbon) -> None:
    frame = FRAME.assign(
        what=["project", "policy"] * 3, paid=["public", "private", "budgeted", "public_private", "pu", "Public private"]
    )
    report = lisbon.project.add_diagrams(WATER, frame, title="name", kind="what", funding="paid")
    details = [lisbon.detail(row["diagram_id"] or "") for row in report]
    assert [detail["type"] for detail in details] == list(frame.what)
    expected = ["public", "private", "budgeted", "public_private", "public", "public_private"]
    assert [detail["fundingtype"] for detail in details] == expected


def test_all_rows_have_the_same_kind_and_funding(lisbon: Lisbon) -> None:
    lisbon.project.add_diagrams(WATER, FRAME, title="name", kind="policy", funding="private")
    kinds = {(detail["type"], detail["fundingtype"]) for detail in lisbon.project.diagram_details()}
    assert kinds == {("policy", "private")}


def test_a_column_that_is_called_like_a_kind_is_not_meant(lisbon: Lisbon) -> None:
    """The defaults are kinds and fundings, whatever columns the frame happens to have."""
    frame = FRAME.assign(project="Waterfront", public=True, policy=7)
    lisbon.project.add_diagrams(WATER, frame, title="name")
    kinds = {(detail["type"], detail["fundingtype"]) for detail in lisbon.project.diagram_details()}
    assert kinds == {("project", "public")}


def test_each_row_has_its_feature_type(lisbon: Lisbon) -> None:
    frame = gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=[BOXES[0], BOXES[1].exterior], crs=4326)
    lisbon.project.add_diagrams(WATER, frame.assign(drawn=["polygon", "line"]), title="name", feature_type="drawn")
    assert sorted(bool(detail["length"]) for detail in lisbon.project.diagram_details()) == [False, True]


def test_rows_may_be_lines_or_areas(lisbon: Lisbon) -> None:
    frame = gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=[BOXES[0], BOXES[1].exterior], crs=4326)
    report = lisbon.project.add_diagrams(WATER, frame, title="name")
    assert [row["error"] for row in report] == [None, None]


def test_a_title_that_is_no_text_becomes_text(lisbon: Lisbon) -> None:
    report = lisbon.project.add_diagrams(WATER, FRAME.assign(number=range(6)), title="number")
    assert [row["title"] for row in report] == ["0", "1", "2", "3", "4", "5"]


def test_a_geojson_collection_has_rows_too(lisbon: Lisbon) -> None:
    report = lisbon.project.add_diagrams(WATER, FRAME.to_json(), title="name")
    assert [(row["row"], row["title"]) for row in report] == list(enumerate(NAMES))


def test_several_rows_are_sent_at_once() -> None:
    together = threading.Barrier(3, timeout=10)

    def wait(body: Any) -> Answer:
        together.wait()
        return added(body)

    with FakeService({ADD: wait}) as service:
        report = service.project().add_diagrams(WATER, FRAME, title="name")
    assert [row["diagram_id"] for row in report] == ["100", "101", "102", "103", "104", "105"]


def test_no_rows_are_no_diagrams() -> None:
    with FakeService() as service:
        assert service.project().add_diagrams(WATER, FRAME.iloc[:0], title="name") == []
        assert service.requests.total() == 0


# What the report says


LABELS: dict[str, Any] = {
    "numbers": [7, 3, 11, 2, 5, 13],
    "text": list("fedcba"),
    "several levels": pd.MultiIndex.from_product([["north", "south"], [1, 2, 3]]),
    "days": pd.date_range("2026-03-02", periods=6),
}


@pytest.mark.parametrize("labels", LABELS)
def test_a_row_is_called_what_its_frame_calls_it(labels: str, lisbon: Lisbon) -> None:
    frame = FRAME.set_index(pd.Index(LABELS[labels]))
    report = lisbon.project.add_diagrams(WATER, frame, title="name")
    assert [row["row"] for row in report] == list(frame.index)
    assert list(frame.loc[[row["row"] for row in report]].name) == NAMES


def test_a_row_that_fails_says_why_and_the_others_are_added() -> None:
    def but_two(body: Any) -> Answer:
        return Answer({"detail": "No room left"}, 409) if body["description"] in ("Belém", "Lapa") else added(body)

    with FakeService({ADD: but_two}) as service:
        report = service.project().add_diagrams(WATER, FRAME.set_index("name", drop=False), title="name")
        assert service.requests.total() == len(NAMES)
    failed = [row for row in report if row["error"]]
    assert [(row["row"], row["diagram_id"], row["grid_location"]) for row in failed] == [
        ("Belém", None, None),
        ("Lapa", None, None),
    ]
    assert all("409" in str(row["error"]) and "No room left" in str(row["error"]) for row in failed)
    assert [row["diagram_id"] for row in report if not row["error"]] == ["100", "102", "103", "104"]


@pytest.mark.parametrize("labels", LABELS)
def test_a_second_run_sends_just_the_rest(labels: str) -> None:
    frame = FRAME.set_index(pd.Index(LABELS[labels]))
    full = True

    def full_at_first(body: Any) -> Answer:
        return Answer({"detail": "Full"}, 400) if full and body["description"] > "C" else added(body)

    with FakeService({ADD: full_at_first}) as service:
        project = service.project()
        first = project.add_diagrams(WATER, frame, title="name")
        full = False
        service.sent.clear()
        rest = frame.loc[[row["row"] for row in first if row["error"]]]
        second = project.add_diagrams(WATER, rest, title="name")
        assert sorted(body["description"] for body in service.sent) == NAMES[2:]
    assert [row["title"] for row in second] == NAMES[2:]
    assert {row["error"] for row in second} == {None}


def test_rows_of_a_system_that_is_not_there_all_fail(lisbon: Lisbon) -> None:
    report = lisbon.project.add_diagrams(99, FRAME, title="name")
    assert all("404" in str(row["error"]) and "system" in str(row["error"]) for row in report)
    assert lisbon.project.diagram_summaries() == []
    with pytest.raises(NotFoundError):
        lisbon.project.add_diagram(99, BOXES[0], title="The same alone")


# What cannot be sent is not begun


def frame_with(**third: Any) -> gpd.GeoDataFrame:
    """The frame with one row that is not right, the third, which is called `c`."""
    frame = FRAME.assign(what="project", paid="public").set_index(pd.Index(list("abcdef")))
    for column, value in third.items():
        frame.loc["c", column] = value
    return frame


BOW_TIE = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])


@pytest.mark.parametrize(
    ("third", "says"),
    [
        ({"what": "plan"}, '"plan" is neither "project" nor "policy"'),
        ({"what": None}, "kind"),
        ({"paid": "crowd"}, '"crowd" is not "public"'),
        ({"name": " "}, "empty"),
        ({"name": None}, "title"),
        ({"geometry": BOW_TIE}, "crosses or touches itself"),
        ({"geometry": shapely.Point(0, 0)}, "buffer it"),
        ({"geometry": None}, "no geometry"),
    ],
    ids=str,
)
def test_a_row_that_cannot_be_sent_is_named_and_nothing_is_sent(third: Any, says: str) -> None:
    with FakeService({ADD: added}) as service:
        with pytest.raises(InputError, match="'c'") as refused:
            service.project().add_diagrams(WATER, frame_with(**third), title="name", kind="what", funding="paid")
        assert says in str(refused.value)
        assert service.requests.total() == 0


def test_a_title_column_that_is_not_there_is_told_which_are() -> None:
    with FakeService({ADD: added}) as service:
        with pytest.raises(InputError, match=r"nmae.*name"):
            service.project().add_diagrams(WATER, FRAME, title="nmae")
        assert service.requests.total() == 0


# Progress


class Bar:
    """Stands in for tqdm."""

    made: ClassVar[list["Bar"]] = []

    def __init__(self, *, total: int, desc: str, unit: str) -> None:
        self.total, self.done, self.is_closed = total, 0, False
        Bar.made.append(self)

    def update(self, n: int = 1) -> None:
        self.done += n

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    """The bars that are made."""
    tqdm = ModuleType("tqdm.auto")
    tqdm.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", tqdm)
    Bar.made = []
    return Bar.made


def test_a_bar_counts_to_the_last_row(bars: list[Bar], lisbon: Lisbon) -> None:
    lisbon.project.add_diagrams(WATER, FRAME, title="name", progress=True)
    assert [(bar.total, bar.done, bar.is_closed) for bar in bars] == [(6, 6, True)]


def test_a_bar_counts_rows_that_fail_too(bars: list[Bar], lisbon: Lisbon) -> None:
    lisbon.project.add_diagrams(99, FRAME, title="name", progress=True)
    assert [(bar.done, bar.is_closed) for bar in bars] == [(6, True)]


@pytest.mark.parametrize("progress", [False, None])
def test_there_is_no_bar_where_nobody_watches(progress: bool | None, bars: list[Bar], lisbon: Lisbon) -> None:
    lisbon.project.add_diagrams(WATER, FRAME, title="name", progress=progress)
    assert bars == []


@pytest.mark.parametrize(("progress", "shown"), [(None, 1), (True, 1), (False, 0)])
def test_a_terminal_shows_a_bar_unless_it_is_told_not_to(
    progress: bool | None, shown: int, bars: list[Bar], lisbon: Lisbon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    lisbon.project.add_diagrams(WATER, FRAME, title="name", progress=progress)
    assert len(bars) == shown


def test_a_bar_of_tqdm_is_painted(lisbon: Lisbon, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    lisbon.project.add_diagrams(WATER, FRAME, title="name", progress=True)
    assert "6/6" in capsys.readouterr().err


def test_a_bar_that_nobody_can_draw_is_an_import_error_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with FakeService({ADD: added}) as service:
        with pytest.raises(ImportError, match=r"pygeodesign\[notebook\]"):
            service.project().add_diagrams(WATER, FRAME, title="name", progress=True)
        assert service.requests.total() == 0
