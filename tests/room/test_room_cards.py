"""Cards of members: one design for the room and the command line, to scan or to type."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from commands import output_of_process as output_of
from commands import signed_in
from demo import demo_sandbox
from pygeodesign import Sandbox
from room_pages import joined, link_of
from team_designs import answer, run_evening

LONG = "Maria-Theresa von Habsburg-Lothringen und zu Österreich, Sprecherin der Anwohner"
# Shows cards in a page of the room, without issuing tokens.
SHOW = """async ([project, cards, hasKey]) => {
  const { showCards } = await import(new URL("web/room/cards.js", document.baseURI));
  await showCards(project, { home: new URL("./", document.baseURI), hasKey }, cards, []);
}"""
# The markup of a card; the picture to scan has one mask of several that are as good.
MARKUP = """(pages) => pages.map((page) => {
  page.querySelector(".qr").replaceChildren();
  return page.outerHTML.replace(/\\s*\\n\\s*/g, "\\n");
})"""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        project = sandbox.project()
        for name in ("fay", LONG):
            sandbox.add_user(name)
            project.add_member(name, administrator=name == "fay")
        project.team("Residents").edit(color="#D95F02")
        yield sandbox


def cards(names: list[str]) -> list[dict[str, str]]:
    link = f"https://workshop.local:8443/join/#ana:{'0a' * 20}:{'x' * 43}"
    return [
        {"name": name, "link": link, "token": "0a" * 20, "code": "abcd-2345", "ends": "2030-05-21T18:00:00"}
        for name in names
    ]


def show(page: Page, names: list[str], language: str = "en", has_key: bool = False) -> Any:
    """The dialog with cards for these members, who are in one team."""
    teams = [{"title": "Residents", "color": "#D95F02", "members": names}]
    project = {"language": language, "title": "Staten Island 2050", "teams": teams}
    page.evaluate(SHOW, [project, cards(names), has_key])
    return page.get_by_role("dialog")


def pages_of(page: Page, **paper: Any) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(**paper)))


def test_a_facilitator_prints_cards_and_a_member_types_the_code(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay:
        run_evening(fay)
        fay.page.get_by_role("button", name="Print cards for all members").click()
        expect(fay.page.get_by_role("dialog")).to_contain_text("Phones cannot open 127.0.0.1")
        answer(fay, "Print cards for all members")
        dialog = fay.page.get_by_role("dialog", name="Cards")
        expect(dialog.get_by_role("alert").first).to_contain_text("--host 0.0.0.0")
        expect(dialog.get_by_role("button", name="Print", exact=True)).to_be_visible()
        card = dialog.get_by_role("article").filter(has_text="jose.villanueva")
        expect(card).to_contain_text("Team Residents")
        expect(card.get_by_role("listitem")).to_have_count(3)
        code = card.locator(".code b").inner_text()
    page = browser.new_context(locale="en").new_page()
    page.goto(workshop.url.removesuffix("api/v1/"))
    page.get_by_label("Code or link").fill("ABCD 2345")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text("No valid card has this code")
    page.get_by_label("Code or link").fill(code.upper().replace("-", " "))
    page.get_by_role("button", name="Open").click()
    expect(page.locator(".who")).to_have_text("jose.villanueva")
    page.context.close()


@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_room_and_the_command_line_print_the_same_card(browser: Browser, tmp_path: Path, language: str) -> None:
    with demo_sandbox() as workshop, joined(browser, link_of(workshop, "admin"), locale="en") as room:
        project = workshop.project()
        project.edit(language=language)
        project.team("Residents").edit(color="#D95F02")
        options = ["--cards", "cards.html", "--wifi", "Town hall <1>", "--for-programs", "--json"]
        issued = json.loads(output_of(tmp_path, "tokens", *options, **signed_in(workshop)))
        printed = room.page.context.new_page()
        printed.goto((tmp_path / "cards.html").as_uri())
        codes = printed.locator(".code b").all_inner_texts()
        told = [
            {**row, "name": row["username"], "code": code, "ends": row["expires_at"]}
            for row, code in zip(issued, codes, strict=True)
        ]
        teams = [{**team, "members": project.team(team["id"]).members()} for team in project.teams()]
        room.page.evaluate(SHOW, [{"language": language, "title": "Staten Island 2050", "teams": teams}, told, False])
        room.page.get_by_label("Wi-Fi name").fill("Town hall <1>")
        room.page.get_by_label("Lines for programs").check()
        shown = room.page.locator("article.pass").evaluate_all(MARKUP)
        assert shown == printed.locator("article.pass").evaluate_all(MARKUP)
        assert len(shown) == len(project.members())


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_eight_cards_are_on_a_page_in_every_language(browser: Browser, workshop: Sandbox, paper: str) -> None:
    with joined(browser, link_of(workshop, "fay"), locale="en") as fay:
        for language in ("ar", "de", "en", "es", "fr", "it", "pt-BR"):
            # With the warning of browsers, which has most words.
            dialog = show(fay.page, [f"member {number}" for number in range(9)], language, has_key=True)
            dialog.get_by_label("Wi-Fi name").fill("Town hall")
            assert pages_of(fay.page, format=paper) == 2, language
            dialog.get_by_role("article").last.evaluate("(card) => card.remove()")
            assert pages_of(fay.page, format=paper) == 1, language
            fay.page.keyboard.press("Escape")


def test_a_long_name_makes_its_card_longer(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay"), locale="en") as fay:
        dialog = show(fay.page, [LONG, "M" * 150], has_key=True)
        fits = "(card) => card.scrollWidth <= card.clientWidth && card.scrollHeight <= card.clientHeight"
        for card in dialog.get_by_role("article").all():
            assert card.evaluate(fits)


def test_cards_are_in_the_language_of_the_project_for_a_facilitator_of_another(
    browser: Browser, workshop: Sandbox
) -> None:
    with joined(browser, link_of(workshop, "fay"), locale="en") as fay:
        dialog = show(fay.page, ["ana"], "ar")
        expect(dialog.get_by_role("button", name="Print", exact=True)).to_be_visible()
        expect(dialog.locator(".passes")).to_have_attribute("dir", "rtl")
        expect(dialog.get_by_role("article")).to_contain_text("الرمز")


def test_the_keys_alone_make_cards_ready_to_print(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay"), locale="en") as fay:
        page = fay.page
        page.evaluate("() => { window.print = () => (window.printed = document.querySelector('.passes').innerText); }")
        dialog = show(page, ["ana"])
        dialog.get_by_label("Wi-Fi name").focus()
        page.keyboard.type("Town hall")
        for key in ("Tab", "Space", "Tab", "Enter"):
            page.keyboard.press(key)
        printed = page.evaluate("window.printed")
        assert "Wi-Fi Town hall" in printed and "Token 0a0a" in printed
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_addresses_of_this_machine_and_of_containers_are_out_of_reach(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay:
        reach = """async (hosts) => {
            const { isOutOfReach } = await import(new URL("web/room/session.js", document.baseURI));
            return hosts.filter((host) => isOutOfReach(new URL(`https://${host}/`).hostname));
        }"""
        hosts = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "169.254.1.2", "[fe80::1]", "172.17.0.2", "3f2a9c0b7d1e"]
        others = ["192.168.1.20", "10.0.0.1", "172.18.0.2", "workshop.local", "plan.example.org", "[fd00::1]"]
        assert fay.page.evaluate(reach, hosts + others) == hosts
