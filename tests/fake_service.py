"""A service that holds whatever a test wants it to hold."""

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


class Answer(NamedTuple):
    """What is sent for a path. A body that is not bytes is sent as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = {}


class FakeService(LocalServer):
    """Answers paths below `ROOT`, in a `with` block.

    A path's answer is a JSON value, an `Answer`, a function from the body that was sent to an `Answer`, or a list of
    `Answer`s that are given one after another, the last of them from then on. `below` names paths of the project
    `PROJECT`; the others stand below the root. `requests` counts what was asked, `sent` keeps the bodies that came.
    """

    def __init__(self, below: Mapping[str, Any] | None = None, root: Mapping[str, Any] | None = None) -> None:
        self.requests: Counter[str] = Counter()
        self.sent: list[Any] = []
        self._answers = {f"projects/{PROJECT}/{path}": answer for path, answer in (below or {}).items()} | dict(
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

    def _answer(self, path: str, body: Any = None) -> Answer:
        with self._lock:
            answer = self._answers.get(path, Answer({"detail": f"the test has no {path}"}, 404))
            turn = self.requests[path]
            self.requests[path] += 1
            if body is not None:
                self.sent.append(body)
        if callable(answer):
            made: Answer = answer(body)
            return made
        if isinstance(answer, list) and answer and isinstance(answer[0], Answer):
            answer = answer[min(turn, len(answer) - 1)]
        return answer if isinstance(answer, Answer) else Answer(answer)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                self.answer(None)

            def do_POST(self) -> None:  # noqa: N802
                self.answer(json.loads(self.sent()))

            def answer(self, sent: Any) -> None:
                body, status, headers = service._answer(self.path.partition("?")[0].removeprefix(ROOT), sent)
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in ({"content-type": "application/json"} | dict(headers)).items():
                    self.send_header(name, value)
                self.finish_with(content)

        return Handler
