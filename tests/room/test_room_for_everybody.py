"""The room on small screens, in other languages, in the dark, by keyboard and by screen reader; and with a basemap."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from barriers import barriers
from chromium import FAULTS
from demo import demo_sandbox
from local_server import LocalServer, QuietHandler
from mbtiles import png, write_mbtiles
from pygeodesign import Sandbox
from pygeodesign._text import METRIC, short_amount
from room_pages import SQUARE, Room, joined, link_of, opened_in
from serving import running_service

pytestmark = pytest.mark.early

PHONE: dict[str, Any] = {"width": 320, "height": 640, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        sandbox.add_user("ana")
        sandbox.project().add_member("ana")
        sandbox.project().diagram(1001).comment("Is it wide enough?", review=True)
        yield sandbox


def every_part(room: Room) -> Iterator[str]:
    """Opens one part of the room after the other."""
    page = room.page
    yield "the map"
    page.locator("#tab-diagrams").click()
    yield "the table"
    page.locator("#tab-costs").click()
    yield "costs"
    page.locator(".who").click()
    yield "the menu"
    page.keyboard.press("Escape")
    page.locator("#tab-diagrams").click()
    page.locator(".reviews > summary").click()
    yield "reviews asked of you"
    page.locator(".reviews > summary").click()
    page.locator("li.cell .more").first.click()
    yield "a diagram"
    page.locator(".talk > details:last-child > summary").click()
    yield "a review to ask for"
    page.keyboard.press("Escape")
    is_phone = page.locator(".maptab").is_visible()
    if is_phone:
        page.locator(".maptab").click()
    page.locator(".tools button.main").click()
    expect(page.locator("form.drawing")).to_be_visible()
    if is_phone:
        # A phone asks for the title once there is a shape.
        expect(page.locator("form.drawing summary")).to_be_hidden()
        page.wait_for_timeout(400)
        room.tap_corners(SQUARE[:3], page.locator("form.drawing .finish"))
    page.locator("form.drawing summary").click()
    page.wait_for_timeout(300)
    yield "drawing"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, workshop: Sandbox, scheme: str) -> None:
    with joined(browser, link_of(workshop, "ana"), color_scheme=scheme) as room:
        for part in every_part(room):
            assert (part, barriers(room.page)) == (part, [])
        assert room.faults() == []
    with joined(browser, f"{workshop.url.removesuffix('api/v1/')}#ana", wait=False, color_scheme=scheme) as room:
        expect(room.page.get_by_role("alert")).not_to_be_empty()
        assert barriers(room.page) == []


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_narrow_phone_shows_everything_without_scrolling_sideways(
    browser: Browser, workshop: Sandbox, direction: str
) -> None:
    with joined(browser, link_of(workshop, "ana"), **PHONE, locale="de-DE") as room:
        room.page.evaluate(f"document.documentElement.dir = {direction!r}")
        for part in every_part(room):
            wide = room.page.evaluate("document.documentElement.scrollWidth")
            assert (part, wide) == (part, 320)
            small = room.page.evaluate(
                """() => [...document.querySelectorAll("button, select, summary, input:not(.unseen), .leaflet-bar a")]
                .filter((found) => found.checkVisibility())
                .map((found) => [found.closest("label") || found, found])
                .map(([target, found]) => [found.outerHTML.slice(0, 90), target.getBoundingClientRect()])
                .filter(([, { width, height }]) => width > 0 && (width < 24 || height < 24)).map(([html]) => html)"""
            )
            assert (part, small) == (part, [])


def test_texts_numbers_and_dates_are_those_of_the_language_of_the_browser(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana"), locale="de-DE") as room:
        page = room.page
        assert page.evaluate("document.documentElement.lang") == "de"
        page.locator("#tab-costs").click()
        expect(page.locator(".costs h2")).to_have_text("Ganzes Projekt")
        total = f"{workshop.project().costs().total:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")
        expect(page.locator(".total")).to_have_text(total)
        # A member can choose another language.
        page.locator(".who").click()
        page.get_by_label("Sprache").select_option("en")
        expect(page.locator("#tab-costs")).to_have_text("Costs")


@pytest.mark.parametrize(
    ("locale", "language", "direction", "button"),
    [
        ("pt-PT", "pt-BR", "ltr", "Desenhar"),
        ("es-MX", "es", "ltr", "Dibujar"),
        ("ar-EG", "ar", "rtl", "رسم"),
        ("nl-NL", "en", "ltr", "Draw"),
    ],
)
def test_the_page_is_in_the_closest_language_with_a_file(
    browser: Browser, workshop: Sandbox, locale: str, language: str, direction: str, button: str
) -> None:
    with joined(browser, link_of(workshop, "ana"), locale=locale) as room:
        expect(room.page.locator("html")).to_have_attribute("lang", language)
        expect(room.page.locator("html")).to_have_attribute("dir", direction)
        expect(room.page.get_by_role("button", name=button, exact=True)).to_be_visible()
        assert room.faults() == []


@contextmanager
def in_language(workshop: Sandbox, language: str) -> Iterator[None]:
    """The project has this language for a while."""
    workshop.project().edit(language=language)
    yield
    workshop.project().edit(language="")


def test_the_language_of_the_project_comes_before_the_browsers_and_after_the_readers(
    browser: Browser, workshop: Sandbox
) -> None:
    with in_language(workshop, "pt-BR"), joined(browser, link_of(workshop, "ana"), locale="de-DE") as room:
        page, html = room.page, room.page.locator("html")
        expect(html).to_have_attribute("lang", "pt-BR")
        page.get_by_role("button", name="Menu de ana").click()
        page.get_by_label("Idioma").select_option("fr")
        expect(html).to_have_attribute("lang", "fr")
        # The wall has no reader.
        page.goto(f"{room.home}?wall")
        expect(page.locator(".wall h2").first).to_have_text("Equipes")
        expect(html).to_have_attribute("lang", "pt-BR")
        assert room.faults() == []


def test_a_text_that_a_language_lacks_is_in_english(browser: Browser, workshop: Sandbox) -> None:
    context = browser.new_context(locale="fr-FR")
    french = 'export default { costs: "Coûts" };'
    context.route("**/texts/fr.js", lambda route: route.fulfill(content_type="text/javascript", body=french))
    page = opened_in(context, link_of(workshop, "ana")).page
    expect(page.locator("#tab-costs")).to_have_text("Coûts")
    expect(page.locator("#tab-designs")).to_have_text("Designs")
    context.close()


@pytest.mark.parametrize(
    ("locale", "forms"),
    [
        ("en", {0: "0 diagrams", 1: "1 diagram", 2: "2 diagrams"}),
        ("fr", {0: "0 diagramme", 1: "1 diagramme", 2: "2 diagrammes"}),
        ("ar-u-nu-latn", {0: "لا مخططات", 2: "مخططان", 3: "3 مخططات", 11: "11 مخططًا", 100: "100 مخطط"}),
    ],
)
def test_a_count_has_the_form_of_its_language(
    browser: Browser, workshop: Sandbox, locale: str, forms: dict[int, str]
) -> None:
    with joined(browser, link_of(workshop, "ana"), locale=locale) as room:
        # Without the marks that isolate a number in Arabic.
        said = """async (counts) => {
            const { t } = await import(new URL("web/room/texts.js", document.baseURI));
            return counts.map((count) => t("countOfDiagrams", { count }).replace(/[\\u2068\\u2069]/g, ""));
        }"""
        assert room.page.evaluate(said, list(forms)) == list(forms.values())


@pytest.mark.parametrize(
    ("locale", "name", "arrow"),
    [("en", "Team: design", "→"), ("fr", "Team\u00a0: design", "→"), ("ar", "Team: design", "←")],
)
def test_names_and_arrows_stand_as_in_the_language(
    browser: Browser, workshop: Sandbox, locale: str, name: str, arrow: str
) -> None:
    with joined(browser, link_of(workshop, "ana"), locale=locale) as room:
        said = """async () => {
            const { labelled, t } = await import(new URL("web/room/texts.js", document.baseURI));
            return [labelled("Team", "design").replace(/[\\u2068\\u2069]/g, ""), t("becomes")];
        }"""
        assert room.page.evaluate(said) == [name, arrow]


def test_who_has_no_pointer_chooses_and_finds_by_keys(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        page.locator("#tab-diagrams").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#page-costs")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        page.get_by_role("searchbox").fill("ferry")
        first = page.locator("li.cell:visible .choose").first
        first.focus()
        page.keyboard.press("Space")
        expect(first).to_be_checked()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        page.locator("#views .map").focus()
        before = page.locator(".leaflet-control-scale-line").inner_text()
        page.keyboard.press("+")
        page.keyboard.press("+")
        expect(page.locator(".leaflet-control-scale-line")).not_to_have_text(before)


def test_texts_neither_lie_on_each_other_nor_are_cut(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.locator("#tab-costs").click()
        room.page.wait_for_timeout(300)
        faults = room.page.evaluate(FAULTS)
        assert faults == []


def test_a_basemap_of_a_file_lies_below_the_drawings_without_a_network(browser: Browser, tmp_path: Path) -> None:
    tiles = {
        (11, x, y): png(120 + 10 * (x % 5), 180, 120 + 10 * (y % 5)) for x in range(600, 606) for y in range(768, 774)
    }
    about = {"name": "Land", "format": "png", "attribution": "© A survey", "minzoom": "11", "maxzoom": "11"}
    file = write_mbtiles(tmp_path / "land.mbtiles", tiles, **about)
    with running_service("--basemap", file, "--member", "ana") as service:
        link = f"{service.urls[0].removesuffix('api/v1/')}join/#ana:{service.tokens['ana']}"
        with joined(browser, link) as room:
            expect(room.page.locator("img.leaflet-tile-loaded").first).to_be_attached()
            expect(room.page.locator(".panel")).to_contain_text("© A survey")
            assert room.faults() == []


def test_online_tiles_are_asked_of_their_server_alone_which_learns_the_origin(browser: Browser) -> None:
    asked: list[tuple[str, str | None]] = []

    class TileServer(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802
            asked.append((self.path, self.headers["referer"]))
            self.send_response(200)
            self.send_header("content-type", "image/png")
            self.send_body(png(200, 100, 100))

    with LocalServer(TileServer) as tiles:
        address = tiles.origin + "/{z}/{x}/{y}.png"
        with running_service("--basemap", address, "--basemap-credits", "© <b>A</b>", "--member", "ana") as service:
            home = service.urls[0].removesuffix("api/v1/")
            with joined(browser, f"{home}join/#ana:{service.tokens['ana']}") as room:
                expect(room.page.locator("img.leaflet-tile-loaded").first).to_be_attached()
                expect(room.page.locator(".map-credits")).to_have_text("© <b>A</b>")
                assert room.errors == [] and room.page.evaluate("window.violations") == []
                others = {url for url in room.requests if not url.startswith((home, "data:", "blob:"))}
    assert others and others <= {tiles.origin + path for path, _ in asked}
    assert {referrer for _, referrer in asked} == {home}


def test_data_layers_come_from_hosts_that_the_operator_allowed_alone(browser: Browser) -> None:
    with running_service("--allow-host", "tiles.example.org", "--member", "ana") as service:
        link = f"{service.urls[0].removesuffix('api/v1/')}join/#ana:{service.tokens['ana']}"
        with joined(browser, link) as room:

            def answer(route: Route) -> None:
                route.fulfill(content_type="image/png", body=png(200, 100, 100))

            room.page.route("https://tiles.example.org/**", answer)
            room.page.get_by_role("button", name="Menu of ana").click()
            layer = room.page.locator("dialog li", has_text="Land cover 2024")
            layer.get_by_role("checkbox").check()
            expect(room.page.locator("img.leaflet-tile-loaded").first).to_be_attached()
            expect(room.page.locator("dialog li", has_text="Flood zone")).to_contain_text("--allow-host")
            asked = {url.split("/")[2] for url in room.requests if url.startswith("https://")}
            assert asked == {"tiles.example.org"}


@pytest.mark.parametrize("tool", ["Line", "Rectangle", "Freehand"])
def test_every_tool_draws(browser: Browser, workshop: Sandbox, tool: str) -> None:
    title = f"By {tool}"
    with joined(browser, link_of(workshop, "ana")) as room:
        room.open_drawing()
        room.page.get_by_role("button", name=tool).click()
        if tool == "Line":
            room.click_corners([(0.4, 0.4), (0.5, 0.45), (0.55, 0.6)], closes=False)
            room.page.get_by_role("button", name="Finish").click()
        elif tool == "Rectangle":
            room.click_corners([(0.42, 0.42), (0.55, 0.52)], closes=False)
        else:
            room.page.mouse.move(*room.place((0.42, 0.42)))
            room.page.mouse.down()
            for corner in (*SQUARE[1:], SQUARE[0]):
                room.page.mouse.move(*room.place(corner), steps=8)
            room.page.mouse.up()
        room.page.get_by_label("Title", exact=True).fill(title)
        expect(room.page.locator(".preview [data-cost]")).to_be_visible()
        room.send()
        expect(room.cell(title)).to_be_attached()
        shapes = workshop.project().diagram(title).features().to_dict()["features"]
        assert [shape["geometry"]["type"] for shape in shapes] == ["LineString" if tool == "Line" else "Polygon"]


def test_corners_snap_to_drawings_that_are_there_and_are_undone_one_by_one(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    # At sea, where nothing else is near.
    west, south, east, north = -74.09, 40.51, -74.07, 40.52
    square = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    project.add_diagram("Energy", {"type": "Polygon", "coordinates": [square]}, title="There before", outside="allow")
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        expect(room.cell("There before")).to_be_attached()
        room.open_drawing()
        page.wait_for_timeout(300)

        def pixel(lon: float, lat: float) -> tuple[float, float]:
            """From the bounds of the project, which the map shows whole, to shares of the map."""
            return room.place(room.share_of(lon, lat))

        for lon, lat, off in [(west, north, 4), (east, north, -4), (east, south, 4)]:
            x, y = pixel(lon, lat)
            page.mouse.move(x + off, y + off)
            page.wait_for_timeout(40)
            page.mouse.click(x + off, y + off)
            page.wait_for_timeout(60)
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="Redo").click()
        page.get_by_role("button", name="Finish").click()
        page.get_by_label("Title", exact=True).fill("Beside it")
        room.send()
        expect(room.cell("Beside it")).to_be_attached()
        (feature,) = project.diagram("Beside it").features().to_dict()["features"]
        corners = {tuple(round(value, 6) for value in corner) for corner in feature["geometry"]["coordinates"][0]}
        assert corners == {(west, north), (east, north), (east, south)}


@pytest.mark.parametrize(("locale", "scheme"), [("en-US", "light"), ("de-DE", "dark")])
def test_the_address_alone_says_how_to_join_and_how_programs_connect(
    browser: Browser, workshop: Sandbox, locale: str, scheme: str
) -> None:
    home = workshop.url.removesuffix("api/v1/")
    with joined(browser, home, wait=False, **PHONE, locale=locale, color_scheme=scheme) as room:
        page = room.page
        expect(page.locator("h2")).to_have_count(4)
        assert (
            page.locator("main input").evaluate_all("fields => fields.map((field) => !!field.labels.length)")
            == [True] * 3
        )
        expect(page.locator("pre")).to_contain_text(f'Client(token, "{home.removesuffix("/")}")')
        for link in page.locator("main a").all():
            assert page.request.get(f"{home}{link.get_attribute('href')}").ok
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        assert barriers(page) == [] and room.faults() == []


def test_a_pasted_link_opens_the_room(browser: Browser, workshop: Sandbox) -> None:
    home = workshop.url.removesuffix("api/v1/")
    with joined(browser, home, wait=False) as room:
        room.page.get_by_label("Link").fill(link_of(workshop, "ana"))
        room.page.get_by_role("button", name="Open").click()
        expect(room.page.get_by_role("button", name="Menu of ana")).to_be_visible()


def test_figures_are_those_of_python_with_three_significant_digits(browser: Browser, workshop: Sandbox) -> None:
    amounts = [0, 5, 26, 999.4, 999.6, 26_000, 125_000, 490e6, 2e9, 5e9, 13.1e9, -3e6]
    sizes = [0, 0.25, 8, 17, 99.96, 1250]
    with joined(browser, workshop.url.removesuffix("api/v1/"), wait=False) as room:
        money, land, lines = room.page.evaluate(
            """async ([amounts, sizes]) => {
            const { money, hectares, kilometres } = await import("./web/room/texts.js");
            return [amounts.map(money), sizes.map(hectares), sizes.map(kilometres)]; }""",
            [amounts, sizes],
        )
    plain = [[text.replace("\N{NO-BREAK SPACE}", " ") for text in texts] for texts in (money, land, lines)]
    assert plain[0] == [short_amount(amount) for amount in amounts]
    assert plain[1:] == [[METRIC.area_text(size) for size in sizes], [METRIC.length_text(size) for size in sizes]]
    assert plain[0][-4:] == ["2.00 bn", "5.00 bn", "13.1 bn", "-3.00 M"] and plain[1][1] == "0.250 ha"
