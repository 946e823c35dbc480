"""Letters of any script in pictures: where Matplotlib's own font lacks letters, an installed font that has them."""

from __future__ import annotations

import contextlib
import unicodedata
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from matplotlib import font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text

# Fonts of scripts that are not in the fonts' names, by the first word of the Unicode names of their letters.
KNOWN = {
    "CJK": ("CJK", "Hiragino Sans", "Yu Gothic", "PingFang SC", "Microsoft YaHei", "WenQuanYi", "IPAexGothic"),
    "HANGUL": ("CJK KR", "CJK", "Apple SD Gothic Neo", "Malgun Gothic", "Nanum"),
    "DEVANAGARI": ("Devanagari", "Kohinoor Devanagari", "Nirmala UI", "Mangal", "Lohit Devanagari"),
}
KNOWN |= dict.fromkeys(("HIRAGANA", "KATAKANA", "FULLWIDTH", "IDEOGRAPHIC", "KATAKANA-HIRAGANA"), KNOWN["CJK"])
# The packages to install if no font has letters of a script.
PACKAGES = dict.fromkeys(KNOWN, "fonts-noto-cjk") | {"DEVANAGARI": "fonts-noto-core"}

# The letters of each font file; the font found for each character; files that Matplotlib's list did not have.
LETTERS: dict[str, frozenset[int]] = {}
FOUND: dict[str, str | None] = {}
LOOKED_AT: set[str] = set()
# The packages that a warning has named.
SAID: set[str] = set()

P = ParamSpec("P")
R = TypeVar("R", bound=Axes)


def with_letters(draw: Callable[P, R]) -> Callable[P, R]:
    """A function that draws, then gives each text fonts that have its letters."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        axes = draw(*args, **kwargs)
        use_fonts(axes.get_figure(root=True))
        return axes

    return drawn


def use_fonts(figure: Any) -> None:
    """Gives the texts of a figure fonts that have their letters."""
    for text in figure.findobj(Text):
        if family := family_for(text.get_text()):
            text.set_fontfamily(family)


def family_for(text: str) -> list[str] | None:
    """The fonts for a text, the usual one first; None if that one has all letters."""
    if text.isascii():
        return None
    usual = _usual_font()
    missing = {sign for sign in text if ord(sign) not in _letters(usual) and sign.isprintable() and not sign.isspace()}
    if not missing:
        return None
    found: list[str] = []
    for sign in sorted(missing):
        if any(ord(sign) in _letters(_path_of(name)) for name in found):
            continue
        name = _font_with(sign)
        if name is not None:
            found.append(name)
    return [*_usual_family(), *found] if found else None


def _usual_family() -> list[str]:
    family = rcParams["font.family"]
    return [family] if isinstance(family, str) else list(family)


def _usual_font() -> str:
    return str(font_manager.findfont(FontProperties()))


def _letters(path: str) -> frozenset[int]:
    if path not in LETTERS:
        try:
            LETTERS[path] = frozenset(FT2Font(path).get_charmap())
        except (OSError, RuntimeError):
            LETTERS[path] = frozenset()
    return LETTERS[path]


def _path_of(name: str) -> str:
    return next(entry.fname for entry in font_manager.fontManager.ttflist if entry.name == name)


def _font_with(sign: str) -> str | None:
    """The name of an installed font that has the character. If there is none, a warning names each package once."""
    if sign in FOUND:
        return FOUND[sign]
    script = unicodedata.name(sign, "").split(" ")[0]
    name = _installed(sign, script)
    if name is None and _added_new_fonts():
        name = _installed(sign, script)
    if name is None:
        _warn(script, sign)
    FOUND[sign] = name
    return name


def _installed(sign: str, script: str) -> str | None:
    hints = KNOWN.get(script, (script.capitalize(),))
    names = dict.fromkeys(entry.name for entry in font_manager.fontManager.ttflist)
    # Fonts made for the script first, sans-serif before others.
    likely = [name for hint in hints for name in names if hint and hint in name]
    likely.sort(key=lambda name: ("Serif" in name, "Mono" in name))
    for name in likely:
        if ord(sign) in _letters(_path_of(name)):
            return name
    return None


def _added_new_fonts() -> bool:
    """True if fonts were installed after Matplotlib made its list; they are added to it, once."""
    manager = font_manager.fontManager
    new = set(font_manager.findSystemFonts()) - {entry.fname for entry in manager.ttflist} - LOOKED_AT
    LOOKED_AT.update(new)
    for path in sorted(new):
        # Files that Matplotlib cannot read as fonts, such as colour fonts, are left out.
        with contextlib.suppress(OSError, RuntimeError):
            manager.addfont(path)
    return bool(new)


def _warn(script: str, sign: str) -> None:
    package = PACKAGES.get(script, "fonts-noto-core")
    if package in SAID:
        return
    SAID.add(package)
    warnings.warn(
        f"no installed font has {sign!r} ({script.lower() or 'a sign without a name'}), so pictures show a box; "
        f"install one, such as Noto Sans, in the package {package} of Debian and Ubuntu. Pages (to_html) need none",
        stacklevel=2,
    )
