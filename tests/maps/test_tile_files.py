"""A basemap from a file of tiles: in the page, without a network, and read as an untrusted file."""

import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from demo import demo_sandbox
from mbtiles import png, write_mbtiles
from pygeodesign import InputError
from pygeodesign._web import tile_file
from pygeodesign._web.tile_file import TileFile

# Staten Island.
BOUNDS = [-74.26, 40.49, -74.05, 40.65]
GREEN = png(120, 200, 120)


def tiles_of(bounds: list[float], zooms: range, data: bytes = GREEN) -> dict[tuple[int, int, int], bytes]:
    """All tiles of a region, by zoom, column and row from the north."""
    found: dict[tuple[int, int, int], bytes] = {}
    for zoom in zooms:
        (first, top), (last, bottom) = (
            tile_file._place(bounds[0], bounds[3], zoom),
            tile_file._place(bounds[2], bounds[1], zoom),
        )
        found |= {(zoom, column, row): data for column in range(first, last + 1) for row in range(top, bottom + 1)}
    return found


@pytest.fixture
def staten(tmp_path: Path) -> Path:
    source = '<a href="https://example.org" onclick="x()">© Example</a> &amp; friends'
    tiles = tiles_of(BOUNDS, range(8, 13)) | {(8, 0, 0): GREEN}
    return write_mbtiles(tmp_path / "staten.mbtiles", tiles, format="png", attribution=source)


@pytest.fixture(scope="module")
def project() -> Iterator[Any]:
    with demo_sandbox() as sandbox:
        yield sandbox.client().project("StatenIsland2050")


def test_the_page_has_the_tiles_of_its_region_and_asks_nobody(
    browser: Browser, project: Any, staten: Path, tmp_path: Path
) -> None:
    page = project.map(basemap=staten, evaluations=False).to_html()
    assert "Basemap: © Example &amp; friends" in page and "onclick" not in page
    (tmp_path / "map.html").write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 900, "height": 700})
    requests: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto((tmp_path / "map.html").as_uri())
    tab.wait_for_function("document.querySelectorAll('.leaflet-tile-loaded').length > 3")
    shown = tab.evaluate("[...document.images].filter(image => image.src.startsWith('data:image/png')).length")
    assert shown > 0
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_tiles_are_named_by_their_row_from_the_north_and_only_the_region_is_read(staten: Path) -> None:
    tiles = TileFile.of(staten).within(BOUNDS)
    assert (tiles.min_zoom, tiles.max_zoom) == (8, 12)
    assert set(tiles.tiles) == {f"{zoom}/{column}/{row}" for zoom, column, row in tiles_of(BOUNDS, range(8, 13))}


def test_levels_are_left_out_that_a_page_cannot_hold(staten: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_file, "MAX_BYTES", 4 * len(GREEN))
    assert TileFile.of(str(staten)).within(BOUNDS).max_zoom < 12


def test_a_view_over_pictures_is_read_as_a_table(staten: Path) -> None:
    database = sqlite3.connect(staten)
    database.execute("ALTER TABLE tiles RENAME TO map")
    database.execute("CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map")
    database.commit()
    database.close()
    assert TileFile.of(staten).within(BOUNDS).max_zoom == 12


@pytest.mark.parametrize(
    "view",
    [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS zoom_level, i AS tile_column, "
        "i AS tile_row, x'00' AS tile_data FROM n WHERE i < 0",
        "SELECT 8 AS zoom_level, 0 AS tile_column, 0 AS tile_row, zeroblob(2000000000) AS tile_data",
        "SELECT 8 AS zoom_level, 0 AS tile_column, 0 AS tile_row, load_extension('x') AS tile_data",
    ],
)
def test_a_view_that_computes_is_refused_at_once(view: str, tmp_path: Path) -> None:
    path = write_mbtiles(tmp_path / "bad.mbtiles", {}, format="png")
    database = sqlite3.connect(path)
    database.execute("DROP TABLE tiles")
    database.execute(f"CREATE VIEW tiles AS {view}")
    database.commit()
    database.close()
    begin = time.process_time()
    with pytest.raises(InputError, match=r"bad\.mbtiles"):
        TileFile.of(path).within(BOUNDS)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    ("tiles", "metadata", "message"),
    [
        ({}, {"format": "pbf"}, "has vector tiles; give one with pictures"),
        ({}, {"format": "png"}, "has no tile from -74.26, 40.49"),
        (tiles_of(BOUNDS, range(9, 10), b"<svg onload=x()>"), {"format": "png"}, "a tile 9/.* that is not a PNG"),
        (tiles_of(BOUNDS, range(9, 10), GREEN + bytes(1_000_000)), {"format": "png"}, "of at most 1000 kB"),
    ],
)
def test_what_is_no_basemap_is_named(tiles: Any, metadata: Any, message: str, tmp_path: Path) -> None:
    path = write_mbtiles(tmp_path / "bad.mbtiles", tiles, **metadata)
    with pytest.raises(InputError, match=message):
        TileFile.of(path).within(BOUNDS)


def test_a_path_that_is_no_file_of_tiles_is_named(tmp_path: Path, project: Any) -> None:
    with pytest.raises(InputError, match=r"missing\.mbtiles cannot be read: No such file"):
        project.map(basemap="missing.mbtiles")
    (tmp_path / "text.mbtiles").write_text("no database")
    with pytest.raises(InputError, match=r"text\.mbtiles is not a file of tiles \(MBTiles\)"):
        project.map(basemap=tmp_path / "text.mbtiles")
    os.mkfifo(tmp_path / "pipe.mbtiles")
    for name in ("pipe.mbtiles", "."):
        with pytest.raises(InputError, match="is not a file"):
            project.map(basemap=tmp_path / name)


def test_the_file_stays_as_it_is(staten: Path) -> None:
    before = staten.read_bytes()
    TileFile.of(staten).within(BOUNDS)
    assert staten.read_bytes() == before and [path.name for path in staten.parent.iterdir()] == ["staten.mbtiles"]
