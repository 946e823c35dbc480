"""A foreign service."""

from typing import Any

from reference_service import FIGURES


def of_reference(row: Any) -> Any:
    """A row without our service's additions to the reference."""
    beside = {"sysname", "syscolor", "systag", "syscost", "sysbudget", "tag", "cost", "budget", *FIGURES}
    if isinstance(row, (str, int)):
        return row
    is_system = isinstance(row, dict) and "color" in row
    return {name: value for name, value in dict(row).items() if not is_system or name not in beside}
