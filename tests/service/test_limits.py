"""Limits of the service: their names, changing them, and the response to a request beyond them."""

import json
from pathlib import Path

import pytest

from pygeodesign import Client, InputError, Sandbox
from serving import error_output, running_service


def limits_of(client: Client) -> dict[str, int]:
    return {limit["name"]: limit["value"] for limit in client.limits()}


def test_every_limit_is_told_with_its_unit(client: Client) -> None:
    limits = client.limits()
    assert limits
    assert all(limit["value"] > 0 and limit["unit"] and limit["description"].endswith(".") for limit in limits)


def test_a_sandbox_has_other_limits_where_they_are_given() -> None:
    with Sandbox(project=None, limits={"connections": 20}) as sandbox:
        sandbox.add_user("admin")
        assert limits_of(sandbox.client())["connections"] == 20


@pytest.mark.parametrize("limits", [{"conections": 20}, {"connections": 0}])
def test_a_limit_that_does_not_exist_or_is_zero_is_refused(limits: dict[str, int]) -> None:
    with pytest.raises(InputError, match="connections"):
        Sandbox(limits=limits)


def test_options_of_the_command_line_win_over_the_setup_file(tmp_path: Path) -> None:
    setup = tmp_path / "setup.json"
    setup.write_text(json.dumps({"limits": {"connections": 30}}))
    with running_service("--setup", setup) as service:
        assert limits_of(service.client())["connections"] == 30
    with running_service("--setup", setup, "--limit", "connections=40") as service:
        assert limits_of(service.client())["connections"] == 40


def test_an_unknown_limit_ends_the_command_with_the_names_of_all() -> None:
    assert "connections" in error_output("--limit", "conections=5")
