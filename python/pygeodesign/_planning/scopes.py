"""The diagrams that a question is about: those of the project, or of designs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import geopandas

from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared


def in_scope(compared: Compared, scope: str, others: str = '"project"') -> geopandas.GeoDataFrame:
    """The diagrams of the project or of a design."""
    if scope == "project":
        return compared.diagrams
    if isinstance(scope, str) and scope in compared.designs:
        return compared.diagrams[compared.diagrams.index.isin(compared.designs[scope])]
    labels = ", ".join(map(repr, compared.designs)) or "none"
    raise InputError(f"scope is {others} or the label of a design, not {scope!r}; designs: {labels}")


def designs_in_scope(compared: Compared, scope: str) -> dict[str, geopandas.GeoDataFrame]:
    """The diagrams of each design, by its label; of one design; or of the project."""
    labels = list(compared.designs) if scope == "designs" else [scope]
    return {label: in_scope(compared, label, '"designs", "project"') for label in labels}
