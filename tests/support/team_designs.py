"""Teams that make designs and save them in the room."""

from playwright.sync_api import expect

from room_pages import Room


def save_choice(room: Room, titles: list[str], design: str) -> None:
    """Chooses diagrams, and saves them as a design of the member's team."""
    page = room.page
    page.locator("#tab-diagrams").click()
    for title in titles:
        room.box(title).check()
    page.locator("#tab-designs").click()
    expect(page.locator(".saving [role=status]")).to_contain_text(str(len(titles)))
    page.get_by_label("Title of the design").fill(design)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name=f"Show the design {design}")).to_be_visible()


def run_evening(room: Room, step: str = "Run") -> None:
    """Opens a page of the facilitator's day."""
    room.page.locator(".who").click()
    room.page.get_by_role("button", name="Run the evening").click()
    room.page.locator("#tab-evening").click()
    choose_step(room, step)


def choose_step(room: Room, step: str) -> None:
    room.page.locator(".steps").get_by_role("button", name=step).click()
    expect(room.page.locator(".evening h2").first).to_be_visible()


def answer(room: Room, action: str) -> None:
    """Says yes to a question of the page."""
    room.page.get_by_role("dialog").get_by_role("button", name=action).click()
    expect(room.page.locator("dialog.ask")).to_have_count(0)
