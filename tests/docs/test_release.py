"""CITATION.cff and CHANGELOG.md have the version of the package."""

import re
from pathlib import Path

import pygeodesign

ROOT = Path(__file__).parents[2]


def test_the_citation_has_the_version_of_the_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [pygeodesign.__version__]


def test_the_first_release_in_the_changelog_is_the_version_of_the_package() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[:2] == ["Unreleased", pygeodesign.__version__]
