"""`LiveMap`: a map in the cell of a notebook, drawn by the same program as the room's."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

import anywidget
import traitlets

from pygeodesign import Project, _core
from pygeodesign._widget.kernel_service import KernelService
from pygeodesign.errors import GeodesignError, InputError

# A picture for who opens the saved notebook elsewhere.
MAX_PICTURE_BYTES = 60_000


class MapWidget(anywidget.AnyWidget):
    """What anywidget shows: the program of the map, and what browser and kernel both know."""

    _esm = traitlets.Unicode(_core._web_file("bundled/widget.js")).tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)
    shown = traitlets.List(traitlets.Int(), allow_none=True, default_value=None).tag(sync=True)
    drawings = traitlets.List(traitlets.Dict()).tag(sync=True)


class LiveMap:
    """A map in the cell of a notebook that follows its project, and that can be drawn on.

    `Project.map(draw=True)` and `Project.map(live=True)` make it. The browser asks the kernel, which asks the service:
    so it works wherever the notebook does, and needs neither a port nor a token there. Several cells may show it.

    Attributes:
        title: What the map is about.
    """

    def __init__(
        self,
        project: Project,
        title: str,
        settings: dict[str, Any],
        live: bool,
        on_drawn: Callable[[dict[str, Any]], object] | None,
        page: Callable[[], Any],
    ) -> None:
        """`project_map` makes it. `page` makes the page that shows the project now."""
        self.title = title
        self._project, self._settings, self._live = project, settings, live
        self._on_drawn, self._page = on_drawn, page
        self._widget: MapWidget | None = None
        self._selected: list[int] = []
        self._shown: list[int] | None = None

    @property
    def widget(self) -> MapWidget:
        """The widget of ipywidgets, for layouts with others."""
        if self._widget is None:
            widget = MapWidget(settings=self._settings, selected=self._selected, shown=self._shown)
            service = KernelService(self._project, lambda told, buffers: widget.send(told, buffers), self._live)
            widget.on_msg(lambda _, message, __: self._hear(service, message))
            self._service, self._widget = service, widget
        return self._widget

    @property
    def selected(self) -> list[int]:
        """The ids of the diagrams that are selected in the map. They can be set, too."""
        return list(self._selected if self._widget is None else self._widget.selected)

    @selected.setter
    def selected(self, ids: Iterable[int]) -> None:
        self._selected = ids_of(ids)
        if self._widget is not None:
            self._widget.selected = list(self._selected)

    @property
    def drawn(self) -> dict[str, Any]:
        """What is drawn and was not sent: a GeoJSON FeatureCollection in WGS 84.

        Each drawing is a feature for each of its parts, with the properties `title`, `sysid` and `kind` (`"project"` or
        `"policy"`).
        """
        drawings = [] if self._widget is None else self._widget.drawings
        return collection_of(drawings)

    def send(self) -> None:
        """Send what is drawn, as the button in the map does. What the service refuses stays in the map."""
        self.widget.send({"kind": "send drawn"}, [])

    def show(self, diagrams: Any = None) -> None:
        """Show these diagrams alone; without any, all of them.

        Args:
            diagrams: Ids, or a frame with the column `diagramid` or an index of that name, such as a filtered
                `project.costs().to_geopandas()`.

        Raises:
            InputError: It has no ids of diagrams.
        """
        self._shown = None if diagrams is None else ids_of(diagrams)
        if self._widget is not None:
            self._widget.set_trait("shown", self._shown)

    def close(self) -> None:
        """End the map, and what goes on for it."""
        if self._widget is not None:
            self._service.close()
            self._widget.close()

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """The project as it is now, as one page that needs no kernel: that of `project.map()`."""
        return self._page().to_html(path)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """What it shows."""
        return f"<LiveMap of {self.title}>"

    def _display_(self) -> MapWidget:
        """For marimo."""
        return self.widget

    def _repr_mimebundle_(self, **options: Any) -> Any:
        shown = self.widget._repr_mimebundle_(**options)
        data, about = shown if isinstance(shown, tuple) else (shown, {})
        data = dict(data or {}) | {"text/plain": repr(self)}
        if picture := self._picture():
            data["image/png"] = picture
        return data, about

    def _hear(self, service: KernelService, message: Any) -> None:
        if not isinstance(message, dict):
            return
        if message.get("kind") == "drawn" and self._on_drawn is not None:
            self._on_drawn(collection_of([message["drawing"]]))
        else:
            service.hear(message)

    def _picture(self) -> bytes | None:
        """A small picture, for programs that show a saved notebook without a kernel."""
        try:
            import matplotlib.pyplot as plt

            from pygeodesign.plots import plot_map

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                axes = plot_map(self._project)
                figure = axes.get_figure(root=True)
                assert figure is not None
                content = io.BytesIO()
                figure.savefig(content, format="png", dpi=60)
                plt.close(figure)
        except (ImportError, GeodesignError):
            return None
        return content.getvalue() if content.tell() <= MAX_PICTURE_BYTES else None


def ids_of(diagrams: Any) -> list[int]:
    """The ids of diagrams, of a frame or a list."""
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
        raise InputError(f"{diagrams!r} is no list of ids of diagrams") from None


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


def own_name(project: Project) -> str:
    """Whose token the project's client has; empty where the service does not tell."""
    try:
        _, _, _, body = _core._forward(project, "GET", "account/", None, [])
        return str(json.loads(body)["username"])
    except GeodesignError:
        return ""
