"""`LiveMap`: a map in a notebook cell, drawn by the same program as the room's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

import traitlets

from pygeodesign import _core
from pygeodesign._core import Project
from pygeodesign._planning.compared import ask_for_designs, asking, design_members
from pygeodesign._web.data import MAX_DESIGNS
from pygeodesign._widget.cell import new_widget, shown_widget
from pygeodesign._widget.kernel_service import KernelService
from pygeodesign._widget.picture import map_picture
from pygeodesign.errors import GeodesignError, InputError


def new_map(settings: dict[str, Any], selected: list[int], shown: list[int] | None) -> Any:
    """The widget, with the state that browser and kernel share."""
    traits: dict[str, Any] = {
        "settings": traitlets.Dict(),
        "selected": traitlets.List(traitlets.Int()),
        "shown": traitlets.List(traitlets.Int(), allow_none=True, default_value=None),
        # Drawings that were not sent.
        "drawings": traitlets.List(traitlets.Dict()),
    }
    return new_widget("MapWidget", "widget.js", traits, {"settings": settings, "selected": selected, "shown": shown})


class LiveMap:
    """A map in a notebook cell that follows its project and that you can draw on.

    `Project.map(draw=True)` and `Project.map(live=True)` create it. The browser sends requests to the kernel, and the
    kernel to the service: it works wherever the notebook does, without a port or a token. Several cells may show it.

    Attributes:
        title: The title of the map.
    """

    def __init__(
        self,
        project: Project,
        settings: dict[str, Any],
        shown: list[int] | None,
        on_drawn: Callable[[dict[str, Any]], object] | None,
        page: Callable[[], Any],
    ) -> None:
        """Called by `project_map`. `page` makes the page with the project's current state."""
        self.title = str(settings["title"])
        self._project, self._settings = project, settings
        self._on_drawn, self._page = on_drawn, page
        self._widget: Any = None
        self._selected: list[int] = []
        self._shown = shown

    @property
    def widget(self) -> Any:
        """The ipywidgets widget, for layouts with others."""
        if self._widget is None:
            widget = new_map(self._settings, self._selected, self._shown)
            service = KernelService(self._project, lambda told, buffers: widget.send(told, buffers))
            widget.on_msg(lambda _, message, __: self._hear(service, message))
            self._service, self._widget = service, widget
        return self._widget

    @property
    def selected(self) -> list[int]:
        """The ids of the selected diagrams in the map. You can set them, too."""
        return list(self._selected if self._widget is None else self._widget.selected)

    @selected.setter
    def selected(self, ids: Iterable[int]) -> None:
        self._selected = ids_of(ids)
        if self._widget is not None:
            self._widget.selected = list(self._selected)

    @property
    def drawn(self) -> dict[str, Any]:
        """Drawings that were not sent: a GeoJSON FeatureCollection in WGS 84.

        Each drawing has a feature per part, with the properties `title`, `sysid` and `kind` (`"project"` or
        `"policy"`).
        """
        drawings = [] if self._widget is None else self._widget.drawings
        return collection_of(drawings)

    def send(self) -> None:
        """Sends the drawings, like the button in the map. Drawings that the service refuses stay in the map."""
        self.widget.send({"kind": "send drawn"}, [])

    def show(self, diagrams: Any = None) -> None:
        """Shows these diagrams alone; without an argument, all of them.

        Args:
            diagrams: Ids, or a frame with the column `diagramid` or an index of that name, such as a filtered
                `project.costs().to_geopandas()`.

        Raises:
            InputError: It has no diagram ids.
        """
        self._shown = None if diagrams is None else ids_of(diagrams)
        if self._widget is not None:
            self._widget.set_trait("shown", self._shown)

    def close(self) -> None:
        """Ends the map, and everything that runs for it."""
        if self._widget is not None:
            self._service.close()
            self._widget.close()

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """The project's current state as one page that needs no kernel, as from `project.map()`."""
        return self._page().to_html(path)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """The title of the map."""
        return f"<LiveMap of {self.title}>"

    def _display_(self) -> Any:
        """The widget, which marimo shows."""
        return self.widget

    def _repr_mimebundle_(self, **options: Any) -> Any:
        views = self._settings["views"]
        picture = map_picture(self._project, self.title, views, self._shown, self.selected)
        return shown_widget(self.widget, options, repr(self), "image/png", picture)

    def _hear(self, service: KernelService, message: Any) -> None:
        if not isinstance(message, dict):
            return
        if message.get("kind") == "drawn" and self._on_drawn is not None:
            self._on_drawn(collection_of([message["drawing"]]))
        else:
            service.hear(message)


def ids_of(diagrams: Any) -> list[int]:
    """Diagram ids from a frame or a list."""
    if hasattr(diagrams, "columns"):
        if "diagramid" in diagrams.columns:
            diagrams = diagrams["diagramid"].tolist()
        elif diagrams.index.name == "diagramid":
            diagrams = diagrams.index.tolist()
        else:
            raise InputError("the frame has no column diagramid, and no index of that name")
    try:
        return [int(getattr(diagram, "id", diagram)) for diagram in diagrams]
    except (TypeError, ValueError):
        raise InputError(f"{diagrams!r} is not a list of diagram ids") from None


def collection_of(drawings: list[dict[str, Any]]) -> dict[str, Any]:
    """Drawings of the map as a FeatureCollection."""
    features = [
        {
            "type": "Feature",
            "properties": {
                "title": drawing["title"],
                "sysid": drawing["sysid"],
                "kind": "policy" if drawing["policy"] else "project",
            },
            "geometry": feature["geometry"],
        }
        for drawing in drawings
        for feature in drawing["features"]
    ]
    return {"type": "FeatureCollection", "features": features}


def settings_of(
    project: Project, draw: Any, asks: bool, chosen: dict[str, Any]
) -> tuple[dict[str, Any], list[int] | None]:
    """The settings of the map's program at its start, and the ids of the diagrams that are shown alone.

    `draw` is True or a system, None for a map without drawing; `asks` is True if Python takes the drawings;
    `chosen` has the arguments `designs`, `member`, `team` and `design`.
    """
    designs = chosen.pop("designs")
    system = None if draw is None or draw is True else project.system(draw)["id"]
    shown: list[int] | None = None
    views: list[dict[str, Any]] = []
    if designs is not None:
        if any(value is not None for value in chosen.values()):
            raise InputError("designs= shows designs side by side: leave out member=, team= and design=")
        with asking(project) as ask:
            known = {row["id"] for row in project.diagrams(fields="summary")}
            members = design_members(ask_for_designs(ask, project, designs).members, known)
        if not 1 <= len(members) <= MAX_DESIGNS:
            raise InputError(f"designs has {len(members)} designs; 1 to {MAX_DESIGNS} fit side by side")
        views = [{"title": title, "members": ids} for title, ids in members.items()]
    elif any(value is not None for value in chosen.values()):
        rows = project.diagrams(
            fields="summary", **{name: value for name, value in chosen.items() if value is not None}
        )
        shown = [row["id"] for row in rows]
    settings = {
        "project": project.id,
        "title": str(project.info()["projecttitle"]),
        "name": own_name(project),
        "draws": draw is not None,
        "system": system,
        "asks": asks,
        "views": views,
    }
    return settings, shown


def own_name(project: Project) -> str:
    """The user of the project's client token; empty if the service does not say."""
    try:
        _, _, _, body = _core._forward(project, "GET", "account/", None, [])
        return str(json.loads(body)["username"])
    except GeodesignError:
        return ""
