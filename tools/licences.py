"""Writes `THIRD_PARTY_LICENSES.txt`: the licences of the crates and of the JavaScript libraries that are in the wheels.

    python tools/licences.py            # after a change to Cargo.lock
    python tools/licences.py --check    # fails if the file does not match Cargo.lock

The texts are the crates' own files, from Cargo's registry. A wheel contains the result and the project's own licence.
Crates that only tests, build scripts and macros use are left out: none of their code is in a wheel.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LICENCES = ROOT / "THIRD_PARTY_LICENSES.txt"
# The targets of the wheels in .github/workflows/wheels.yml.
TARGETS = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
]
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
# Names of licence files of crates that may be used under MIT instead.
OTHER_CHOICE = re.compile(r"apache|boost|bsd|bsl|isc|unlicense|zlib", re.IGNORECASE)
SOURCE_CODE = {".py", ".rs", ".sh"}
# zstd is licensed under BSD (its LICENSE) or GPL-2.0 (its COPYING); it is used under the former.
NOT_CHOSEN = {("zstd-sys", "zstd/COPYING")}
# Libraries for browsers, each with its licence; web/vendor/SOURCES.json lists their sources.
VENDORED = {
    "clipper2-ts 2.0.1 (BSL-1.0)": ROOT / "web" / "vendor" / "LICENSE-clipper2-ts",
    "Leaflet 1.9.4 (BSD-2-Clause)": ROOT / "web" / "vendor" / "LICENSE-leaflet",
    "lucide 1.65.0 (ISC), and icons of Feather (MIT) in it": ROOT / "web" / "vendor" / "LICENSE-lucide",
    "protomaps-leaflet 5.1.0 (BSD-3-Clause), and its parts": ROOT / "web" / "vendor" / "LICENSE-protomaps-leaflet",
    "uqr 0.1.3 (MIT)": ROOT / "web" / "vendor" / "LICENSE-uqr",
    "terra-draw 1.35.0 and terra-draw-leaflet-adapter 1.0.3 (MIT)": ROOT / "web" / "vendor" / "LICENSE-terra-draw",
}
HEADER = """\
The compiled part of pygeodesign contains code of other projects: the crates below, each under the licence whose text
stands after the names. It also contains the Rust standard library (MIT OR Apache-2.0, Copyright (c) The Rust Project
Contributors) and SQLite, which is in the public domain. Pages contain clipper2-ts, Leaflet, protomaps-leaflet,
terra-draw, uqr and icons of Lucide, whose licences stand at the end.

tools/licences.py writes this file from Cargo.lock.
"""

Package = dict[str, Any]


def main() -> int:
    expected = HEADER + "".join([*sections(linked_packages()), *vendored_sections()])
    if "--check" not in sys.argv:
        LICENCES.write_text(expected, encoding="utf-8", newline="\n")
    elif LICENCES.read_text(encoding="utf-8") != expected:
        print(f"{LICENCES.name} is out of date: run python tools/licences.py", file=sys.stderr)
        return 1
    return 0


def linked_packages() -> list[Package]:
    """The packages whose code is in a wheel's extension module, without the project's own."""
    command = ["cargo", "metadata", "--format-version=1", "--locked"]
    command += [f"--filter-platform={target}" for target in TARGETS]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    linked: set[str] = set()
    pending = [metadata["resolve"]["root"]]
    while pending:
        package = pending.pop()
        if package not in linked and not is_macro(packages[package]):
            linked.add(package)
            pending += [needed["pkg"] for needed in nodes[package]["deps"] if is_linked(needed)]
    foreign = (packages[package] for package in linked if packages[package]["source"])
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def is_macro(package: Package) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def is_linked(dependency: dict[str, Any]) -> bool:
    """True if the library itself needs a dependency (kind null in `cargo metadata`), not only its tests or build."""
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def sections(packages: list[Package]) -> Iterator[str]:
    """A section for each licence text, with the names of the packages that have it."""
    packages_of: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, str] = {}
    for package in packages:
        for text in licence_texts(package, packages):
            normalized = " ".join(text.split())
            texts.setdefault(normalized, text)
            packages_of[normalized].append(f"{package['name']} {package['version']} ({package['license']})")
    for normalized, text in texts.items():
        lines = [line.rstrip() for line in text.strip("\n\f").splitlines()]
        yield section(dict.fromkeys(packages_of[normalized]), lines)


def vendored_sections() -> Iterator[str]:
    for name, file in VENDORED.items():
        yield section([name], file.read_text(encoding="utf-8").splitlines())


def section(names: Iterable[str], lines: list[str]) -> str:
    return "\n".join(["", "=" * 120, *names, "-" * 120, "", *lines, ""])


def licence_texts(package: Package, packages: list[Package]) -> list[str]:
    files = licence_files(package)
    # A crate may be published without its licence file: use one from another crate of its repository or its owner.
    for depth in (0, 1):
        place = str(package["repository"]).rsplit("/", depth)[0]
        if not files:
            files = [
                file
                for other in packages
                if str(other["repository"]).rsplit("/", depth)[0] == place and other["license"] in package["license"]
                for file in licence_files(other)
            ]
    if not files:
        raise SystemExit(f"{package['name']} {package['version']} has no licence file, nor have others of its owner")
    return [file.read_text(encoding="utf-8") for file in files]


def licence_files(package: Package) -> list[Path]:
    """A package's licence files; if it offers MIT as a choice, only the MIT licence."""
    folder = Path(package["manifest_path"]).parent
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and LICENCE_FILE.match(file.name) and file.suffix not in SOURCE_CODE
        if (package["name"], file.relative_to(folder).as_posix()) not in NOT_CHOSEN
    ]
    choices = re.split(r"\s*(?: OR |/)\s*", package["license"])
    if "MIT" in choices and any("MIT" in file.name.upper() for file in files):
        return [file for file in files if not OTHER_CHOICE.search(file.name)]
    return files


if __name__ == "__main__":
    sys.exit(main())
