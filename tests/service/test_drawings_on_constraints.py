"""Drawings on constraints, land where nothing can change: authors are warned, or the project refuses such drawings."""

import json
from pathlib import Path
from typing import Any

import pytest
import shapely
import shapely.affinity

from builders import collection, feature, line, square
from event_reader import watching
from overlays import GEOD, PLACES, curved, hectares, stars
from pygeodesign import BadRequestError, InputError, PermissionDeniedError, Sandbox
from small_project import GREEN, MEMBER, WATER, Workshop

LAKE, PIER = square(-9.15, 38.72, 0.01), square(-9.145, 38.725, 0.01)
HALF = square(-9.155, 38.72, 0.01)
BESIDE = square(-9.2, 38.7, 0.01)
ROAD = line([-9.155, 38.722], [-9.147, 38.722])


@pytest.fixture
def closed(workshop: Workshop) -> Workshop:
    """Two areas of constraints, which overlap."""
    workshop.project.study_area.set_constraints(collection(feature(LAKE), feature(PIER)), "Water")
    return workshop


@pytest.fixture
def refusing(closed: Workshop) -> Workshop:
    closed.project.edit(drawings_on_constraints="refuse")
    return closed


def body(*shapes: Any, kind: str = "polygon") -> dict[str, Any]:
    return {"geometry": collection(*map(feature, shapes)), "featuretype": kind, "description": "Pond"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("place", PLACES)
def test_a_preview_says_hectares_and_share_each_place_once(workshop: Workshop, place: str, seed: int) -> None:
    """Overlapping constraints, and a drawing of two areas beside each other."""
    *constraints, star = stars(PLACES[place], 0.02, 4, seed)
    other = shapely.affinity.translate(star, 0.045)
    workshop.project.study_area.set_constraints(collection(*map(feature, map(shapely.geometry.mapping, constraints))))
    part: Any = workshop.project.preview(WATER, shapely.MultiPolygon([star, other]))["constraints"]
    shared = hectares(curved(star) & shapely.union_all([curved(area) for area in constraints]))
    assert part["area_ha"] == pytest.approx(shared, rel=1e-9, abs=1e-8)
    assert part["share"] == pytest.approx(shared / (hectares(curved(star)) + hectares(curved(other))), rel=1e-9)
    assert part["length_km"] == 0 < shared


def test_a_preview_says_kilometres_of_lines(closed: Workshop) -> None:
    part: Any = closed.project.preview(WATER, ROAD)["constraints"]
    whole = GEOD.inv(-9.155, 38.722, -9.147, 38.722)[2] / 1_000
    # Three of eight steps along the parallel are in the lake.
    assert part["length_km"] == pytest.approx(whole * 3 / 8, rel=1e-5)
    assert part["share"] == pytest.approx(part["length_km"] / whole, rel=1e-9)
    assert part["area_ha"] == 0


def test_a_project_without_constraints_says_nothing_of_them(workshop: Workshop) -> None:
    assert workshop.project.preview(WATER, HALF)["constraints"] is None
    added = workshop.send("POST", f"systems/{WATER}/add/project/", body(HALF)).json()
    assert sorted(added) == ["diagram_id", "grid_location", "status"]


def test_the_answer_to_a_drawing_says_what_lies_on_constraints(closed: Workshop) -> None:
    added = closed.send("POST", f"systems/{WATER}/add/project/", body(HALF)).json()
    assert added["constraints"] == closed.project.preview(WATER, HALF)["constraints"]
    assert "(50 %) of it lie on constraints, land where nothing can change." in added["status"]
    beside = closed.send("POST", f"systems/{WATER}/add/project/", body(BESIDE)).json()
    assert beside["constraints"] == {"area_ha": 0, "length_km": 0, "pieces": 0, "share": 0}
    assert "constraints" not in beside["status"]


def test_python_warns_of_one_drawing_and_names_the_rows_of_a_table(closed: Workshop) -> None:
    with pytest.warns(UserWarning, match=r"on constraints, land where nothing can change \(the geometry: .* ha \(50 %"):
        closed.project.add_diagram(WATER, HALF, title="Pond")
    rows = collection(feature(HALF, name="Pond"), feature(BESIDE, name="Park"), feature(ROAD, name="Road"))
    with pytest.warns(UserWarning, match=r"nothing can change \(row 0: .* ha \(50 %\), row 2: 0\.26 km"):
        report = closed.project.add_diagrams(GREEN, rows, title="name", kind="policy")
    assert [round(row["constraints"]["share"], 2) for row in report if row["constraints"]] == [0.5, 0, 0.38]


def test_a_project_refuses_drawings_on_constraints_before_anything_is_written(refusing: Workshop) -> None:
    project = refusing.project_of(MEMBER)
    version = refusing.send("GET", "changeid/").json()
    with pytest.raises(
        BadRequestError, match=r"48\.\d+ ha \(50 %\) of the drawing lie on constraints.*draw beside them"
    ):
        project.add_diagram(WATER, HALF, title="Pond")
    with pytest.raises(BadRequestError, match=r"0\.26 km \(38 %\) of the drawing"):
        project.add_diagram(WATER, ROAD, title="Road", kind="policy")
    (row,) = project.add_diagrams(GREEN, collection(feature(HALF, name="Pond")), title="name")
    assert "lie on constraints" in str(row["error"])
    assert (refusing.send("GET", "changeid/").json(), len(project.diagrams())) == (version, 0)
    preview = project.preview(WATER, HALF)
    (fault,) = preview["faults"]
    assert fault["code"] == "on_constraints" and "lie on constraints" in fault["reason"]
    assert preview["area_ha"] and preview["constraints"]


def test_other_edits_of_a_diagram_on_constraints_are_accepted(closed: Workshop) -> None:
    with pytest.warns(UserWarning, match="on constraints"):
        pond = closed.project.add_diagram(WATER, HALF, title="Pond")
    closed.project.edit(drawings_on_constraints="refuse")
    pond.edit(title="Lake")
    with pytest.raises(BadRequestError, match="lie on constraints"):
        pond.edit(geometry=square(-9.156, 38.72, 0.01))
    pond.edit(geometry=BESIDE)
    closed.project.undo(closed.project.history()[0]["id"])
    part: Any = closed.project.preview(WATER, pond.features())["constraints"]
    assert part["share"] == pytest.approx(0.5, rel=1e-3)


def test_neighbours_of_constraints_and_files_elsewhere_are_accepted(refusing: Workshop) -> None:
    refusing.project.add_diagram(WATER, square(-9.16, 38.72, 0.01), title="Neighbour")
    refusing.project.system(WATER).add_external("https://example.org/a.fgb", title="File", layer_type="fgb-layer")


def test_an_archive_with_drawings_on_constraints_is_loaded_with_its_rule(closed: Workshop, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="on constraints"):
        closed.project.add_diagram(WATER, HALF, title="Pond")
    closed.project.edit(drawings_on_constraints="refuse", counted_land="inside")
    closed.project.archive(tmp_path / "a.zip", progress=False)
    with Sandbox(project=tmp_path / "a.zip") as copy:
        info = copy.project().info()
        assert (info["drawings_on_constraints"], info["counted_land"]) == ("refuse", "inside")
        assert [row["description"] for row in copy.project().costs().diagrams] == ["Pond"]


@pytest.mark.parametrize(
    ("field", "default", "other"),
    [("drawings_on_constraints", "warn", "refuse"), ("counted_land", "all", "inside")],
)
def test_an_administrator_sets_it_and_the_history_says_so(
    workshop: Workshop, field: Any, default: str, other: str
) -> None:
    project: Any = workshop.project
    assert field not in project.info()
    with watching(workshop, user=MEMBER) as events:
        assert project.edit(**{field: other})[field] == other
        assert next(event for event in events if event.name == "project").data["action"] == "changed"
    entry = project.history()[0]
    assert (entry["operation"], entry["subject"], entry["after"]) == ("edit_project", field, other)
    assert field not in project.edit(**{field: default})
    assert project.history()[0]["after"] == default
    count = len(project.history())
    project.edit(**{field: default})
    assert len(project.history()) == count
    with pytest.raises(InputError, match=f"{field} must be {default} or {other}, not 'never'|not \"never\""):
        project.edit(**{field: "never"})
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).edit(**{field: other})


def test_a_setup_file_says_both(tmp_path: Path) -> None:
    path = tmp_path / "workshop.json"
    settings = {"drawings_on_constraints": "refuse", "counted_land": "inside"}
    path.write_text(json.dumps({"projects": {"StatenIsland2050": settings}}), encoding="utf-8")
    with Sandbox(setup=path) as sandbox:
        assert settings.items() <= sandbox.project().info().items()
    path.write_text(json.dumps({"projects": {"StatenIsland2050": {"counted_land": "none"}}}), encoding="utf-8")
    with pytest.raises(InputError, match="counted_land must be all or inside"):
        Sandbox(setup=path)
