"""Ctrl-C ends conversions of large collections and the preparation of uploads."""

import gc
import json
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import shapely

from fault_server import unused_url
from interrupting import seconds_until_interrupt
from pygeodesign import Client, FeatureCollection, InputError, Project, TransportError, measure

pytestmark = [pytest.mark.unix, pytest.mark.alone("time until Ctrl-C ends them"), pytest.mark.slow]

# Vertices per polygon, and polygons: some ten megabytes, whose conversions take a few tenths of a second or more.
VERTICES = 500
POLYGONS = 1_500
# Seconds. The documentation promises 0.2 s; a slow test machine may need longer.
SOON = 0.2
# Seconds in which unfinished files must be gone.
LONG = 30.0


@pytest.fixture(scope="module")
def feature() -> dict[str, Any]:
    circle = shapely.Point(-74.15, 40.57).buffer(0.01, quad_segs=VERTICES // 4)
    return {"type": "Feature", "properties": {"areatype": "red"}, "geometry": shapely.geometry.mapping(circle)}


@pytest.fixture(scope="module")
def bodies(feature: dict[str, Any]) -> dict[str, bytes]:
    return bodies_of(feature, POLYGONS)


def bodies_of(feature: dict[str, Any], count: int) -> dict[str, bytes]:
    """The same feature many times, as a collection and as a diagram."""
    features = ",".join([json.dumps(feature)] * count)
    collection = f'{{"type": "FeatureCollection", "features": [{features}]}}'
    return {"collection": collection.encode(), "diagrams": f'[{{"id": 1, "geojson": {collection}}}]'.encode()}


@pytest.fixture(params=["collection", "diagrams"])
def body(request: pytest.FixtureRequest, bodies: dict[str, bytes]) -> bytes:
    return bodies[request.param]


def collection_of(body: bytes) -> FeatureCollection:
    return FeatureCollection._from_body(body, body.startswith(b"["))


def assert_interruptible(call: Callable[[], Any]) -> None:
    """Ctrl-C a while after the start ends a call in a fraction of the time that the rest of it would take."""
    started = time.monotonic()
    result = call()
    whole = time.monotonic() - started
    del result

    def call_for_ever() -> None:
        while True:
            call()

    started = time.monotonic()
    delay = seconds_until_interrupt(lambda: time.monotonic() - started > whole / 10, call_for_ever)
    assert delay < max(SOON, whole / 3)


@pytest.mark.parametrize(
    "convert",
    [FeatureCollection.to_dict, list, lambda collection: collection["features"], FeatureCollection.problems, measure],
    ids=["to_dict", "list", "features", "problems", "measure"],
)
def test_ctrl_c_ends_a_conversion(convert: Callable[[FeatureCollection], Any], body: bytes) -> None:
    collection = collection_of(body)
    assert_interruptible(lambda: convert(collection))


@pytest.mark.parametrize("layout", ["collection", "diagrams"])
def test_ctrl_c_ends_writing_a_file_and_leaves_the_one_that_was_there(
    layout: str, feature: dict[str, Any], tmp_path: Path
) -> None:
    # Enough for writing to take longer than interrupting it.
    collection, path = collection_of(bodies_of(feature, 5 * POLYGONS)[layout]), tmp_path / "features.geojson"
    path.write_text("before", encoding="utf-8")

    def has_begun() -> bool:
        return len(list(tmp_path.iterdir())) > 1

    assert seconds_until_interrupt(has_begun, lambda: collection.to_file(path)) < 5 * SOON
    assert wait_until(lambda: not has_begun())
    assert path.read_text(encoding="utf-8") == "before"


def test_ctrl_c_ends_reading_a_pickled_collection(body: bytes) -> None:
    assert_interruptible(lambda: collection_of(body))


def test_ctrl_c_ends_reading_feature_json(feature: dict[str, Any]) -> None:
    geometry = {
        "rings": feature["geometry"]["coordinates"],
        "spatialReference": {"wkid": 4326},
    }
    esri: Any = {"attributes": {"a": 1}, "geometry": geometry}
    assert_interruptible(lambda: FeatureCollection.from_esri([esri] * POLYGONS))


def test_objects_of_an_interrupted_conversion_are_dropped(bodies: dict[str, bytes]) -> None:
    collection = collection_of(bodies["collection"])
    collection.to_dict()
    gc.collect()
    before = len(gc.get_objects())
    assert_interruptible(collection.to_dict)
    # Collecting garbage would visit all of them, and waits until they are gone.
    assert wait_until(lambda: len(gc.get_objects()) < before + 1_000)
    assert wait_until(gc.isenabled)


def wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LONG
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


# Uploads


@pytest.fixture(scope="module")
def areas(feature: dict[str, Any]) -> gpd.GeoDataFrame:
    shape = shapely.geometry.shape(feature["geometry"])
    shapes = np.full(POLYGONS, shape, dtype=object)
    return gpd.GeoDataFrame({"areatype": "red", "name": "Area", "geometry": shapes}, crs=4326)


UPLOADS: dict[str, Callable[[Project, gpd.GeoDataFrame], Any]] = {
    "add_diagram": lambda project, areas: project.add_diagram(1, areas, title="Areas"),
    "add_diagrams": lambda project, areas: project.add_diagrams(1, areas, title="name", progress=False),
    "set_evaluation": lambda project, areas: project.system(1).set_evaluation(areas),
    "set_impact": lambda project, areas: project.system(1).set_impact(areas),
}


@pytest.mark.parametrize("upload", UPLOADS)
def test_ctrl_c_ends_the_preparation_of_an_upload(upload: str, areas: gpd.GeoDataFrame) -> None:
    project = Client("token", unused_url(), retries=0).project("FakeProject00001")

    def send() -> None:
        # Nothing listens, and a diagram may not have the same area twice: the time is that of the preparation.
        with suppress(TransportError, InputError):
            UPLOADS[upload](project, areas)

    assert_interruptible(send)


class InterruptingLabel:
    """The label of a row; Ctrl-C is pressed while it is asked for its text."""

    def __repr__(self) -> str:
        signal.raise_signal(signal.SIGINT)
        return "a label"


@pytest.mark.parametrize("heights", [{}, {"min_height": "tall"}], ids=["good rows", "bad rows"])
@pytest.mark.parametrize("upload", ["add_diagram", "add_diagrams"])
def test_ctrl_c_is_no_problem_of_a_row(upload: str, heights: dict[str, str], areas: gpd.GeoDataFrame) -> None:
    project = Client("token", unused_url(), retries=0).project("FakeProject00001")
    rows = areas.head(2).assign(**heights).set_axis([InterruptingLabel(), InterruptingLabel()])
    with pytest.raises(KeyboardInterrupt):
        UPLOADS[upload](project, rows)


def test_ctrl_c_while_a_progress_bar_is_drawn_ends_the_call(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    class InterruptingBar:
        pressed = False

        def update(self, count: int) -> None:
            # Once: a slow machine draws the bar again, and a second Ctrl-C would end whatever follows the call.
            if not self.pressed:
                self.pressed = True
                signal.raise_signal(signal.SIGINT)

        def close(self) -> None: ...

    monkeypatch.setattr("pygeodesign._progress.bar", lambda *arguments: InterruptingBar())
    with pytest.raises(KeyboardInterrupt):
        project.thumbnails(progress=True)
