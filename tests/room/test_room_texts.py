"""The room's texts: every language has all of them, with the same values in every plural form."""

import re
from pathlib import Path

import pytest

FOLDER = Path("web/room/texts")
LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.js"))
CATEGORY = re.compile(r"(zero|one|two|few|many|other):")
CHOICE = Path("web/room/texts.js")
HISTORY = Path("crates/service/src/store/history.rs")


def texts(language: str) -> dict[str, str]:
    """The texts of a language, a line each."""
    lines = (FOLDER / f"{language}.js").read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r'  (\w+): "(.*)",', line) for line in lines if line.startswith("  ")]
    assert None not in found
    return {match[1]: match[2] for match in found if match}


def values(text: str) -> set[str]:
    """The names of the values in a text."""
    return set(re.findall(r"\{(\w+)\}", text))


ENGLISH = texts("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_missing_and_none_is_unknown(language: str) -> None:
    found = texts(language)
    assert {"missing": sorted(ENGLISH.keys() - found), "unknown": sorted(found.keys() - ENGLISH)} == {
        "missing": [],
        "unknown": [],
    }
    assert list(found) == list(ENGLISH)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_of_a_text_has_the_values_of_the_english_one(language: str) -> None:
    """A form for one or two may say the number in words."""
    wrong = [
        (name, form)
        for name, text in texts(language).items()
        for form in text.split("|")
        if values(form) | {"count"} != values(ENGLISH.get(name, "")) | {"count"}
        or ("count" in values(form) and "count" not in values(ENGLISH.get(name, "")))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_forms_are_two_or_have_their_categories(language: str) -> None:
    forms = {name: text.split("|") for name, text in texts(language).items() if "|" in text}
    named = {name: [CATEGORY.match(form) for form in found] for name, found in forms.items()}
    assert [name for name, found in named.items() if any(found) and not all(found)] == []
    assert [name for name, found in named.items() if not any(found) and len(found) != 2] == []
    categories = {name: [match[1] for match in found if match] for name, found in named.items() if all(found)}
    assert [name for name, found in categories.items() if found[-1] != "other" or len(set(found)) < len(found)] == []


def test_the_languages_are_those_that_the_menu_offers() -> None:
    listed = re.search(r"const LANGUAGES = \{(.*?)\};", CHOICE.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    assert sorted(re.findall(r'"?([\w-]+)"?: "', listed[1])) == LANGUAGES


def test_every_operation_that_members_see_in_the_history_has_a_text() -> None:
    listed = re.search(r"READ_BY_MEMBERS: \[&str; \d+\] = \[(.*?)\];", HISTORY.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    assert [name for name in re.findall(r'"(\w+)"', listed[1]) if f"did_{name}" not in ENGLISH] == []


def test_every_text_that_the_pages_name_exists() -> None:
    pages = [*Path("web/room").glob("*.js"), *Path("web/widget").glob("*.js")]
    named = {name for page in pages for name in re.findall(r'\bt\("(\w+)"', page.read_text(encoding="utf-8"))}
    assert sorted(named - ENGLISH.keys()) == []
