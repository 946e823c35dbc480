"""Writes `python/pygeodesign/_core.pyi`.

    python tools/stubs.py            # after a change of a method or its documentation
    python tools/stubs.py --check    # fails if the file is not what this writes

Each signature is written once. That of a method in Python is its own. All others are in the Rust code: arguments and
results have the names and types of the Rust methods, and the tables below have the Python type for each Rust type.
Where a Rust type is not precise enough, PyO3's notation `#[pyo3(signature = (argument: "type" = default) -> "type")]`
has the Python type. Defaults and documentation are those of the package.
"""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import is_typeddict

import rust_methods
from pygeodesign import _core, types
from rust_methods import Method

STUBS = Path(__file__).resolve().parent.parent / "python" / "pygeodesign" / "_core.pyi"
# Handles on parts of a project, each with the dict of its fields.
PARTS = {
    "Team": types.ChangeTeam,
    "Design": types.TeamDesign,
    "System": types.SystemDetail,
    "Diagram": types.DiagramDetails,
    "Member": types.MemberFields,
}
# Other groups of operations in a project.
SIDES = ["Workshop", "StudyArea"]
CLASSES = [
    *["Client", "AsyncClient", "Project", "AsyncProject"],
    *[name for part in [*PARTS, *SIDES] for name in (part, f"Async{part}")],
    *["FeatureCollection", "CostReport", "Sandbox"],
]
# Classes that only methods make. RESULTS has the Python types that stand for them.
HIDDEN_CLASSES = {"AsyncChanges", "Changes", "_Lands"}
# Methods of every Python class.
LEFT_OUT = {"__repr__", "__new__", "__reduce_ex__"}

# Methods whose signature Python does not know.
SLOTS = {
    "__getitem__": "def __getitem__(self, name: Literal{fields}, /) -> Any: ...",
    "__contains__": "def __contains__(self, name: object, /) -> bool: ...",
    "__eq__": "def __eq__(self, other: object, /) -> bool: ...",
    "__hash__": "def __hash__(self) -> int: ...",
    "__await__": "def __await__(self) -> Generator[Any, None, Self]: ...",
}
NAMES_OF_FIELDS = {
    "__iter__": "Iterator[Literal{fields}]",
    "keys": "KeysView[Literal{fields}]",
    "values": "ValuesView[Any]",
    "items": "ItemsView[str, Any]",
}

# Python types of Rust types, as arguments.
ARGUMENTS = {
    "&[u8]": "bytes",
    "&str": "str",
    "Bound<PyAny>": "object",
    "Bound<PyDict>": "dict[str, Any]",
    "Bound<PyTuple>": "object",
    "Bounds": "tuple[float, float, float, float] | str",
    "Center": "tuple[float, float] | str",
    "Vec<Center>": "Sequence[tuple[float, float] | str]",
    "CostType": 'Literal["total", "unit"]',
    "DesignId": "str",
    "DiagramId": "int | str",
    "DiagramIds": "Iterable[_Diagram]",
    "DiagramFields": 'Literal["all", "details", "summary"]',
    "CommentReference": "Comment | str",
    "DiagramReference": "_Diagram",
    "DiagramKind": 'Literal["project", "policy"]',
    "FeatureType": 'Literal["polygon", "line"]',
    "EntryId": "int",
    "FeatureSource": "_Geometries",
    "Features": "_Geometries",
    "Features<ContextGeometry>": "_Geometries",
    "UncheckedShapes": "_Geometries",
    "FundingType": 'Literal["public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"]',
    "GivenProject": "str | Project | AsyncProject",
    "Groups": "Mapping[str, Iterable[_Diagram]]",
    "LayerId": "int",
    "LayerType": "str",
    "Lifetime": "timedelta | float",
    "Metadata": "Mapping[str, Any]",
    "BuildingData": "Mapping[str, Any]",
    "NewSystems": "Iterable[NewSystem]",
    "NewQuantities": "Mapping[Any, Mapping[str, Quantity | None]]",
    "GivenImpacts": "Mapping[Any, Mapping[Any, float]] | DataFrame",
    "NewPeople": "Iterable[NewMember | str]",
    "NewTags": "Iterable[NewTag | str]",
    "Duplicates": 'Literal["warn", "skip"]',
    "OnError": 'Literal["raise", "skip"]',
    "Outside": 'Literal["refuse", "allow"]',
    "CountedLand": 'Literal["all", "inside"]',
    "Preference": 'Literal["here", "archive"]',
    "Paging": 'Literal["plain", "enveloped", "on-request", "off"]',
    "PathBuf": "str | PathLike[str]",
    "LocalPath": "str | PathLike[str]",
    "ProjectId": "str",
    "SecretId": "str",
    "ServerType": "str",
    "String": "str",
    "SystemId": "int",
    "CacheArgument": "bool | str | PathLike[str]",
    "SystemReference": "_System",
    "TeamId": "int",
    "TeamReference": "_Team",
    "GivenDesign": "_NamedDesign",
    "Username": "str | Member | AsyncMember",
    "UtcMillis": "date | str",
    "Since": "date | str",
    "DateSource": "date | str",
    "Uuid": "str",
    "bool": "bool",
    "f64": "float",
    "i64": "int",
    "u16": "int",
    "u32": "int",
    "u64": "int",
    "usize": "int",
}
# Python types of Rust types, as results. Resources have the names of their dicts in `pygeodesign.types`.
RESULTS = {
    "&str": "str",
    "ArchivedAll": "ArchiveAllReport",
    "ArchivedState": "tuple[str, str | None, dict[str, str], dict[str, int]]",
    "ArchivingAll": "Coroutine[Any, Any, ArchiveAllReport]",
    "ArrowArray": "_ArrowArray",
    "AsyncChanges": "AsyncIterator[ProjectChange]",
    "Bound<PyAny>": "Any",
    "Bound<PyBytes>": "bytes",
    "Bound<PyCapsule>": "object",
    "Bound<PyDict>": "dict[str, Any]",
    "Bound<PyTuple>": "tuple[Any, ...]",
    "Bound<PyIterator>": "Iterator[dict[str, Any]]",
    "WebMap": "WebMap",
    "Changes": "Iterator[ProjectChange]",
    "DiagramId": "int",
    "ExternalFrame": "GeoDataFrame",
    "Frame": "GeoDataFrame",
    "History": "History",
    "Image": "bytes",
    "BTreeMap<String, Quantities>": "dict[str, dict[str, Quantity]]",
    "ImpactMatrix": "dict[str, dict[str, int]]",
    "Map<String, Value>": "dict[str, Any]",
    "Nothing": "None",
    "ProjectId": "str",
    "PyRaggedArray": "tuple[str, int, _ArrowArray, _ArrowArray, list[_ArrowArray]]",
    "Self": "Self",
    "String": "str",
    "Timeline": "dict[int, Period]",
    "UploadReport": "list[UploadedRow]",
    "Username": "str",
    "bool": "bool",
    "f64": "float",
    "features::FeatureCollection": "dict[str, Any]",
    "i64": "int",
    "u64": "int",
    "usize": "int",
}
# Results that depend on arguments: their types, and the result. The first ones are the defaults.
OVERLOADS: dict[str, list[tuple[dict[str, str], str]]] = {
    "Diagrams": [
        ({"fields": 'Literal["all"]'}, "FeatureCollection"),
        ({"fields": 'Literal["details"]'}, "list[DiagramDetails]"),
        ({"fields": 'Literal["summary"]'}, "list[DiagramSummary]"),
    ],
    "WebMap | LiveMap": [
        ({"draw": "Literal[False]", "live": "Literal[False] | None"}, "WebMap"),
        ({"draw": "Literal[True] | str | System | AsyncSystem"}, "LiveMap"),
        ({"draw": "Literal[False]", "live": "Literal[True]"}, "LiveMap"),
    ],
}
# Generic Rust types: each `{}` stands for the Python type of one type parameter.
GENERIC_ARGUMENTS = {"BTreeMap": "Mapping[{}, {}]", "Option": "{} | None", "Vec": "Sequence[{}]"}
GENERIC_RESULTS = {
    "BTreeMap": "dict[{}, {}]",
    "Json": "{}",
    "Option": "{} | None",
    "Reduced": "tuple[Any, {}]",
    "Vec": "list[{}]",
}

HEADER = """# Written by tools/stubs.py from the Rust code. Edit that, and run `python tools/stubs.py`.

from collections.abc import AsyncIterator, Callable, Coroutine, Generator, ItemsView, Iterable, Iterator, KeysView
from collections.abc import Mapping, Sequence, ValuesView
from datetime import date, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias, final, overload

from geopandas import GeoDataFrame
from matplotlib.axes import Axes
from pandas import DataFrame
from pyarrow import Table

from pygeodesign._history import History
from pygeodesign.maps import Gallery, LiveMap, WebMap
from pygeodesign.planning import Comparison
from pygeodesign.types import {types}

__all__ = {all}
__version__: str

class _GeoInterface(Protocol):
    @property
    def __geo_interface__(self) -> Mapping[str, Any]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

_Geometry: TypeAlias = _GeoInterface | _ArrowStream | Mapping[str, Any] | str | bytes | PathLike[str]
_Geometries: TypeAlias = _Geometry | Iterable[_Geometry]
_Team: TypeAlias = int | str | Team | AsyncTeam
_NamedDesign: TypeAlias = str | Design | AsyncDesign
_Design: TypeAlias = tuple[int, str] | _NamedDesign | Iterable[_Diagram]
_System: TypeAlias = int | str | System | AsyncSystem
_Diagram: TypeAlias = int | str | Diagram | AsyncDiagram

@final
class _Lands:
    def __new__(cls, geometries: Sequence[bytes | None], map: int | None = None) -> Self: ...
    def __len__(self) -> int: ...
    def hectares(self) -> bytes: ...
    def shapes(self) -> list[bytes]: ...
    def near(self, split: int | None = None) -> bytes: ...
    def rows(self, rows: Sequence[int]) -> Self: ...
    def joined(self, others: Self) -> Self: ...
    def united(self, groups: Sequence[Sequence[int]]) -> Self: ...
    def common(self, rows: Sequence[tuple[int, Sequence[int]]]) -> Self: ...
    def without(self, rows: Sequence[tuple[int, Sequence[int]]]) -> Self: ...
    def consensus(
        self, square_metres: Sequence[float], systems: Sequence[int], designs: Sequence[Sequence[int]]
    ) -> tuple[list[tuple[int, int, int, bool]], bytes, Self]: ...
    def between(
        self, pairs: Sequence[tuple[int, int]], systems: Sequence[int], designs: Sequence[Sequence[int]]
    ) -> Self: ...
    def in_classes(self, square_metres: Sequence[float], class_of: Sequence[int], classes: int) -> bytes: ...
    def shared_hectares(self, pairs: bytes) -> bytes: ...

def _run(arguments: Sequence[str]) -> int: ...
def _measure(geometries: Sequence[bytes | str | None]) -> tuple[list[list[float]], list[int]]: ...
def _open(path: str | PathLike[str]) -> Project: ...
def _limit_processors(count: int) -> None: ...
def _open_own(path: str | PathLike[str]) -> Project: ...
def _csv_cell(text: str) -> str: ...
def _csv_text(cell: str) -> str: ...
def _geojson_features(
    content: bytes, max_features: int, max_properties: int
) -> list[tuple[str | None, str | None, str | None, bool]]: ...
def _geojson_of(rows: Sequence[Any]) -> str: ...
def _crs_name(crs: str) -> str | None: ...
def _transformed(geometries: Sequence[Any], transform: Callable[[bytes], bytes]) -> list[Any]: ...
def _with_known_heights(geometries: Sequence[Any], zero: bool) -> list[Any]: ...
def _web_file(name: str) -> str: ...
def _write_whole(path: str | PathLike[str], content: bytes) -> None: ...
def _for_card(work: Callable[[], Any]) -> Any: ...
def _need(*libraries: str) -> None: ...
def _use(package: object) -> None: ...
def _awaited(project: Project) -> AsyncProject: ...
def _forward(
    project: Project, method: str, path: str, body: bytes | None, headers: list[tuple[str, str]]
) -> tuple[int, str | None, int | None, bytes]: ...
def _ogc(project: Project, path: str) -> tuple[str, bytes]: ...
def _projected_bounds(epsg: int, bounds: Sequence[float]) -> list[float]: ...
def _evaluation_classes() -> list[tuple[str, str, dict[str, str]]]: ...
def _evaluation_color(areatype: str) -> str: ...
def _inside(geometries: Sequence[bytes | None], area: Sequence[bytes]) -> list[bytes | None]: ...
def _on_land(drawing: Sequence[bytes], land: Sequence[bytes]) -> tuple[float, float, int, float]: ...
def _missing_extra(error: ImportError) -> ImportError: ...
def _service_addresses() -> list[tuple[str, int]]: ...
"""


def main() -> int:
    current = STUBS.read_text(encoding="utf-8") if STUBS.exists() else ""
    expected = formatted(stubs())
    if "--check" in sys.argv:
        if current != expected:
            print(f"{STUBS.name} is out of date: run python tools/stubs.py", file=sys.stderr)
        return int(current != expected)
    STUBS.write_text(expected, encoding="utf-8")
    return 0


def stubs() -> str:
    methods = rust_methods.methods()
    methods = {name: methods[name] for name in methods.keys() - HIDDEN_CLASSES}
    if sorted(methods) != sorted(CLASSES):
        raise SystemExit(f"CLASSES and the Rust code differ: {set(methods) ^ set(CLASSES)}")
    classes = "\n".join(class_stub(name, methods[name]) for name in CLASSES)
    dicts = [name for name, value in vars(types).items() if is_typeddict(value)]
    return HEADER.format(types=", ".join(dicts), all=sorted([*CLASSES, "__version__"])) + "\n" + classes


def class_stub(name: str, methods: dict[str, Method]) -> str:
    runtime = getattr(_core, name)
    methods = methods | methods_in_python(runtime)
    if missing := {member for member in vars(runtime) if not member.startswith("_")} - methods.keys():
        raise SystemExit(f"rust_methods.py does not find {sorted(missing)} of {name} in the Rust code")
    lines = ["@final", f"class {name}:", *docstring(runtime.__doc__, "    "), ""]
    # `new` first, then properties, then the other methods, each in the order of the sources.
    order = sorted(methods.values(), key=lambda method: (method.name != "_new", "#[getter]" not in method.attributes))
    for method in order:
        if method.name not in LEFT_OUT:
            lines += method_stub(runtime, method)
    return "\n".join(lines) + "\n"


def methods_in_python(runtime: type) -> dict[str, Method]:
    """The methods that the package adds to a class, with the types of their own signatures."""
    functions = {name: member for name, member in vars(runtime).items() if inspect.isfunction(member)}
    is_awaited = runtime.__name__.startswith("Async")
    annotations = {
        name: {
            argument: re.sub(r"\b_(GeoDataFrame|Table)\b", r"\1", annotation)
            for argument, annotation in inspect.unwrap(function).__annotations__.items()
        }
        for name, function in functions.items()
    }
    return {
        name: Method(name, "", {}, types["return"], types, is_awaited=is_awaited) for name, types in annotations.items()
    }


def method_stub(runtime: type, method: Method) -> list[str]:
    part = PARTS.get(runtime.__name__.removeprefix("Async"))
    if method.name in SLOTS and (part or method.name == "__await__"):
        return ["    " + SLOTS[method.name].format(fields=sorted(part.__annotations__) if part else "")]
    if part and method.name in NAMES_OF_FIELDS:
        method.annotations["return"] = NAMES_OF_FIELDS[method.name].format(fields=sorted(part.__annotations__))
    # The constructor passes all its arguments to this one.
    python_name = "__new__" if method.name == "_new" else method.name
    documentation = None if python_name.startswith("__") else inspect.getdoc(getattr(runtime, python_name))
    decorators = [
        f"    @{python}"
        for rust, python in {"getter": "property", "staticmethod": "staticmethod", "classmethod": "classmethod"}.items()
        if f"#[{rust}]" in method.attributes and python_name != "__new__"
    ]
    keyword = "async def" if method.is_awaited else "def"
    if method.result in OVERLOADS:
        return overloads(runtime, method, f"    {keyword} {python_name}", documentation)
    head = f"    {keyword} {python_name}({parameters(runtime, method)}) -> {result(runtime, method)}:"
    body = docstring(of_twin(runtime, method, documentation), "        ")
    return [*decorators, head, *body] if body else [*decorators, f"{head} ..."]


def overloads(runtime: type, method: Method, head: str, documentation: str | None) -> list[str]:
    """A signature for each result. The documentation is in the first."""
    lines: list[str] = []
    usual = dict(method.annotations)
    defaults = OVERLOADS[method.result][0][0]
    for kinds, result in OVERLOADS[method.result]:
        method.annotations = usual | kinds
        listed = parameters(runtime, method)
        # A value other than the default has to be passed.
        for argument in (name for name, kind in kinds.items() if kind != defaults[name]):
            listed = re.sub(rf"({argument}: [^=,]*) = ['\w]+", r"\1", listed)
        body = [] if lines else docstring(of_twin(runtime, method, documentation), "        ")
        signature = f"{head}({listed}) -> {result}:"
        lines += ["    @overload", *([signature, *body] if body else [f"{signature} ..."])]
    return lines


def of_twin(runtime: type, method: Method, documentation: str | None) -> str | None:
    """The documentation; its first sentence and where the rest is, if the blocking twin or `Team` has the same."""
    is_shared = documentation and inspect.getdoc(getattr(_core.Team, method.name, None)) == documentation
    twin = _core.Team if is_shared else getattr(_core, runtime.__name__.removeprefix("Async"))
    same = twin is not runtime and inspect.getdoc(getattr(twin, method.name, None)) == documentation
    sentence = re.match(r".*?\.(?=\s)", documentation or "", re.DOTALL) if same else None
    is_awaited = method.is_awaited or (method.result not in OVERLOADS and "Coroutine" in result(runtime, method))
    awaited = ", awaited" if is_awaited else ""
    return f"{sentence[0]} As `{twin.__name__}.{method.name}`{awaited}." if sentence else documentation


def parameters(runtime: type, method: Method) -> str:
    """The parameters as Python shows them, each with its type."""
    if "#[getter]" in method.attributes:
        return "self"
    function = runtime if method.name == "_new" else vars(runtime)[method.name]
    signature = inspect.signature(getattr(function, "__func__", function))
    shown = list(signature.parameters.values())
    if method.name == "_new":
        shown.insert(0, inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY))
    typed = [parameter.replace(annotation=argument_type(method, parameter.name)) for parameter in shown]
    # Stubs do not need to mark `self` as positional-only.
    return re.sub(
        r"^(self|cls), /", r"\1", str(signature.replace(parameters=typed, return_annotation=signature.empty))[1:-1]
    )


class Annotation:
    """A type annotation that `inspect.Signature` writes without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def argument_type(method: Method, name: str) -> object:
    if name in ("self", "cls"):
        return inspect.Parameter.empty
    return Annotation(method.annotations.get(name) or python_type(method.arguments[name], ARGUMENTS, GENERIC_ARGUMENTS))


def result(runtime: type, method: Method) -> str:
    if method.name == "_new":
        return "Self"
    if method.result in ("PyResult<Self>", "Result<Self>") and "#[staticmethod]" in method.attributes:
        return runtime.__name__
    return method.annotations.get("return") or python_type(method.result, RESULTS, GENERIC_RESULTS)


def python_type(rust: str, names: dict[str, str], generics: dict[str, str]) -> str:
    """The Python type for a Rust type, from the tables or from its component types."""
    rust = re.sub(r"'\w+,? ?", "", rust).replace("<>", "")
    outer, _, inner = rust.removesuffix(">").partition("<")
    if rust in names:
        return names[rust]
    if rust.startswith("&"):
        return python_type(rust.removeprefix("&"), names, generics)
    if rust == "()":
        return "None"
    if outer in ("Bound", "PyResult", "Result", "PyRef", "Py"):
        return python_type(inner, names, generics)
    if outer in generics:
        inner_types = [python_type(inner_type, names, generics) for inner_type in rust_methods.split(inner)]
        return generics[outer].format(*inner_types)
    if rust.startswith("("):
        inner_types = [python_type(inner_type, names, generics) for inner_type in rust_methods.split(rust[1:-1])]
        return f"tuple[{', '.join(inner_types)}]"
    if hasattr(types, rust.removeprefix("model::")) or rust in CLASSES:
        return rust.removeprefix("model::")
    raise SystemExit(f"the tables of {Path(__file__).name} have no Python type for the Rust type {rust}")


def docstring(text: str | None, indent: str) -> list[str]:
    if not text:
        return []
    lines = inspect.cleandoc(text).replace("\\", "\\\\").splitlines()
    quoted = ['"""' + lines[0], *lines[1:]]
    quoted = [*quoted, '"""'] if len(lines) > 1 else [quoted[0] + '"""']
    return [(indent + line).rstrip() for line in quoted]


def formatted(text: str) -> str:
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUBS), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    sys.exit(main())
