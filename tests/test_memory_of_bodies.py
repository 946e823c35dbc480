"""What a body becomes in memory is bounded by its bytes, whatever is in it."""

import subprocess
import sys
from typing import Any

import pytest

from fake_service import PROJECT, FakeService, Response

MEGABYTE = 1024 * 1024
BODY = 16 * MEGABYTE

# Reads something, and prints how many bytes that took at most, beside what the process had before, and what came of it.
READ = """
import sys
from pathlib import Path
from pygeodesign import Client, DecodeError

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

client = Client("token", sys.argv[1], timeout=200)
reads = {
    "projects": client.projects,
    "systems": client.project(sys.argv[2]).systems,
    "diagrams": client.project(sys.argv[2]).diagrams,
    "details": lambda: client.project(sys.argv[2]).diagrams(fields="details"),
    "boundaries": client.project(sys.argv[2]).study_area.boundaries,
}
before = peak()
try:
    outcome = len(reads[sys.argv[3]]())
except DecodeError as error:
    outcome = "tiny values" if "tiny values" in str(error) else str(error)
print(peak() - before, outcome)
"""


def body_with(row: str, tiny: str, size: int, is_list: bool = True) -> bytes:
    """A body of this size, in which a field that nobody knows has tiny values."""
    values = ",".join([tiny] * (size // (len(tiny) + 1)))
    text = f'{{{row},"shade":[{values}]}}'
    return (f"[{text}]" if is_list else text).encode()


def peak_of(read: str, path: str, body: bytes) -> tuple[int, str]:
    answer = Response(body, headers={"x-total-count": "1"})
    below: dict[str, Any] = {"systems/": [], "diagrams/": []} | ({path: answer} if path else {})
    with FakeService(below, root={} if path else {"projects/": answer}) as service:
        command = [sys.executable, "-c", READ, service.url, PROJECT, read]
        printed = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True).stdout
    peak, outcome = printed.strip().split(" ", 1)
    return int(peak), outcome


ROWS = {
    "projects": ("", f'"id":"{PROJECT}"', "tiny values"),
    "systems": (
        "systems/",
        '"id":1,"name":"Water","tag":"W","cost":1,"budget":1,"current_ha":1,"target_ha":1',
        "tiny values",
    ),
    "details": ("diagrams/all/details/", '"id":1,"sysid":1', "tiny values"),
    "diagrams": ("diagrams/all/", '"id":1,"sysid":1,"geojson":null', "1"),
    "boundaries": ("boundaries/", '"type":"FeatureCollection","features":[]', "tiny values"),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux tells it")
@pytest.mark.parametrize("tiny", ["0", "[]"])
@pytest.mark.parametrize("read", ROWS)
def test_tiny_values_in_an_unknown_field_take_no_more_than_eight_times_their_bytes(read: str, tiny: str) -> None:
    path, row, expected = ROWS[read]
    size = BODY // 4 if read == "boundaries" else BODY
    peak, outcome = peak_of(read, path, body_with(row, tiny, size, is_list=read != "boundaries"))
    assert peak <= 8 * size, f"{peak / MEGABYTE:.0f} MB"
    assert expected in outcome
