"""`pygeodesign serve`: its output, its options, and TLS."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from pygeodesign import ApiError, AuthenticationError, Client, PermissionDeniedError, Project, TransportError
from pygeodesign.types import NewSystem
from serving import PROJECT, error_output, running_service

pytestmark = pytest.mark.unix


def test_archives_are_served_with_a_token_for_each_member(tmp_path: Path, project: Project) -> None:
    project.archive(tmp_path / "my staten.zip", progress=False)
    with running_service("--load", tmp_path / "my staten.zip", "--db", tmp_path / "served.sqlite") as service:
        assert list(service.projects) == [PROJECT]
        assert service.client().project(PROJECT).info() == project.info()
        assert service.tokens.keys() == {member["username"] for member in project.members()}
    error = error_output("--load", tmp_path / "my staten.zip", "--db", tmp_path / "served.sqlite")
    assert f"my staten.zip cannot be loaded: the database already has the project {PROJECT}" in error
    assert "cannot be opened" in error_output("--load", tmp_path / "missing.zip")
    twice = ("--load", tmp_path / "my staten.zip") * 2
    assert "already" in error_output(*twice, "--db", tmp_path / "new.sqlite")
    assert not list(tmp_path.glob("new.sqlite*"))


def test_the_command_prints_its_urls_its_projects_and_a_token_for_each_user() -> None:
    with running_service() as service:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/api/v1/", service.urls[0])
        assert service.projects == {PROJECT: "Staten Island 2050"}
        members = {member["username"] for member in service.client().project(PROJECT).members()}
        assert service.tokens.keys() == members
        assert all(service.client(username).projects() for username in members)


def test_an_interrupted_service_exits_with_code_0() -> None:
    with running_service() as service:
        service.process.send_signal(signal.SIGINT)
        assert service.process.wait(timeout=20) == 0


def test_a_project_can_be_created_with_the_creation_code_that_is_printed() -> None:
    with running_service("--project", "none", "--user", "ana") as service:
        assert service.projects == {}
        client = service.client("ana")
        systems: list[NewSystem] = [{"name": "Water", "color": "#2B7BBA"}]
        client.create_project(
            service.codes[0], title="Lisbon 2050", bounds=(-9.23, 38.69, -9.09, 38.80), systems=systems
        )
        latest = client.latest_project()
        assert latest is not None and latest["projecttitle"] == "Lisbon 2050"


def test_options_add_users_members_administrators_and_creation_codes() -> None:
    options = ("--user", "ana", "--member", "ben", "--administrator", "cleo", "--creation-code", "SPRING")
    with running_service(*options) as service:
        assert service.codes == ["SPRING"]
        assert service.client("ana").projects() == []
        layer = service.client().project(PROJECT).study_area.layers()[0]["id"]
        with pytest.raises(PermissionDeniedError):
            service.client("ben").project(PROJECT).study_area.delete_layer(layer)
        service.client("cleo").project(PROJECT).study_area.delete_layer(layer)


def test_tokens_expire_after_the_given_lifetime() -> None:
    with running_service("--token-lifetime", "0s") as service, pytest.raises(AuthenticationError):
        service.client().projects()
    with running_service("--token-lifetime", "8h") as service:
        assert service.client().projects()


def test_a_setup_file_sets_teams_selections_maps_and_figures(tmp_path: Path) -> None:
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
    with running_service("--setup", file) as service:
        project = service.client("ben").project(PROJECT)
        team = project.teams()[-1]
        assert (team["title"], project.team(team["id"]).members()) == ("Youth", ["ben"])
        assert project.design(project.designs(team["id"])[0]["id"], team["id"]).diagram_ids() == [1001]
        assert [feature["properties"]["diagramid"] for feature in project.member("ben").selection()] == [1002] * 3
        assert (
            project.study_area.boundaries().bounds
            == project.study_area.constraints().bounds
            == (-74.2, 40.5, -74.1, 40.6)
        )
        assert (project.system(2)["budget"], project.system(2)["target_ha"]) == (5, 7)
        assert project.system(2).evaluation()["features"][0]["properties"]["areatype"] == "green2"
        assert project.costs(diagrams=[1003]).total == 9
        assert service.codes == ["SUMMER"]


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("{", "line 1"),
        ('{"user": []}', "unknown field `user`"),
        ('{"projects": {"0000000000000000": {}}}', "there is no project 0000000000000000"),
        ('{"projects": {"StatenIsland2050": {"selections": {"nobody": []}}}}', "nobody"),
        ('{"projects": {"StatenIsland2050": {"systems": {"2": {"target_ha": -7}}}}}', "target_ha of system 2"),
        (
            '{"projects": {"StatenIsland2050": {"diagrams": {"1003": {"cost_override": -9}}}}}',
            "cost_override of diagram 1003",
        ),
    ],
)
def test_a_mistake_in_the_setup_file_is_named_in_the_error(setup: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "setup.json"
    file.write_text(setup)
    assert message in error_output("--setup", file)


def test_a_network_address_without_tls_is_refused() -> None:
    message = error_output("--host", "0.0.0.0")
    assert "token" in message and "--tls-self-signed" in message


def test_a_network_is_served_over_tls_with_a_self_signed_certificate(tmp_path: Path) -> None:
    database = tmp_path / "workshop.sqlite"
    with running_service(
        "--db", database, "--host", "0.0.0.0", "--tls-self-signed", "--tls-name", "workshop.local"
    ) as service:
        assert all(url.startswith("https://") for url in service.urls)
        assert service.urls[0].startswith("https://workshop.local:")
        assert service.client().projects()
        with pytest.raises(TransportError):
            Client(service.tokens["admin"], service.urls[-1], retries=0).projects()


def test_a_certificate_that_is_not_trusted_is_an_error_at_once_that_says_ca_bundle(tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "workshop.sqlite", "--tls-self-signed") as service:
        with pytest.raises(
            TransportError, match=r"certificate is not trusted.*1 try .*pass ca_bundle= with the PEM file"
        ):
            Client(service.tokens["admin"], service.urls[0]).projects()
        assert Client(service.tokens["admin"], service.urls[0], ca_bundle=service.ca_file).projects()


def test_plain_http_is_redirected_to_https_on_the_same_port(tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "workshop.sqlite", "--tls-self-signed") as service:
        url = service.urls[0] + "projects/?page_size=3"
        response = requests.post(url.replace("https:", "http:"), json={}, allow_redirects=False, timeout=10)
        assert (response.status_code, response.headers["location"]) == (301, url)


def test_a_restart_keeps_the_certificate_authority_the_projects_and_the_tokens(tmp_path: Path) -> None:
    database = tmp_path / "workshop.sqlite"
    with running_service("--db", database, "--tls-self-signed") as service:
        token, authority = service.tokens["admin"], Path(str(service.ca_file)).read_bytes()
        service.client().project(PROJECT).diagram(1001).set_notes("kept")
    with running_service("--db", database, "--tls-self-signed") as service:
        assert Path(str(service.ca_file)).read_bytes() == authority
        assert service.tokens["admin"] != token
        again = Client(token, service.urls[0], ca_bundle=service.ca_file)
        assert again.project(PROJECT).diagram(1001).notes() == "kept"


def test_a_restart_takes_no_rights_away(tmp_path: Path) -> None:
    database, setup = tmp_path / "workshop.sqlite", tmp_path / "setup.json"
    setup.write_text(json.dumps({"projects": {PROJECT: {"members": ["ben"]}}}))
    options = ("--db", database, "--member", "ana", "--setup", setup)
    with running_service(*options):
        promote = ["users", "--db", database, "--administrator", "ana", "--administrator", "ben"]
        subprocess.run([sys.executable, "-m", "pygeodesign", *map(str, promote)], capture_output=True, check=True)
    with running_service(*options) as service:
        for name in ("ana", "ben"):
            assert service.client(name).project(PROJECT).history()


def test_the_given_certificate_and_key_are_used(tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "first.sqlite", "--tls-self-signed") as service:
        folder = Path(str(service.ca_file)).parent
    with running_service("--tls-cert", folder / "server.pem", "--tls-key", folder / "server-key.pem") as service:
        assert service.ca_file is None
        assert Client(service.tokens["admin"], service.urls[0], ca_bundle=str(folder / "ca.pem")).projects()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tls-cert", "missing.pem"], "--tls-key"),
        (["--tls-cert", "missing.pem", "--tls-key", "missing.pem"], "missing.pem"),
        (["--db", "/nowhere/at/all.sqlite"], "/nowhere/at/all.sqlite"),
        (["--paging", "some"], "possible values"),
        (["--user", ""], "user name"),
        (["--token-lifetime", "soon"], "soon"),
    ],
)
def test_an_invalid_option_is_named_in_the_error(arguments: list[str], message: str) -> None:
    assert message in error_output(*arguments)


def test_lists_have_the_form_of_the_paging_option() -> None:
    with running_service("--paging", "enveloped") as service:
        url = f"{service.urls[0]}projects/{PROJECT}/diagrams/"
        response = requests.get(url, headers={"Authorization": f"Token {service.tokens['admin']}"}, timeout=10).json()
        assert response.keys() == {"count", "next", "previous", "results"}
        assert len(service.client().project(PROJECT).diagrams(fields="summary")) == 180


def test_a_token_of_one_service_is_refused_by_another() -> None:
    with running_service() as first, running_service() as second, pytest.raises(ApiError):
        Client(first.tokens["admin"], second.urls[0]).projects()
