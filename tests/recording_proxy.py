"""A proxy in front of a service that keeps what passes through it."""

import http.client
import json
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from local_server import LocalServer, QuietHandler


class Request(NamedTuple):
    method: str
    # Without its query.
    path: str
    # JSON, or None.
    body: Any


class RecordingProxy(LocalServer):
    """Passes requests on to the service at `url`, in a `with` block; `requests` are those that came."""

    def __init__(self, url: str) -> None:
        self.requests: list[Request] = []
        super().__init__(self._handler(urlsplit(url).netloc))
        self.url = self.origin + urlsplit(url).path

    def _handler(self, service: str) -> type[BaseHTTPRequestHandler]:
        requests = self.requests

        class Handler(QuietHandler):
            def pass_on(self) -> None:
                sent = self.sent()
                requests.append(Request(self.command, self.path.partition("?")[0], json.loads(sent) if sent else None))
                connection = http.client.HTTPConnection(service, timeout=20)
                connection.request(self.command, self.path, sent or None, dict(self.headers))
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
                self.send_response(answer.status)
                for name in ("content-type", "content-encoding", "location", "www-authenticate"):
                    if name in answer.headers:
                        self.send_header(name, answer.headers[name])
                self.finish_with(body)

            do_GET = do_POST = do_DELETE = pass_on  # noqa: N815

        return Handler
