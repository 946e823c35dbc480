"""A proxy in front of a service that records the requests."""

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
    # Parsed JSON, the bytes of another type, or None without a body.
    body: Any


class RecordingProxy(LocalServer):
    """Forwards requests to the service at `url` during a `with` block, and records them in `requests`."""

    def __init__(self, url: str) -> None:
        self.requests: list[Request] = []
        # The query string of each request.
        self.queries: list[str] = []
        super().__init__(self._handler(urlsplit(url).netloc))
        self.url = self.origin + urlsplit(url).path

    def _handler(self, service: str) -> type[BaseHTTPRequestHandler]:
        requests, queries = self.requests, self.queries

        class Handler(QuietHandler):
            def forward(self) -> None:
                sent = self.request_body()
                is_file = self.headers["content-type"] == "application/zip"
                body = sent if is_file else json.loads(sent) if sent else None
                requests.append(Request(self.command, self.path.partition("?")[0], body))
                queries.append(self.path.partition("?")[2])
                connection = http.client.HTTPConnection(service, timeout=20)
                connection.request(self.command, self.path, sent or None, dict(self.headers))
                response = connection.getresponse()
                received = response.read()
                connection.close()
                self.send_response(response.status)
                for name in (
                    "content-type",
                    "content-crs",
                    "content-encoding",
                    "etag",
                    "location",
                    "www-authenticate",
                    "x-total-count",
                ):
                    if name in response.headers:
                        self.send_header(name, response.headers[name])
                self.send_body(received)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward  # noqa: N815

        return Handler
