"""The reference, by task: the page of each public name, and the content of each page.

Names are found in the package itself. A new operation goes to the page whose words are in its name, otherwise to
the page of projects; a new class, function or module has a place, too. So no name is forgotten.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, is_typeddict

import pygeodesign


class Task(NamedTuple):
    """A page. An operation is on the first page with a match of `words` (a regular expression) in its name."""

    file: str
    title: str
    introduction: str
    words: str = r"$^"
    # The classes that are completely on this page, and functions.
    items: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        return f"reference/{self.file}.md"


PROJECTS = Task(
    "projects",
    "Connecting and projects",
    "`Client` asks a service, for blocking code; `AsyncClient` does for asyncio. A `Project` is one project of it.",
    items=("Client", "Project"),
)
ERRORS = Task("errors", "Errors", "All exceptions of the package are a `GeodesignError`.", items=("GeodesignError",))
OTHERS = Task("more", "More functions and classes", "What belongs to no other page.")
TYPES = Task("types", "Dicts", "The fields of the dicts that operations take and return (`pygeodesign.types`).")
PAGES = [
    PROJECTS,
    Task(
        "features",
        "Features and maps",
        "Diagrams, designs and maps arrive as a `FeatureCollection`; pictures and maps are made of it.",
        r"^(map|gallery|thumbnails|to_qgis)$",
        ("FeatureCollection", "measure", "plot_map"),
    ),
    Task(
        "people",
        "Accounts, guests and walk-ins",
        "Who may come: accounts and tokens of the operator, read-only links, joining codes.",
        r"token|^users$|_user$|^backup$|^service_history$|link|walk_in",
    ),
    Task(
        "designs",
        "Teams, designs and members",
        "Who takes part, what they chose, and what they made of it.",
        r"team|design|member|workshop|vote",
        ("Team", "Design", "Member", "Workshop"),
    ),
    Task(
        "diagrams",
        "Diagrams",
        "Reading diagrams, drawing new ones, and changing them.",
        r"diagram|preview|tags?$|^undo$|^history$",
        ("Diagram", "History"),
    ),
    Task(
        "systems",
        "Systems, evaluation and other layers",
        "The themes of a project, the maps that rate the land for them, and the study area.",
        r"system|study_area",
        ("System", "StudyArea"),
    ),
    Task(
        "costs",
        "Costs",
        "What diagrams and designs cost, and which budgets hold.",
        r"cost",
        ("CostReport", "plot_costs"),
    ),
    Task(
        "comparing",
        "Comparing designs",
        "Where designs agree, where diagrams collide, and which are best under a budget.",
        r"^compare$",
        ("Comparison", "Board", "Front", "Negotiation", "Optimum"),
    ),
    Task(
        "offline",
        "Offline and live",
        "Projects as files, and what changes as it changes.",
        r"archive|^sync$|watch|change_id",
        ("open", "compare_archives", "ArchiveChanges"),
    ),
    Task("sandbox", "The sandbox", "The service inside your process.", items=("Sandbox",)),
    OTHERS,
    ERRORS,
    TYPES,
]
# Their operations have the documentation of the blocking ones, and are shown next to them.
TWINS = {
    name: f"Async{name}"
    for name in ("Client", "Project", "Team", "Design", "System", "Diagram", "Member", "Workshop", "StudyArea")
}
# Classes whose operations are on the pages of their tasks.
SPREAD = ("Client", "Project")
# These send nothing, so there is nothing to await.
NOT_AWAITED = {"project", "team", "design", "system", "diagram", "member", "close"}


def public() -> dict[str, tuple[str, Any]]:
    """Every public class and function: its shortest import path, and the object."""
    found: dict[str, tuple[str, Any]] = {}
    names = [module.name for module in pkgutil.iter_modules(pygeodesign.__path__) if not module.name.startswith("_")]
    for module in [pygeodesign, *(importlib.import_module(f"pygeodesign.{name}") for name in names)]:
        listed = getattr(module, "__all__", None) or [
            name for name, item in vars(module).items() if getattr(item, "__module__", None) == module.__name__
        ]
        for name in listed:
            item = getattr(module, name)
            if not name.startswith("_") and (inspect.isclass(item) or inspect.isroutine(item)):
                found.setdefault(name, (f"{module.__name__}.{name}", item))
    return found


def members(item: type) -> Iterator[str]:
    """A class's public methods and properties, with those inherited from classes of this package."""
    own = [base for base in inspect.getmro(item) if base.__module__.startswith("pygeodesign")]
    names = dict.fromkeys(name for base in own for name in vars(base) if not name.startswith("_"))
    for name in names:
        value = inspect.getattr_static(item, name)
        if inspect.isroutine(value) or isinstance(value, (property, classmethod)) or inspect.isdatadescriptor(value):
            yield name


def is_record(item: Any) -> bool:
    """True if it is shown with a table of its fields."""
    return bool(is_typeddict(item))


def is_error(item: Any) -> bool:
    return inspect.isclass(item) and issubclass(item, BaseException)


def page_of(name: str, item: Any) -> Task:
    """The page of a class or function."""
    for task in PAGES:
        if name in task.items:
            return task
    if is_error(item):
        return ERRORS
    return TYPES if is_record(item) else OTHERS


def page_of_operation(name: str) -> Task:
    """The page of a method of `Client` and `Project`."""
    return next((task for task in PAGES if re.search(task.words, name)), PROJECTS)


def markdown(page: Task) -> str:
    parts = [f"# {page.title}", page.introduction]
    names = public()
    for name, (path, item) in names.items():
        if name in TWINS.values():
            continue
        if page_of(name, item) is page:
            parts += _whole(name, path, item)
        if name in SPREAD:
            operations = [member for member in members(item) if page_of_operation(member) is page]
            if operations:
                parts.append(f"## Operations of `{name}`" if page is PROJECTS else f"## Of `{name}`")
            for member in operations:
                parts += _operation(name, path, member, names)
    return "\n\n".join(parts) + "\n"


def _whole(name: str, path: str, item: Any) -> list[str]:
    if is_record(item):
        return _record(name, path, item)
    parts = [f"::: {path}\n    options:\n      heading_level: 2"]
    if name in TWINS:
        parts = [f'<span id="pygeodesign.{TWINS[name]}"></span>', *parts]
        shown = members(item) if name not in SPREAD else ()
        return parts + [part for member in shown for part in _operation(name, path, member, public())]
    if inspect.isclass(item) and not is_error(item):
        parts += [f"::: {path}.{member}" for member in members(item)]
    return parts


def _operation(name: str, path: str, member: str, names: dict[str, tuple[str, Any]]) -> list[str]:
    twin_path, twin = names[TWINS[name]]
    if not hasattr(twin, member):
        return [f"::: {path}.{member}"]
    how = _how_to_await(twin, member)
    anchor = f'<span id="{twin_path}.{member}"></span>'
    return [anchor, f"::: {path}.{member}", f'<p class="twin">asyncio: <code>{how}</code></p>' if how else ""]


def _how_to_await(twin: type, member: str) -> str:
    if not callable(getattr(twin, member)):
        return ""
    arguments = "()" if [*inspect.signature(getattr(twin, member)).parameters] == ["self"] else "(…)"
    called = f"{twin.__name__}.{member}{arguments}"
    if member == "watch":
        return f"async for change in {called}"
    return called if member in NOT_AWAITED else f"await {called}"


def _record(name: str, path: str, item: Any) -> list[str]:
    """A `TypedDict`'s documentation and a table of its fields."""
    optional: frozenset[str] = getattr(item, "__optional_keys__", frozenset())
    rows = [
        f"| `{field}` | `{_type(kind)}`{' (may be absent)' if field in optional else ''} |"
        for field, kind in inspect.get_annotations(item).items() | _inherited(item).items()
    ]
    order = list(_inherited(item)) + list(inspect.get_annotations(item))
    rows.sort(key=lambda row: order.index(row.split("`")[1]))
    table = "\n".join(["| field | type |", "|---|---|", *rows])
    return [f"## {name} {{ #{path} }}", inspect.cleandoc(item.__doc__ or ""), table]


def _inherited(item: Any) -> dict[str, Any]:
    inherited: dict[str, Any] = {}
    for base in getattr(item, "__orig_bases__", ()):
        if is_typeddict(base):
            inherited |= _inherited(base) | inspect.get_annotations(base)
    return inherited


def _type(kind: Any) -> str:
    text = kind.__forward_arg__ if hasattr(kind, "__forward_arg__") else inspect.formatannotation(kind)
    return re.sub(r"\b(?:typing|datetime|pygeodesign\.types)\.", "", text).replace("|", "\\|")


def not_shown(site: Path) -> list[str]:
    """The public names, including methods, without a place or without documentation in a built site."""
    shown = {
        anchor
        for page in (site / "reference").glob("*.html")
        for anchor in re.findall(r'\bid="(pygeodesign\.[\w.]+)"', page.read_text(encoding="utf-8"))
    }
    missing = []
    for path, item in public().values():
        if path not in shown or not item.__doc__:
            missing.append(path)
        if inspect.isclass(item) and not is_record(item) and not is_error(item):
            for member in members(item):
                if f"{path}.{member}" not in shown or not inspect.getattr_static(item, member).__doc__:
                    missing.append(f"{path}.{member}")
    return missing
