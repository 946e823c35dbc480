"""Suitability of the land for its diagrams, and their impact on other systems, by evaluation maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import geopandas
import numpy as np
import pandas as pd

from pygeodesign._evaluation_classes import EVALUATION_CLASSES, class_word
from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import WORST, hue, links, name_of, of_design, title_of
from pygeodesign._planning.arguments import finite, sysid_of
from pygeodesign._planning.compared import Compared, note_of_missing, pictures
from pygeodesign._planning.land.classes import OUTSIDE, hectares_by_class, in_order
from pygeodesign._planning.land.lands import hectares, polygons
from pygeodesign._text import units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
# A report's name for land that is in no class of a map.


def suitability(
    self: Compared, by: Literal["diagrams", "systems"] = "diagrams", scope: str = "designs"
) -> pd.DataFrame:
    """Suitability of the land for its diagrams: hectares in each class of their system's evaluation map.

    Args:
        by: `"diagrams"`, or `"systems"` for the sums of their diagrams: where two overlap, both count.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

    Returns:
        One row per design and diagram with land, policies too, by `diagramid`, with `sysid`, `system`, `title` and
        `kind`; or per design and system, by `sysid`. `land_ha` is the land under the diagram. A column for each
        class of the evaluation maps (`red`, `red2`, `yellow`, `green`, `green2`, `green3`: from where change is
        least wanted to where it is most) and `outside` of all classes follow, in hectares; they are NaN for a
        system without an evaluation map. Where two classes of a map overlap, both count. Diagrams without a
        geometry, and lines, have no row.

    Raises:
        InputError: No design has that label, there is no design, or `by` has another value.

    Examples:
        >>> table = project.compare().suitability(scope="project").reset_index()
        >>> table.loc[1:2, ["diagramid", "land_ha", "red", "green", "outside"]].round(1)
           diagramid  land_ha  red  green  outside
        1       1002     23.7  0.0   23.7      0.0
        2       1003     21.8  0.2   18.0      3.5
    """
    if by not in ("diagrams", "systems"):
        raise InputError(f'by must be "diagrams" or "systems", not {by!r}')
    scopes = self._in_scope(scope)
    rows = self.diagrams[self.diagrams.index.isin(np.concatenate([part.index for part in scopes.values()]))]
    shapes = polygons(rows.geometry)
    areal = np.array([not shape.is_empty for shape in shapes], dtype=bool)
    rows, shapes = rows[areal], shapes[areal]
    parts = []
    for sysid in self.systems.index:
        of_system = (rows["sysid"] == sysid).to_numpy()
        by_class = hectares_by_class(shapes[of_system], self.evaluations[sysid])
        parts.append(by_class.set_axis(rows.index[of_system]))
    columns = in_order({column for part in parts for column in part.columns})
    areas = pd.concat([part.reindex(columns=columns) for part in parts or [pd.DataFrame()]])
    # A class that a system's map lacks has no land of its diagrams; without a map nothing is known.
    with_map = [sysid for sysid, frame in self.evaluations.items() if len(frame) > 0]
    has_map = rows["sysid"].isin(with_map)
    # The diagram's system may not be listed.
    areas = areas.reindex(rows.index)
    areas = areas.where(~has_map.to_numpy()[:, None] | areas.notna(), 0.0)
    head = pd.DataFrame(rows[["sysid", "system", "title", "kind"]]).assign(land_ha=hectares(shapes))
    table: pd.DataFrame = pd.concat([head, areas], axis=1)
    answers: dict[str | None, pd.DataFrame] = {}
    for label, part in scopes.items():
        answer = table[table.index.isin(part.index)]
        if by == "systems":
            answer = answer.groupby("sysid", sort=False)[["land_ha", *columns]].sum(min_count=1)
            answer.insert(0, "system", self.systems["name"])
        answers[label] = answer
    return self._long_frame(answers)


def impact(
    self: Compared, matrix: Any = None, by: Literal["systems", "diagrams"] = "systems", scope: str = "designs"
) -> pd.DataFrame:
    """Impact of one system's projects on the other systems, by the project's matrix or by weights that you give.

    The impact of a diagram on another system is the sum of its hectares times their weight: one weight for all its
    land, or one for each class of the evaluation map of the other system. Impact models of geodesign use a scale of
    five or seven steps, such as -2 to 2 (Steinitz 2012, A Framework for Geodesign); the project's matrix has five.

    Args:
        matrix: A dict of dicts, or a DataFrame: for each system that acts and each system that it acts on, a
            weight per hectare, or a dict from classes, and `"outside"`, to weights. Give systems by name, id or tag.
            Default: the impacts of the project, which `project.set_impacts()` and the room set.
        by: `"systems"`, or `"diagrams"`.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

    Returns:
        One row per design and pair of systems, or per design, diagram and other system (by `diagramid`), for the
        pairs that the matrix has a weight for: `sysid_a`, `sysid_b`, `system_a`, `system_b`, `area_ha` of land
        under the projects (summed over diagrams: where two overlap, both count), and `impact`.

    Raises:
        InputError: A system or a class of the map is unknown, the system has no map, no design has that
            label, there is no design, or neither you nor the project gives weights.

    Examples:
        >>> weights = {"Transport": {"Water": -1, "Energy": {"red": -1, "green": 2}}}
        >>> table = project.compare().impact(weights, scope="project")
        >>> table[["system_a", "system_b", "area_ha", "impact"]].round(1)
            system_a system_b  area_ha  impact
        0  Transport    Water      9.8    -9.8
        1  Transport   Energy      9.8     7.0
    """
    if by not in ("systems", "diagrams"):
        raise InputError(f'by must be "systems" or "diagrams", not {by!r}')
    weights = _weights(self.systems, _given(self, matrix))
    scopes = self._in_scope(scope)
    return self._long_frame({label: _impact(self, weights, by, rows) for label, rows in scopes.items()})


def _impact(
    compared: Compared, weights: dict[tuple[int, int], Any], by: str, rows: geopandas.GeoDataFrame
) -> pd.DataFrame:
    rows = rows[rows["kind"] != "policy"]
    shapes = polygons(rows.geometry)
    areal = np.array([not shape.is_empty for shape in shapes], dtype=bool)
    rows, shapes = rows[areal], shapes[areal]
    land_ha = hectares(shapes)
    names, found = compared.systems["name"], []
    for (sysid_a, sysid_b), weight in weights.items():
        acting = (rows["sysid"] == sysid_a).to_numpy()
        if isinstance(weight, Mapping):
            areas = hectares_by_class(shapes[acting], compared.evaluations[sysid_b])
            unknown = sorted(set(weight) - {*areas.columns, *EVALUATION_CLASSES, OUTSIDE})
            if unknown:
                raise InputError(
                    f"the evaluation map of {names[sysid_b]!r} has no class {unknown[0]!r}: its classes are "
                    f"{', '.join(areas.columns)}"
                )
            if len(compared.evaluations[sysid_b]) == 0:
                raise InputError(
                    f"{names[sysid_b]!r} has no evaluation map: give one weight per hectare instead of one per class"
                )
            effect = sum((areas[name] * value for name, value in weight.items() if name in areas), np.zeros(len(areas)))
        else:
            effect = land_ha[acting] * weight
        found.append(
            pd.DataFrame(
                {
                    "diagramid": rows.index[acting],
                    "sysid_a": sysid_a,
                    "sysid_b": sysid_b,
                    "system_a": names[sysid_a],
                    "system_b": names[sysid_b],
                    "area_ha": land_ha[acting],
                    "impact": np.asarray(effect, dtype=float),
                }
            )
        )
    columns = ["diagramid", "sysid_a", "sysid_b", "system_a", "system_b", "area_ha", "impact"]
    table = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)
    if by == "diagrams":
        return table.set_index("diagramid")
    keys = ["sysid_a", "sysid_b", "system_a", "system_b"]
    return table.groupby(keys, sort=False, as_index=False)[["area_ha", "impact"]].sum()


def plot_suitability(
    self: Compared,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws the suitability of systems as bars: the share of their land in each class of their evaluation maps.

    Args:
        scope: See `suitability()`. Each design has its own panel.
        ax: The matplotlib axes to draw on. Default: new ones.
        units: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several designs those of the first one; along x are percent.

    Raises:
        InputError: As for `suitability()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_suitability()
    """
    labels = {label: note_of_missing(rows) for label, rows in self._in_scope(scope).items()}
    axes: Axes = pictures("bars").draw_suitability(
        suitability(self, "systems", scope), labels, self.title, units_named(units), ax, theme
    )
    return axes


def plot_impact(
    self: Compared,
    matrix: Any = None,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws the impact of systems on each other as a table of colours: blue is better, red is worse.

    Args:
        matrix: See `impact()`.
        scope: See `impact()`. Each design has its own panel; colours are the same in all.
        ax: The matplotlib axes to draw on. Default: new ones.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; for several designs, those of the first one.

    Raises:
        InputError: As for `impact()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_impact({"Transport": {"Water": -1, "Energy": 1}})
    """
    axes: Axes = pictures("comparison").draw_impact(
        impact(self, matrix, scope=scope),
        list(self._in_scope(scope)),
        self.systems["name"],
        self.title,
        ax,
        theme,
    )
    return axes


def _given(compared: Compared, matrix: Any) -> Any:
    """The matrix, or that of the project."""
    if matrix is not None:
        return matrix
    if not compared.impacts.any(axis=None):
        raise InputError(
            "the project has no impacts: set them with project.set_impacts() or in the room, and compare again, or "
            'give weights, such as impact({"Water": {"Housing": -2}})'
        )
    return compared.impacts


def _weights(systems: pd.DataFrame, matrix: Any) -> dict[tuple[int, int], Any]:
    """The cells of the matrix by system ids, without the diagonal, empty cells and zeros."""
    if isinstance(matrix, pd.DataFrame):
        matrix = {row: cells.to_dict() for row, cells in matrix.iterrows()}
    if not isinstance(matrix, Mapping) or not all(isinstance(row, Mapping) for row in matrix.values()):
        raise InputError(
            "matrix must be a DataFrame, or a dict of dicts: for each acting system, for each system that it acts on, "
            "a weight per hectare, or a dict from classes of the evaluation map to weights"
        )
    weights = {}
    for acting, row in matrix.items():
        for affected, weight in row.items():
            one, other = sysid_of(systems, acting), sysid_of(systems, affected)
            if not isinstance(weight, (int, float, Mapping, np.number)):
                raise InputError(f"the weight of {acting!r} on {affected!r} is {weight!r}: give a number or a dict")
            for value in weight.values() if isinstance(weight, Mapping) else [weight]:
                # An empty cell of a table is NaN.
                if isinstance(weight, Mapping) or not np.isnan(value):
                    finite(f"the weight of {acting!r} on {affected!r}", value, "give a number")
            empty = not weight if isinstance(weight, Mapping) else weight == 0 or np.isnan(weight)
            if one != other and not empty:
                weights[one, other] = weight
    return weights


def _section(answers: Answers) -> str:
    return _suitability_tables(answers) + _impact_tables(answers)


def _impact_tables(answers: Answers) -> str:
    """A table for each design whose projects have an impact by the project's matrix."""
    compared, figures = answers.compared, answers.figures
    if not compared.impacts.any(axis=None):
        return ""
    found: Any = impact(compared, scope=figures.scope)
    headings = [Column(t("acting_system"), "text"), Column(t("affected_system"), "text")]
    columns = [*headings, figures.area_column("land_unit"), Column(t("impact_unit", unit=figures.units.area))]
    text = ""
    for scope in figures.scopes:
        rows = [
            (
                hue(compared, row.sysid_a, row.system_a),
                hue(compared, row.sysid_b, row.system_b),
                *map(figures.area, (row.area_ha, row.impact)),
            )
            for row in answers.of(found, scope).itertuples()
        ]
        text += table(t("impacts_caption", design=name_of(scope)), columns, rows) if rows else ""
    return text


def _suitability_tables(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    if not any(len(layer) for layer in compared.evaluations.values()):
        return paragraph(t("no_evaluation_maps"))
    systems: Any = suitability(compared, "systems", figures.scope)
    diagrams: Any = suitability(compared, "diagrams", figures.scope)
    if not len(systems):
        return paragraph(t("no_diagram_with_land"))
    known = [name for name in systems.columns if name not in ("design", "team", "system")]
    names = [f"{_class(name)} ({figures.units.area})" for name in known]
    columns = [Column(t("system"), "text"), *map(Column, names), Column(t("diagrams_with_land"), "ids")]
    columns[1] = figures.summed
    text = ""
    for scope in figures.scopes:
        own, within = (answers.of(frame, scope) for frame in (systems, diagrams))
        rows = []
        for sysid, row in own.iterrows():
            ids = sorted(within.index[within["sysid"] == sysid])
            cells = [t("no_map") if pd.isna(row[name]) else figures.area(row[name]) for name in known]
            rows.append((hue(compared, sysid, row["system"]), *cells, links(ids)))
        text += table(t("suitability_caption", design=name_of(scope)), columns, rows)
    if "red" not in diagrams:
        return text
    worst = diagrams[diagrams["red"] >= 0.05].sort_values("red", ascending=False).head(WORST)
    found = [
        (
            *of_design(row),
            links([row.Index]),
            title_of(row.title),
            row.system,
            *map(figures.area, (row.red, row.land_ha)),
        )
        for row in worst.itertuples()
    ]
    if not found:
        return text + paragraph(t("no_red_land", name=class_word("red")))
    unit = figures.units.area
    headings = [Column(t("id")), Column(t("diagram"), "text"), Column(t("system"), "text")]
    if "design" in worst:
        headings.insert(0, Column(t("design"), "text"))
    columns = [*headings, Column(f"{class_word('red')} ({unit})"), Column(t("land_unit", unit=unit))]
    return text + table(t("most_red_land", count=len(found), name=class_word("red")), columns, found)


def _class(name: str) -> str:
    """The word for a class of evaluation maps; a class of the project has its own name."""
    return t("class_outside") if name == OUTSIDE else class_word(name)


SECTION = Section(
    "suitability_heading",
    "suitability_question",
    _section,
)
