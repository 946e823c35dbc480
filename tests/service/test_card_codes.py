"""Codes of cards: eight letters and digits that a member types in place of the card's link."""

import re
from pathlib import Path

import pytest
import requests

from demo import demo_sandbox
from pygeodesign import Client, PermissionDeniedError, RateLimitedError, Sandbox
from room import AUTHOR, OTHER, Room, room

__all__ = ["room"]


def test_the_code_on_a_card_signs_its_holder_in_without_a_token(room: Room) -> None:
    card = room.administrator.member(AUTHOR).add_token()
    typed = f" {card['code'].upper().replace('-', ' ')}"
    answer = requests.post(f"{room.sandbox.url}cards/", json={"code": typed}, timeout=20)
    assert answer.json() == {key: card[key] for key in ("username", "token", "expires_at")}
    assert re.fullmatch("[a-km-z2-9]{4}-[a-km-z2-9]{4}", card["code"]), "without l, 0 and 1"


def test_a_code_ends_with_its_card_and_with_the_membership(room: Room) -> None:
    visitor = Client("visitor", room.sandbox.url)
    author, other = room.administrator.member(AUTHOR), room.administrator.member(OTHER)
    replaced, withdrawn = author.add_token()["code"], author.add_token()["code"]
    author.withdraw_tokens()
    removed = other.add_token()["code"]
    other.remove()
    for code in (replaced, withdrawn, removed, "abcd-2345", "-"):
        with pytest.raises(PermissionDeniedError, match="No valid card has this code"):
            visitor.sign_in(code)
    # Admitted again, a member needs no new card.
    room.administrator.add_member(OTHER)
    assert visitor.sign_in(removed)["username"] == OTHER


def test_other_tokens_have_no_code(room: Room) -> None:
    assert "code" not in room.sandbox.client().add_token(AUTHOR)


def test_an_address_that_guesses_too_often_learns_nothing_even_with_the_right_code() -> None:
    with demo_sandbox(limits={"walk_ins_per_second": 1}) as sandbox:
        code = sandbox.project().member(AUTHOR).add_token()["code"]
        visitor = Client("visitor", sandbox.url, retries=0)
        assert visitor.sign_in(code)["username"] == AUTHOR
        with pytest.raises(RateLimitedError):
            for _ in range(20):
                try:
                    visitor.sign_in("abcd-2345")
                except PermissionDeniedError:
                    continue
        with pytest.raises(RateLimitedError, match="walk_ins_per_second"):
            visitor.sign_in(code)


def test_the_database_has_neither_the_code_nor_the_token(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "demo.sqlite") as sandbox:
        card = sandbox.project().member(AUTHOR).add_token()
        sandbox.client().backup(tmp_path / "copy.sqlite")
    content = (tmp_path / "copy.sqlite").read_bytes()
    for secret in (card["code"], card["code"].replace("-", ""), card["token"]):
        assert secret.encode() not in content and AUTHOR.encode() in content
