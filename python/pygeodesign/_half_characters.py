"""Halves of surrogate pairs, such as U+D800: a Python text can hold them alone, a file or a request cannot."""

import re

HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def without_half_characters(text: str) -> str:
    """The text with U+FFFD, the character for what cannot be shown, in the place of each."""
    return HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)
