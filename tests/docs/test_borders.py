"""No circular imports: each file is understood from those below it. No file imports the complete package."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from pygeodesign import _for_core

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "pygeodesign"
PAGES = ROOT / "web"
CRATES = [ROOT / "src", *sorted(ROOT.glob("crates/*/src"))]
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?"(\.[^"]+)"', re.MULTILINE)
# A path of Rust that begins in its own crate; it may have several ends: `super::{Reader, values::{UserKey}}`.
PATH = re.compile(r"(?<![\w:])((?:crate|super|self)(?:::\w+)+(?:::\{[^;]*\})?)")
# Names that a module has from another one: `pub use history::{Change, Undo};`.
EXPORTED = re.compile(r"pub(?:\([^)]*\))? use ((?:\w+::)+(?:\w+|\{[^;]*\}));")


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


def code_of(file: Path) -> str:
    """The text of a Rust file without comments and tests."""
    return re.sub(r"//.*", "", file.read_text()).partition("#[cfg(test)]\nmod tests {")[0]


def ends_of(path: str) -> Iterator[list[str]]:
    """`a::{b, c::d}` as the paths that it stands for."""
    start, _, several = re.sub(r"\s+as \w+|\s", "", path).partition("{")
    names = re.sub(r"\{[^{}]*\}", "", several.removesuffix("}"))
    inner = re.findall(r"((?:\w+::)+)(\{[^{}]*\})", several)
    for end in [start + name for name in names.split(",") if name and not name.endswith("::")] if several else [start]:
        yield end.rstrip(":").split("::")
    for way, ends in inner:
        yield from ends_of(start + way + ends)


def rust_imports(crate: Path) -> dict[Path, set[Path]]:
    """The files of a crate used by each of them: where a name is defined, not where it is re-exported."""
    files = {
        tuple(part for part in file.relative_to(crate).with_suffix("").parts if part not in ("mod", "lib")): file
        for file in crate.rglob("*.rs")
    }
    code = {module: code_of(file) for module, file in files.items()}

    def found(module: tuple[str, ...], path: list[str]) -> tuple[str, ...]:
        for step, name in enumerate(path):
            if name in ("crate", "self", "super"):
                module = {"crate": (), "self": module, "super": module[:-1]}[name]
            elif (*module, name) in files:
                module = (*module, name)
            else:
                exported = (end for use in EXPORTED.findall(code[module]) for end in ends_of(use) if end[-1] == name)
                elsewhere = next((end for end in exported if end != path[step:]), None)
                return found(module, elsewhere) if elsewhere else module
        return module

    return {
        files[module]: {files[found(module, end)] for path in PATH.findall(text) for end in ends_of(path)}
        - {files[module]}
        for module, text in code.items()
    }


def circle(imported: dict[Path, set[Path]]) -> list[str]:
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return [str(file.relative_to(ROOT)) for file in error.args[1]]
    return []


def test_no_files_of_the_package_import_each_other() -> None:
    imported = {file: set(imports_of(file)) - {file} for file in PACKAGE.rglob("*.py")}
    assert len(imported) > 100 and circle(imported) == []
    root = PACKAGE / "__init__.py"
    assert [file.name for file, others in imported.items() if root in others] == []


def test_no_files_of_pages_import_each_other() -> None:
    files = [file for file in PAGES.rglob("*.js") if not {"vendor", "bundled", "node_modules"} & set(file.parts)]
    imported = {file: {(file.parent / path).resolve() for path in IMPORT.findall(file.read_text())} for file in files}
    assert len(imported) > 50 and circle(imported) == []


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.relative_to(ROOT).as_posix())
def test_no_files_of_a_crate_import_each_other(crate: Path) -> None:
    assert circle(rust_imports(crate)) == []


def test_the_database_knows_no_requests_and_routes_know_no_database() -> None:
    service = ROOT / "crates" / "service" / "src"
    forbidden = {"store": r"\b(?:axum|hyper|tower|tower_http)::|crate::(?:http|server)\b", "http": r"\brusqlite::"}
    for folder, pattern in forbidden.items():
        files = list((service / folder).rglob("*.rs"))
        assert len(files) > 20
        assert [file.name for file in files if re.search(pattern, code_of(file))] == []


def test_no_test_imports_from_a_test() -> None:
    files = list((ROOT / "tests").rglob("*.py"))
    assert len(files) > 200
    imports = re.compile(r"^(?:from|import) test_\w+", re.MULTILINE)
    assert [file.name for file in files if imports.search(file.read_text())] == []


def test_the_extension_module_knows_no_module_of_the_package_by_name() -> None:
    """The package passes it one object at import (`_for_core`), and each name of it exists."""
    code = "\n".join(code_of(file) for file in (ROOT / "src").rglob("*.rs"))
    assert re.findall(r'import\("pygeodesign[^"]*"\)', code) == []
    asked = set(re.findall(r'of_package\([^"]*?, "(\w+)"\)', code)) | set(
        re.findall(r'read\(py, file, "(\w+)"\)', code)
    )
    assert asked - {"errors"} == _for_core.PLACES.keys()
    assert all(getattr(_for_core, name) is not None for name in asked)
