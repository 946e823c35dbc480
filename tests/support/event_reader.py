"""Reads a project's server-sent events over a plain socket."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from small_project import ADMINISTRATOR, Workshop


class Event(NamedTuple):
    id: int | None
    name: str
    data: Any


class EventReader:
    def __init__(self, lines: BinaryIO) -> None:
        self.lines = lines
        self.status = int(self.lines.readline().split()[1])
        head = iter(lambda: self.lines.readline().decode().strip(), "")
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head)}
        self.comments = 0
        # One for all, because a chunk of the body may have several events.
        self.events = self.read()

    def __iter__(self) -> Iterator[Event]:
        return self.events

    def next(self) -> Event:
        return next(self.events)

    def read(self) -> Iterator[Event]:
        """The events until the stream ends. Each chunk of the body has complete events."""
        while size := int(self.lines.readline() or b"0", 16):
            chunk = self.lines.read(size).decode()
            self.lines.readline()
            for text in chunk.split("\n\n")[:-1]:
                if text.startswith(":"):
                    self.comments += 1
                    continue
                fields = dict(line.split(": ", 1) for line in text.split("\n"))
                yield Event(int(fields["id"]) if "id" in fields else None, fields["event"], json.loads(fields["data"]))


@contextmanager
def watching(
    workshop: Workshop, last_event_id: object = None, user: str = ADMINISTRATOR, token: str | None = None
) -> Iterator[EventReader]:
    url = urlsplit(workshop.sandbox.url)
    assert url.hostname and url.port
    with socket.create_connection((url.hostname, url.port), timeout=20) as connection:
        head = [
            f"GET {url.path}projects/{workshop.id}/events/ HTTP/1.1",
            f"Host: {url.netloc}",
            f"Authorization: Token {token or workshop.sandbox.token(user)}",
            *([f"Last-Event-ID: {last_event_id}"] if last_event_id is not None else []),
        ]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        with connection.makefile("rb") as lines:
            yield EventReader(lines)
