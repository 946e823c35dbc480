"""Takes the pictures of docs/room.md in an installed Chromium.

python tools/room_pictures.py [FOLDER]
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from pygeodesign import Sandbox

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "room"
MARSH = [(-74.131, 40.559), (-74.107, 40.573), (-74.117, 40.583), (-74.141, 40.569)]
PHONE = {"width": 390, "height": 780}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    where = shutil.which("chromium") or shutil.which("google-chrome")
    with Sandbox() as sandbox, sync_playwright() as playwright:
        sandbox.add_user("ana")
        project = sandbox.project()
        project.add_member("ana")
        project.member("ana").set_selection(["Oakwood Beach tidal marsh restoration", "South Beach dune and seawall"])
        sandbox.add_user("fay")
        project.add_member("fay", administrator=True)
        room = f"{sandbox.url.removesuffix('api/v1/')}join/#"
        link = f"{room}ana:{sandbox.token('ana')}"
        browser = playwright.chromium.launch(args=["--no-sandbox"], executable_path=where)
        take(browser, link, folder)
        take_cards(opened(browser, link, width=760, height=900), folder)
        take_evening(opened(browser, f"{room}fay:{sandbox.token('fay')}", 1360, 900), folder)
        project.set_impacts({"Water": {"Green infrastructure": 2, "Industry & commerce": -2, "Mixed use": 1}})
        take_impacts(opened(browser, link, width=1000, height=900), folder)
        project.add_system("Street trees", "#2E7D32", tag="TRE", cost=1_200)
        take_points(opened(browser, link, width=1000, height=640), folder)
        browser.close()
    for picture in folder.glob("*.png"):
        shrink(picture)


def shrink(picture: Path) -> None:
    """Leaves 256 colours, which takes a third of the bytes."""
    few = Image.open(picture).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


def take_impacts(page: Page, folder: Path) -> None:
    page.locator(".balance > summary").click()
    page.locator(".impact-sums .meter i").first.wait_for(state="attached")
    page.locator(".balance section").screenshot(path=folder / "impacts.png")


def take_points(page: Page, folder: Path) -> None:
    """Takes forty trees along a road, while they are drawn."""
    page.locator(".tools button.main").click()
    form = page.locator("form.drawing")
    form.get_by_role("button", name="Points").click()
    form.get_by_label("System").select_option(label="Street trees")
    page.evaluate("geodesignRoom.leaflet.setView([40.5795, -74.1015], 15, { animate: false })")
    page.wait_for_timeout(800)
    for step in range(40):
        pair, side = divmod(step, 2)
        page.mouse.click(436 + 18 * pair + 26 * side, 454 - 19 * pair + 26 * side)
        page.wait_for_timeout(60)
    form.get_by_label("Title", exact=True).fill("Trees along the railway")
    form.get_by_label("Title", exact=True).blur()
    page.wait_for_timeout(1200)
    page.screenshot(path=folder / "points.png")


def take(browser: Browser, link: str, folder: Path) -> None:
    wide = opened(browser, link, width=1360, height=800)
    wide.screenshot(path=folder / "table.png")
    draw(wide)
    wide.screenshot(path=folder / "drawing.png")
    dark = opened(browser, link, width=1360, height=800, color_scheme="dark")
    dark.locator("#tab-costs").click()
    dark.get_by_label("Show", exact=True).select_option("selection")
    dark.wait_for_timeout(800)
    dark.screenshot(path=folder / "costs.png")
    wide = opened(browser, link, width=1360, height=900)
    wide.locator("#tab-designs").click()
    wide.get_by_role("button", name="Compare", exact=True).click()
    wide.locator("dialog .lists h2").first.wait_for()
    wide.wait_for_timeout(800)
    wide.screenshot(path=folder / "comparison.png")
    wide = opened(browser, link, width=1360, height=900)
    wide.locator("#tab-designs").click()
    wide.get_by_role("button", name="All latest designs side by side").click()
    wide.locator("dialog .matrix").wait_for()
    wide.wait_for_timeout(800)
    wide.screenshot(path=folder / "side-by-side.png")
    wide.keyboard.press("Escape")
    wide.get_by_label("Show", exact=True).select_option(label="Design 3 – with the Residents' parks")
    wide.locator("#tab-diagrams").click()
    wide.locator(".balance > summary").click()
    wide.locator(".balance [data-classes]").first.wait_for()
    wide.wait_for_timeout(800)
    wide.screenshot(path=folder / "designing.png")
    wall = opened(browser, link, width=1920, height=1080)
    wall.goto(wall.url + "?wall")
    wall.locator(".teams li").first.wait_for()
    wall.wait_for_timeout(1000)
    wall.screenshot(path=folder / "wall.png")
    wall.goto(wall.url.split("?")[0] + "?wall=designs")
    wall.locator(".designs-of-wall canvas.leaflet-tile-loaded").first.wait_for()
    wall.wait_for_timeout(1500)
    wall.screenshot(path=folder / "wall-designs.png")
    take_sheet(opened(browser, link, width=1760, height=1350), folder)
    phone = opened(browser, link, **PHONE, has_touch=True, is_mobile=True)
    phone.screenshot(path=folder / "phone.png")
    phone.locator("#tab-diagrams").tap()
    phone.wait_for_timeout(300)
    phone.screenshot(path=folder / "phone-table.png")
    phone.locator(".maptab").tap()
    phone.evaluate("geodesignRoom.leaflet.setView([40.566, -74.124], 13, { animate: false })")
    draw(phone, finishes=False)
    phone.screenshot(path=folder / "phone-drawing.png")


def take_evening(page: Page, folder: Path) -> None:
    """Takes the facilitator's pages: running the evening, and preparing it."""
    page.locator(".who").click()
    page.get_by_role("button", name="Run the evening").click()
    page.locator("#tab-evening").click()
    steps = page.locator(".steps")
    steps.get_by_role("button", name="Run").click()
    page.locator(".history li").first.wait_for()
    page.screenshot(path=folder / "evening.png")
    steps.get_by_role("button", name="Prepare").click()
    page.locator(".systems li").nth(8).wait_for()
    page.screenshot(path=folder / "prepare.png")


CARDS = """async () => {
  const { showCards } = await import(new URL("web/room/cards.js", document.baseURI));
  const teams = [
    { title: "Residents", color: "#D95F02", members: ["Ana Sousa", "Noor Haddad"] },
    { title: "Developers", color: "#2B7BBA", members: ["Ben Reis", "Yuki Tanaka"] },
  ];
  const home = new URL("https://workshop.local:8443/");
  const cards = teams.flatMap(({ members }) => members).sort().map((name, number) => {
    const token = String(number).repeat(40), code = `hk3p-7vm${number + 2}`;
    return { name, token, code, link: `${home}join/#${name}:${token}`, ends: "2030-05-21T22:00:00" };
  });
  await showCards({ language: "en", title: "Staten Island 2050", teams }, { home, hasKey: true }, cards, []);
}"""


def take_cards(page: Page, folder: Path) -> None:
    """Takes four cards as they are printed."""
    page.evaluate(CARDS)
    page.get_by_label("Wi-Fi name").fill("Town hall")
    page.wait_for_timeout(800)
    page.locator(".passes").screenshot(path=folder / "cards.png")


def take_sheet(page: Page, folder: Path) -> None:
    """Takes an A3 sheet as it is printed."""
    page.get_by_label("Show", exact=True).select_option(label="Design 3 – what the budget carries")
    page.wait_for_timeout(800)
    page.get_by_role("button", name="Print", exact=True).click()
    page.get_by_label("Paper").select_option("A3")
    sheet = page.locator(".paper")
    sheet.locator(".frame svg").wait_for()
    sheet.screenshot(path=folder / "sheet.png")


def opened(browser: Browser, link: str, width: int, height: int, **settings: Any) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height}, **settings)
    page.goto(link)
    page.locator("canvas.leaflet-tile-loaded").first.wait_for()
    page.wait_for_timeout(800)
    return page


def draw(page: Page, finishes: bool = True) -> None:
    """Opens the drawing, sets the corners of a marsh, and gives it a title if it is finished."""
    page.locator(".tools button.main").click()
    page.locator("form.drawing").wait_for()
    page.wait_for_timeout(500)
    for place in MARSH:
        at = place_of(page, *place)
        page.mouse.move(*at)
        page.mouse.click(*at)
        page.wait_for_timeout(100)
    if finishes:
        page.get_by_role("button", name="Finish").click()
        page.get_by_label("Title", exact=True).fill("A marsh behind the beach")
        page.get_by_label("Title", exact=True).blur()
    page.wait_for_timeout(1200)


def place_of(page: Page, lon: float, lat: float) -> tuple[float, float]:
    """Pixels of the page."""
    box = page.locator("#views .map").bounding_box()
    assert box is not None
    right, down = page.evaluate("([lon, lat]) => geodesignRoom.shareOf(lon, lat)", [lon, lat])
    return box["x"] + box["width"] * right, box["y"] + box["height"] * down


if __name__ == "__main__":
    main()
