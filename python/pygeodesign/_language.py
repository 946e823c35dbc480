"""The language of a page: texts, numbers and dates. The texts are in `_texts/`, a file per language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import Any

from pygeodesign.errors import InputError

LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "pt-BR")
ENGLISH = "en"
RIGHT_TO_LEFT = ("ar",)
# The separators of thousands and of decimals; the other languages have those of English.
SEPARATORS = {"de": ".,", "es": ".,", "fr": "\N{NARROW NO-BREAK SPACE},", "it": ".,", "pt-BR": ".,"}
# Languages that write 1234 without a separator, and 12.345 with one.
FROM_TEN_THOUSAND = ("es", "it")
# Around a value, so that it keeps its own direction in a text from right to left.
ISOLATE, END_OF_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"

_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Makes everything in this block in a language."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> str:
    """The current language: English outside `speaking`."""
    return _current.get()


def direction() -> str:
    """The value of `dir` for a page in the current language."""
    return "rtl" if current() in RIGHT_TO_LEFT else "ltr"


def language_of(given: str | None, of_project: str | None) -> str:
    """The language of a call, or else of the project, or else English."""
    if given is None:
        return of_project if of_project in LANGUAGES else ENGLISH
    if given not in LANGUAGES:
        raise InputError(f"language is {given!r}; the languages are {', '.join(LANGUAGES)}")
    return given


def texts_of(language: str) -> dict[str, str]:
    """The texts of a language's file."""
    if language not in _READ:
        path = Path(__file__).with_name("_texts") / f"{language}.json"
        _READ[language] = json.loads(path.read_text(encoding="utf-8"))
    return _READ[language]


# Texts that were read, by language.
_READ: dict[str, dict[str, str]] = {}


def t(key: str, **values: Any) -> str:
    """A text in the current language, or else in English, with values in place of `{name}`, in the form for `count`."""
    text = texts_of(current()).get(key) or texts_of(ENGLISH)[key]
    return re.sub(r"\{(\w+)\}", lambda name: _shown(values[name[1]]), _form(text, values.get("count")))


def _form(text: str, count: Any) -> str:
    """The form for a count: one for one and one for other counts, or each after its category, as in `few:…|other:…`."""
    forms = text.split("|")
    if len(forms) == 1:
        return text
    category = _category(count)
    if forms[-1].startswith("other:"):
        named = dict(form.split(":", 1) for form in forms)
        return named.get(category, named["other"])
    return forms[0 if category == "one" else 1]


def _category(count: int) -> str:
    """The category of a count by the plural rules of Unicode's CLDR."""
    if current() == "ar":
        if count <= 2:
            return ("zero", "one", "two")[count]
        return "few" if 3 <= count % 100 <= 10 else "many" if count % 100 >= 11 else "other"
    return "one" if count == 1 or (count == 0 and current() in ("fr", "pt-BR")) else "other"


def _shown(value: Any) -> str:
    return isolated(number(value) if isinstance(value, int) else str(value))


def isolated(text: str) -> str:
    """A value that keeps its own direction in a language from right to left; spaces around it stay outside."""
    inner = text.strip(" ")
    return text.replace(inner, f"{ISOLATE}{inner}{END_OF_ISOLATE}") if inner and direction() == "rtl" else text


def number(value: float, decimals: int = 0) -> str:
    """A number with separators: 1,234.5."""
    return in_digits(f"{value:,.{decimals}f}")


def in_digits(text: str) -> str:
    """A number that is written in English, such as 1,234.5, with the separators of the current language."""
    language = current()
    if language in FROM_TEN_THOUSAND:
        text = re.sub(r"^(\D*\d),(\d{3})(?!,)", r"\1\2", text)
    return text.translate(str.maketrans(",.", SEPARATORS.get(language, ",.")))


def percent(share: float, decimals: int = 0) -> str:
    """A share of 1: 20%."""
    return t("percent", value=number(100 * share, decimals))


def date(day: datetime) -> str:
    """A date: 5 March 2026."""
    return t("date", day=str(day.day), month=t(f"month_{day.month}"), year=str(day.year))


def moment(time: datetime) -> str:
    """A date and time: 5 March 2026, 14:30."""
    return t(
        "date_and_time", day=str(time.day), month=t(f"month_{time.month}"), year=str(time.year), time=f"{time:%H:%M}"
    )
