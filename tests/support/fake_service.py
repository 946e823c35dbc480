"""A service that sends a test's responses."""

import inspect
import json
import threading
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from local_server import LocalServer, QuietHandler
from pygeodesign import AsyncClient, AsyncProject, Client, Project

PROJECT = "FakeProject00001"
ROOT = "/api/v1/"
# The reads of `add_diagrams` before it sends: the systems, and a study area that is the complete Earth.
UPLOAD_CHECKS: Mapping[str, Any] = {
    "systems/": [{"id": 1, "name": "Water", "tag": "WAT"}, {"id": 2, "name": "Green", "tag": "GRN"}],
    "bounds/": {"bounds": "-180,-90,180,90"},
}


class Response(NamedTuple):
    """The response to a request. A body that is not bytes is sent as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = {}


class FakeService(LocalServer):
    """Responds to requests for paths below `ROOT`, during a `with` block.

    The response for a path is a JSON value, a `Response`, or a list of `Response`s: one for each request, the last one
    for all further requests. A JSON value that is a list is sent with its length, as our service does. Or it is a
    function that gets the body of the request, and its headers if it takes two arguments, and returns a `Response`. The
    paths of `below` are relative to the project `PROJECT`, those of `root` to the API root. `requests` counts the
    requests for each path, `sent` is the list of their bodies.
    """

    def __init__(self, below: Mapping[str, Any] | None = None, root: Mapping[str, Any] | None = None) -> None:
        self.requests: Counter[str] = Counter()
        self.sent: list[Any] = []
        self._responses = {f"projects/{PROJECT}/{path}": response for path, response in (below or {}).items()} | dict(
            root or {}
        )
        self._lock = threading.Lock()
        super().__init__(self._handler())

    @property
    def url(self) -> str:
        return self.origin + ROOT

    def client(self, **settings: Any) -> Client:
        return Client("token", self.url, **settings)

    def project(self, **settings: Any) -> Project:
        return self.client(**settings).project(PROJECT)

    def async_project(self) -> AsyncProject:
        return AsyncClient("token", self.url).project(PROJECT)

    def _response_to(self, path: str, body: Any, headers: Mapping[str, str]) -> Response:
        with self._lock:
            response = self._responses.get(path, Response({"detail": f"the test has no {path}"}, 404))
            earlier_requests = self.requests[path]
            self.requests[path] += 1
            if body is not None:
                self.sent.append(body)
        if callable(response):
            takes_headers = len(inspect.signature(response).parameters) > 1
            computed: Response = response(body, headers) if takes_headers else response(body)
            return computed
        if isinstance(response, list) and response and isinstance(response[0], Response):
            response = response[min(earlier_requests, len(response) - 1)]
        if isinstance(response, Response):
            return response
        return Response(response, headers={"x-total-count": str(len(response))} if isinstance(response, list) else {})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                self.respond(None)

            def do_POST(self) -> None:  # noqa: N802
                self.respond(json.loads(self.request_body()))

            def respond(self, sent: Any) -> None:
                path = self.path.partition("?")[0].removeprefix(ROOT)
                body, status, headers = service._response_to(
                    path, sent, {name.lower(): value for name, value in self.headers.items()}
                )
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in ({"content-type": "application/json"} | dict(headers)).items():
                    self.send_header(name, value)
                self.send_body(content)

        return Handler
