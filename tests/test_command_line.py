"""`pygeodesign serve` puts the service before a room."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import requests

from pygeodesign import ApiError, AuthenticationError, Client, PermissionDeniedError, TransportError
from pygeodesign.types import NewSystem

PROJECT = "StatenIsland2050"


class Room(NamedTuple):
    """What a command printed once it served."""

    process: subprocess.Popen[str]
    urls: list[str]
    ca_file: str | None
    projects: dict[str, str]
    tokens: dict[str, str]
    codes: list[str]

    def client(self, username: str = "admin") -> Client:
        return Client(self.tokens[username], self.urls[-1], ca_bundle=self.ca_file)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "pygeodesign", "serve", *map(str, arguments)]


@contextmanager
def serving(*arguments: object, port: int = 0) -> Iterator[Room]:
    process = subprocess.Popen(
        command("--port", port, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield read_welcome(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def read_welcome(process: subprocess.Popen[str]) -> Room:
    """Sections of indented lines below a heading."""
    assert process.stdout is not None and process.stderr is not None
    sections: dict[str, list[list[str]]] = {}
    heading = ""
    for line in iter(process.stdout.readline, ""):
        if line.startswith("Ctrl-C"):
            break
        if line.startswith("  "):
            sections[heading].append(line.split(maxsplit=1) if heading == "Projects" else line.split())
        elif line.strip():
            heading = line.split(" at\n")[0].split(" (")[0].split(",")[0].strip()
            sections[heading] = []
    else:
        raise AssertionError(f"it ended: {process.stderr.read()}")
    first = next(iter(sections.values()))
    authority = sections.get("Certificate authority", [])
    return Room(
        process,
        urls=[line[0] for line in first],
        ca_file=authority[0][0] if authority else None,
        projects={project: title.strip() for project, title in sections["Projects"]},
        tokens={line[0]: line[1] for line in sections["Tokens"]},
        codes=[line[0] for line in sections["Project creation codes"]],
    )


def refused(*arguments: object) -> str:
    """What a command says that does not serve."""
    ended = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=20)
    assert ended.returncode != 0
    return ended.stderr


def test_it_prints_where_it_is_what_it_holds_and_a_token_for_each_user() -> None:
    with serving() as room:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/api/v1/", room.urls[0])
        assert room.projects == {PROJECT: "Staten Island 2050"}
        members = {member["username"] for member in room.client().project(PROJECT).members()}
        assert room.tokens.keys() == members
        assert all(room.client(username).projects() for username in members)


def test_a_terminated_service_ends_well() -> None:
    with serving() as room:
        room.process.send_signal(signal.SIGINT)
        assert room.process.wait(timeout=20) == 0


def test_a_project_can_be_created_with_the_code_that_is_shown() -> None:
    with serving("--project", "none", "--user", "ana") as room:
        assert room.projects == {}
        client = room.client("ana")
        systems: list[NewSystem] = [{"name": "Water", "color": "#2B7BBA"}]
        client.create_project(room.codes[0], title="Lisbon 2050", bounds=(-9.23, 38.69, -9.09, 38.80), systems=systems)
        latest = client.latest_project()
        assert latest is not None and latest["projecttitle"] == "Lisbon 2050"


def test_users_members_administrators_and_codes_come_from_options() -> None:
    options = ("--user", "ana", "--member", "ben", "--administrator", "cleo", "--creation-code", "SPRING")
    with serving(*options) as room:
        assert room.codes == ["SPRING"]
        assert room.client("ana").projects() == []
        layer = room.client().project(PROJECT).layers()[0]["id"]
        with pytest.raises(PermissionDeniedError):
            room.client("ben").project(PROJECT).delete_layer(layer)
        room.client("cleo").project(PROJECT).delete_layer(layer)


def test_a_token_lasts_as_long_as_it_is_told() -> None:
    with serving("--token-lifetime", "0s") as room, pytest.raises(AuthenticationError):
        room.client().projects()
    with serving("--token-lifetime", "8h") as room:
        assert room.client().projects()


def test_a_setup_file_says_the_rest(tmp_path: Path) -> None:
    square = [[[-74.2, 40.5], [-74.1, 40.5], [-74.1, 40.6], [-74.2, 40.6], [-74.2, 40.5]]]
    area = {
        "type": "Feature",
        "properties": {"areatype": "green2"},
        "geometry": {"type": "Polygon", "coordinates": square},
    }
    areas = {"type": "FeatureCollection", "features": [area]}
    setup = {
        "users": ["ana"],
        "creation_codes": ["SUMMER"],
        "linked_projects": ["GPL-1"],
        "projects": {
            PROJECT: {
                "members": ["ben"],
                "administrators": ["ana"],
                "teams": [
                    {"title": "Youth", "members": ["ben"], "designs": [{"description": "One", "diagrams": [1001]}]}
                ],
                "selections": {"ben": [1002]},
                "boundaries": {"description": "Square", "geojson": areas},
                "constraints": {"geojson": areas},
                "systems": {"2": {"budget": 5, "target_ha": 7, "evaluation": areas}},
                "diagrams": {"1003": {"cost_override": 9, "cost_override_type": "total"}},
            }
        },
    }
    file = tmp_path / "setup.json"
    file.write_text(json.dumps(setup))
    with serving("--setup", file) as room:
        project = room.client("ben").project(PROJECT)
        team = project.teams()[-1]
        assert (team["title"], project.team_members(team["id"])) == ("Youth", ["ben"])
        assert project.design_diagram_ids(team["id"], project.designs(team["id"])[0]["id"]) == [1001]
        assert [feature["properties"]["diagramid"] for feature in project.selection("ben")] == [1002] * 3
        assert project.boundaries().bounds == project.constraints().bounds == (-74.2, 40.5, -74.1, 40.6)
        assert (project.system(2)["budget"], project.system(2)["target_ha"]) == (5, 7)
        assert project.evaluation(2)["features"][0]["properties"]["areatype"] == "green2"
        assert project.costs(diagrams=[1003]).total == 9
        assert room.codes == ["SUMMER"]


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ("{", "line 1"),
        ('{"user": []}', "unknown field `user`"),
        ('{"projects": {"0000000000000000": {}}}', "there is no project 0000000000000000"),
        ('{"projects": {"StatenIsland2050": {"selections": {"nobody": []}}}}', "nobody"),
    ],
)
def test_a_mistake_in_the_setup_is_named(setup: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "setup.json"
    file.write_text(setup)
    assert said in refused("--setup", file, "--port", 0)


def test_plain_http_leaves_this_machine_never() -> None:
    said = refused("--host", "0.0.0.0", "--port", 0)
    assert "token" in said and "--tls-self-signed" in said


def test_a_room_is_served_over_tls_with_an_authority_of_its_own(tmp_path: Path) -> None:
    database = tmp_path / "workshop.sqlite"
    with serving("--db", database, "--host", "0.0.0.0", "--tls-self-signed", "--tls-name", "workshop.local") as room:
        assert all(url.startswith("https://") for url in room.urls)
        assert room.urls[0].startswith("https://workshop.local:")
        assert room.client().projects()
        with pytest.raises(TransportError):
            Client(room.tokens["admin"], room.urls[-1], retries=0).projects()


def test_plain_http_is_sent_to_https_on_the_same_port(tmp_path: Path) -> None:
    with serving("--db", tmp_path / "workshop.sqlite", "--tls-self-signed") as room:
        url = room.urls[0] + "projects/?page_size=3"
        answer = requests.post(url.replace("https:", "http:"), json={}, allow_redirects=False, timeout=10)
        assert (answer.status_code, answer.headers["location"]) == (301, url)


def test_a_restart_keeps_the_authority_the_projects_and_the_tokens(tmp_path: Path) -> None:
    database = tmp_path / "workshop.sqlite"
    with serving("--db", database, "--tls-self-signed") as room:
        token, authority = room.tokens["admin"], Path(str(room.ca_file)).read_bytes()
        room.client().project(PROJECT).set_diagram_notes(1001, "kept")
    with serving("--db", database, "--tls-self-signed") as room:
        assert Path(str(room.ca_file)).read_bytes() == authority
        assert room.tokens["admin"] != token
        again = Client(token, room.urls[0], ca_bundle=room.ca_file)
        assert again.project(PROJECT).diagram_notes(1001) == "kept"


def test_certificates_of_ones_own_are_used(tmp_path: Path) -> None:
    with serving("--db", tmp_path / "first.sqlite", "--tls-self-signed") as room:
        folder = Path(str(room.ca_file)).parent
    with serving("--tls-cert", folder / "server.pem", "--tls-key", folder / "server-key.pem") as room:
        assert room.ca_file is None
        assert Client(room.tokens["admin"], room.urls[0], ca_bundle=str(folder / "ca.pem")).projects()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tls-cert", "missing.pem"], "--tls-key"),
        (["--tls-cert", "missing.pem", "--tls-key", "missing.pem"], "missing.pem"),
        (["--db", "/nowhere/at/all.sqlite"], "/nowhere/at/all.sqlite"),
        (["--paging", "some"], "possible values"),
        (["--user", ""], "user name"),
        (["--token-lifetime", "soon"], "soon"),
    ],
)
def test_what_cannot_be_is_named(arguments: list[str], said: str) -> None:
    assert said in refused(*arguments, "--port", 0)


def test_lists_can_be_answered_in_another_form() -> None:
    with serving("--paging", "enveloped") as room:
        url = f"{room.urls[0]}projects/{PROJECT}/diagrams/"
        answer = requests.get(url, headers={"Authorization": f"Token {room.tokens['admin']}"}, timeout=10).json()
        assert answer.keys() == {"count", "next", "previous", "results"}
        assert len(room.client().project(PROJECT).diagram_summaries()) == 180


def test_a_token_of_another_service_is_none_here() -> None:
    with serving() as first, serving() as second, pytest.raises(ApiError):
        Client(first.tokens["admin"], second.urls[0]).projects()
