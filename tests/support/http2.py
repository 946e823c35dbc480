"""A badly behaved HTTP/2 client, based on the protocol machine of the package h2."""

import socket
import ssl
import time
from collections import defaultdict
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

from serving import RunningService


@dataclass
class Answer:
    """The part of a response that has arrived."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_complete: bool = False


class Http2Connection:
    """A connection to the service at `url`, which may send `window` bytes of each response unasked."""

    def __init__(self, url: str, ca_file: str | None, token: str, *, window: int = 1 << 20) -> None:
        address = urlsplit(url)
        self._token = token
        self._authority, self._root = address.netloc, address.path
        context = ssl.create_default_context(cafile=ca_file)
        context.set_alpn_protocols(["h2"])
        assert address.hostname is not None
        connection = socket.create_connection((address.hostname, address.port), timeout=20)
        self.socket = context.wrap_socket(connection, server_hostname=address.hostname)
        self.protocol = self.socket.selected_alpn_protocol()
        self.machine = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.machine.local_settings = h2.settings.Settings(
            client=True, initial_values={h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: window}
        )
        self.machine.initiate_connection()
        self.answers: defaultdict[int, Answer] = defaultdict(Answer)
        self.is_closed = False
        self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.socket.close()

    def flush(self) -> None:
        try:
            self.socket.sendall(self.machine.data_to_send())
        except OSError:
            self.is_closed = True

    def get(self, path: str, *headers: tuple[str, str], flush: bool = True) -> int:
        """Sends a request and returns its stream."""
        stream = int(self.machine.get_next_available_stream_id())
        request = [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", self._authority),
            (":path", f"{self._root}{path}"),
            ("authorization", f"Token {self._token}"),
            *headers,
        ]
        self.machine.send_headers(stream, request, end_stream=True)
        if flush:
            self.flush()
        return stream

    def reset(self, stream: int) -> None:
        self.machine.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)

    def receive(self, *, reads: bool = True) -> None:
        """Receives the service's next bytes. With `reads`, it acknowledges them, so that the service may send more."""
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            raise
        except OSError:
            data = b""
        if not data:
            self.is_closed = True
            return
        try:
            events = self.machine.receive_data(data)
        except h2.exceptions.ProtocolError:
            # The package takes the announcement of the connection's end for the end.
            self.is_closed = True
            return
        for event in events:
            match event:
                case h2.events.ResponseReceived():
                    headers = {name.decode(): value.decode() for name, value in event.headers}
                    self.answers[event.stream_id].status = int(headers.pop(":status"))
                    self.answers[event.stream_id].headers = headers
                case h2.events.DataReceived():
                    self.answers[event.stream_id].body += event.data
                    if reads:
                        self.machine.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case h2.events.StreamEnded():
                    self.answers[event.stream_id].is_complete = True
                case h2.events.ConnectionTerminated():
                    self.is_closed = True
        if not self.is_closed:
            self.flush()

    def answer(self, stream: int) -> Answer:
        """The complete response."""
        while not self.answers[stream].is_complete:
            assert not self.is_closed, "the service closed the connection"
            self.receive()
        return self.answers[stream]

    def closes_within(self, seconds: float) -> bool:
        """True if the service closes the connection while the responses are not read."""
        end = time.monotonic() + seconds
        while not self.is_closed and time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                self.receive(reads=False)
            except TimeoutError:
                break
        return self.is_closed


def connect(service: RunningService, *, window: int = 1 << 20) -> Http2Connection:
    return Http2Connection(service.urls[0], service.ca_file, service.tokens["admin"], window=window)
