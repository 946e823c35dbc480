"""Reads and changes archives of projects with Python's own libraries."""

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def with_manifest(archive: Path, path: Path, **fields: Any) -> Path:
    """A copy of an archive with other values in its manifest."""
    members = members_of(archive)
    members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | fields).encode()
    return write_zip(path, members)


def with_member(members: dict[str, bytes], name: str, content: bytes) -> dict[str, bytes]:
    """The members with another content of one of them, and the manifest that belongs to it."""
    manifest = json.loads(members["manifest.json"])
    manifest["members"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return members | {name: content, "manifest.json": json.dumps(manifest).encode()}


# A service's responses for an empty project.
EMPTY: dict[str, Any] = {"systems/": [], "members/": {"members": []}, "cteams/": [], "diagrams/": []}
