"""Reviews in the room: a member asks others to look at a diagram or a design, they answer and mark it as reviewed."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from pygeodesign import Sandbox
from room_pages import Room, joined, link_of, opened_in, workshop

__all__ = ["workshop"]

MARSH = "Oakwood Beach tidal"
DESIGN = "Design 1 – room for the water"


def about(room: Room, title: str) -> Any:
    """Opens the card of a diagram; returns its comments."""
    room.cell(title).get_by_role("button", name="About").click()
    return room.page.get_by_role("dialog").get_by_role("region", name="Comments")


def ask(talk: Any, question: str, *members: str) -> None:
    talk.get_by_text("Ask for a review").click()
    for member in members:
        talk.get_by_role("checkbox", name=member, exact=True).check()
    talk.get_by_role("textbox", name="Question for the reviewers").fill(question)
    talk.get_by_role("button", name="Ask for a review").click()


def close(room: Room) -> None:
    room.page.get_by_role("button", name="Close", exact=True).click()


def test_one_member_asks_another_answers_and_marks_it_as_reviewed(browser: Browser, workshop: Sandbox) -> None:
    workshop.add_user("cleo")
    workshop.project().add_member("cleo")
    with (
        joined(browser, link_of(workshop, "ana")) as ana,
        joined(browser, link_of(workshop, "ben"), 390, 844, has_touch=True, is_mobile=True) as ben,
        joined(browser, link_of(workshop, "cleo")) as cleo,
    ):
        asked = about(ana, MARSH)
        ask(asked, "Is the marsh wide enough?", "ben")
        expect(asked).to_contain_text("Review requested from ben")
        expect(asked.get_by_role("textbox", name="Question for the reviewers")).to_be_hidden()
        expect(ana.page.get_by_text("Asked of you")).to_be_hidden()

        ben.page.get_by_text("Asked of you (1)").click()
        ben.page.get_by_role("tab", name="Diagrams").click()
        expect(ben.cell(MARSH)).to_contain_text("Asked of you")
        ben.page.locator(".reviews").get_by_role("button", name=MARSH).click()
        answering = ben.page.get_by_role("dialog").get_by_role("region", name="Comments")
        answering.get_by_role("button", name="Reply to ana").click()
        answering.get_by_role("textbox", name="Reply").fill("Yes, for one storm.")
        answering.get_by_role("button", name="Reply", exact=True).click()
        expect(asked.get_by_role("article").last).to_contain_text("Yes, for one storm.")

        # A member who is not asked reads and answers, but does not close it.
        expect(cleo.cell(MARSH)).not_to_contain_text("Asked of you")
        read = about(cleo, MARSH)
        expect(read.get_by_role("button", name="Reply to ana")).to_be_visible()
        expect(read.get_by_role("button", name="Mark as reviewed")).to_have_count(0)

        answering.get_by_role("button", name="Mark as reviewed").click()
        asked.get_by_text("1 resolved thread").click()
        expect(asked).to_contain_text("Reviewed by ben")
        expect(ben.page.locator(".reviews")).to_be_hidden()
        expect(ben.cell(MARSH)).not_to_contain_text("Asked of you")
        assert ana.faults() + ben.faults() + cleo.faults() == []


def test_a_review_of_a_design_asks_all_and_is_asked_again_once_reopened(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as ana, joined(browser, link_of(workshop, "ben")) as ben:
        ana.page.get_by_role("tab", name="Designs").click()
        ana.page.get_by_role("button", name=f"Comments: {DESIGN}").click()
        ask(ana.page.get_by_role("dialog"), "What is missing?")
        ben.page.get_by_role("tab", name="Designs").click()
        expect(ben.page.get_by_role("button", name=f"Comments (1 open) · Asked of you: {DESIGN}")).to_be_visible()
        ben.page.get_by_text("Asked of you (1)").click()
        ben.page.get_by_role("button", name=DESIGN, exact=True).click()
        ben.page.get_by_role("button", name="Mark as reviewed").click()
        expect(ben.page.get_by_text("Asked of you (1)")).to_be_hidden()
        ana.page.get_by_text("1 resolved thread").click()
        ana.page.get_by_role("button", name="Reopen").click()
        close(ben)
        expect(ben.page.get_by_text("Asked of you (1)")).to_be_visible()
        (review,) = workshop.project().design(DESIGN).comments()
        assert (review["review"], review["asked"], review["resolved"]) == (True, [], False)


def test_guests_read_a_review_and_are_not_asked(browser: Browser, workshop: Sandbox) -> None:
    workshop.project().diagram(1001).comment("Ready?", review=True)
    link = workshop.project().workshop.add_link("Press", "2999-06-01", names=True)
    with joined(browser, f"{workshop.url.removesuffix('api/v1/')}join/#Press:{link['token']}") as press:
        expect(press.page.get_by_text("Asked of you")).to_be_hidden()
        read = about(press, MARSH)
        expect(read).to_contain_text("Review requested")
        expect(read.get_by_text("Ask for a review")).to_be_hidden()
        expect(read.get_by_role("button")).to_have_count(0)


def test_a_review_asked_for_without_the_service_arrives_once(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "evening.sqlite"
    with Sandbox(database) as sandbox:
        for name in ("ana", "ben"):
            sandbox.add_user(name)
            sandbox.project().add_member(name)
        link, port = link_of(sandbox, "ana"), int(sandbox.url.split(":")[2].split("/")[0])
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        room = opened_in(context, link)
        talk = about(room, MARSH)
        sandbox.stop()
    expect(room.page.locator(".state[data-is=offline]")).to_be_attached()
    ask(talk, "Written on the train", "ben")
    expect(talk).to_contain_text("Kept here, and sent automatically")
    with Sandbox(database, port=port) as sandbox:
        expect(talk).to_contain_text("Review requested from ben", timeout=20_000)
        (review,) = sandbox.project().comments()
        assert (review["text"], review["asked"]) == ("Written on the train", ["ben"])
    context.close()
