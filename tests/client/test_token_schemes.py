"""The service accepts a token in each form in which programs send it."""

import base64

import pytest
import requests

from wire import Wire


def basic(credentials: str) -> str:
    return "Basic " + base64.b64encode(credentials.encode()).decode()


@pytest.fixture(scope="module")
def token(wire: Wire) -> str:
    return wire.headers["Authorization"].removeprefix("Token ")


def status(wire: Wire, authorization: str) -> int:
    return wire.request("GET", f"{wire.project}tags/", headers={"Authorization": authorization}).status_code


@pytest.mark.parametrize("scheme", ["Token", "token", "TOKEN", "Bearer", "bearer", "BEARER"])
def test_a_token_follows_the_name_of_its_scheme(scheme: str, wire: Wire, token: str) -> None:
    assert status(wire, f"{scheme} {token}") == 200


@pytest.mark.parametrize("username", ["", "amara.okafor", "anybody"])
def test_a_token_is_the_password_of_any_username_where_gis_ask_and_nowhere_else(
    username: str, wire: Wire, token: str
) -> None:
    """Once a browser has a password, it sends it with every later request, from any page."""
    collections = wire.root.removesuffix("api/v1/") + "ogc/collections"
    assert requests.get(collections, auth=(username, token), timeout=20).status_code == 200
    assert status(wire, basic(f"{username}:{token}")) == 401


@pytest.mark.parametrize(
    "authorization", ["Bearer", "Bearer no-token", "Basic", "Basic !", "Digest x", basic("x:no-token")]
)
def test_what_holds_no_token_is_refused(authorization: str, wire: Wire) -> None:
    assert status(wire, authorization) == 401


@pytest.mark.parametrize("password", ["", ":", ":no-token"])
def test_a_token_that_is_the_username_is_refused(password: str, wire: Wire, token: str) -> None:
    collections = wire.root.removesuffix("api/v1/") + "ogc/collections"
    headers = {"Authorization": basic(token + password)}
    assert requests.get(collections, headers=headers, timeout=20).status_code == 401
