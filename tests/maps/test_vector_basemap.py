"""`serve --basemap FILE.pmtiles`: pictures or vector tiles; and vector tiles in MBTiles."""

import gzip
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests

from mbtiles import png, write_mbtiles
from pmtiles_file import write_pmtiles
from room_pages import TOLD
from serving import error_output, running_service

GREEN, BLUE = png(120, 200, 120), png(120, 120, 200)
# A layer without features: version 2, the name "earth".
EARTH = b"\x1a\x09\x78\x02\x0a\x05earth"
LAYERS = {"vector_layers": [{"id": "earth", "fields": {}}, {"id": "water", "fields": {}}]}


def tile(address: str, place: str, **headers: str) -> requests.Response:
    return requests.get(urljoin(address, f"/basemap/{place}"), headers=headers, timeout=20)


def told(address: str) -> object:
    (text,) = TOLD.findall(requests.get(urljoin(address, "/"), timeout=20).text)
    return json.loads(text)["basemap"]


@pytest.fixture(scope="module", params=["in one directory", "in several directories", "not compressed"])
def pictures(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = write_pmtiles(
        tmp_path_factory.mktemp("tiles") / "pictures.pmtiles",
        {(0, 0, 0): GREEN, (1, 0, 0): BLUE, (2, 1, 0): GREEN},
        # Of (1, 0, 0) and the next two on the curve.
        runs={(1, 0, 0): 3},
        has_leaves=request.param == "in several directories",
        packing=1 if request.param == "not compressed" else 2,
        metadata={"name": "Land", "attribution": "<a href='https://example.org'>© A survey</a>"},
    )
    with running_service("--basemap", path) as service:
        yield service.urls[0]


def test_a_picture_is_found_by_its_place(pictures: str) -> None:
    found = {(0, 0, 0): GREEN, (1, 0, 0): BLUE, (1, 0, 1): BLUE, (1, 1, 1): BLUE, (2, 1, 0): GREEN}
    for place, content in found.items():
        answer = tile(pictures, "/".join(map(str, place)))
        assert (answer.status_code, answer.content) == (200, content), place
        assert answer.headers["content-type"] == "image/png" and "content-encoding" not in answer.headers
        assert answer.headers["cache-control"] == "public, max-age=3600"
        etag = answer.headers["etag"]
        assert tile(pictures, "/".join(map(str, place)), **{"If-None-Match": etag}).status_code == 304


def test_where_there_is_no_picture_the_answer_is_empty(pictures: str) -> None:
    for place in ("1/1/0", "2/0/0", "2/3/3", "9/0/0", "30/1073741823/1073741823"):
        assert tile(pictures, place).status_code == 204, place


def test_the_page_has_what_the_file_says_of_itself(pictures: str) -> None:
    assert told(pictures) == {
        "vector": False,
        "min_zoom": 0,
        "max_zoom": 2,
        "bounds": [-74.26, 40.49, -74.05, 40.65],
        "credits": "© A survey",
        "name": "Land",
    }


@pytest.mark.parametrize("ending", ["pmtiles", "mbtiles"])
def test_vector_tiles_are_sent_as_they_are_compressed(ending: str, tmp_path: Path) -> None:
    path, tiles = tmp_path / f"vectors.{ending}", {(0, 0, 0): gzip.compress(EARTH), (1, 0, 0): EARTH, (1, 0, 1): GREEN}
    if ending == "pmtiles":
        write_pmtiles(path, tiles, "mvt", tile_packing=2, metadata=LAYERS)
    else:
        write_mbtiles(path, tiles, format="pbf", json=json.dumps(LAYERS))
    with running_service("--basemap", path) as service:
        address = service.urls[0]
        for place, encoding in (("0/0/0", "gzip"), ("1/0/0", None)):
            answer = tile(address, place)
            # The client of this test unpacks it, as browsers do.
            assert (answer.status_code, answer.content) == (200, EARTH)
            assert answer.headers["content-type"] == "application/vnd.mapbox-vector-tile"
            assert answer.headers.get("content-encoding") == encoding
        assert tile(address, "1/0/1").status_code == 404 and tile(address, "1/1/1").status_code == 204
        about = told(address)
        assert isinstance(about, dict) and about["vector"] is True


def changed(path: Path, place: int, content: bytes) -> Path:
    """The file with other bytes at a place."""
    whole = path.read_bytes()
    path.write_bytes(whole[:place] + content + whole[place + len(content) :])
    return path


def cut(path: Path) -> Path:
    write_pmtiles(path, {(0, 0, 0): GREEN})
    path.write_bytes(path.read_bytes()[:-10])
    return path


def text(path: Path) -> Path:
    path.write_text("no tiles")
    return path


def header_alone(path: Path) -> Path:
    path.write_bytes(b"PMTiles\x03" + bytes(20))
    return path


def one(path: Path, content: bytes = GREEN, kind: str = "png", **options: object) -> Path:
    return write_pmtiles(path, {(0, 0, 0): content}, kind, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (text, 'it does not begin with "PMTiles"'),
        (header_alone, "it is cut off"),
        (cut, "it is cut off: it has "),
        (lambda path: changed(one(path), 7, b"\x02"), "it has version 2, and version 3 is supported"),
        (lambda path: one(path, kind="avif"), "its tiles are AVIF"),
        (lambda path: one(path, kind="other"), "its tiles are of an unknown type (0)"),
        (lambda path: one(path, packing=3), "its directories are compressed as Brotli"),
        (lambda path: one(path, EARTH, "mvt", tile_packing=4), "its tiles are compressed as zstd"),
        (lambda path: one(path, EARTH), "its first tile is not a PNG, JPEG or WebP of at most 1024 KiB"),
        (lambda path: one(path, GREEN, "mvt"), "its first tile is not a vector tile (MVT) of at most 1024 KiB"),
        (lambda path: write_pmtiles(path, {}), "it has no tile"),
        (lambda path: one(path, zooms=(0, 40)), "its levels are not numbers from 0 to 30"),
        (lambda path: one(path, metadata=b"<xml>"), "its metadata are not JSON"),
        # More entries than there are bytes, and tiles beyond the end of their section.
        (lambda path: changed(one(path, packing=1), 127, b"\xff"), "a directory is damaged"),
        (lambda path: changed(one(path, packing=1), 130, b"\xff\x7f"), "has an entry outside of its section"),
        (lambda path: changed(one(path), 127, bytes(8)), "is not a file of tiles (PMTiles): "),
    ],
)
def test_a_file_that_cannot_be_used_is_named_before_anything_is_served(
    make: Callable[[Path], Path], message: str, tmp_path: Path
) -> None:
    path = make(tmp_path / "bad.pmtiles")
    error = error_output("--basemap", path)
    assert f"the basemap {path} is not a file of tiles (PMTiles): " in error and message in error


@pytest.mark.parametrize("ending", ["pmtiles", "mbtiles"])
def test_vector_tiles_of_another_schema_are_refused_with_their_layers(ending: str, tmp_path: Path) -> None:
    other = {"vector_layers": [{"id": "transportation"}, {"id": "waterway"}]}
    path, tiles = tmp_path / f"other.{ending}", {(0, 0, 0): EARTH}
    if ending == "pmtiles":
        write_pmtiles(path, tiles, "mvt", metadata=other)
    else:
        write_mbtiles(path, tiles, format="pbf", json=json.dumps(other))
    error = error_output("--basemap", path)
    assert "has vector tiles of another schema, with the layers transportation, waterway" in error


def test_a_file_that_is_cut_off_while_it_is_served_harms_nobody_else(tmp_path: Path) -> None:
    path = write_pmtiles(tmp_path / "tiles.pmtiles", {(0, 0, 0): GREEN, (1, 0, 0): BLUE})
    with running_service("--basemap", path) as service:
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size - 10)
        assert tile(service.urls[0], "0/0/0").content == GREEN
        broken = tile(service.urls[0], "1/0/0")
        assert (broken.status_code, broken.json()) == (500, {"detail": "The service could not read its basemap."})
        assert service.client().projects()
        service.process.send_signal(signal.SIGTERM)
        assert "cannot be read: " in service.process.communicate(timeout=20)[1]
