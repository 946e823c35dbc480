"""The demo project as plain HTTP sees it, without this package's client."""

from typing import Any

import requests

from pygeodesign import Sandbox


class Wire:
    def __init__(self, sandbox: Sandbox) -> None:
        self.root = sandbox.url
        self.headers = {"Authorization": f"Token {sandbox.token('amara.okafor')}"}
        self.project = f"projects/{sandbox.project_ids[0]}/"

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """A request below the API root, as a member unless the options say otherwise."""
        asked: dict[str, Any] = {"headers": self.headers, "allow_redirects": False, "timeout": 20} | options
        return requests.request(method, self.root + path, **asked)

    def json(self, below_project: str) -> Any:
        answer = self.request("GET", self.project + below_project)
        answer.raise_for_status()
        return answer.json()
