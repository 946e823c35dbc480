"""Data sets from other packages are uploaded, come back bit for bit, and are measured and priced as by PROJ."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
import shapely
from pyproj import Geod

from geometries import wkb
from pygeodesign import CostReport, InputError, Project, Sandbox
from pygeodesign.types import NewSystem, UploadedRow

WGS84 = Geod(ellps="WGS84")
RATE = 40_000
LAND: NewSystem = {"name": "Land", "tag": "LND", "color": "#3B8F4E", "cost": RATE}
PLANNER = "ana.sousa"

# GDAL keeps the heights of a file and leaves its measures out.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Measured .M. geometry types are not supported")]


@dataclass(frozen=True)
class DataSet:
    package: str
    file: str
    layer: str | None = None
    # For a file that does not name its CRS.
    crs: int | None = None

    def __str__(self) -> str:
        return f"{Path(self.file).stem}-{self.layer}" if self.layer else Path(self.file).stem

    def read(self) -> gpd.GeoDataFrame:
        # Found, not imported: these packages take seconds to import.
        package = find_spec(self.package)
        assert package is not None and package.submodule_search_locations
        frame = gpd.read_file(Path(package.submodule_search_locations[0]) / self.file, layer=self.layer)
        if self.crs:
            frame = frame.set_crs(self.crs)
        return frame.assign(title=[f"{self} {number}" for number in range(len(frame))])


TOKYO = DataSet("libpysal", "examples/tokyo/tokyomet262.shp")  # Japan Plane Rectangular, in metres.
COUNTRIES = DataSet("pyogrio", "tests/fixtures/naturalearth_lowres/naturalearth_lowres.shp")

AREAS = [
    TOKYO,
    DataSet("libpysal", "examples/virginia/vautm17n.shp"),  # UTM, in metres.
    DataSet("libpysal", "examples/virginia/virginia.shp"),
    DataSet("libpysal", "examples/chicago/Chicago77.shp", crs=3435),  # Illinois State Plane, in feet.
    DataSet("libpysal", "examples/sids2/sids2.shp", crs=4267),  # NAD27: degrees on another ellipsoid.
    DataSet("libpysal", "examples/us_income/us48.shp", crs=4269),  # NAD83: degrees.
    DataSet("libpysal", "examples/mexico/mexicojoin.shp", crs=4326),
    DataSet("libpysal", "examples/Polygon_Holes/Polygon_Holes.shp"),
    DataSet("libpysal", "examples/berlin/prenz_bound.zip"),  # Web Mercator.
    DataSet("momepy", "datasets/bubenec.gpkg", "buildings"),  # Web Mercator.
    DataSet("momepy", "datasets/bubenec.gpkg", "tessellation"),
    DataSet("momepy", "datasets/tests.gpkg", "os"),  # British National Grid, in metres.
    COUNTRIES,
    DataSet("pyogrio", "tests/fixtures/multisurface.gpkg"),
]

LINES = [
    DataSet("libpysal", "examples/geodanet/streets.shp"),  # Arizona State Plane, in feet.
    DataSet("libpysal", "examples/snow_maps/Soho_Network.shp"),  # Web Mercator.
    DataSet("momepy", "datasets/bubenec.gpkg", "streets"),
    DataSet("momepy", "datasets/tests.gpkg", "network"),  # Krovak, in metres.
    DataSet("momepy", "datasets/tests.gpkg", "test_rabs"),  # Spain LCC, whose longitudes count from Madrid.
    DataSet("pyogrio", "tests/fixtures/line_zm.gpkg"),  # With heights and measures.
]

POINTS = [
    DataSet("libpysal", "examples/geodanet/schools.shp"),
    DataSet("libpysal", "examples/snow_maps/SohoWater.shp"),
    DataSet("libpysal", "examples/virginia/vautm17n_points.shp"),
    DataSet("pyogrio", "tests/fixtures/test_gpkg_nulls.gpkg"),
]

Create = Callable[[gpd.GeoDataFrame], Project]


def add(project: Project, frame: gpd.GeoDataFrame) -> list[UploadedRow]:
    (land,) = project.systems()
    with warnings.catch_warnings():
        # The costs of lines are compared below.
        warnings.filterwarnings("ignore", r".* priced (per kilometre|by the piece) at a rate per hectare")
        return project.add_diagrams(land["id"], frame, title="title")


def invalid(frame: gpd.GeoDataFrame) -> Any:
    """The rows that shapely calls invalid in WGS 84."""
    return ~shapely.is_valid(frame.to_crs(4326).geometry)


def beyond_earth(frame: gpd.GeoDataFrame) -> Any:
    """The rows that reach over longitude 180, as a few real ones do by some nanometres."""
    bounds = frame.to_crs(4326).bounds
    return ((bounds.minx < -180) | (bounds.maxx > 180)).to_numpy()


@dataclass(frozen=True)
class Uploaded:
    """The valid rows of a data set in WGS 84, each with the id of its diagram, and the project that holds them."""

    sent: gpd.GeoDataFrame
    project: Project
    costs: CostReport


@pytest.fixture(scope="module")
def create() -> Iterator[Create]:
    """Creates a project around a frame."""
    with Sandbox(project=None) as sandbox:
        sandbox.add_user(PLANNER)
        client = sandbox.client(PLANNER)
        code = sandbox.creation_code("SURVEY")

        def create_around(frame: gpd.GeoDataFrame) -> Project:
            west, south, east, north = map(float, frame.to_crs(4326).total_bounds)
            client.create_project(code, title="Survey", bounds=(west, south, east, north), systems=[LAND])
            created = client.latest_project()
            assert created
            return client.project(created["id"])

        yield create_around


@pytest.fixture(scope="module", params=AREAS + LINES, ids=str)
def uploaded(request: pytest.FixtureRequest, create: Create) -> Uploaded:
    frame = request.param.read()
    frame = frame[~invalid(frame) & ~beyond_earth(frame)]
    project = create(frame)
    report = add(project, frame)
    assert [(row["row"], row["error"]) for row in report] == [(label, None) for label in frame.index]
    sent = frame.to_crs(4326).assign(diagramid=[int(row["diagram_id"] or "") for row in report])
    return Uploaded(sent, project, project.costs())


def square_metres(shape: Any) -> float:
    def area(ring: Any) -> float:
        return abs(float(WGS84.polygon_area_perimeter(*ring.coords.xy[:2])[0]))

    polygons = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return sum(area(part.exterior) - sum(map(area, part.interiors)) for part in polygons)


def metres(shape: Any) -> float:
    lines = [part for part in shapely.get_parts(shape) if part.geom_type == "LineString"]
    return sum(float(WGS84.line_length(*line.coords.xy[:2])) for line in lines)


def exactly(figures: Any) -> Any:
    return pytest.approx(list(figures), rel=1e-9, abs=0)


def test_every_row_comes_back_bit_for_bit(uploaded: Uploaded) -> None:
    back = uploaded.project.diagrams().to_geopandas().set_index("diagramid")
    assert len(back) == len(uploaded.sent)
    assert wkb(back.geometry[uploaded.sent.diagramid]) == wkb(uploaded.sent.geometry)


def test_titles_come_back_as_descriptions(uploaded: Uploaded) -> None:
    titles = {row["id"]: row["description"] for row in uploaded.project.diagrams(fields="details")}
    assert titles == dict(zip(uploaded.sent.diagramid, uploaded.sent.title, strict=True))


def test_areas_and_lengths_are_those_of_pyproj(uploaded: Uploaded) -> None:
    measured = {row["diagramid"]: row for row in uploaded.costs.diagrams}
    rows = [measured[diagram] for diagram in uploaded.sent.diagramid]
    assert [row["area_ha"] for row in rows] == exactly(square_metres(s) / 10_000 for s in uploaded.sent.geometry)
    assert [row["length_km"] for row in rows] == exactly(metres(s) / 1_000 for s in uploaded.sent.geometry)
    assert {row["area_source"] for row in rows} == {"geometry"}


def test_the_service_measures_the_same(uploaded: Uploaded) -> None:
    details = {row["id"]: row for row in uploaded.project.diagrams(fields="details")}
    rows = [details[diagram] for diagram in uploaded.sent.diagramid]
    assert [row["area"] for row in rows] == exactly(map(square_metres, uploaded.sent.geometry))
    assert [row["length"] for row in rows] == exactly(metres(s) / 1_000 for s in uploaded.sent.geometry)


def test_costs_are_the_rate_times_hectares_or_kilometres(uploaded: Uploaded) -> None:
    costs = {row["diagramid"]: row["cost"] for row in uploaded.costs.diagrams}
    expected = [RATE * (square_metres(s) / 10_000 or metres(s) / 1_000) for s in uploaded.sent.geometry]
    assert [costs[diagram] for diagram in uploaded.sent.diagramid] == exactly(expected)
    (land,) = uploaded.costs.systems
    assert land["diagrams"] == len(expected)
    assert land["cost"] == pytest.approx(sum(expected), rel=1e-9)


# Refusals


def test_an_invalid_polygon_is_refused_with_the_label_of_its_row(create: Create) -> None:
    frame = TOKYO.read().set_index("title", drop=False)
    crossing = frame[invalid(frame)]
    assert 0 < len(crossing) < len(frame)
    project = create(frame)
    for label in crossing.index:
        with pytest.raises(InputError, match=f"row {label!r}"):
            add(project, crossing.loc[[label]])
    assert project.diagrams(fields="summary") == []


def test_an_invalid_polygon_keeps_the_whole_data_set_from_being_sent(create: Create) -> None:
    frame = TOKYO.read().set_index("title", drop=False)
    project = create(frame)
    with pytest.raises(InputError, match=f"row {frame.index[invalid(frame)][0]!r}"):
        add(project, frame)
    assert project.diagrams(fields="summary") == []


def test_a_longitude_beyond_180_by_rounding_is_set_to_180(create: Create) -> None:
    frame = COUNTRIES.read().set_index("name")
    beyond = frame[beyond_earth(frame)].assign(title="Country")
    project = create(frame[~beyond_earth(frame)])
    added = {row["diagram_id"] for row in add(project, beyond)}
    assert len(added) == len(beyond) > 0
    drawn = project.diagrams().to_geopandas()
    assert drawn[drawn["diagramid"].isin(added)].total_bounds[2] == 180


@pytest.mark.parametrize("points", POINTS, ids=str)
def test_points_are_drawn_and_priced_by_the_piece(points: DataSet, create: Create) -> None:
    frame = points.read()
    project = create(frame)
    frame = frame[frame.geometry.notna()].assign(title="Point")
    ids = [row["diagram_id"] for row in add(project, frame)]
    # Rows are sent several at once, so that ids follow another order.
    rows = project.costs().to_pandas("diagrams").set_index("diagramid").loc[ids]
    assert rows["pieces"].tolist() == shapely.get_num_coordinates(frame.geometry).tolist()
    assert rows["cost"].tolist() == (rows["pieces"] * rows["rate"]).tolist()
    drawn = project.diagrams().to_geopandas().set_index("diagramid").geometry.loc[ids]
    expected = shapely.force_2d(frame.to_crs(4326).geometry.to_numpy())
    assert shapely.equals_exact(drawn.to_numpy(), expected, 1e-9).all()


def test_a_row_without_geometry_is_refused_with_its_number(create: Create) -> None:
    nulls = DataSet("geopandas", "tests/data/null_geom.geojson").read()
    with pytest.raises(InputError, match="row 0 has no geometry"):
        add(create(nulls), nulls)


def test_a_data_set_without_crs_is_refused_with_what_to_do(create: Create) -> None:
    columbus = DataSet("libpysal", "examples/columbus/columbus.shp").read()
    with pytest.raises(InputError, match=r"no CRS.*\.set_crs"):
        add(create(columbus.set_crs(4326)), columbus)
