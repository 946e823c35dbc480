"""A service written only from the platform's reference, without a line from the embedded one.

It has the figures of a project in memory, and sends them as the reference describes: no field, header or operation
beside, errors without JSON, either variant of a system, and lists that are paged in one of many ways.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

from local_server import LocalServer, QuietHandler
from pygeodesign import Sandbox

ROOT = "/api/v1/"
PROJECT_FIELDS = ("id", "projecttitle", "projectdesc", "startdate", "projecttype", "external_connection")
DIAGRAM_FIELDS = (
    *("geojson", "sysid", "rank", "id", "description", "type", "length", "area", "fundingtype", "cost_override"),
    *("cost_override_type", "building_data", "notes", "created_at", "start_date", "end_date", "additional_metadata"),
    *("tag_codes", "flat_geobuf_url", "external_geometries"),
)
# The names of the first variant of a system by those of the second.
VARIANT_1 = {"name": "sysname", "color": "syscolor", "tag": "systag", "cost": "syscost", "budget": "sysbudget"}
FIGURES = ("current_ha", "target_ha", "verbose_description")
DEFAULT_PAGE_SIZE = 10

# Form of paging of a list in any place: in arrays of `page_size`, where a page beyond the last is not found or empty;
# in arrays of one size for any request; not at all, or cut, for any requested page; in objects with links around the
# list, or around the object that has it; in that object itself; in objects without links, with the length as a text or
# without it; with links in a header.
Form = Literal[
    "array",
    "array, then empty",
    "capped array",
    "deaf array",
    "cut array",
    "next links",
    "next links beside",
    "results",
    "results and count",
    "headers",
]
# The fields of objects that have lists.
LISTS = ("members", "stakeholders", "synthesis", "diagrams", "features")


class Content(NamedTuple):
    """The figures of a project, in the shapes of the reference."""

    info: dict[str, Any]
    # By the paths of operations that send no list of their own.
    objects: dict[str, Any]
    systems: list[dict[str, Any]]
    diagrams: list[dict[str, Any]]
    authors: dict[int, str]
    tags: list[dict[str, Any]]
    plugins: list[dict[str, Any]]
    layers: list[dict[str, Any]]
    teams: list[dict[str, Any]]
    # The feature-JSON of each design, by team and id.
    designs: dict[tuple[str, str], list[dict[str, Any]]]


def content_of(sandbox: Sandbox) -> Content:
    """The content of a sandbox's first project."""
    projectid = sandbox.project_ids[0]

    def get(path: str) -> Any:
        address = f"{sandbox.url}projects/{projectid}/{path}?page_size=1000000"
        request = Request(address, headers={"authorization": f"Token {sandbox.token()}"})
        with urlopen(request, timeout=60) as response:
            return json.load(response)

    paths = ["members/", "stakeholders/", "bounds/", "center/", "constraints/", "boundaries/", "secondboundaries/"]
    objects = {path: get(path) for path in paths}
    systems, teams, designs = [get(f"systems/{row['id']}/") for row in get("systems/")], get("cteams/"), {}
    for system in systems:
        objects[f"systems/{system['id']}/evaluation/"] = get(f"systems/{system['id']}/evaluation/")
    for member in objects["members/"]["members"]:
        objects[f"members/{member['username']}/diagrams/"] = get(f"members/{member['username']}/diagrams/")
    for team in teams:
        listed = get(f"cteams/{team['id']}/")
        objects[f"cteams/{team['id']}/"] = listed
        objects[f"cteams/{team['id']}/members/"] = get(f"cteams/{team['id']}/members/")
        for design in listed["synthesis"]:
            designs[str(team["id"]), design["id"]] = get(f"cteams/{team['id']}/{design['id']}/esri/")
    return Content(
        {name: get("")[name] for name in PROJECT_FIELDS},
        objects,
        systems,
        [{name: row[name] for name in DIAGRAM_FIELDS if name in row} for row in get("diagrams/all/")],
        {row["id"]: row["author"] for row in get("diagrams/")},
        get("tags/"),
        get("plugins/"),
        get("data_layers/"),
        teams,
        designs,
    )


class NotFoundHereError(Exception):
    """The service has no such thing, or no such operation."""


class ReferenceService(LocalServer):
    """Responds to reads during a `with` block.

    No page has more than `cap` items. `missing` are patterns of paths below a project that it does not have. `added`
    are diagrams at the end of its lists, as they are. `requests` counts the requests for each path.
    """

    def __init__(
        self,
        content: Content,
        form: Form = "array",
        cap: int = 1_000_000,
        *,
        variant: Literal[1, 2] = 2,
        missing: Iterable[str] = (),
        added: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.requests: Counter[str] = Counter()
        self._content, self._form, self._cap, self._variant = content, form, cap, variant
        self._missing = list(missing)
        self._diagrams: list[Mapping[str, Any]] = [*content.diagrams, *added]
        super().__init__(self._handler())

    def with_rows(self, added: Iterable[Mapping[str, Any]]) -> "ReferenceService":
        """The same service with further diagrams."""
        return ReferenceService(self._content, self._form, self._cap, variant=self._variant, added=added)

    @property
    def url(self) -> str:
        return self.origin + ROOT

    def _read(self, path: str) -> Any:
        """The complete response to a read below the API root."""
        below = path.removeprefix("projects/")
        if below in ("", "latest/"):
            return [self._content.info]
        below = below.removeprefix(f"{self._content.info['id']}/")
        if below == path.removeprefix("projects/") or any(re.fullmatch(pattern, below) for pattern in self._missing):
            raise NotFoundHereError
        if below in self._content.objects:
            return self._content.objects[below]
        for pattern, operation in OPERATIONS.items():
            if found := re.fullmatch(pattern, below):
                return operation(self, *found.groups())
        raise NotFoundHereError

    def _diagram(self, number: str) -> Mapping[str, Any]:
        return one(row for row in self._diagrams if str(row["id"]) == number)

    def _summary(self, row: Mapping[str, Any]) -> dict[str, Any]:
        created_at = str(row.get("created_at", "2026-03-02 09:30:00")).replace(" ", "T") + ".000000"
        author = self._content.authors.get(row["id"], "admin")
        told = {"id": row["id"], "worlddescription": row.get("description"), "author": author}
        return {**told, "created_at": created_at, "rank": row.get("rank", 1), "sysid": row.get("sysid")}

    def _system(self, system: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
        return {VARIANT_1.get(name, name) if self._variant == 1 else name: system[name] for name in names}

    def _systems(self) -> list[dict[str, Any]]:
        return [self._system(system, ("id", "name", "color")) for system in self._content.systems]

    def _system_detail(self, number: str) -> dict[str, Any]:
        system = one(row for row in self._content.systems if str(row["id"]) == number)
        return self._system(system, ("id", *VARIANT_1, *FIGURES))

    def _tags_of(self, number: str) -> list[dict[str, Any]]:
        return [tag for tag in self._content.tags if int(number) in tag["diagrams"]]

    def _change_id(self, number: str) -> dict[str, Any]:
        return {"changehash": sha256(json.dumps(self._diagram(number), default=str).encode()).hexdigest()}

    def _selection(self, username: str, sysid: str | None, kind: str | None) -> dict[str, Any]:
        selected = self._content.objects.get(f"members/{username}/diagrams/")
        if selected is None:
            raise NotFoundHereError
        kinds = {None: None, "projects": "project", "policies": "policy"}[kind]
        features = [
            feature
            for feature in selected["features"]
            if sysid is None or str(feature["properties"]["sysid"]) == sysid
            if kinds is None or feature["properties"]["areatype"] == kinds
        ]
        return {"type": "FeatureCollection", "features": features}

    def _latest(self, team: str) -> Mapping[str, Any]:
        designs = self._content.objects.get(f"cteams/{team}/", {"synthesis": []})["synthesis"]
        return one(sorted(designs, key=lambda design: design["creationdate"], reverse=True))

    def _esri(self, team: str, design: str) -> list[dict[str, Any]]:
        if (team, design) not in self._content.designs:
            raise NotFoundHereError
        return self._content.designs[team, design]

    def _design(self, team: str, design: str) -> dict[str, Any]:
        """The reference only shows the start of a FeatureCollection with the attributes as properties."""
        diagrams = {str(row["id"]): row for row in self._diagrams}
        features = [
            feature | {"properties": row["attributes"]}
            for row in self._esri(team, design)
            for feature in diagrams[str(row["attributes"].get("diagramid", row["attributes"].get("id")))]["geojson"][
                "features"
            ][:1]
        ]
        return {"type": "FeatureCollection", "features": features}

    def _answer(self, path: str, query: Mapping[str, list[str]], content: Any) -> tuple[Any, dict[str, str]]:
        """A page of a list, also of one in an object, and the headers of the response."""
        name = next((name for name in LISTS if isinstance(content, dict) and name in content), None)
        if not isinstance(content, list) and name is None:
            return content, {}
        page: Any
        page, next_link = self._paged(path, query, content if name is None else content[name])
        if name is not None and self._form != "next links beside":
            page = {**content, name: page}
        count = len(content if name is None else content[name])
        if self._form == "headers":
            return page, {"link": f'<https://example.org/>; rel="help", <{next_link}>; rel="next"'} if next_link else {}
        if self._form in ("results", "results and count"):
            return {"results": page} | ({"count": str(count)} if self._form == "results and count" else {}), {}
        about = {"count": count, "next": next_link, "previous": None}
        if self._form == "next links":
            return {**about, "results": page}, {}
        if self._form == "next links beside":
            return {**about, "results": page} if name is None else {**content, **about, name: page}, {}
        return page, {}

    def _paged(self, path: str, query: Mapping[str, list[str]], whole: list[Any]) -> tuple[list[Any], str | None]:
        """A page of a list, and the address of the next one."""
        if self._form in ("deaf array", "cut array"):
            return whole[: self._cap], None
        number = int(query.get("page", ["1"])[0])
        asked = self._cap if self._form == "capped array" else int(query.get("page_size", [DEFAULT_PAGE_SIZE])[0])
        size = min(asked, self._cap)
        page = whole[(number - 1) * size : number * size]
        if number > 1 and not page and self._form != "array, then empty":
            raise NotFoundHereError
        following = f"{self.origin}{ROOT}{path}?page={number + 1}&page_size={size}"
        return page, None if number * size >= len(whole) else following

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                parts = urlsplit(self.path)
                path = parts.path.removeprefix(ROOT)
                service.requests[path] += 1
                try:
                    content, headers = service._answer(path, parse_qs(parts.query), service._read(path))
                except NotFoundHereError:
                    self.respond(404, {"content-type": "text/html"}, b"<h1>Not Found</h1>")
                else:
                    body = json.dumps(content).encode()
                    self.respond(200, {"content-type": "application/json", **headers}, body)

            def respond(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_body(body)

        return Handler


def one(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    for row in rows:
        return row
    raise NotFoundHereError


def without(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


# The reference's reads below a project, by their paths, in addition to those of `Content.objects`.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "": lambda service: service._content.info,
    "plugins/": lambda service: service._content.plugins,
    "data_layers/": lambda service: service._content.layers,
    "tags/": lambda service: service._content.tags,
    "diagrams/": lambda service: [service._summary(row) for row in service._diagrams],
    "diagrams/all/": lambda service: service._diagrams,
    "diagrams/all/details/": lambda service: [without(row, "geojson") for row in service._diagrams],
    r"diagrams/(\d+)/": ReferenceService._diagram,
    r"diagrams/(\d+)/tags/(?:codes/)?": ReferenceService._tags_of,
    r"diagrams/(\d+)/notes/": lambda service, number: {
        "id": number,
        "notes": service._diagram(number).get("notes", ""),
    },
    r"diagrams/(\d+)/changeid/": ReferenceService._change_id,
    "systems/": ReferenceService._systems,
    r"systems/(\d+)/": ReferenceService._system_detail,
    r"systems/(\d+)/diagrams/": lambda service, sysid: {
        "diagrams": [row["id"] for row in service._diagrams if str(row.get("sysid")) == sysid]
    },
    r"systems/(\d+)/([\w.]+)/diagrams/(?:(projects|policies)/)?": lambda service, sysid, name, kind: service._selection(
        name, sysid, kind
    ),
    "cteams/": lambda service: service._content.teams,
    r"cteams/(\d+)/details/": ReferenceService._latest,
    r"cteams/(\d+)/(\w{16})/esri/": ReferenceService._esri,
    r"cteams/(\d+)/(\w{16})/": ReferenceService._design,
}
