"""Finds text that reads like a translation: `python tools/plain_words.py [FOLDER…]`. `make lint` runs it.

Documentation begins with a noun or a verb, not with a clause ("What …", "Who …", "Whether …"), and some phrases are not
used at all. A line that needs one of them ends with a comment that contains `plain words: no`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("*.rs", "*.py", "*.js", "*.md")
OTHERS = ("vendor/", "bundled/", "tools/plain_words.py", "web/room/texts/de.js")
PHRASES = re.compile(
    r"\b(tells? that|is none of|are none of|as far as|anew|of now|in the own|so many)\b", re.IGNORECASE
)
# A clause as the first sentence of documentation; a question may begin like this.
CLAUSE = re.compile(r"(Who|Whose|What|How|Whether|Of|As)\b(?!.*\?$)")
# The first line of a docstring, of `///`, `//!`, `#:` and `/**`: the line before has no such sign.
DOCUMENTATION = {
    ".rs": (re.compile(r"\s*(//[/!])\s?(.*)"), re.compile(r"\s*//[/!]")),
    ".py": (re.compile(r'\s*(#:|r?""")\s?([A-Z].*?)(?:""")?$'), re.compile(r"\s*#:")),
    ".js": (re.compile(r"\s*(/\*\*)\s?(.*?)\s*(?:\*/)?$"), re.compile(r"$^")),
}


def files(folders: list[str]) -> list[Path]:
    """The committed files in some folders, or all."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *(f"{folder}/{kind}" for folder in folders for kind in KINDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if not any(other in name for other in OTHERS)]


def findings(file: Path) -> Iterator[tuple[int, str]]:
    """Lines with a phrase, or with documentation that begins with a clause."""
    first, further = DOCUMENTATION.get(file.suffix, (None, None))
    before = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        begins = first.match(line) if first and not (further and further.match(before)) else None
        clause = begins and CLAUSE.match(begins[2])
        if (PHRASES.search(line) or clause) and "plain words: no" not in line:
            yield number, line.strip()
        before = line


def main() -> None:
    """Prints the findings; exits with 1 if there are any."""
    found = [(file, *finding) for file in files(sys.argv[1:] or ["**"]) for finding in findings(file)]
    for file, number, line in found:
        print(f"{file.relative_to(ROOT)}:{number}: {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
