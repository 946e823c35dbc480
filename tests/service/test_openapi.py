"""The OpenAPI document describes the service completely and correctly."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests

from pygeodesign import Sandbox

pytestmark = pytest.mark.early

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def document(sandbox: Sandbox) -> dict[str, Any]:
    response: dict[str, Any] = requests.get(sandbox.url + "openapi.json", timeout=10).json()
    return response


def test_the_document_is_openapi_3_1_and_needs_no_token(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    assert document["info"]["title"] == "Geodesign collaboration service"
    assert document["security"] == [{"token": []}, {"bearer": []}]


def test_every_operation_has_a_summary_an_id_and_its_error_responses(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"] and operation["operationId"], (method, path)
            assert ("401" in operation["responses"]) == ("security" not in operation), (method, path)
            assert "{projectid}" not in path or "404" in operation["responses"], (method, path)
            # The path says what to undo.
            has_body = method in ("post", "put", "patch") and not path.endswith("/undo/")
            assert has_body == ("requestBody" in operation), (method, path)
            for status in ("429", "503"):
                assert "retry-after" in operation["responses"][status]["headers"], (method, path)


def test_operation_ids_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(set(names)) == len(names)


def test_every_reference_has_its_schema(document: dict[str, Any]) -> None:
    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {part["$ref"]} if "$ref" in part else set()
            return own.union(*map(references, part.values()))
        return set().union(*map(references, part)) if isinstance(part, list) else set()

    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert references(document) <= known


@pytest.mark.slow
@pytest.mark.parametrize(("username", "examples"), [("admin", 5), ("amara.okafor", 1)])
def test_schemathesis_finds_no_difference_between_document_and_service(
    username: str, examples: int, tmp_path: Path
) -> None:
    """Schemathesis with all its checks, on a new service, because some of its requests write."""
    with Sandbox() as sandbox:
        token = sandbox.token(username)
        tool = Path(sys.executable).with_name("schemathesis")
        # One worker: Hypothesis in several threads may crash Python 3.11, in its parser ("AST constructor").
        options = ["--checks", "all", "--max-examples", str(examples), "--seed", "1", "--workers", "1", "--no-color"]
        command = [str(tool), "--config-file", str(ROOT / "schemathesis.toml"), "run", f"{sandbox.url}openapi.json"]
        run = subprocess.run(
            [*command, "--header", f"Authorization: Token {token}", *options],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=600,
        )
    assert run.returncode == 0, run.stdout[-6000:].replace(token, "…")
