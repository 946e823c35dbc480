"""Two operations of the service with FastAPI and SQLite."""

import json
import os
import sqlite3
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException

app = FastAPI()


def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(os.environ["DATABASE"], check_same_thread=False)
    connection.row_factory = sqlite3.Row
    try:
        yield connection
    finally:
        connection.close()


Database = Annotated[sqlite3.Connection, Depends(database)]


def member(project: str, db: Database, authorization: Annotated[str, Header()]) -> int:
    """The id of the token's user. 404 if the user is not a member of the project."""
    sql = "SELECT user FROM tokens JOIN members USING (user) WHERE token = ? AND project = ?"
    row = db.execute(sql, (authorization.removeprefix("Token "), project)).fetchone()
    if row is None:
        raise HTTPException(404)
    return int(row["user"])


def diagram_of(row: sqlite3.Row, features: list[sqlite3.Row]) -> dict[str, Any]:
    shapes = [
        {
            "type": "Feature",
            "properties": json.loads(feature["properties"]),
            "geometry": json.loads(feature["geometry"]),
        }
        for feature in features
    ]
    return {"geojson": {"type": "FeatureCollection", "features": shapes}} | json.loads(row["fields"])


@app.get("/api/v1/projects/{project}/diagrams/all/")
def all_diagrams(project: str, db: Database, _user: Annotated[int, Depends(member)]) -> list[dict[str, Any]]:
    rows = db.execute("SELECT id, fields FROM diagrams WHERE project = ? ORDER BY id", (project,)).fetchall()
    features: dict[int, list[sqlite3.Row]] = {}
    for feature in db.execute("SELECT diagram, properties, geometry FROM features ORDER BY key"):
        features.setdefault(feature["diagram"], []).append(feature)
    return [diagram_of(row, features.get(row["id"], [])) for row in rows]


@app.get("/api/v1/projects/{project}/diagrams/{diagram}/")
def diagram(project: str, diagram: int, db: Database, _user: Annotated[int, Depends(member)]) -> dict[str, Any]:
    sql = "SELECT id, fields FROM diagrams WHERE project = ? AND id = ?"
    row = db.execute(sql, (project, diagram)).fetchone()
    if row is None:
        raise HTTPException(404)
    sql = "SELECT properties, geometry FROM features WHERE diagram = ? ORDER BY key"
    return diagram_of(row, db.execute(sql, (diagram,)).fetchall())
