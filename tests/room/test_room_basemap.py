"""The room over a basemap of vector tiles: in the page's colours, with credits, on screen, paper and pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from osm_town import write_town
from pygeodesign._basemap.cut import cut_basemap
from room_pages import Room, eventually, joined
from serving import RunningService, running_service

# A place in the town's lake, one in its park and one in the sea.
LAKE, PARK, SEA = (-74.17, 40.58), (-74.132, 40.572), (-74.15, 40.505)
LIGHT = {"lake": "#cddce6", "park": "#e0ead7", "land": "#f4f2ed"}
DARK = {"lake": "#17222c", "park": "#2a342b", "land": "#262b2f"}
SCHEMES: tuple[tuple[Literal["light", "dark"], dict[str, str]], ...] = (("light", LIGHT), ("dark", DARK))
# The colour of the basemap's canvas at a place; none where there is no canvas or nothing on it.
COLOR = """([lon, lat]) => {
  const { leaflet } = geodesignRoom;
  const at = leaflet.latLngToContainerPoint([lat, lon]), holder = leaflet.getContainer().getBoundingClientRect();
  for (const tile of document.querySelectorAll(".leaflet-tile-pane canvas.leaflet-tile-loaded")) {
    const box = tile.getBoundingClientRect(), x = at.x + holder.left - box.left, y = at.y + holder.top - box.top;
    if (x < 0 || y < 0 || x >= box.width || y >= box.height) continue;
    const dot = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    dot.drawImage(tile, -Math.floor(x * tile.width / box.width), -Math.floor(y * tile.height / box.height));
    const dots = dot.getImageData(0, 0, 1, 1).data;
    return dots[3] ? "#" + [...dots].slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join("") : null;
  }
}"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("town")
    cut_basemap(write_town(folder / "town.osm"), None, folder / "town.pmtiles")
    with running_service("--basemap", folder / "town.pmtiles", "--member", "ana") as service:
        yield service


def link_of(service: RunningService) -> str:
    return f"{service.urls[0].removesuffix('api/v1/')}join/#ana:{service.tokens['ana']}"


def shows(page: Page, place: tuple[float, float], color: str | None) -> bool:
    return eventually(lambda: page.evaluate(COLOR, place) == color, page, 10)


def test_land_and_water_have_the_page_s_colours_also_in_the_dark(browser: Browser, service: RunningService) -> None:
    with joined(browser, link_of(service)) as room:
        for scheme, colors in SCHEMES:
            room.page.emulate_media(color_scheme=scheme)
            assert shows(room.page, LAKE, colors["lake"]) and shows(room.page, PARK, colors["park"]), scheme
            # The sea is the page's own colour.
            assert shows(room.page, SEA, None)
        assert room.faults() == []


def test_the_credits_are_on_the_map_also_on_a_phone(browser: Browser, service: RunningService) -> None:
    for width in (1400, 360):
        with joined(browser, link_of(service), width=width) as room:
            shown = room.page.locator(".map-credits")
            expect(shown).to_have_text("© OpenStreetMap contributors")
            expect(shown).to_be_in_viewport(ratio=1)


def test_the_library_is_loaded_for_vector_tiles_alone(browser: Browser, service: RunningService) -> None:
    def loads(room: Room) -> bool:
        return any(url.endswith("/web/vendor/vector_tiles.js") for url in room.requests)

    with joined(browser, link_of(service)) as room:
        assert shows(room.page, LAKE, LIGHT["lake"]) and loads(room)
    with running_service("--member", "ana") as other, joined(browser, link_of(other)) as room:
        assert not loads(room)


def test_names_of_the_basemap_give_way_to_places_of_the_project(browser: Browser, service: RunningService) -> None:
    rules = """async () => {
      const { vectorLayer } = await import("./web/map/vectors.js");
      const layers = [false, true].map((has) => vectorLayer({ url: "none" }, { ink: "#000000", land: "#ffffff" }, has));
      return (await Promise.all(layers)).map(({ layer }) => layer.labelRules.map(({ dataLayer }) => dataLayer));
    }"""
    with joined(browser, link_of(service)) as room:
        without, with_places = room.page.evaluate(rules)
        assert "places" in without and with_places and "places" not in with_places


def test_the_sheet_has_the_basemap_and_its_credits(browser: Browser, service: RunningService) -> None:
    with joined(browser, link_of(service)) as room:
        room.page.get_by_role("button", name="Print", exact=False).first.click()
        picture = room.page.locator(".frame svg image")
        assert eventually(lambda: (picture.get_attribute("href") or "").startswith("data:image/png"), room.page, 10)
        expect(room.page.locator(".foot")).to_contain_text("© OpenStreetMap contributors")
        assert room.faults() == []


def test_a_saved_picture_has_the_basemap(browser: Browser, service: RunningService, tmp_path: Path) -> None:
    from PIL import Image

    with joined(browser, link_of(service)) as room:
        assert shows(room.page, LAKE, LIGHT["lake"])
        x, y = room.share_of(*LAKE)
        with room.page.expect_download() as download:
            room.page.get_by_role("button", name="picture", exact=False).first.click()
        download.value.save_as(tmp_path / "map.png")
        picture = Image.open(tmp_path / "map.png").convert("RGB")
        # Above the map is a line with the title.
        top = 44 * 2
        column, row = int(x * picture.width), int(top + y * (picture.height - top))
        color = picture.crop((column, row, column + 1, row + 1))
        assert "#" + color.tobytes().hex() == LIGHT["lake"]
