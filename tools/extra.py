"""Prints the packages that an extra of the package brings, with those of the extras that it includes.

python tools/extra.py notebook
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def packages(extra: str, extras: dict[str, list[str]]) -> Iterator[str]:
    for requirement in extras[extra]:
        if requirement.startswith("pygeodesign["):
            yield from packages(requirement.removeprefix("pygeodesign[").removesuffix("]"), extras)
        else:
            yield requirement


if __name__ == "__main__":
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    print("\n".join(packages(sys.argv[1], project["optional-dependencies"])))
