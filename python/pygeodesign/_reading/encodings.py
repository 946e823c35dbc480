"""Texts in files, and their encodings.

Nothing is guessed silently: the file names an encoding, its bytes imply it, or the file is refused.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from pygeodesign._reading.rows import RefusedError

UTF16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# The language in a DBF file's header. ANSI is Windows-1252 in practice.
LANGUAGES = {
    **{0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x13: "cp932", 0x4D: "cp936", 0x4E: "cp949", 0x4F: "cp950"},
    **{0x57: "cp1252", 0x58: "cp1252", 0x59: "cp1252", 0x64: "cp852", 0x65: "cp866", 0x66: "cp865", 0x78: "cp950"},
    **{0x7A: "cp936", 0x79: "cp949", 0x7B: "cp932", 0x7C: "cp874", 0x7D: "cp1255", 0x7E: "cp1256"},
    **{0xC8: "cp1250", 0xC9: "cp1251", 0xCA: "cp1254", 0xCB: "cp1253", 0xCC: "cp1257"},
}
# The largest share of letters with an accent in a text in a Western European language.
MAX_ACCENTS = 0.3
# The sign for a damaged character, and control characters other than tabs and line breaks.
DAMAGED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")


def in_utf8(content: bytes, *, cut: bool = False) -> bytes:
    """XML or CSV in UTF-8, converted if a mark says UTF-16; `cut` if it may end within a character."""
    encoding = UTF16.get(content[:2])
    if encoding is None:
        return content
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(content, final=not cut)
    except UnicodeDecodeError:
        return content
    return re.sub(r"""(<\?xml[^>]*?)\s+encoding\s*=\s*["'][^"']*["']""", r"\1", text, count=1).encode(errors="replace")


def say_encoding(shapefile: Path, label: str) -> list[str]:
    """Writes the encoding of the DBF file next to the copy of a Shapefile for GDAL; returns notes about it."""
    table, page = shapefile.with_suffix(".dbf"), shapefile.with_suffix(".cpg")
    if not table.exists():
        return ["it has no .dbf file beside it, so its rows have no attributes"]
    content = table.read_bytes()
    # 29 is the language; numbers of the header precede the names of fields.
    language, texts = content[29:30], content[32:]
    named = page.read_bytes().decode("ascii", "replace").strip("\0 \r\n\t\ufeff") if page.exists() else ""
    page.unlink(missing_ok=True)
    if texts.isascii():
        return []
    encoding, notes = _named(named, label), list[str]()
    if encoding is None and language:
        encoding = LANGUAGES.get(language[0])
    if encoding is None:
        encoding, notes = _found(texts, label)
    if encoding != "utf-8":
        try:
            texts.decode(encoding)
        except UnicodeDecodeError as problem:
            byte = texts[problem.start]
            raise _refused(label, f"texts that are not in {encoding}, which lacks the byte {byte:#04x}") from None
    page.write_text("UTF-8" if encoding == "utf-8" else encoding.upper())
    return notes


def _named(name: str, label: str) -> str | None:
    """The encoding that a `.cpg` file names: `UTF-8`, `1252`, `ANSI 1252`, `LDID/87`, `ISO 8859-1`."""
    if not name or name.lower() in ("system", "ansi", "oem"):
        return None
    if (language := re.fullmatch(r"LDID/(\d+)", name, re.IGNORECASE)) and int(language[1]) in LANGUAGES:
        return LANGUAGES[int(language[1])]
    # ArcGIS's names of ISO 8859: 88591 to 885915.
    if parts := re.fullmatch(r"8859(\d{1,2})", name):
        name = f"iso-8859-{parts[1]}"
    digits = re.fullmatch(r"(?:ansi|oem|cp|windows|microsoft|ibm)?[-_ ]*(\d{3,5})", name, re.IGNORECASE)
    try:
        found = codecs.lookup(f"cp{digits[1]}" if digits else name.replace(" ", "-"))
    except LookupError:
        raise _refused(label, f"the unknown encoding {name!r}") from None
    # Windows-1252 has letters where ISO 8859-1 has control characters, and programs mean it by both names.
    same = {"cp65001": "utf-8", "utf-8-sig": "utf-8", "ascii": "cp1252", "iso8859-1": "cp1252"}
    return same.get(found.name, found.name)


def _found(texts: bytes, label: str) -> tuple[str, list[str]]:
    """The encoding of texts without a declared one, if their bytes show it."""
    decoded = texts.decode("utf-8", "replace")
    damaged, other = decoded.count("\ufffd"), sum(character > "\x7f" for character in decoded)
    # The last character of a text may be cut at the width of its field.
    if other > 5 * damaged:
        return "utf-8", []
    letters = [byte for byte in texts if byte >= 0x80 or chr(byte).isalpha()]
    accents = sum(byte >= 0x80 for byte in letters)
    if accents > MAX_ACCENTS * len(letters):
        raise _refused(label, "texts that are not in UTF-8, and names no encoding")
    return "cp1252", [
        "it names no encoding; its texts were read as Windows-1252. If they look wrong, write the "
        "encoding into a .cpg file beside it, such as 1250 or UTF-8"
    ]


def _refused(label: str, problem: str) -> RefusedError:
    return RefusedError(
        f"{label} has {problem}; save it as UTF-8, or write its encoding into a .cpg file beside it, such as 1252"
    )
