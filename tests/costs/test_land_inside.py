"""Costs of land inside the study area: `land="inside"`, compared with overlays by shapely along geodesics by pyproj."""

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
import shapely
from shapely import affinity

from builders import collection, diagram, feature, line, square
from fake_service import FakeService, Response
from overlays import GEOD, PLACES, curved, hectares, stars
from pygeodesign import CostReport, InputError

SYSTEM = {"id": 1, "name": "Water", "color": "#0000ff", "verbose_description": "", "tag": "WAT"}
RATE = 100
FIGURES = {"cost": RATE, "budget": 5000, "current_ha": 10, "target_ha": 30}
# Its right half is beyond the study area.
AREA, HALF = square(10, 45, 0.02), square(10.015, 45.005, 0.01)
FAR, NEAR = square(11, 45, 0.01), square(10.001, 45.001, 0.002)
# Rounding of PROJ, in hectares and kilometres.
ROUNDING = 1e-8


def report(*diagrams: Any, area: Any = (AREA,), land: Any = "inside", **choice: Any) -> CostReport:
    """The cost report of a project with one system, whose study area has these polygons."""
    responses = {
        "systems/": [{"id": 1, "name": "Water"}],
        "systems/1/": SYSTEM | FIGURES,
        "diagrams/all/": list(diagrams),
        "boundaries/": collection(*(feature(shape, bname="Bay") for shape in area)),
    }
    with FakeService(responses) as service:
        return service.project().costs(land=land, **choice)


def row_of(*geometries: Any, area: Any = (AREA,), land: Any = "inside", **fields: Any) -> dict[str, Any]:
    (row,) = report(diagram(7, *map(feature, geometries), **fields), area=area, land=land).diagrams
    return {**row}


def approximately(number: Any) -> Any:
    return pytest.approx(number, rel=1e-9, abs=ROUNDING)


@pytest.mark.parametrize("size", [0.02, 0.09])
@pytest.mark.parametrize("place", PLACES)
def test_area_and_cost_are_those_of_the_part_inside(place: str, size: float) -> None:
    """The study area has two polygons that overlap; the diagram has two features."""
    *drawn, one, two = stars(PLACES[place], size, 4, seed=5)
    row = row_of(*map(shapely.geometry.mapping, drawn), area=[shapely.geometry.mapping(part) for part in (one, two)])
    area = curved(one) | curved(two)
    inside = sum(hectares(curved(shape) & area) for shape in drawn)
    outside = sum(hectares(curved(shape) - area) for shape in drawn)
    assert inside > 0 < outside
    assert (row["area_ha"], row["outside_ha"]) == (approximately(inside), approximately(outside))
    assert row["cost"] == pytest.approx(RATE * inside, rel=1e-9, abs=RATE * ROUNDING)
    whole = row_of(*map(shapely.geometry.mapping, drawn), land="all")["area_ha"]
    assert row["area_ha"] + row["outside_ha"] == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("place", PLACES)
def test_length_is_that_of_the_part_inside(place: str) -> None:
    """Positions on geodesics, closer than a metre to each other, are inside or not."""
    (area,) = stars(PLACES[place], 0.02, 1, seed=6)
    random = np.random.default_rng(7)
    path = np.array(PLACES[place]) + random.uniform(-0.03, 0.03, (6, 2))
    row = row_of(line(*path.tolist()), area=[shapely.geometry.mapping(area)])
    inside = whole = 0.0
    for (west, south), (east, north) in itertools.pairwise(path.tolist()):
        metres = GEOD.inv(west, south, east, north)[2]
        points = np.array(GEOD.npts(west, south, east, north, 10_000))
        whole += metres / 1_000
        inside += metres / 1_000 * shapely.contains_xy(curved(area), points).mean()
    assert row["length_km"] + row["outside_km"] == pytest.approx(whole, rel=1e-12)
    # Each of a few crossings is within a step.
    assert row["length_km"] == pytest.approx(inside, abs=0.01) and 0 < inside < whole
    assert row["cost"] == pytest.approx(RATE * row["length_km"])


def test_a_line_is_cut_where_its_geodesic_leaves_the_study_area() -> None:
    """Along a meridian, across a parallel: the border's geodesic is north of it by a known distance."""
    row = row_of(line([10.01, 45.01], [10.01, 45.03]))
    ((_, border),) = GEOD.npts(10, 45.02, 10.02, 45.02, 1)
    assert row["length_km"] == pytest.approx(GEOD.inv(10.01, 45.01, 10.01, border)[2] / 1_000, rel=1e-8)
    assert row["outside_km"] == pytest.approx(GEOD.inv(10.01, border, 10.01, 45.03)[2] / 1_000, rel=1e-8)


@pytest.mark.parametrize("shape", [line([10, 45], [10.02, 45]), line([10.004, 45], [10.009, 45]), AREA])
def test_what_lies_along_the_border_is_inside(shape: Any) -> None:
    row, whole = row_of(shape), row_of(shape, land="all")
    assert (row["area_ha"], row["length_km"]) == (whole["area_ha"], whole["length_km"])
    assert (row["outside_ha"], row["outside_km"], row["outside_note"]) == (0, 0, None)


@pytest.mark.parametrize("shape", [FAR, line([10.02, 45.01], [10.03, 45.01]), square(10.02, 45, 0.01)])
def test_a_diagram_outside_costs_nothing_and_says_so(shape: Any) -> None:
    row = row_of(shape)
    whole = row_of(shape, land="all")
    assert (row["area_ha"], row["length_km"], row["cost"]) == (0, 0, 0)
    size, unit = (whole["area_ha"], "ha") if whole["area_ha"] else (whole["length_km"], "km")
    assert row["outside_note"] == f"outside the study area: {size:.2f} of {size:.2f} {unit} not counted"
    assert (row["area_source"], row["area_problem"], row["cost_problem"]) == ("geometry", None, None)


def test_the_note_names_how_much_does_not_count() -> None:
    row = row_of(HALF)
    whole = row_of(HALF, land="all")["area_ha"]
    assert row["outside_note"] == f"outside the study area: {row['outside_ha']:.2f} of {whole:.2f} ha not counted"
    assert row["outside_ha"] == approximately(hectares(curved(shapely.geometry.shape(HALF))) - row["area_ha"])


def test_a_total_stays_and_says_so() -> None:
    row = row_of(HALF, cost_override=900, cost_override_type="total")
    whole = row_of(HALF, land="all")["area_ha"]
    assert row["cost"] == 900 and row["area_ha"] < 0.6 * whole
    assert "not counted; its cost is a total, which stays" in row["outside_note"]


def test_a_policy_costs_nothing_and_its_land_inside_counts() -> None:
    row = row_of(HALF, type="policy")
    assert row["cost"] == 0 < row["area_ha"] < row_of(HALF, type="policy", land="all")["area_ha"]


def test_a_rate_of_its_own_multiplies_the_part_inside() -> None:
    row = row_of(HALF, cost_override=20, cost_override_type="per hectare")
    assert row["cost"] == pytest.approx(20 * row["area_ha"])


def test_without_a_geometry_the_figure_of_the_service_counts_and_says_so() -> None:
    (row,) = report(diagram(7, geojson=collection(), area=120_000)).diagrams
    assert (row["area_ha"], row["cost"], row["outside_ha"]) == (12, 12 * RATE, None)
    assert row["outside_note"] == "all of it counts: without a geometry here, it cannot be cut at the study area"


def test_a_diagram_of_areas_is_no_line_where_its_areas_are_outside() -> None:
    """Its rate is per hectare still: no kilometre of the line beside is priced at it."""
    row = row_of(FAR, line([10.001, 45.001], [10.01, 45.01]))
    assert (row["area_ha"], row["length_km"], row["cost"]) == (0, 0, 0)
    page = report(diagram(7, feature(FAR))).to_html()
    assert page is not None and "100 per ha</td>" in page and report(diagram(7, feature(FAR))).lines_at_area_rate == 0


def test_sums_and_targets_count_only_what_is_inside() -> None:
    both = report(diagram(7, feature(HALF)), diagram(8, feature(FAR)))
    (system,) = both.systems
    inside: Any = both.diagrams[0]["area_ha"]
    assert system["area_ha"] == inside and system["cost"] == pytest.approx(RATE * inside)
    assert system["target_left_ha"] == max(0, 30 - 10 - inside)
    assert both.land == "inside" and "partly or completely outside: 2" in repr(both)


def test_the_page_says_what_counts_in_its_headings_and_rows() -> None:
    page = report(diagram(7, feature(HALF)), diagram(8, geojson=collection(), area=120_000)).to_html()
    assert page is not None
    assert '<th scope="col">area inside (ha)</th>' in page and "Only land inside the study area counts." in page
    assert "Partly or completely outside: 1 diagram." in page and "without a geometry to cut: 1 diagram." in page
    assert "ha not counted</small>" in page


def test_a_report_on_all_land_has_no_columns_of_land_outside() -> None:
    everything = report(diagram(7, feature(HALF)), land="all")
    assert not {"outside_ha", "outside_km", "outside_pieces", "outside_note"} & {
        *everything.diagrams[0],
        *everything.to_pandas("diagrams"),
    }
    columns = [*report(diagram(7, feature(HALF))).to_pandas("diagrams")]
    assert columns[-4:] == ["outside_ha", "outside_km", "outside_pieces", "outside_note"] and everything.land == "all"


@pytest.mark.parametrize(
    "boundaries", [collection(), Response({"detail": "Not found."}, 404), collection(feature(line([10, 45], [11, 45])))]
)
def test_without_boundaries_nothing_is_inside_and_the_error_says_what_to_do(boundaries: Any) -> None:
    with (
        FakeService({"systems/": [], "diagrams/all/": [], "boundaries/": boundaries}) as service,
        pytest.raises(InputError, match=r"has no boundaries.*draw or upload its boundaries, or count all"),
    ):
        service.project().costs(land="inside")


def test_other_land_is_refused() -> None:
    with pytest.raises(InputError, match='land must be "all" or "inside"'):
        report(land="outside")


def test_a_hole_of_the_study_area_is_outside() -> None:
    lake = square(10, 45, 0.02, square(10.005, 45.005, 0.01)["coordinates"][0][::-1])
    row = row_of(square(10.005, 45.005, 0.01), area=[lake])
    assert row["area_ha"] == 0
    assert row_of(AREA, area=[lake])["outside_ha"] == pytest.approx(row["outside_ha"], rel=1e-9)


def test_across_the_antimeridian_the_part_inside_is_found() -> None:
    """The study area ends at 180.05; the diagram is drawn on both sides, and jumps there."""
    area = shapely.box(179.9, -17, 180.05, -16.9)
    jumping = [[179.95, -16.98], [-179.9, -16.98], [-179.9, -16.92], [179.95, -16.92], [179.95, -16.98]]
    row = row_of({"type": "Polygon", "coordinates": [jumping]}, area=[shapely.geometry.mapping(area)])
    drawn = curved(shapely.box(-0.05, -16.98, 0.1, -16.92))
    cut = curved(affinity.translate(area, -180))
    assert row["area_ha"] == approximately(hectares(drawn & cut))
    path = row_of(line([179.95, -16.95], [-179.9, -16.95]), area=[shapely.geometry.mapping(area)])
    assert path["length_km"] == pytest.approx(2 * path["outside_km"], rel=1e-4)


def test_the_report_keeps_its_land_when_it_is_pickled() -> None:
    original = report(diagram(7, feature(HALF)))
    copy = pickle.loads(pickle.dumps(original))
    assert (copy.land, copy.title, copy.diagrams) == (original.land, original.title, original.diagrams)


def test_the_diagrams_behind_a_figure_share_only_land_inside() -> None:
    twice = report(diagram(7, feature(HALF)), diagram(8, feature(HALF)))
    with pytest.raises(InputError, match="give boundaries="):
        twice.explain("Water")
    with FakeService({"boundaries/": collection(feature(AREA, bname="Bay"))}) as service:
        boundaries = service.project().study_area.boundaries()
    rows = twice.explain("Water", boundaries=boundaries)
    assert rows["overlap_ha"].tolist() == approximately(rows["area_ha"].tolist())
    assert rows["outside_ha"].tolist() == [row["outside_ha"] for row in twice.diagrams]
