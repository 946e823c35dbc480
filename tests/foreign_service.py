"""A service that is not ours: it has the demo project, pages its lists in one of many ways, and lacks operations.

It sends what the embedded service does, without our headers, and without operations that the reference does not have.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

from local_server import LocalServer, QuietHandler
from pygeodesign import Sandbox

ROOT = "/api/v1/"
# Reads of a project that the reference does not have.
OURS = ["history/", "events/", "changeid/", r"cteams/\d+/\w+/diagrams/", r"(.*/)?costs/"]
# What a client gets as an array.
LISTS = re.compile(
    r"projects/(latest/|\w+/(diagrams/(all/(details/)?|\d+/tags/(codes/)?)?"
    r"|tags/|plugins/|data_layers/|cteams/(\d+/\w+/esri/)?|systems/)?)?"
)

Form = Literal["array", "capped array", "deaf array", "next links"]


class ForeignService(LocalServer):
    """Responds to reads during a `with` block.

    `form` is how it pages lists: as arrays of `page_size` or 10 items, not more than `cap`; as arrays that are cut at
    `cap` whatever a request asks for; as whole arrays, whatever `page` a request asks for ("deaf"); or in objects.
    `added` are diagrams that only it has, at the end of its lists. `requests` counts the requests for each path.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        form: Form,
        cap: int = 1_000_000,
        missing: Iterable[str] = OURS,
        added: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._added = list(added)
        self.requests: Counter[str] = Counter()
        self._sandbox, self._form, self._cap = sandbox, form, cap
        self._missing = [re.compile(rf"projects/\w+/{path}") for path in missing]
        super().__init__(self._handler())

    @property
    def url(self) -> str:
        return self.origin + ROOT

    def _response_to(self, target: str, token: str) -> tuple[int, Any]:
        parts = urlsplit(target)
        path, query = parts.path.removeprefix(ROOT), parse_qs(parts.query)
        self.requests[path] += 1
        if path == "limits/" or any(missing.fullmatch(path) for missing in self._missing):
            return 404, {"detail": "Not found."}
        request = Request(f"{self._sandbox.url}{path}?page_size=1000000", headers={"authorization": token})
        try:
            with urlopen(request, timeout=60) as response:
                found = json.load(response)
        except HTTPError as error:
            return error.code, json.load(error)
        if re.fullmatch(r"projects/\w+/diagrams/(all/(details/)?)?", path):
            found += self._added_to(path.partition("/diagrams/")[2])
        if not isinstance(found, list) or not LISTS.fullmatch(path) or self._form == "deaf array":
            return 200, found
        number = int(query.get("page", ["1"])[0])
        asked = int(query.get("page_size", ["10"])[0]) if self._form != "capped array" else self._cap
        size = min(asked, self._cap)
        page = found[(number - 1) * size : number * size]
        if number > 1 and not page:
            return 404, {"detail": "Invalid page."}
        if self._form != "next links":
            return 200, page
        link = f"{self.origin}{parts.path}?page={number + 1}&page_size={size}"
        is_last = number * size >= len(found)
        return 200, {"count": len(found), "next": None if is_last else link, "previous": None, "results": page}

    def _added_to(self, path: str) -> list[Any]:
        """The added diagrams in a list of diagrams."""
        if path == "all/":
            return self._added
        if path == "all/details/":
            return [{name: value for name, value in row.items() if name != "geojson"} for row in self._added]
        return [{"id": row["id"], "sysid": row["sysid"]} for row in self._added] if path == "" else []

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                status, content = service._response_to(self.path, self.headers.get("authorization", ""))
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_body(json.dumps(content).encode())

        return Handler
