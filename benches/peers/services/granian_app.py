"""Two operations of the service on Granian's RSGI. Responses are put together from the texts in the database."""

import os
import sqlite3
from typing import Any

JSON = [("content-type", "application/json")]


class App:
    def __rsgi_init__(self, _loop: Any) -> None:
        # One connection for each process. Its statements are prepared once.
        self.database = sqlite3.connect(os.environ["DATABASE"], check_same_thread=False)

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        # /api/v1/projects/PROJECT/diagrams/DIAGRAM/
        _, _, _, _, project, _, diagram, _ = scope.path.split("/")
        token = scope.headers.get("authorization").removeprefix("Token ")
        if not self.is_member(token, project):
            protocol.response_empty(404, [])
        elif diagram == "all":
            protocol.response_str(200, JSON, self.all_diagrams(project))
        elif (json := self.diagram(project, int(diagram))) is not None:
            protocol.response_str(200, JSON, json)
        else:
            protocol.response_empty(404, [])

    def is_member(self, token: str, project: str) -> bool:
        sql = "SELECT 1 FROM tokens JOIN members USING (user) WHERE token = ? AND project = ?"
        return self.database.execute(sql, (token, project)).fetchone() is not None

    def all_diagrams(self, project: str) -> str:
        features: dict[int, list[tuple[str, str]]] = {}
        for diagram, properties, geometry in self.database.execute(
            "SELECT diagram, properties, geometry FROM features ORDER BY key"
        ):
            features.setdefault(diagram, []).append((properties, geometry))
        sql = "SELECT id, fields FROM diagrams WHERE project = ? ORDER BY id"
        rows = self.database.execute(sql, (project,))
        return "[" + ",".join(json_of(fields, features.get(diagram, [])) for diagram, fields in rows) + "]"

    def diagram(self, project: str, diagram: int) -> str | None:
        sql = "SELECT fields FROM diagrams WHERE project = ? AND id = ?"
        row = self.database.execute(sql, (project, diagram)).fetchone()
        if row is None:
            return None
        sql = "SELECT properties, geometry FROM features WHERE diagram = ? ORDER BY key"
        return json_of(row[0], self.database.execute(sql, (diagram,)).fetchall())


def json_of(fields: str, features: list[tuple[str, str]]) -> str:
    """A diagram: its features, then its other fields, which are the text of a JSON object."""
    texts = [f'{{"type":"Feature","properties":{own},"geometry":{geometry}}}' for own, geometry in features]
    return f'{{"geojson":{{"type":"FeatureCollection","features":[{",".join(texts)}]}},{fields[1:]}'


app = App()
