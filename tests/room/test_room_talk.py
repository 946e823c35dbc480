"""Comments in the room: members answer each other on diagrams, designs and places, and guests read them."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from pygeodesign import Sandbox
from room_pages import Room, joined, link_of, opened_in, workshop

__all__ = ["workshop"]

MARSH = "Oakwood Beach tidal"
HARMFUL = "<img src=x onerror='window.harmed = 1'><b>bold</b>"


def guest_link(workshop: Sandbox) -> str:
    link = workshop.project().workshop.add_link("Press", "2999-06-01", names=True)
    return f"{workshop.url.removesuffix('api/v1/')}join/#Press:{link['token']}"


def about(room: Room, title: str) -> Any:
    """Opens the card of a diagram; returns its comments."""
    room.cell(title).get_by_role("button", name="About").click()
    return room.page.get_by_role("dialog").get_by_role("region", name="Comments")


def write(talk: Any, field: str, text: str) -> None:
    talk.get_by_role("textbox", name=field, exact=True).fill(text)
    talk.get_by_role("button", name=field, exact=True).click()


def test_two_members_answer_each_other_on_a_diagram_and_a_guest_reads_it(browser: Browser, workshop: Sandbox) -> None:
    with (
        joined(browser, link_of(workshop, "ana")) as ana,
        joined(browser, link_of(workshop, "ben"), 390, 844, has_touch=True, is_mobile=True) as ben,
        joined(browser, guest_link(workshop)) as press,
    ):
        asked = about(ana, MARSH)
        write(asked, "Comment", f"Why here? {HARMFUL}")
        ben.page.get_by_role("tab", name="Diagrams").click()
        expect(ben.cell(MARSH)).to_contain_text("Comments (1 open)")
        answered = about(ben, MARSH)
        answered.get_by_role("button", name="Reply to ana").click()
        write(answered, "Reply", "It is low there.")
        expect(asked.get_by_role("article")).to_have_count(2)
        expect(asked.get_by_role("article").last).to_contain_text("It is low there.")
        read = about(press, MARSH)
        expect(read.get_by_role("article").first).to_contain_text(HARMFUL)
        expect(read.get_by_role("textbox")).to_have_count(0)
        expect(read.get_by_role("button")).to_have_count(0)
        answered.get_by_role("button", name="Resolve", exact=True).click()
        expect(asked.get_by_role("heading")).to_have_text("Comments")
        asked.get_by_text("1 resolved thread").click()
        expect(asked).to_contain_text("Resolved by ben")
        asked.get_by_role("button", name="Reopen").click()
        expect(answered.get_by_role("heading")).to_have_text("Comments (1 open)")
        assert ana.page.evaluate("window.harmed") is None
        assert ana.faults() + ben.faults() + press.faults() == []


def test_a_reply_in_hand_stays_while_others_write(browser: Browser, workshop: Sandbox) -> None:
    diagram = workshop.project().diagram(1001)
    question = diagram.comment("Why here?")
    with joined(browser, link_of(workshop, "ana")) as room:
        talk = about(room, MARSH)
        talk.get_by_role("button", name="Reply to admin").click()
        field = talk.get_by_role("textbox", name="Reply")
        field.press_sequentially("It is")
        workshop.project().reply(question, "Who knows?")
        expect(talk.get_by_role("article")).to_have_count(2)
        field.press_sequentially(" low.")
        expect(field).to_have_value("It is low.")
        expect(field).to_be_focused()


def test_a_comment_is_removed_by_its_author_while_it_has_no_reply(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        talk = about(room, MARSH)
        write(talk, "Comment", "A mistake")
        project.diagram(1001).comment("Not ana's")
        expect(talk.get_by_role("article")).to_have_count(2)
        talk.get_by_role("button", name="Remove comment").click()
        room.answer("Remove comment")
        expect(talk.get_by_role("article")).to_have_count(1)
        assert [comment["text"] for comment in project.comments()] == ["Not ana's"]


def test_a_design_has_comments_of_its_own(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as room:
        room.page.get_by_role("tab", name="Designs").click()
        room.page.get_by_role("button", name="Comments: Design 1 – room for the water").click()
        write(room.page.get_by_role("dialog"), "Comment", "Where do the buses go?")
        expect(room.page.get_by_role("dialog").get_by_role("article")).to_contain_text("Where do the buses go?")
        room.page.get_by_role("button", name="Close", exact=True).click()
        expect(room.page.get_by_role("button", name="Comments (1 open): Design 1 – room for the water")).to_be_visible()
        assert workshop.project().design("Design 1 – room").comments()[0]["author"] == "ana"


def test_a_pin_opens_the_thread_of_a_place(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as ana, joined(browser, link_of(workshop, "ben")) as ben:
        ana.page.get_by_role("button", name="Comment on a place").click()
        expect(ana.page.locator(".notice")).to_contain_text("Tap the place on the map")
        ana.page.mouse.click(*ana.place((0.6, 0.5)))
        write(ana.page.get_by_role("dialog"), "Comment", "The bus turns here.")
        expect(ana.page.get_by_role("dialog")).to_have_count(0)
        pin = ben.page.get_by_role("button", name="ana: The bus turns here.")
        pin.press("Enter")
        talk = ben.page.get_by_role("dialog")
        talk.get_by_role("button", name="Reply to ana").click()
        write(talk, "Reply", "Twice an hour.")
        expect(talk.get_by_role("article")).to_have_count(2)
        first, reply = project.comments()
        assert reply["place"] == first["place"] and first["place"]
        assert ana.share_of(*first["place"]) == pytest.approx((0.6, 0.5), abs=0.01)
        # A right-click, or a long press, and the keyboard choose a place, too.
        ben.page.keyboard.press("Escape")
        ben.page.mouse.click(*ben.place((0.5, 0.4)), button="right")
        write(ben.page.get_by_role("dialog"), "Comment", "And here?")
        ben.page.get_by_role("button", name="Comment on a place").press("Enter")
        ben.page.keyboard.press("Enter")
        write(ben.page.get_by_role("dialog"), "Comment", "In the middle")
        expect(ana.page.locator(".pin")).to_have_count(3)
        assert ana.faults() + ben.faults() == []


def test_a_comment_written_without_the_service_arrives_once(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "evening.sqlite"
    with Sandbox(database) as sandbox:
        sandbox.add_user("ana")
        sandbox.project().add_member("ana")
        link, port = link_of(sandbox, "ana"), int(sandbox.url.split(":")[2].split("/")[0])
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        room = opened_in(context, link)
        talk = about(room, MARSH)
        sandbox.stop()
    expect(room.page.locator(".state[data-is=offline]")).to_be_attached()
    write(talk, "Comment", "Written on the train")
    expect(talk).to_contain_text("Written on the train")
    expect(talk).to_contain_text("Kept here, and sent automatically")
    with Sandbox(database, port=port) as sandbox:
        expect(talk.get_by_role("article")).to_contain_text("Written on the train", timeout=20_000)
        room.page.reload()
        expect(room.cell(MARSH)).to_contain_text("Comments (1 open)", timeout=20_000)
        expect(room.page.locator(".waiting h2")).to_have_count(0)
        assert [comment["text"] for comment in sandbox.project().comments()] == ["Written on the train"]
    context.close()


def test_closed_commenting_takes_the_fields_away(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    project.diagram(1001).comment("Why here?")
    with joined(browser, link_of(workshop, "ana")) as room:
        talk = about(room, MARSH)
        expect(talk.get_by_role("textbox", name="Comment")).to_be_visible()
        project.workshop.set_activities(commenting=False)
        expect(talk.get_by_role("textbox", name="Comment")).to_be_hidden()
        expect(talk.get_by_role("button", name="Reply to admin")).to_have_count(0)
