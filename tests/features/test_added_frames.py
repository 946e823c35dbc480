"""`add_diagrams` adds a diagram for each row of a GeoDataFrame; its report has the outcome of each row."""

import sys
import threading
from types import ModuleType
from typing import Any, ClassVar

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from fake_service import UPLOAD_CHECKS, FakeService, Response
from geometries import wkb
from pygeodesign import InputError, NotFoundError
from small_project import WATER, Workshop

NAMES = ["Alfama", "Belém", "Chiado", "Estrela", "Graça", "Lapa"]
BOXES = [shapely.box(-9.2 + step / 100, 38.7, -9.195 + step / 100, 38.71) for step in range(len(NAMES))]
FRAME = gpd.GeoDataFrame({"name": NAMES}, geometry=BOXES, crs=4326)
ADD = f"systems/{WATER}/add/project/"


def added(body: Any) -> Response:
    return Response(
        {"diagram_id": f"{100 + NAMES.index(body['description'])}", "grid_location": "A1", "status": "added"}
    )


# One diagram for each row


def test_each_row_becomes_a_diagram_with_its_geometry_reprojected_to_wgs_84(workshop: Workshop) -> None:
    report = workshop.project.add_diagrams(WATER, FRAME.to_crs(3763), title="name")
    assert [row["title"] for row in report] == NAMES
    drawn = [workshop.project.diagram(row["diagram_id"] or 0).features().to_geopandas().geometry[0] for row in report]
    assert wkb(drawn) == wkb(FRAME.to_crs(3763).to_crs(4326).geometry)


def test_each_row_gets_its_own_grid_location(workshop: Workshop) -> None:
    report = workshop.project.add_diagrams(WATER, FRAME, title="name")
    assert {row["grid_location"] for row in report} == {f"A{place}" for place in range(1, 7)}
    assert {row["error"] for row in report} == {None}
    assert len({row["diagram_id"] for row in report}) == len(NAMES)


def test_kind_and_funding_can_be_columns(workshop: Workshop) -> None:
    frame = FRAME.assign(
        what=["project", "policy"] * 3, paid=["public", "private", "budgeted", "public_private", "pu", "Public private"]
    )
    report = workshop.project.add_diagrams(WATER, frame, title="name", kind="what", funding="paid")
    details = [workshop.details_of(row["diagram_id"] or 0) for row in report]
    assert [detail["type"] for detail in details] == list(frame.what)
    expected = ["public", "private", "budgeted", "public_private", "public", "public_private"]
    assert [detail["fundingtype"] for detail in details] == expected


def test_kind_and_funding_can_be_values_for_all_rows(workshop: Workshop) -> None:
    workshop.project.add_diagrams(WATER, FRAME, title="name", kind="policy", funding="private")
    kinds = {(detail["type"], detail["fundingtype"]) for detail in workshop.project.diagrams(fields="details")}
    assert kinds == {("policy", "private")}


def test_columns_named_project_or_public_do_not_change_the_defaults(workshop: Workshop) -> None:
    """The defaults are values, even if the frame has columns of the same names."""
    frame = FRAME.assign(project="Waterfront", public=True, policy=7)
    workshop.project.add_diagrams(WATER, frame, title="name")
    kinds = {(detail["type"], detail["fundingtype"]) for detail in workshop.project.diagrams(fields="details")}
    assert kinds == {("project", "public")}


def test_the_feature_type_can_be_a_column(workshop: Workshop) -> None:
    frame = gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=[BOXES[0], BOXES[1].exterior], crs=4326)
    workshop.project.add_diagrams(
        WATER, frame.assign(drawn=["polygon", "line"]), title="name", kind="policy", feature_type="drawn"
    )
    assert sorted(bool(detail["length"]) for detail in workshop.project.diagrams(fields="details")) == [False, True]


def test_a_frame_may_have_rows_with_lines_and_rows_with_polygons(workshop: Workshop) -> None:
    frame = gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=[BOXES[0], BOXES[1].exterior], crs=4326)
    with pytest.warns(UserWarning, match="^1 line priced per kilometre at a rate per hectare: row 1$"):
        report = workshop.project.add_diagrams(WATER, frame, title="name")
    assert [row["error"] for row in report] == [None, None]


def test_a_title_that_is_a_number_becomes_text(workshop: Workshop) -> None:
    report = workshop.project.add_diagrams(WATER, FRAME.assign(number=range(6)), title="number")
    assert [row["title"] for row in report] == ["0", "1", "2", "3", "4", "5"]


def test_ids_that_a_gap_made_floats_become_titles_without_a_point(workshop: Workshop) -> None:
    frame = FRAME.assign(number=[1, 2.5, 3e15, None, 4, 5])
    report = workshop.project.add_diagrams(WATER, frame.drop(index=3), title="number")
    assert [row["title"] for row in report] == ["1", "2.5", "3000000000000000", "4", "5"]


def test_the_features_of_geojson_text_are_rows(workshop: Workshop) -> None:
    report = workshop.project.add_diagrams(WATER, FRAME.to_json(), title="name")
    assert [(row["row"], row["title"]) for row in report] == list(enumerate(NAMES))


def test_several_rows_are_sent_concurrently() -> None:
    together = threading.Barrier(3, timeout=10)

    def respond_when_three_requests_wait(body: Any) -> Response:
        together.wait()
        return added(body)

    with FakeService({ADD: respond_when_three_requests_wait, **UPLOAD_CHECKS}) as service:
        report = service.project().add_diagrams(WATER, FRAME, title="name")
    assert [row["diagram_id"] for row in report] == [100, 101, 102, 103, 104, 105]


def test_a_frame_without_rows_sends_nothing() -> None:
    with FakeService() as service:
        assert service.project().add_diagrams(WATER, FRAME.iloc[:0], title="name") == []
        assert service.requests.total() == 0


# The report


LABELS: dict[str, Any] = {
    "numbers": [7, 3, 11, 2, 5, 13],
    "text": list("fedcba"),
    "several levels": pd.MultiIndex.from_product([["north", "south"], [1, 2, 3]]),
    "days": pd.date_range("2026-03-02", periods=6),
}


@pytest.mark.parametrize("labels", LABELS)
def test_the_report_has_the_index_labels_of_the_frame(labels: str, workshop: Workshop) -> None:
    frame = FRAME.set_index(pd.Index(LABELS[labels]))
    report = workshop.project.add_diagrams(WATER, frame, title="name")
    assert [row["row"] for row in report] == list(frame.index)
    assert list(frame.loc[[row["row"] for row in report]].name) == NAMES


def test_a_failed_row_has_its_error_in_the_report_and_the_others_are_added() -> None:
    def reject_two(body: Any) -> Response:
        return Response({"detail": "No room left"}, 409) if body["description"] in ("Belém", "Lapa") else added(body)

    with FakeService({ADD: reject_two, **UPLOAD_CHECKS}) as service:
        report = service.project().add_diagrams(WATER, FRAME.set_index("name", drop=False), title="name")
        assert len(service.sent) == len(NAMES)
    failed = [row for row in report if row["error"]]
    assert [(row["row"], row["diagram_id"], row["grid_location"]) for row in failed] == [
        ("Belém", None, None),
        ("Lapa", None, None),
    ]
    assert all("409" in str(row["error"]) and "No room left" in str(row["error"]) for row in failed)
    assert [row["diagram_id"] for row in report if not row["error"]] == [100, 102, 103, 104]


@pytest.mark.parametrize("labels", LABELS)
def test_the_failed_rows_can_be_selected_by_the_report_and_sent_again(labels: str) -> None:
    frame = FRAME.set_index(pd.Index(LABELS[labels]))
    full = True

    def reject_while_full(body: Any) -> Response:
        return Response({"detail": "Full"}, 400) if full and body["description"] > "C" else added(body)

    with FakeService({ADD: reject_while_full, **UPLOAD_CHECKS}) as service:
        project = service.project()
        first = project.add_diagrams(WATER, frame, title="name")
        full = False
        service.sent.clear()
        rest = frame.loc[[row["row"] for row in first if row["error"]]]
        second = project.add_diagrams(WATER, rest, title="name")
        assert sorted(body["description"] for body in service.sent) == NAMES[2:]
    assert [row["title"] for row in second] == NAMES[2:]
    assert {row["error"] for row in second} == {None}


@pytest.mark.parametrize("unknown", [99, "99", "Wind", ""])
def test_an_unknown_system_is_one_error_that_lists_the_systems(unknown: Any, workshop: Workshop) -> None:
    with pytest.raises(InputError, match=r'no system .*; the systems are 1 "Water" \(WAT\), 2 "Green" \(GRN\)'):
        workshop.project.add_diagrams(unknown, FRAME, title="name")
    assert workshop.project.diagrams(fields="summary") == []
    with pytest.raises((NotFoundError, InputError)):
        workshop.project.add_diagram(unknown, BOXES[0], title="The same alone")


@pytest.mark.parametrize("labels", [[7] * 6, list("aabbcc")])
def test_the_report_tells_positions_which_labels_that_repeat_do_not(labels: list[Any]) -> None:
    full = True

    def reject_while_full(body: Any) -> Response:
        return Response({"detail": "Full"}, 400) if full and body["description"] > "C" else added(body)

    frame = FRAME.set_index(pd.Index(labels))
    with FakeService({ADD: reject_while_full, **UPLOAD_CHECKS}) as service:
        first = service.project().add_diagrams(WATER, frame, title="name")
        assert [row["position"] for row in first] == list(range(6))
        full = False
        rest = frame.iloc[[row["position"] for row in first if row["diagram_id"] is None]]
        second = service.project().add_diagrams(WATER, rest, title="name")
    assert [row["title"] for row in second] == NAMES[2:]


# What is there already


def test_rows_of_the_same_geometry_as_diagrams_of_the_system_are_named_in_a_warning(workshop: Workshop) -> None:
    project = workshop.project
    project.add_diagrams(WATER, FRAME[:2], title="name")
    project.add_diagrams("Green", FRAME, title="name")
    again = FRAME[:3].assign(geometry=FRAME.geometry[:3].force_3d(4))
    with pytest.warns(UserWarning, match=r"same geometry.*: row 0 \(diagram \d\), row 1 \(diagram \d\)$"):
        project.add_diagrams(WATER, again, title="name", dry_run=True)
    with pytest.warns(UserWarning, match="same geometry"):
        project.add_diagrams(WATER, again, title="name")
    assert len(project.system(WATER).diagram_ids()) == 5


def test_rows_that_are_there_already_can_be_left_out(workshop: Workshop) -> None:
    project = workshop.project
    first = project.add_diagrams(WATER, FRAME[:2], title="name")
    report = project.add_diagrams(WATER, FRAME, title="name", duplicates="skip")
    assert [row["diagram_id"] for row in report[:2]] == [row["diagram_id"] for row in first]
    assert [row["grid_location"] is None for row in report] == [True] * 2 + [False] * 4
    assert len(project.diagrams(fields="summary")) == 6
    with pytest.raises(InputError, match="duplicates must be"):
        project.add_diagrams(WATER, FRAME, title="name", duplicates="drop")  # type: ignore[arg-type]


# Invalid rows


def frame_with(**third: Any) -> gpd.GeoDataFrame:
    """The frame with other values in its third row, whose label is `c`."""
    frame = FRAME.assign(what="project", paid="public").set_index(pd.Index(list("abcdef")))
    for column, value in third.items():
        frame.loc["c", column] = value
    return frame


BOW_TIE = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])


@pytest.mark.parametrize(
    ("third", "expected"),
    [
        ({"what": "plan"}, '"plan" is neither "project" nor "policy"'),
        ({"what": None}, "kind"),
        ({"paid": "crowd"}, '"crowd" is not "public"'),
        ({"name": " "}, "empty"),
        ({"name": None}, "title"),
        ({"geometry": BOW_TIE}, "crosses or touches itself"),
        ({"geometry": shapely.MultiPoint([(0, 0), (0, 0)])}, "priced twice"),
        ({"geometry": None}, "no geometry"),
    ],
    ids=str,
)
def test_an_invalid_row_is_named_in_the_error_and_nothing_is_sent(third: Any, expected: str) -> None:
    with FakeService({ADD: added, **UPLOAD_CHECKS}) as service:
        with pytest.raises(InputError, match="'c'") as refused:
            service.project().add_diagrams(WATER, frame_with(**third), title="name", kind="what", funding="paid")
        assert expected in str(refused.value)
        assert service.sent == []


def test_the_error_has_the_rows_that_cannot_be_sent(workshop: Workshop) -> None:
    with pytest.raises(InputError) as refused:
        workshop.project.add_diagrams(WATER, frame_with(geometry=BOW_TIE), title="name")
    (row,) = refused.value.rows
    assert (row["position"], row["row"], row["diagram_id"]) == (2, "c", None)
    assert "crosses or touches itself" in str(row["error"])


def test_the_good_rows_can_be_sent_without_the_others(workshop: Workshop) -> None:
    rows = frame_with(geometry=BOW_TIE)
    report = workshop.project.add_diagrams(WATER, rows, title="name", on_error="skip")
    assert [row["error"] is None for row in report] == [True, True, False, True, True, True]
    assert "crosses or touches itself" in str(report[2]["error"])
    assert len(workshop.project.diagrams(fields="summary")) == 5


def test_the_error_for_an_unknown_title_column_lists_the_columns() -> None:
    with FakeService({ADD: added, **UPLOAD_CHECKS}) as service:
        with pytest.raises(InputError, match=r"nmae.*name"):
            service.project().add_diagrams(WATER, FRAME, title="nmae")
        assert service.requests.total() == 0


# Progress


class Bar:
    """A replacement for `tqdm.tqdm` that records its calls."""

    created: ClassVar[list["Bar"]] = []

    def __init__(self, *, total: int, desc: str, unit: str) -> None:
        self.total, self.done, self.is_closed = total, 0, False
        Bar.created.append(self)

    def update(self, n: int = 1) -> None:
        self.done += n

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    """The progress bars that were created in a test."""
    tqdm = ModuleType("tqdm.auto")
    tqdm.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", tqdm)
    Bar.created = []
    return Bar.created


def test_the_progress_bar_counts_every_row_and_is_closed(bars: list[Bar], workshop: Workshop) -> None:
    workshop.project.add_diagrams(WATER, FRAME, title="name", progress=True)
    assert [(bar.total, bar.done, bar.is_closed) for bar in bars] == [(6, 6, True)]


def test_the_progress_bar_counts_failed_rows_too(bars: list[Bar]) -> None:
    with FakeService({ADD: Response({"detail": "Full"}, 400), **UPLOAD_CHECKS}) as service:
        service.project().add_diagrams(WATER, FRAME, title="name", progress=True)
    assert [(bar.done, bar.is_closed) for bar in bars] == [(6, True)]


@pytest.mark.parametrize("progress", [False, None])
def test_there_is_no_progress_bar_by_default_outside_of_terminals_and_notebooks(
    progress: bool | None, bars: list[Bar], workshop: Workshop
) -> None:
    workshop.project.add_diagrams(WATER, FRAME, title="name", progress=progress)
    assert bars == []


@pytest.mark.parametrize(("progress", "shown"), [(None, 1), (True, 1), (False, 0)])
def test_a_terminal_shows_a_progress_bar_unless_progress_is_false(
    progress: bool | None, shown: int, bars: list[Bar], workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    workshop.project.add_diagrams(WATER, FRAME, title="name", progress=progress)
    assert len(bars) == shown


def test_the_progress_bar_of_tqdm_is_written_to_stderr(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    workshop.project.add_diagrams(WATER, FRAME, title="name", progress=True)
    assert "6/6" in capsys.readouterr().err


def test_progress_without_tqdm_is_an_import_error_and_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with FakeService({ADD: added, **UPLOAD_CHECKS}) as service:
        with pytest.raises(ImportError, match=r"pygeodesign\[notebook\]"):
            service.project().add_diagrams(WATER, FRAME, title="name", progress=True)
        assert service.requests.total() == 0
