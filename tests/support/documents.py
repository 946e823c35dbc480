"""The README and the files of docs/, and their code blocks."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCUMENTS = {path.relative_to(ROOT).as_posix(): path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]}

FENCED = re.compile(r"^```(?P<language>.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced code block; `line` is the number of its first line of code."""

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"

    def commands(self) -> list[str]:
        """The lines of a shell block, without comments."""
        lines = [line.partition(" #")[0].strip() for line in self.text.splitlines()]
        return [line for line in lines if line]


def read(document: str) -> str:
    return DOCUMENTS[document].read_text(encoding="utf-8")


def blocks(document: str) -> list[Block]:
    text = read(document)
    return [
        Block(document, text.count("\n", 0, match.start("text")) + 1, match["language"], match["text"])
        for match in FENCED.finditer(text)
    ]


def shell_commands(document: str) -> list[str]:
    """The lines of the shell blocks of a document."""
    return [command for block in blocks(document) if block.language == "sh" for command in block.commands()]


def prose(document: str) -> str:
    """The document without its code blocks."""
    return FENCED.sub("", read(document))


# Its blocks are one script: `test_workshop.py` runs them.
WORKSHOP = "docs/workshop.md"
BLOCKS = [block for document in DOCUMENTS for block in blocks(document)]
