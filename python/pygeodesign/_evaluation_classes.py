"""The classes of evaluation maps: the field's words for them, and their colours."""

from __future__ import annotations

from pygeodesign import _core
from pygeodesign._language import current

# From the code of each class, from where change is least wanted to where it is most, to its colour and to its words.
EVALUATION_COLORS: dict[str, str] = {}
_WORDS: dict[str, dict[str, str]] = {}
for _code, _color, _by_language in _core._evaluation_classes():
    EVALUATION_COLORS[_code], _WORDS[_code] = _color, _by_language
EVALUATION_CLASSES = tuple(EVALUATION_COLORS)
_CODES = {word.lower(): code for code, words in _WORDS.items() for word in (code, *words.values())}


def class_of(text: str) -> str:
    """The code of a class, given as code or in words; any other text as it is."""
    return _CODES.get(text.strip().lower(), text)


def class_word(text: str) -> str:
    """The word for a class in the current language; any other text as it is."""
    words = _WORDS.get(class_of(text))
    return text if words is None else words[current()]
