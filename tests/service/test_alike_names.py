"""Look-alike names are one name, and titles are found in any form of Unicode."""

import unicodedata
from pathlib import Path

import pytest

from pygeodesign import ApiError, BadRequestError, InputError, Sandbox

COMPOSED = "Ren\u00e9e"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


def status(sandbox: Sandbox, code: str, name: str) -> int:
    try:
        sandbox.client().walk_in(code, name)
    except ApiError as error:
        return error.status_code
    return 201


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (DECOMPOSED, 409),
        (COMPOSED.upper(), 409),
        ("\uff32\uff45\uff4e\u00e9\uff45", 409),
        (f"{COMPOSED} ", 409),
        (f"{COMPOSED}\u200b", 400),
        ("Re\u00adn\u00e9e", 400),
        ("\u202e\u00e9\u00e9neR", 400),
        (" ", 400),
        ("\u3164", 400),
        ("\u2800", 400),
        ("R\u0435n\u00e9e", 400),
        ("\u0391na", 400),
        ("Rene", 201),
        ("\u0420\u0435\u043d\u0435", 201),
        ("\u5c71\u7530 \u3048\u308a", 201),
        ("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", 201),
    ],
)
def test_who_walks_in_has_a_name_that_can_be_told_from_all_others(name: str, expected: int) -> None:
    with Sandbox() as sandbox:
        code = sandbox.project().workshop.open_walk_ins("2099-01-01")["code"]
        assert status(sandbox, code, COMPOSED) == 201
        assert status(sandbox, code, name) == expected


def test_a_name_is_kept_in_the_form_in_which_an_accent_is_part_of_its_letter() -> None:
    with Sandbox() as sandbox:
        code = sandbox.project().workshop.open_walk_ins("2099-01-01")["code"]
        assert sandbox.client().walk_in(code, DECOMPOSED)["username"] == COMPOSED
        assert COMPOSED in sandbox.usernames
        assert sandbox.client(DECOMPOSED).username() == COMPOSED


def test_accounts_that_look_alike_are_refused_and_the_same_one_is_added_again() -> None:
    with Sandbox() as sandbox:
        sandbox.add_user(COMPOSED)
        for same in (COMPOSED, DECOMPOSED):
            sandbox.add_user(same)
        assert sandbox.usernames.count(COMPOSED) == 1
        with pytest.raises(InputError, match=f'name other than .*too much like the user "{COMPOSED}"'):
            sandbox.add_user(COMPOSED.lower())
        with pytest.raises(ApiError, match="too much like the user") as refused:
            sandbox.client().add_user(COMPOSED.upper())
        assert refused.value.status_code == 409
        with pytest.raises(InputError, match=r"invisible character \(U\+200B\)"):
            sandbox.add_user("Zoe\u200b")
        with pytest.raises(BadRequestError, match=r"several scripts \(Cyrillic and Latin\)"):
            sandbox.client().add_user("Z\u043ee")
        with pytest.raises(InputError, match="a name other than"):
            Sandbox(setup={"users": ["Zoe", "ZOE"]})


def test_an_archive_keeps_names_that_look_alike(tmp_path: Path) -> None:
    """Names from before this rule are not refused."""
    with Sandbox() as sandbox:
        sandbox.project().archive(tmp_path / "project.zip")
    with Sandbox(project=None) as sandbox:
        sandbox.add_user("AMARA.OKAFOR")
        sandbox.stop()
    database = tmp_path / "w.sqlite"
    with Sandbox(database, project=None) as sandbox:
        sandbox.add_user("AMARA.OKAFOR")
    with Sandbox(database, project=str(tmp_path / "project.zip")) as sandbox:
        assert {"AMARA.OKAFOR", "amara.okafor"} <= set(sandbox.usernames)


def test_things_are_found_by_titles_in_any_form_of_unicode() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        project.system("Water").edit(name="Verg\u00e9s")
        project.diagram(1001).edit(title="Caf\u00e9")
        for form in ("NFC", "NFD"):
            for title in ("Verg\u00e9s", "VERG\u00c9"):
                assert project.system(unicodedata.normalize(form, title))["id"] == 1
            assert project.diagram(unicodedata.normalize(form, "caf\u00e9")).id == 1001
            design = unicodedata.normalize(form, "Design 2 \u2013 \u00c0 LA CARTE")
            assert project.design(design)["id"] == "d1f716ae2a27950b"
            assert len(project.compare(designs=[design]).designs) == 1
