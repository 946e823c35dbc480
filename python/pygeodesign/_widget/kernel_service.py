"""The kernel's part of a map in a browser: it sends the map's requests to the service, and reports changes to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pygeodesign._core import Project, _awaited, _forward
from pygeodesign.errors import ApiError, GeodesignError, InputError

# A browser sends several requests at once when a map is opened.
REQUESTS_AT_ONCE = 6
# Headers of a map's requests that mean something to the service.
HEADERS = {"if-match", "idempotency-key"}

Send = Callable[[dict[str, Any], list[bytes]], None]


class KernelService:
    """Answers the messages of a map. It never waits for requests on the thread of the kernel."""

    def __init__(self, project: Project, send: Send) -> None:
        """`send` takes a message for the map, and buffers."""
        self._project, self._send = project, send
        self._requests = ThreadPoolExecutor(REQUESTS_AT_ONCE, thread_name_prefix="map")
        self._watches: dict[str, Watch] = {}

    def hear(self, message: dict[str, Any]) -> None:
        """Handles a message from the map."""
        kind, number = message.get("kind"), message.get("id", "")
        if kind == "send":
            self._requests.submit(self._answer, message)
        elif kind == "listen":
            self._watches[number] = Watch(self._project, number, self._send)
        elif kind == "leave" and number in self._watches:
            self._watches.pop(number).stop()

    def close(self) -> None:
        """Ends everything that runs for the map."""
        for watch in self._watches.values():
            watch.stop()
        self._watches.clear()
        self._requests.shutdown(wait=False, cancel_futures=True)

    def _answer(self, message: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"kind": "answer", "id": message["id"], "status": 0}
        body = b""
        try:
            sent = None if message["body"] is None else str(message["body"]).encode()
            headers = [(name, str(value)) for name, value in message["headers"].items() if name.lower() in HEADERS]
            status, etag, total, body = _forward(self._project, message["method"], message["path"], sent, headers)
            answer |= {"status": status, "etag": etag, "total": total}
        except ApiError as refused:
            answer |= {"status": refused.status_code, "problem": reason_of(refused)}
        except GeodesignError as problem:
            # There was no response; invalid requests are refused for good.
            answer |= {"status": 400 if isinstance(problem, InputError) else 0, "problem": str(problem)}
        self._send(answer, [body])


def reason_of(refused: ApiError) -> str:
    """The service's message, for the map's user."""
    try:
        body = json.loads(refused.body)
        return str(next(body[name] for name in ("detail", "status", "message") if name in body))
    except (ValueError, StopIteration, TypeError):
        return str(refused)


class Watch:
    """Reports the changes of its project to a map, on its own thread, until it is stopped."""

    def __init__(self, project: Project, number: str, send: Send) -> None:
        """`number` is the map's id of the watch."""
        self._project, self._number, self._send = project, number, send
        self._loop = asyncio.new_event_loop()
        self._watching: asyncio.Task[None] | None = None
        self._tell_state(True)
        threading.Thread(target=self._run, daemon=True, name="map changes").start()

    def stop(self) -> None:
        """Stops reporting."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(lambda: self._watching and self._watching.cancel())

    def _run(self) -> None:
        async def watch() -> None:
            self._watching = asyncio.current_task()
            async for change in _awaited(self._project).watch():
                told = {"action": change["action"], "id": change["id"]}
                event = {"kind": "event", "id": self._number, "event": change["kind"], "data": told}
                self._send(event, [])

        try:
            self._loop.run_until_complete(watch())
        except asyncio.CancelledError:
            pass
        except GeodesignError as problem:
            # An archive does not change, and is always current.
            if not isinstance(problem, InputError):
                self._tell_state(False)
        finally:
            self._loop.close()

    def _tell_state(self, is_open: bool) -> None:
        self._send({"kind": "state", "id": self._number, "isOpen": is_open}, [])
