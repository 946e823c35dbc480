"""A connection that sends the same requests as the room's page (`web/room/`), without a browser."""

import http.client
import json
import random
import threading
import time
import uuid
from typing import Any
from urllib.parse import quote, urlsplit

from serving import PROJECT
from stress import duration

# Pauses of the page, in seconds.
FIRST_PAUSE, MAX_PAUSE = 0.25, 5.0
# Seconds after which a person would have given up.
PATIENCE = 60.0
# In minutes, the number of diagrams reaches a workshop's, not a service's maximum.
SLOWNESS = duration(short=1, long=5)


class UnreachableError(Exception):
    """No response came: the request may be sent again."""


class RoomSpeaker:
    """A member who joins, reads everything, follows changes, draws and chooses, with the page's requests."""

    def __init__(self, url: str, name: str, token: str, number: int) -> None:
        address = urlsplit(url)
        assert address.hostname and address.port
        self.address, self.root = (address.hostname, address.port), address.path
        self.name, self.token = name, token
        self.path = f"projects/{PROJECT}/"
        self.chance = random.Random(number)
        self.drawn: dict[str, int] = {}
        """Titles and ids that the service has acknowledged."""
        self.chosen: set[int] = set()
        self.known: dict[int, str] = {}
        """The diagrams of the project, as the page would show them."""
        self.total: float | None = None
        self.last_event = ""
        self.stale: set[int] = set()
        self.is_current = False
        self.repeated = 0
        self.faults: list[str] = []
        self.leaves = threading.Event()
        self.connection: http.client.HTTPConnection | None = None
        self.lock = threading.Lock()

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The body of a response; `UnreachableError` where the page would say so."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(*self.address, timeout=30)
        headers |= {"Authorization": f"Token {self.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            sent = None if body is None else json.dumps(body)
            self.connection.request(method, f"{self.root}{path}", sent, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise UnreachableError(error) from error
        if answer.status >= 500 or answer.status in (408, 429):
            raise UnreachableError(f"{answer.status} {text.decode()}")
        found = json.loads(text) if text else None
        if answer.status >= 400:
            raise AssertionError(f"{method} {path}: {answer.status} {found}")
        return found

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def until_answered(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        pause, until = FIRST_PAUSE, time.monotonic() + PATIENCE
        while True:
            try:
                return self.send(method, path, body, **headers)
            except UnreachableError as error:
                if time.monotonic() > until:
                    raise AssertionError(
                        f"{method} {path}: no answer within {PATIENCE:.0f} s, at last {error}"
                    ) from error
                self.repeated += 1
                time.sleep(pause * self.chance.uniform(0.75, 1.25))
                pause = min(2 * pause, MAX_PAUSE)

    def read_all(self) -> None:
        """Sends the page's reads when it opens, or when it has to read everything again."""
        lists = ["systems/", "diagrams/", "tags/", "data_layers/", "cteams/"]
        parts = ["changeid/", "", "members/", "boundaries/", "constraints/", "context/", "bounds/", "activities/"]
        for part in [*parts, *(f"{path}?page_size=1000&page=1" for path in lists)]:
            self.until_answered("GET", self.path + part)
        rows = self.until_answered("GET", f"{self.path}diagrams/all/")
        self.known = {row["id"]: row["description"] for row in rows}
        self.until_answered("GET", f"{self.path}members/{quote(self.name)}/diagrams/")
        self.read_costs()

    def read_costs(self) -> None:
        self.total = self.until_answered("GET", f"{self.path}costs/")["total"]

    def run(self) -> None:
        """The life of the page until it `leaves`."""
        listener = threading.Thread(target=self.listen, daemon=True)
        listener.start()
        try:
            self.read_all()
            while not self.leaves.is_set():
                self.draw()
                if self.drawn and self.chance.random() < 0.5:
                    self.choose()
                self.read_stale()
                self.leaves.wait(self.chance.uniform(1, 3) * SLOWNESS)
        except Exception as error:
            self.faults.append(repr(error))
        finally:
            self.close()

    def draw(self) -> None:
        system = self.chance.randint(1, 9)
        west, south = self.chance.uniform(-74.2, -74.1), self.chance.uniform(40.52, 40.6)
        corners = [[west, south], [west + 0.004, south], [west + 0.004, south + 0.003], [west, south + 0.003]]
        geometry = {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "properties": {},
                    "geometry": {"type": "Polygon", "coordinates": [[*corners, corners[0]]]},
                }
            ],
        }
        try:
            preview = self.send(
                "POST", f"{self.path}systems/{system}/preview/", {"geometry": geometry, "kind": "project"}
            )
            assert preview["faults"] == []
        except UnreachableError:
            pass
        title, key = f"{self.name} {len(self.drawn)}", {"Idempotency-Key": uuid.uuid4().hex}
        body = {"geometry": geometry, "featuretype": "polygon", "description": title, "fundingtype": "pu"}
        added = self.until_answered("POST", f"{self.path}systems/{system}/add/project/", body, **key)
        self.drawn[title] = int(added["diagram_id"])

    def choose(self) -> None:
        diagram = self.chance.choice([*self.drawn.values()])
        how = "remove" if diagram in self.chosen else "add"
        self.until_answered("PATCH", f"{self.path}members/{quote(self.name)}/diagrams/", {how: [diagram]})
        self.chosen ^= {diagram}

    def read_stale(self) -> None:
        """Reads the changed diagrams, and the cost of all."""
        with self.lock:
            ids, self.stale = self.stale, set()
        for diagram in ids:
            self.known[diagram] = self.until_answered("GET", f"{self.path}diagrams/{diagram}/")["description"]
        if ids:
            self.read_costs()

    def listen(self) -> None:
        """Follows the events, from the last known one."""
        pause = FIRST_PAUSE
        while not self.leaves.is_set():
            stream = http.client.HTTPConnection(*self.address, timeout=40)
            headers = {"Authorization": f"Token {self.token}"}
            if self.last_event:
                headers["Last-Event-ID"] = self.last_event
            try:
                stream.request("GET", f"{self.root}{self.path}events/", headers=headers)
                answer = stream.getresponse()
                if answer.status == 200:
                    self.is_current, pause = True, FIRST_PAUSE
                    self.hear(answer)
            except (OSError, http.client.HTTPException, ValueError):
                pass
            finally:
                stream.close()
            self.is_current = False
            self.leaves.wait(pause * self.chance.uniform(0.75, 1.25))
            pause = min(2 * pause, MAX_PAUSE)

    def hear(self, answer: http.client.HTTPResponse) -> None:
        event: dict[str, str] = {}
        while line := answer.readline():
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field:
                event[field] = value
                continue
            self.last_event = event.get("id", self.last_event)
            if event.get("event") == "diagram":
                with self.lock:
                    self.stale.add(int(json.loads(event["data"])["id"]))
            elif event.get("event") in ("reset", "end"):
                self.faults.append(str(event))
            event = {}
