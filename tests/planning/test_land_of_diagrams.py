"""The request for land: shared land of pairs of diagrams, and land by class of an evaluation map."""

import asyncio
import math
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import shapely

from builders import line, square
from documented_shapes import LAND_OF_DIAGRAMS, check
from pygeodesign import AsyncClient, BadRequestError, Client, InputError, Project, Sandbox
from small_project import GREEN, MEMBER, WATER, Workshop, running_workshop

# Turns in radians, each with a distance from the middle in degrees.
SPIKES = [(math.pi * step / 12, 0.09 if step % 2 else 0.03) for step in range(24)]


def test_pairs_share_what_conflicts_finds(project: Project) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = project.compare().conflicts(by="diagrams", scope="project")
    pairs = list(zip(found["diagramid_a"], found["diagramid_b"], strict=True))
    assert len(pairs) > 20
    land = project.land(pairs)
    assert land["shared_ha"] == pytest.approx(found["area_ha"].tolist(), rel=1e-9, abs=1e-8)
    assert land["classes"] == []
    # In the order of the pairs, whichever of the two comes first.
    turned = project.land([(other, one) for one, other in reversed(pairs)])["shared_ha"]
    assert turned == pytest.approx(land["shared_ha"][::-1], rel=1e-12)


def test_classes_are_those_of_suitability(project: Project) -> None:
    table = project.compare().suitability(scope="project").reset_index().set_index("diagramid")
    classes = project.land(classes_of=table.index.tolist())["classes"]
    assert [row["diagramid"] for row in classes] == table.index.tolist()
    for row in classes:
        expected = table.loc[row["diagramid"]]
        assert row["area_ha"] == pytest.approx(expected["land_ha"], rel=1e-9, abs=1e-8)
        assert row["evaluation"] is not None and row["outside_ha"] == pytest.approx(expected["outside"], abs=1e-8)
        for part in row["evaluation"]:
            assert part["area_ha"] == pytest.approx(expected[part["areatype"]], rel=1e-9, abs=1e-8)


@pytest.fixture(scope="module")
def cut() -> Iterator[Project]:
    """The demo's project, whose study area is a star on the island that cuts many diagrams."""
    with Sandbox() as sandbox:
        project = sandbox.project()
        spikes = [(-74.15 + size * math.cos(turn), 40.58 + size * math.sin(turn)) for turn, size in SPIKES]
        project.study_area.set_boundaries(shapely.Polygon(spikes), "Star")
        yield project


def test_pairs_inside_share_what_conflicts_finds_inside(cut: Project) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        whole, inside = (
            cut.compare(land=land).conflicts(by="diagrams", scope="project").set_index(["diagramid_a", "diagramid_b"])
            for land in ("all", "inside")
        )
    shared = cut.land(list(whole.index), land="inside")["shared_ha"]
    assert shared == pytest.approx(inside["area_ha"].reindex(whole.index).fillna(0).tolist(), rel=1e-9, abs=1e-8)
    # Some pairs lie inside, some outside, and some are cut.
    parts = [part / all_of_it for part, all_of_it in zip(shared, whole["area_ha"], strict=True)]
    assert 0 in parts and max(parts) == pytest.approx(1) and any(0.01 < part < 0.99 for part in parts)


def test_classes_inside_are_those_of_suitability_inside(cut: Project) -> None:
    table = cut.compare(land="inside").suitability(scope="project").reset_index().set_index("diagramid")
    classes = cut.land(classes_of=table.index.tolist(), land="inside")["classes"]
    for row in classes:
        expected = table.loc[row["diagramid"]]
        assert row["area_ha"] == pytest.approx(expected["land_ha"], rel=1e-9, abs=1e-8)
        assert row["outside_ha"] == pytest.approx(expected["outside"], rel=1e-9, abs=1e-8)
        for part in row["evaluation"] or []:
            assert part["area_ha"] == pytest.approx(expected[part["areatype"]], rel=1e-9, abs=1e-8)
    whole = cut.land(classes_of=table.index.tolist())["classes"]
    for row, of_whole in zip(classes, whole, strict=True):
        assert row["outside_study_area_ha"] == of_whole["outside_study_area_ha"]
        assert row["area_ha"] == pytest.approx(of_whole["area_ha"] - (row["outside_study_area_ha"] or 0), abs=1e-6)


def test_inside_needs_a_study_area(workshop: Workshop) -> None:
    pond = workshop.project.add_diagram(WATER, square(-9.15, 38.72, 0.002), title="Pond").id
    with pytest.raises(BadRequestError, match="boundaries"):
        workshop.project.land([(pond, pond)], land="inside")
    with pytest.raises(InputError, match='land must be "all" or "inside"'):
        workshop.project.land([(pond, pond)], land="outside")  # type: ignore[arg-type]


def test_land_outside_the_study_area_is_that_of_targets() -> None:
    with Sandbox() as sandbox, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        project = sandbox.project()
        # From the mainland across the Arthur Kill.
        wide = project.add_diagram("Water", square(-74.25, 40.555, 0.04), title="Wide")
        table = project.compare().targets(scope="project").reset_index()
        systems = {row["id"]: row["sysid"] for row in project.diagrams(fields="summary")}
        land = project.land(classes_of=list(systems))["classes"]
        (of_wide,) = (row for row in land if row["diagramid"] == wide.id)
        outside = of_wide["outside_study_area_ha"]
        assert outside is not None and 1 < outside < of_wide["area_ha"]
        for sysid, expected in zip(table["sysid"], table["outside_ha"], strict=True):
            found = sum(row["outside_study_area_ha"] or 0 for row in land if systems[row["diagramid"]] == sysid)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-8)


def test_answers_have_the_documented_shape(project: Project) -> None:
    check(project.land([(1001, 1002)], classes_of=[1003, 1003]), LAND_OF_DIAGRAMS)


def test_diagrams_go_by_title_and_twice_if_they_are_asked_for_twice(workshop: Workshop) -> None:
    pond = workshop.project.add_diagram(WATER, square(-9.15, 38.72, 0.002), title="Pond")
    park = workshop.project.add_diagram(GREEN, square(-9.149, 38.72, 0.002), title="Park", kind="policy")
    path = workshop.project.add_diagram(GREEN, line([-9.15, 38.72], [-9.14, 38.73]), title="Path")
    land = workshop.project.land([("Pond", park), (pond, "Pond"), (pond, path)], classes_of=[pond, "Pond", path])
    shared, own, none = land["shared_ha"]
    # The service has no kinds here: a policy lies on land like a project.
    assert shared == pytest.approx(own / 2, rel=1e-6) and none == 0
    first, second, of_line = land["classes"]
    assert first == second and first["area_ha"] == pytest.approx(own, rel=1e-9) and of_line["area_ha"] == 0
    # Neither system has an evaluation map.
    assert (first["evaluation"], first["outside_ha"], first["outside_study_area_ha"]) == (None, None, None)


def test_what_cannot_be_answered_is_named(workshop: Workshop) -> None:
    pond = workshop.project.add_diagram(WATER, square(-9.15, 38.72, 0.002), title="Pond").id
    with pytest.raises(InputError, match="a pair must have two diagrams, not 1"):
        workshop.project.land([(pond,)])  # type: ignore[list-item]
    with pytest.raises(BadRequestError, match="the project has no diagram 4711"):
        workshop.project.land([(pond, 4711)])
    with pytest.raises(BadRequestError, match="the project has no diagram 4711"):
        workshop.project.land(classes_of=[4711])
    assert workshop.send("POST", "land/", {"pairs": [[pond, str(pond)]]}).status_code == 400
    assert workshop.send("POST", "land/", {"pair": [[pond, pond]]}).status_code == 400
    refused = workshop.send("POST", "land/", {"pairs": [[pond, pond]] * 10_001})
    assert refused.status_code == 400 and "list_items" in refused.text


def test_what_takes_too_long_is_refused_before_it_is_computed() -> None:
    with running_workshop(limits={"preview_vertices": 30}) as workshop:
        pond = workshop.project.add_diagram(WATER, square(-9.15, 38.72, 0.002), title="Pond").id
        assert len(workshop.project.land([(pond, pond)] * 3)["shared_ha"]) == 3
        with pytest.raises(BadRequestError, match="preview_vertices"):
            workshop.project.land([(pond, pond)] * 4)


def test_who_only_reads_may_ask(workshop: Workshop) -> None:
    pond = workshop.project.add_diagram(WATER, square(-9.15, 38.72, 0.002), title="Pond").id
    token = workshop.project.workshop.add_link("Council", "2999-06-01")["token"]
    with Client(token, workshop.sandbox.url) as client:
        assert client.project(workshop.id).land([(pond, pond)])["shared_ha"][0] > 0
    # A member may ask while drawing is closed, too.
    workshop.project.workshop.set_activities(drawing=False)
    assert workshop.project_of(MEMBER).land([(pond, pond)])["shared_ha"][0] > 0
    headers = {"Authorization": f"Token {token}"}
    url = f"{workshop.sandbox.url}projects/{workshop.id}/diagrams/{pond}/notes/"
    assert requests.post(url, json={"notes": "x"}, headers=headers, timeout=20).status_code == 403


def test_it_is_awaited_too(sandbox: Sandbox) -> None:
    async def ask() -> Any:
        async with AsyncClient(sandbox.token(), sandbox.url) as client:
            return await client.project(sandbox.project().id).land([(1001, 1001)])

    assert asyncio.run(ask())["shared_ha"][0] > 1
