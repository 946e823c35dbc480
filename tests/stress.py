"""How long the tests take that get better with time: a moment in `make test`, minutes in `make stress`."""

import os
from typing import TypeVar

Amount = TypeVar("Amount", int, float)

LONG = os.environ.get("GEODESIGN_STRESS") == "1"


def times(*, short: Amount, long: Amount) -> Amount:
    return long if LONG else short
