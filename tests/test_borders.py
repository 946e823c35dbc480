"""No two files import each other, so that each is understood by what is below it. No file imports the whole package."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "pygeodesign"
PAGES = ROOT / "web"
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?"(\.[^"]+)"', re.MULTILINE)


def imports_of(file: Path) -> Iterator[Path]:
    """The files of the package that a file imports; the package itself is `__init__.py`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "pygeodesign":
            names = [f"{node.module}.{name.name}" for name in node.names if name.name != "_core"]
            yield from filter(None, (module(name) or module(node.module) for name in names))
        elif isinstance(node, ast.Import):
            yield from filter(None, (module(name.name) for name in node.names))


def module(name: str) -> Path | None:
    """The file of a module; none for names that are in one, and for the extension."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


def circles(imported: dict[Path, set[Path]]) -> list[str]:
    pairs = ((one, other) for one, others in imported.items() for other in others if one in imported.get(other, ()))
    return sorted(f"{one.relative_to(ROOT)} and {other.relative_to(ROOT)}" for one, other in pairs if one < other)


def test_no_two_files_of_the_package_import_each_other() -> None:
    imported = {file: set(imports_of(file)) - {file} for file in PACKAGE.rglob("*.py")}
    assert len(imported) > 100 and circles(imported) == []
    root = PACKAGE / "__init__.py"
    assert [file.name for file, others in imported.items() if root in others] == []


def test_no_two_files_of_pages_import_each_other() -> None:
    files = [file for file in PAGES.rglob("*.js") if not {"vendor", "bundled", "node_modules"} & set(file.parts)]
    imported = {file: {(file.parent / path).resolve() for path in IMPORT.findall(file.read_text())} for file in files}
    assert len(imported) > 50 and circles(imported) == []
