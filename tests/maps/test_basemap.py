"""`serve --basemap FILE`: tiles for the pages, from a foreign file."""

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests

from mbtiles import png, write_mbtiles
from room_pages import TOLD
from serving import error_output, running_service
from workshops_folder import served

GREEN = png(120, 200, 120)
JPEG = b"\xff\xd8\xff\xe0" + bytes(100)
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(100)
# By zoom, column and row from the north. The first is one of those that are looked at when the service starts.
TILES: dict[tuple[int, int, int], Any] = {
    (3, 2, 1): GREEN,
    (3, 2, 6): png(1, 2, 3),
    (4, 0, 0): JPEG,
    (4, 1, 0): WEBP,
    (4, 15, 15): GREEN,
    (4, 2, 0): b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>",
    (4, 3, 0): b"<!DOCTYPE html><script>x()</script>",
    (4, 4, 0): b"\x1f\x8b\x08" + bytes(50),
    (4, 5, 0): b"",
    (4, 6, 0): GREEN + bytes(1_100_000),
    (4, 7, 0): GREEN + bytes(6_000_000),
    (4, 8, 0): "\x89PNG",
    (4, 9, 0): GREEN + bytes(900_000),
}
ABOUT = {
    "format": "png",
    "name": "Staten <i>Island</i>",
    "attribution": '<a href="https://example.org" onclick="x()">© Example</a> &amp; friends</script>',
    "bounds": "-74.26,40.49,-74.05,40.65",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Signs that mean something in an address.
    return write_mbtiles(tmp_path_factory.mktemp("tiles") / "my tiles?mode=rw#1 %41.mbtiles", TILES, **ABOUT)


@pytest.fixture(scope="module")
def address(file: Path) -> Iterator[str]:
    with running_service("--basemap", file) as service:
        yield service.urls[0].removesuffix("/api/v1/")


def tile(address: str, place: str, **headers: str) -> requests.Response:
    return requests.get(f"{address}/basemap/{place}", headers=headers, timeout=20)


def changed(path: Path, *statements: str) -> Path:
    """A file of tiles, after these statements."""
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


# Tiles


def test_a_tile_is_found_by_its_row_from_the_north_and_needs_no_token(address: str) -> None:
    for (zoom, column, row), content in [((3, 2, 1), GREEN), ((3, 2, 6), png(1, 2, 3)), ((4, 15, 15), GREEN)]:
        answer = tile(address, f"{zoom}/{column}/{row}")
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["cache-control"] == "public, max-age=3600"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(("place", "kind", "content"), [("4/0/0", "jpeg", JPEG), ("4/1/0", "webp", WEBP)])
def test_the_type_is_that_of_the_first_bytes(place: str, kind: str, content: bytes, address: str) -> None:
    answer = tile(address, place)
    assert (answer.headers["content-type"], answer.content) == (f"image/{kind}", content)


def test_a_tile_that_a_browser_has_is_not_sent_again(address: str) -> None:
    etag = tile(address, "3/2/1").headers["etag"]
    assert etag != tile(address, "3/2/6").headers["etag"] and etag == tile(address, "4/15/15").headers["etag"]
    again = tile(address, "3/2/1", **{"If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    head = requests.head(f"{address}/basemap/3/2/1", timeout=20)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(GREEN)))
    for method in ("POST", "PUT", "DELETE"):
        assert requests.request(method, f"{address}/basemap/3/2/1", timeout=20).status_code == 405


@pytest.mark.parametrize("place", ["3/2/2", "5/0/0", "0/0/0", "3/8/0", "3/0/8", "30/0/0", "31/0/0", "4294967295/0/0"])
def test_where_there_is_no_tile_the_answer_is_empty_and_no_error(place: str, address: str) -> None:
    answer = tile(address, place)
    assert (answer.status_code, answer.content) == (204, b"") and answer.headers[
        "cache-control"
    ] == "public, max-age=3600"


@pytest.mark.parametrize(
    "place",
    ["", "3/2", "3/2/1/", "3/2/1/0", "3/2/1.png", "-3/2/1", "+3/2/1", "03/2/1", "3/2/x", "3/2/4294967296", "3/2/%20"],
)
def test_what_is_no_place_of_a_tile_is_not_found(place: str, address: str) -> None:
    assert tile(address, place).status_code == 404


@pytest.mark.parametrize("column", range(2, 9))
def test_what_is_no_picture_or_too_large_is_never_sent(column: int, address: str) -> None:
    answer = tile(address, f"4/{column}/0")
    assert answer.status_code == 404 and answer.headers["content-type"] == "application/json"
    assert answer.json() == {"detail": "No such tile: browsers cannot show what the basemap has there."}


def test_many_at_once_get_their_tiles_also_where_few_may_wait(file: Path) -> None:
    with running_service("--basemap", file, "--limit", "basemap_bytes=1") as service, ThreadPoolExecutor(20) as pool:
        address = urljoin(service.urls[0], "/").rstrip("/")
        answers = list(pool.map(lambda place: tile(address, place), ["4/9/0", "3/2/1"] * 20))
    assert {(answer.status_code, len(answer.content)) for answer in answers} == {
        (200, len(GREEN)),
        (200, len(GREEN) + 900_000),
    }


def test_the_page_is_told_what_the_file_says_of_itself_as_text(address: str) -> None:
    (told,) = TOLD.findall(requests.get(f"{address}/", timeout=20).text)
    assert json.loads(told)["basemap"] == {
        "vector": False,
        "min_zoom": 3,
        "max_zoom": 4,
        "bounds": [-74.26, 40.49, -74.05, 40.65],
        "credits": "© Example & friends",
        "name": "Staten Island",
    }


def test_the_file_stays_as_it_is(file: Path, address: str) -> None:
    before = file.read_bytes()
    assert tile(address, "3/2/1").ok
    assert file.read_bytes() == before and [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_service_without_a_basemap_has_no_tiles(tmp_path: Path) -> None:
    with running_service() as service:
        assert requests.get(urljoin(service.urls[0], "/basemap/0/0/0"), timeout=20).status_code == 404
    assert "cannot be used with" in error_output("--no-pages", "--basemap", tmp_path / "staten.mbtiles")


def test_all_workshops_of_a_folder_have_the_basemap_and_a_tile_opens_no_database(file: Path, tmp_path: Path) -> None:
    with served(tmp_path, "spring", "autumn", options=("--basemap", file)) as folder:
        for name in ("spring", "autumn"):
            assert folder.get(f"/w/{name}/basemap/3/2/1", folder.tokens[name]["admin"]).content == GREEN
            assert '"min_zoom":3' in folder.get(f"/w/{name}/").text
            assert not folder.listed()[name]["is_open"]
        assert folder.get("/w/none/basemap/3/2/1").status_code == folder.get("/basemap/3/2/1").status_code == 404


# Files of others


def one_tile(path: Path, data: bytes = GREEN, **metadata: str) -> Path:
    return write_mbtiles(path, {(8, 75, 96): data}, **{"format": "png"} | metadata)


def test_a_view_over_two_tables_is_read_as_other_programs_write_it(tmp_path: Path) -> None:
    path = changed(
        one_tile(tmp_path / "shared.mbtiles"),
        "CREATE TABLE images (tile_id TEXT PRIMARY KEY, tile_data BLOB)",
        "CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT)",
        "CREATE UNIQUE INDEX place ON map (zoom_level, tile_column, tile_row)",
        "INSERT INTO images SELECT 'a', tile_data FROM tiles",
        "INSERT INTO map SELECT zoom_level, tile_column, tile_row, 'a' FROM tiles",
        "DROP TABLE tiles",
        "CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id)",
    )
    path.chmod(0o400)
    with running_service("--basemap", path) as service:
        assert tile(service.urls[0].removesuffix("/api/v1/"), "8/75/96").content == GREEN


NUMBERS = (
    "CREATE TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) "
    "SELECT i FROM n"
)


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS zoom_level, i AS tile_column, "
            "i AS tile_row, x'00' AS tile_data FROM n WHERE i < 0",
            "not authorized",
        ),
        (
            "SELECT 8 AS zoom_level, 0 AS tile_column, 0 AS tile_row, zeroblob(2000000000) AS tile_data",
            "not authorized",
        ),
        ("SELECT 8 AS zoom_level, 0 AS tile_column, 0 AS tile_row, load_extension('x') AS tile_data", "unsafe use of"),
        (
            "SELECT 8 AS zoom_level, 0 AS tile_column, 0 AS tile_row, name AS tile_data FROM pragma_table_list",
            "not a file of tiles",
        ),
        # Nothing in it is forbidden, but a tile is found by counting only.
        (
            "SELECT zoom_level, a.i + b.i AS tile_column, a.i - b.i AS tile_row, tile_data "
            "FROM kept, numbers a, numbers b",
            "has no index: write it again",
        ),
    ],
)
def test_a_view_that_computes_is_refused_at_the_start(view: str, message: str, tmp_path: Path) -> None:
    path = changed(
        one_tile(tmp_path / "bad.mbtiles"), NUMBERS, "ALTER TABLE tiles RENAME TO kept", f"CREATE VIEW tiles AS {view}"
    )
    error = error_output("--basemap", path)
    assert "bad.mbtiles" in error and message in error


def test_a_tile_that_is_not_found_in_time_holds_nobody_up(tmp_path: Path) -> None:
    view = "SELECT zoom_level, a.i + b.i AS tile_column, 0 AS tile_row, tile_data FROM kept, numbers a, numbers b"
    path = changed(
        one_tile(tmp_path / "slow.mbtiles"), NUMBERS, "ALTER TABLE tiles RENAME TO kept", f"CREATE VIEW tiles AS {view}"
    )
    with running_service("--basemap", path) as service, ThreadPoolExecutor(8) as pool:
        address = service.urls[0].removesuffix("/api/v1/")
        slow = [pool.submit(tile, address, "8/1/255") for _ in range(8)]
        begin = time.monotonic()
        assert service.client().projects() and time.monotonic() - begin < 2
        for answer in slow:
            assert answer.result().status_code == 503 and answer.result().headers["retry-after"] == "2"


def text(path: Path) -> Path:
    path.write_text("no database")
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def virtual(path: Path) -> Path:
    return changed(one_tile(path), "CREATE VIRTUAL TABLE search USING fts5(words)")


def cut(path: Path) -> Path:
    one_tile(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path, "cannot be read: No such file"),
        (lambda path: path.parent, "is not a file"),
        (pipe, "is not a file"),
        (text, "is not a file of tiles (MBTiles): file is not a database"),
        (
            lambda path: changed(path, "CREATE TABLE projects (id)"),
            "is not a file of tiles (MBTiles): no such table: metadata",
        ),
        (cut, "is not a file of tiles (MBTiles): "),
        (virtual, "is not a file of tiles (MBTiles): it has a virtual table"),
        (lambda path: one_tile(path, format="pbf"), "its first tile is not a vector tile (MVT)"),
        (lambda path: one_tile(path, b"\x1f\x8b\x08" + bytes(50)), "its first tile is not a PNG, JPEG or WebP"),
        (lambda path: write_mbtiles(path, {}, format="png"), "it has no tile"),
        (lambda path: changed(one_tile(path), "UPDATE tiles SET zoom_level = 99"), "its levels are not numbers from 0"),
        (
            lambda path: changed(one_tile(path), "UPDATE tiles SET zoom_level = 'x'"),
            "is not a file of tiles (MBTiles): ",
        ),
    ],
)
def test_what_is_no_basemap_is_named_before_anything_is_served(
    make: Callable[[Path], Path], message: str, tmp_path: Path
) -> None:
    database = tmp_path / "new" / "workshop.sqlite"
    database.parent.mkdir()
    path = make(tmp_path / "bad.mbtiles")
    error = error_output("--basemap", path, "--db", database)
    assert f"the basemap {path} " in error and message in error
    assert not list(database.parent.iterdir())


def test_a_file_that_another_program_still_writes_is_refused(tmp_path: Path) -> None:
    path = one_tile(tmp_path / "open.mbtiles")
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("UPDATE metadata SET value = 'jpg'")
    database.commit()
    assert "is open in another program" in error_output("--basemap", path)
    database.close()
    with running_service("--basemap", path) as service:
        assert tile(service.urls[0].removesuffix("/api/v1/"), "8/75/96").content == GREEN


def test_a_file_that_is_damaged_while_it_is_served_harms_nobody_else(tmp_path: Path) -> None:
    path = write_mbtiles(tmp_path / "tiles.mbtiles", {(10, column, 0): GREEN for column in range(1000)}, format="png")
    with running_service("--basemap", path) as service:
        address = service.urls[0].removesuffix("/api/v1/")
        assert tile(address, "10/0/0").content == GREEN
        with path.open("r+b") as file:
            file.truncate(8192)
        with requests.Session() as session:
            answers = [session.get(f"{address}/basemap/10/{column}/0", timeout=20) for column in range(1000)]
        assert {answer.status_code for answer in answers} <= {200, 500}
        broken = next(answer for answer in answers if answer.status_code == 500)
        assert broken.json() == {"detail": "The service could not read its basemap."}
        assert service.client().projects()
        service.process.send_signal(signal.SIGTERM)
        # Said once, not for each tile that somebody asks for.
        assert service.process.communicate(timeout=20)[1].count("cannot be read: ") == 1
