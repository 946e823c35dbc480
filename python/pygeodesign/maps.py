"""Interactive maps, and galleries of diagrams, as HTML that needs no network. For the extra `notebook`.

    >>> from pygeodesign import Sandbox
    >>> with Sandbox() as sandbox:
    ...     view = sandbox.client().project("StatenIsland2050").map(currency="USD")
    >>> view
    <WebMap of Staten Island 2050: 180 diagrams, 2 of them not on the map, 0.4 MB>
    >>> view.to_html("map.html")

A notebook shows a `WebMap` and a `Gallery` directly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from pygeodesign._core import _missing_extra

try:
    import pandas as pd
    from geopandas import GeoDataFrame

    from pygeodesign._pictures.shown import in_columns, map_rows, shown, study_area
    from pygeodesign._pictures.style import THEMES
    from pygeodesign._web.data import layers_of, map_data
    from pygeodesign._web.gallery import chosen_rows, gallery_html
    from pygeodesign._web.page import basemap_of, in_frame, map_page
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

from pygeodesign._core import Design, FeatureCollection, Project, Team
from pygeodesign._html import page, written
from pygeodesign._language import t
from pygeodesign._options import currency_of, options
from pygeodesign._text import PLACES_OF_WIDGETS, counted, units_named, without_lone_surrogates
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._widget.live_map import LiveMap

__all__ = ["Gallery", "LiveMap", "WebMap", "gallery", "project_map", "web_map"]


def __getattr__(name: str) -> Any:
    """`LiveMap`, whose library is imported on first use."""
    if name == "LiveMap":
        from pygeodesign._widget.live_map import LiveMap

        return LiveMap
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Options that only pages have.
OF_PAGES = ("title", "credits", "currency", "units", "basemap")
# The most bytes of a map in the output of a cell. A larger one would make the notebook slow to open and to save.
MAX_NOTEBOOK_BYTES = 20_000_000


class WebMap:
    """An interactive map: one HTML page with all its data, which needs no network unless it has a basemap.

    `Project.map()`, `FeatureCollection.map()` and `web_map` create it. It shows the data at that time.

    Attributes:
        title: The title of the map.

    Examples:
        >>> view = project.map()
        >>> view.title
        'Staten Island 2050'
    """

    def __init__(self, page: str, title: str, content: str, height: int) -> None:
        """Called by `web_map`."""
        self.title = title
        self._page, self._content, self._height = without_lone_surrogates(page), content, height
        # A note above the map in a cell.
        self._note = ""

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """The page as one file.

        Args:
            path: The file to write; an existing file is replaced. Default: return the page as a string.

        Returns:
            The page, or None if it was written to `path`.

        Raises:
            OSError: The file cannot be written.

        Examples:
            >>> project.map().to_html("map.html")
        """
        return written(self._page, path)

    def __repr__(self) -> str:
        """The contents of the map, and the size of its page."""
        about = f" of {self.title}" if self.title else ""
        return f"<WebMap{about}: {self._content}, {len(self._page.encode()) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        size = len(self._page.encode())
        if size > MAX_NOTEBOOK_BYTES:
            return (
                f"<p>This map has {size / 1e6:,.0f} MB, more than a notebook should keep "
                f'({MAX_NOTEBOOK_BYTES / 1e6:.0f} MB): <code>.to_html("map.html")</code> writes it to a file.</p>'
            )
        note = f"<p>{escape(self._note)}</p>" if self._note else ""
        return note + in_frame(self._page, self._height, f"Map of {self.title}" if self.title else "Map")


def web_map(
    source: FeatureCollection | GeoDataFrame | Project,
    boundary: FeatureCollection | GeoDataFrame | None = None,
    *,
    designs: Any = None,
    member: str | None = None,
    team: int | str | Team | None = None,
    design: str | Design | None = None,
    evaluations: bool = True,
    title: str | None = None,
    credits: str | None = None,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
    basemap: Any = None,
    height: int = 560,
) -> WebMap:
    """Makes an interactive map: pan, zoom, point at diagrams for their facts, switch layers in the legend.

    Rows without a geometry are left out. A diagram of unknown kind is drawn as a project.
    Positions in the page are rounded to a millionth of a degree, at most 11 cm.

    Args:
        source: The data: a project with everything in it; or the result of `Project.diagrams`, `diagram`, `selection`
            or `evaluation` or `Design.diagrams`, or any GeoDataFrame, which is drawn in the colours of its
            column `color`.
        boundary: The outline of the study area, such as the result of `Project.boundaries`. Default: for a project, its
            boundaries, or its bounds if it has no boundaries.
        designs: For a project: designs to show side by side, moved together, up to 12; as for `Project.compare`.
        member: For a project: only diagrams that this member selected.
        team: For a project: the design's team, if several teams have designs of that title. Without `design`, the
            team's latest design.
        design: For a project: only this design, the object, its id, its title or its title's unique start.
        evaluations: For a project: True to add its evaluation maps as layers.
        title: The title. Default: the name of the project, or of the boundary.
        credits: The line below the map. Default: the source of the boundary, if it has one.
        currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or light.
        basemap: Background tiles that the browser loads from a server on the network: `"streets"`, `"light"`, `"dark"`,
            `"topography"` or `"satellite"`; a pair of a tile address with `{z}`, `{x}` and `{y}` and its
            credits; or a provider of xyzservices. Or a file of tiles (MBTiles with PNG, JPEG or WebP, as QGIS writes
            it), of which the page includes its region, up to 12 MB. Default: none. With a file or none, the
            page needs no network.
        height: The height in a notebook, in pixels.

    Returns:
        A `WebMap`.

    Raises:
        InputError: The data cannot be drawn on a map, a GeoDataFrame has no CRS, a design, the units, the theme or the
            basemap is unknown, or there are more than 3,000,000 positions, too many for a page.

    Examples:
        >>> view = web_map(project.diagrams(), project.study_area.boundaries(), title="Ideas", theme="dark")
        >>> view.to_html("ideas.html")
    """
    _check_height(height)
    measures = units_named(units)
    name = _theme_name(theme)
    of_project: str | None = None
    colors = THEMES[name]
    tiles = basemap_of(basemap)
    constraints, maps, members, costs, what = None, [], {}, None, ""
    if isinstance(source, Project):
        layers = layers_of(source, designs, member, team, design, evaluations)
        source, constraints, maps, members = layers.diagrams, layers.constraints, layers.evaluations, layers.designs
        boundary = layers.boundary if boundary is None else boundary
        title, what = layers.title if title is None else title, layers.what
        of_project = layers.currency
        costs = layers.diagrams.set_index("diagramid")["cost"]
    elif not (designs is None and member is None and team is None and design is None):
        raise InputError("designs=, member=, team= and design= choose from a project: give the Project instead")
    currency = currency_of(currency, of_project)
    found = shown(source, boundary, title=title, credits=credits)
    data = map_data(found, constraints, maps, members, costs, colors, measures, currency, tiles)
    count = f"{len(members)} designs" if members else found.subtitle
    heading = found.title or count
    subtitle = f"{what}: {count}" if what else (count if found.title else "")
    texts = {
        "title": heading,
        "subtitle": subtitle,
        "credits": [
            found.credits,
            f"Basemap: {data['basemap']['credits']}" if data["basemap"] else "",
            _about_costs(found.rows["cost"], currency),
        ],
    }
    return WebMap(map_page(data, texts, name, tiles), found.title, count, height)


def project_map(
    project: Project,
    *,
    draw: Any = None,
    live: bool | None = None,
    on_drawn: Callable[[dict[str, Any]], object] | None = None,
    static: bool = False,
    **options: Any,
) -> WebMap | LiveMap:
    """The result of `Project.map`: a page with the project's current state, or a live map in the cell.

    Args:
        project: The project.
        draw: See `Project.map`.
        live: See `Project.map`.
        on_drawn: See `Project.map`.
        static: See `Project.map`.
        options: Options of `web_map`.

    Returns:
        A `LiveMap` with `draw` or `live`, and in the kernel of a notebook; else a `WebMap`. If anywidget is missing
        in a kernel, the `WebMap` says so above the map.

    Raises:
        InputError: An option cannot be combined with drawing, or the project has no such system.
        ImportError: anywidget is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> project_map(project, draw="Water")
        <LiveMap of Staten Island 2050>
    """
    is_drawn = draw is not None and draw is not False
    if on_drawn is not None and not is_drawn:
        raise InputError("on_drawn is called with each drawing: give draw=True too")
    if static and (is_drawn or live):
        raise InputError("a static map cannot be drawn on or live: leave out static=, or draw= and live=")
    fixed = [name for name in OF_PAGES if options.get(name) is not None]
    # A live map reads each evaluation map when you choose it.
    fixed += ["evaluations"] if options.get("evaluations") is False else []
    if static or live is False or not (is_drawn or live or (_in_kernel() and not fixed)):
        return web_map(project, **options)
    try:
        from pygeodesign._widget.live_map import LiveMap, settings_of
    except ImportError as missing:
        if is_drawn or live:
            problem = _missing_extra(missing)
            problem.add_note(f"Then {PLACES_OF_WIDGETS}")
            raise problem from missing
        view = web_map(project, **options)
        view._note = f"This map shows the project as it is now, and does not follow it: {_missing_extra(missing)}"
        return view
    if fixed:
        raise InputError(f"only the page of a map takes {', '.join(fixed)}=: leave it out, or draw= and live=")
    _check_height(options.get("height", 560))
    chosen = {name: options.get(name) for name in ("designs", "member", "team", "design")}
    settings, shown = settings_of(project, draw if is_drawn else None, on_drawn is not None, chosen)
    settings |= {
        "height": options.get("height", 560),
        "theme": _theme_name(options["theme"]) if options.get("theme") else None,
    }
    return LiveMap(project, settings, shown, on_drawn, lambda: web_map(project, **options))


def _check_height(height: int) -> None:
    if height < 1:
        raise InputError(f"height must be a number of pixels, 1 or more, not {height}")


def _in_kernel() -> bool:
    """True in the kernel of a notebook, which can show more than pages."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    return getattr(shell, "kernel", None) is not None


class Gallery:
    """Small pictures of diagrams, as HTML that needs no network. `Project.gallery()` creates it.

    Attributes:
        title: The title of the gallery.

    Examples:
        >>> project.gallery(system="WAT", limit=5)
        <Gallery of Staten Island 2050: 5 of 20 diagrams>
    """

    def __init__(self, html: str, title: str, content: str, theme: str) -> None:
        """Called by `gallery`."""
        self.title = title
        self._html, self._content, self._theme = html, content, theme

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """The gallery as one file.

        Args:
            path: The file to write; an existing file is replaced. Default: return the page as a string.

        Returns:
            The page, or None if it was written to `path`.

        Raises:
            OSError: The file cannot be written.

        Examples:
            >>> project.gallery(system="Water").to_html("water.html")
        """
        return written(page(self.title, self._html, theme=self._theme), path)

    def __repr__(self) -> str:
        """The number of diagrams in the gallery."""
        return f"<Gallery of {self.title}: {self._content}>"

    def _repr_html_(self) -> str:
        return self._html


def gallery(
    project: Project,
    *,
    member: str | None = None,
    team: int | str | Team | None = None,
    design: str | Design | None = None,
    system: int | str | None = None,
    limit: int | None = 100,
    title: str | None = None,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Gallery:
    """Makes a gallery of a project's diagrams, in the order of the systems. `Project.gallery` does the same.

    Args:
        project: The project.
        member: Only diagrams that this member selected.
        team: The design's team, if several teams have designs of that title. Without `design`, the team's latest
            design.
        design: Only this design: the object, its id, its title or its title's unique start.
        system: Only diagrams of this system: its id, name or tag.
        limit: The most diagrams to show; the page says how many more there are. None shows all.
        title: The title. Default: the name of the project.
        currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or light.

    Returns:
        A `Gallery`.

    Raises:
        InputError: The system, the units or the theme is unknown, or the limit is negative.

    Examples:
        >>> gallery(project, system="Water")
        <Gallery of Staten Island 2050: 20 diagrams>
    """
    name = _theme_name(theme)
    measures, colors = units_named(units), THEMES[name]
    if limit is not None and limit < 1:
        raise InputError(f"limit must be a number of diagrams, 1 or more, or None for all, not {limit}")
    sysid = None if system is None else project.system(system)["id"]
    report = project.costs(member=member, team=team, design=design)
    currency = currency_of(currency, report.currency)
    place, what = report.project_title or project.id, report.selection or ""
    outline = map_rows(_as_frame(study_area(project)))
    frame = in_columns(report.to_geopandas())
    rows = chosen_rows(frame, project.systems(), sysid)
    count = counted(len(rows), "diagram")
    note = _about_costs(rows["cost"], currency)
    if limit is not None and len(rows) > limit:
        note = f"{len(rows) - limit:,} more diagrams are not shown: gallery(limit=None) shows all. {note}".rstrip()
        count = f"{limit:,} of {count}"
    heading = place if title is None else title
    texts = (heading, ": ".join(filter(None, (what, count))), note)
    return Gallery(gallery_html(rows.iloc[:limit], outline, texts, colors, measures, currency), heading, count, name)


def _theme_name(name: str | None) -> str:
    """The theme of a call, or else of the options; light by default."""
    name = name if name is not None else options.theme or "light"
    if name not in THEMES:
        raise InputError(f'theme must be "light" or "dark", not {name!r}')
    return name


def _about_costs(costs: pd.Series[float], currency: str) -> str:
    """A note about the currency, for a page with costs."""
    return "" if currency or costs.isna().all() else t("no_currency")


def _as_frame(area: FeatureCollection | GeoDataFrame) -> GeoDataFrame:
    return area.to_geopandas() if isinstance(area, FeatureCollection) else area


# The public module, for users.
for _item in (Gallery, WebMap, gallery, web_map):
    _item.__module__ = __name__
