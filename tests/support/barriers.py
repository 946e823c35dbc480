"""Barriers to accessibility in a page."""

from importlib.resources import files

from playwright.sync_api import Locator, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def barriers(page: Page, part: Locator | None = None) -> list[str]:
    """The findings of axe in a page or a part of it."""
    page.evaluate(AXE)
    # Passed checks stay in the page: they are megabytes, which take longer to transfer than to find.
    options = f"{{ runOnly: {RULES}, resultTypes: ['violations'] }}"
    run = f"async (part) => (await axe.run(part, {options})).violations"
    found = (part or page.locator("html")).evaluate(run)
    return [f"{rule['help']}: {node['html'][:120]}" for rule in found for node in rule["nodes"]]
