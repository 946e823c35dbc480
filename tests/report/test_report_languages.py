"""The texts of reports and posters: every language has all of them, and missing ones are in English."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from parsed_html import ParsedHtml
from pygeodesign import InputError, Sandbox
from pygeodesign._language import LANGUAGES, in_digits, moment, percent, speaking, t, texts_of
from pygeodesign._text import short_amount, short_number

PACKAGE = Path("python/pygeodesign")
ENGLISH = texts_of("en")
CATEGORY = re.compile(r"(zero|one|two|few|many|other):")
NO_BREAK = "\N{NARROW NO-BREAK SPACE}"


@pytest.fixture(scope="module")
def demo() -> Any:
    with Sandbox() as sandbox:
        return sandbox.project().compare()


def values(text: str) -> set[str]:
    """The names of the values in a text."""
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_missing_and_none_is_unknown(language: str) -> None:
    found = texts_of(language)
    assert {"missing": sorted(ENGLISH.keys() - found), "unknown": sorted(found.keys() - ENGLISH)} == {
        "missing": [],
        "unknown": [],
    }
    assert list(found) == sorted(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_of_a_text_has_the_values_of_the_english_one(language: str) -> None:
    """A form for one or two may say the number in words."""
    wrong = [
        (key, form)
        for key, text in texts_of(language).items()
        for form in text.split("|")
        if values(form) | {"count"} != values(ENGLISH[key]) | {"count"}
        or ("count" in values(form) and "count" not in values(ENGLISH[key]))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_forms_are_two_or_have_their_categories(language: str) -> None:
    forms = {key: text.split("|") for key, text in texts_of(language).items() if "|" in text}
    named = {key: [CATEGORY.match(form) for form in found] for key, found in forms.items()}
    assert [key for key, found in named.items() if not all(found) and (any(found) or len(found) != 2)] == []
    assert [key for key, found in forms.items() if all(named[key]) and not found[-1].startswith("other:")] == []


def test_the_languages_are_those_of_projects_and_of_the_room() -> None:
    assert sorted(path.stem for path in (PACKAGE / "_texts").glob("*.json")) == list(LANGUAGES)
    assert sorted(path.stem for path in Path("web/room/texts").glob("*.js")) == list(LANGUAGES)


def test_every_text_that_the_package_names_exists() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    assert sorted(set(re.findall(r'\bt\("(\w+)"', code)) - ENGLISH.keys()) == []


def test_a_text_that_a_language_lacks_is_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(texts_of("de"), "total")
    with speaking("de"):
        assert (t("total"), t("system")) == ("Total", "System")


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", ["1,250", "0.250", "12,345.6", "13.1 bn", "20%"]),
        ("de", ["1.250", "0,250", "12.345,6", "13,1 Mrd.", "20 %"]),
        ("es", ["1250", "0,250", "12.345,6", "13,1 mil M", "20 %"]),
        ("fr", [f"1{NO_BREAK}250", "0,250", f"12{NO_BREAK}345,6", "13,1 Md", "20 %"]),
        ("pt-BR", ["1.250", "0,250", "12.345,6", "13,1 bi", "20%"]),
    ],
)
def test_numbers_are_written_as_in_the_language(language: str, shown: list[str]) -> None:
    with speaking(language):
        numbers = [short_number(1250), short_number(0.25), in_digits("12,345.6"), short_amount(13.1e9), percent(0.2)]
    assert numbers == shown


def test_dates_have_the_months_of_the_language() -> None:
    time = datetime(2026, 3, 5, 9, 7)
    dates = []
    for language in ("en", "de", "pt-BR"):
        with speaking(language):
            dates.append(moment(time))
    assert dates == ["5 March 2026, 09:07", "5. März 2026, 09:07", "5 de março de 2026, 09:07"]


def test_a_count_has_the_form_of_its_language() -> None:
    with speaking("ar"):
        forms = [re.sub("[\u2068\u2069]", "", t("diagrams", count=count)) for count in (0, 2, 3, 11, 100)]
    assert forms == ["لا مخططات", "مخططان", "3 مخططات", "11 مخططًا", "100 مخطط"]
    with speaking("fr"):
        assert t("diagrams", count=0) == "0 diagramme"


def test_a_german_report_has_german_sentences_and_numbers(demo: Any) -> None:
    page = demo.to_html(currency="USD", language="de", progress=False)
    text = ParsedHtml(page).text
    assert page.startswith('<!DOCTYPE html>\n<html lang="de">')
    assert "Conservation kostet am wenigsten, rund 1,6 Milliarden USD" in text and "Mrd. USD" in text
    assert "Wo Entwürfe übereinstimmen" in text and "What the words mean" not in text


def test_an_arabic_report_and_poster_run_from_right_to_left(demo: Any) -> None:
    early, late, *_ = demo.designs
    poster = demo.to_igc(adopters={"early": early, "late": late}, missing="omit", language="ar")
    for page in (demo.to_html(language="ar", progress=False), poster):
        assert page.startswith('<!DOCTYPE html>\n<html lang="ar" dir="rtl">')
    assert "القضاء على الفقر" not in poster and "التغييرات حسب النظام" in poster


def test_an_unknown_language_is_refused(demo: Any) -> None:
    with pytest.raises(InputError, match="language is 'pt'; the languages are ar, de, en, es, fr, it, pt-BR"):
        demo.to_html(language="pt")


def test_a_page_after_one_in_another_language_is_in_english(demo: Any) -> None:
    demo.to_html(language="fr", progress=False)
    assert '<html lang="en">' in demo.to_html(progress=False)
    assert short_amount(1e9) == "1.00 bn"
