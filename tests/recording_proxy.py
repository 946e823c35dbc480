"""A proxy in front of a service that keeps what passes through it."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit


class Request(NamedTuple):
    method: str
    # Without its query.
    path: str
    # JSON, or None.
    body: Any


class RecordingProxy:
    """Passes requests on to the service at `url`, in a `with` block; `requests` are those that came."""

    def __init__(self, url: str) -> None:
        self.requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(urlsplit(url).netloc))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{urlsplit(url).path}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self, service: str) -> type[BaseHTTPRequestHandler]:
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body leave together; apart, the second would wait for the other side's acknowledgement.
            wbufsize = -1

            def pass_on(self) -> None:
                sent = self.rfile.read(int(self.headers.get("content-length", 0)))
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
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = pass_on  # noqa: N815

            def log_message(self, format: str, *arguments: Any) -> None:
                """Silent."""

        return Handler
