"""The duration of tests that find more the longer they run: seconds in `make test`, minutes in `make stress`."""

import os
from typing import TypeVar

Amount = TypeVar("Amount", int, float)

LONG = os.environ.get("GEODESIGN_STRESS") == "1"


def duration(*, short: Amount, long: Amount) -> Amount:
    return long if LONG else short
