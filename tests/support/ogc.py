"""Requests to a service as OGC API – Features, without the client."""

from typing import Any

import requests

from pygeodesign import Sandbox

PROJECT = "StatenIsland2050"
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
EPSG = "http://www.opengis.net/def/crs/EPSG/0/"


class Ogc:
    """The OGC API of a service, as a user sees it."""

    def __init__(self, sandbox: Sandbox, user: str = "amara.okafor") -> None:
        self.root = sandbox.url.removesuffix("api/v1/") + "ogc"
        self.token = sandbox.token(user)
        self.headers = {"Authorization": f"Bearer {self.token}"}

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        """Sends a request to a path below the landing page, or to a full address."""
        address = path if path.startswith("http") else self.root + path
        headers = self.headers | options.pop("headers", {})
        return requests.request(method, address, headers=headers, timeout=30, **options)

    def json(self, path: str, **parameters: Any) -> Any:
        response = self.send("GET", path, params=parameters)
        assert response.status_code == 200, response.text
        return response.json()

    def refused(self, path: str, **parameters: Any) -> str:
        """The reason for which a request is refused with 400."""
        response = self.send("GET", path, params=parameters)
        assert response.status_code == 400, response.text
        return str(response.json()["description"])

    def items(self, collection: str, **parameters: Any) -> list[Any]:
        """All matching features of a collection of the demo project, page by page."""
        page = self.json(items_of(collection), **{"limit": 1000} | parameters)
        features = list(page["features"])
        matched = page["numberMatched"]
        while following := [link["href"] for link in page["links"] if link["rel"] == "next"]:
            page = self.json(following[0])
            features += page["features"]
        assert len(features) == matched
        return features

    def ids(self, collection: str, **parameters: Any) -> list[Any]:
        return [feature["id"] for feature in self.items(collection, **parameters)]

    def write(self, method: str, path: str, feature: Any, **headers: str) -> requests.Response:
        kinds = {"PATCH": "application/merge-patch+json"}
        kind = {"Content-Type": kinds.get(method, "application/geo+json")}
        return self.send(method, path, json=feature, headers=kind | headers)


def path_of(collection: str) -> str:
    return f"/collections/{PROJECT}.{collection}"


def items_of(collection: str) -> str:
    return f"{path_of(collection)}/items"
