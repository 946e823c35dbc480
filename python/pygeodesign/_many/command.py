"""`pygeodesign archive-all`."""

import json

from pygeodesign import Client
from pygeodesign._many.archive_all import run_archive_all


def archive_all(client: Client, store: str, projects: list[str] | None) -> str:
    """Bring an archive up to date, and give the report as JSON. The command tells the failures itself."""
    report = run_archive_all(client, store, projects=projects)
    return json.dumps(
        {**report, "failures": {projectid: str(error) for projectid, error in report["failures"].items()}}
    )
