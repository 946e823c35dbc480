"""Which diagrams designs share, and how alike designs are."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from pygeodesign.errors import InputError


def agreement(diagrams: pd.DataFrame, designs: dict[str, list[int]]) -> pd.DataFrame:
    """One row per diagram: whether each design has it, and how many have."""
    table = pd.DataFrame({label: diagrams.index.isin(ids) for label, ids in designs.items()}, index=diagrams.index)
    table = table.astype(bool)
    return table.assign(chosen=table.sum(axis=1).astype(int))


def similarity(diagrams: pd.DataFrame, designs: dict[str, list[int]], by: str) -> pd.DataFrame:
    """Weighted Jaccard index of each pair of designs: the weight of what both have by that of what either has."""
    if by not in ("diagrams", "cost"):
        raise InputError(f'by is "diagrams" or "cost", not {by!r}')
    chosen = agreement(diagrams, designs).drop(columns="chosen").to_numpy(dtype=float)
    weights = np.ones(len(diagrams)) if by == "diagrams" else diagrams["cost"].to_numpy(dtype=float)
    unknown = np.isnan(weights) & chosen.any(axis=1)
    if unknown.any():
        ids = ", ".join(map(str, diagrams.index[unknown]))
        warnings.warn(f"diagrams whose cost is not known are left out of the similarity: {ids}", stacklevel=3)
    weights = np.nan_to_num(weights)
    both = chosen.T @ (weights[:, None] * chosen)
    own = np.diag(both)
    either = own[:, None] + own[None, :] - both
    with np.errstate(invalid="ignore", divide="ignore"):
        # Two designs without diagrams, or that cost nothing, are not comparable: NaN.
        return pd.DataFrame(both / either, index=list(designs), columns=list(designs))
