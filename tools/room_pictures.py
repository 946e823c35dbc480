"""Takes the pictures of docs/room.md in an installed Chromium.

python tools/room_pictures.py [FOLDER]
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from pygeodesign import Sandbox

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "room"
# Shares of the width and height of the map.
MARSH = [(0.62, 0.44), (0.72, 0.42), (0.74, 0.5), (0.66, 0.53)]
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
        browser.close()


def take_impacts(page: Page, folder: Path) -> None:
    page.locator(".balance > summary").click()
    page.locator(".impact-sums .meter i").first.wait_for(state="attached")
    page.locator(".balance section").screenshot(path=folder / "impacts.png")


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
    draw(phone)
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


def draw(page: Page) -> None:
    """Opens the drawing, and sets the corners of a marsh."""
    page.locator(".tools button.main").click()
    page.locator("form.drawing").wait_for()
    page.wait_for_timeout(500)
    box = page.locator("#views .map").bounding_box()
    assert box is not None
    for x, y in MARSH:
        place = box["x"] + box["width"] * x, box["y"] + box["height"] * y
        page.mouse.move(*place)
        page.mouse.click(*place)
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Finish").click()
    page.get_by_label("Title", exact=True).fill("A marsh behind the beach")
    page.get_by_label("Title", exact=True).blur()
    page.wait_for_timeout(1200)


if __name__ == "__main__":
    main()
