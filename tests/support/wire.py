"""Plain HTTP requests to the demo project, without the client."""

from typing import Any

import requests

from pygeodesign import Sandbox


class Wire:
    def __init__(self, sandbox: Sandbox) -> None:
        self.root = sandbox.url
        self.headers = {"Authorization": f"Token {sandbox.token('amara.okafor')}"}
        self.project = f"projects/{sandbox.project_ids[0]}/"

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """Sends a request to a path below the API root, with a member's token unless the options have other headers."""
        arguments: dict[str, Any] = {"headers": self.headers, "allow_redirects": False, "timeout": 20} | options
        return requests.request(method, self.root + path, **arguments)

    def json(self, below_project: str) -> Any:
        response = self.request("GET", self.project + below_project)
        response.raise_for_status()
        return response.json()
