"""`Project.compare()`: the compared designs, their similarity, and the places that several of them change."""

import asyncio
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shapely

import pygeodesign
from builders import diagram, feature, line, square
from comparisons import with_maps as comparison
from interrupting import seconds_until_interrupt
from overlays import hectares, land
from pygeodesign import InputError, Project
from pygeodesign.planning import Comparison


def test_the_latest_design_of_each_team_is_compared_by_default(project: Project) -> None:
    designs = project.compare().designs
    for team, (label, ids) in zip(project.teams(), designs.items(), strict=True):
        latest = project.design(team=team["id"]).details()
        assert label == f"{team['title']} – {latest['description']}"
        assert ids == project.design(latest["id"], team["id"]).diagram_ids()


def test_designs_go_by_team_and_id_by_id_and_by_diagrams(project: Project) -> None:
    saved = project.designs(2)[0]
    ids = project.design(saved["id"], 2).diagram_ids()
    given = {"pair": (2, saved["id"]), "id": saved["id"], "set": {1002, 1001}, "text": ["1003"]}
    assert project.compare(given).designs == {"pair": ids, "id": ids, "set": [1001, 1002], "text": [1003]}
    label = f"Developers – {saved['description']}"
    assert list(project.compare([saved["id"], saved["id"], [1001]]).designs) == [label, f"{label} (2)", "Design 3"]


@pytest.mark.parametrize(
    ("designs", "reason"),
    [
        ([1001, 1002], "1001 is not a design: a design is a Design, its id"),
        ("a023631f09bc2e31", "designs is 'a023631f09bc2e31': a design is a Design, its id"),
        (["no design"], "no design 'no design'; designs: .1, "),
        ([(2, "a023631f09bc2e31")], "no design 'a023631f09bc2e31' of team 2; designs: "),
        ([[1001, 7]], "'Design 1' has diagrams that the project does not have: 7"),
        ([[1.5]], "1.5 is not a diagram id"),
    ],
)
def test_what_is_no_design_is_refused(project: Project, designs: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        project.compare(designs)


def test_a_saved_design_with_a_diagram_that_is_gone_is_compared_with_a_warning() -> None:
    below = {
        "cteams/": [{"id": 1, "title": "Team"}],
        "cteams/1/": {"synthesis": [{"id": "d" * 16, "cteamid": 1, "creationdate": "2026-01-01", "description": "D"}]},
        f"cteams/1/{'d' * 16}/": {
            "type": "FeatureCollection",
            "features": [feature(square(0, 0, 0.01), diagramid=1), feature(square(0, 0, 0.01), diagramid=9)],
        },
        f"cteams/1/{'d' * 16}/diagrams/": {"diagrams": [1, 9]},
    }
    with pytest.warns(UserWarning, match="'Team – D' has diagrams that the project does not have: 9"):
        compared = comparison([diagram(1, feature(square(0, 0, 0.01)))], None, **below)
    assert compared.designs == {"Team – D": [1]}


def test_a_comparison_has_every_diagram_and_system_of_the_project(project: Project) -> None:
    compared: Any = project.compare()
    report = project.costs()
    assert compared.diagrams["cost"].sum() == pytest.approx(report.total)
    assert sorted(compared.diagrams.index) == sorted(row["diagramid"] for row in report.diagrams)
    assert compared.systems["rate"].to_dict() == {
        system["id"]: project.system(system["id"])["cost"] for system in project.systems()
    }
    assert compared.without_geometry == [1015, 1055]
    assert set(compared.evaluations) == set(compared.systems.index)
    assert len(compared.constraints) == 3 and len(compared.boundaries) > 0


def test_an_archive_is_compared_as_the_project_is(project: Project, tmp_path: Path) -> None:
    project.archive(tmp_path / "p.zip", progress=False)
    opened = pygeodesign.open(tmp_path / "p.zip").compare()
    pd.testing.assert_frame_equal(opened.agreement(), project.compare().agreement())
    assert opened.title == "Staten Island 2050"


def test_a_comparison_asks_for_nothing_once_it_is_made_and_can_be_pickled(tmp_path: Path) -> None:
    with pygeodesign.Sandbox() as sandbox:
        compared = sandbox.client().project(sandbox.project_ids[0]).compare()
    copy = pickle.loads(pickle.dumps(compared))
    for one in (compared, copy):
        assert one.agreement()["chosen"].max() == 4 and len(one.consensus()) and len(one.conflicts())
        assert len(one.suitability())


def test_an_awaited_comparison_is_the_same(sandbox: pygeodesign.Sandbox, project: Project) -> None:
    async def awaited() -> Comparison:
        return await sandbox.async_client().project(project.id).compare()

    compared = asyncio.run(awaited())
    assert compared.designs == project.compare().designs


def test_agreement_tells_which_designs_have_a_diagram() -> None:
    diagrams = [diagram(number, feature(square(number, 0, 0.01))) for number in (1, 2, 3, 4)]
    table = comparison(diagrams, {"A": [1, 2], "B": [2, 3], "C": []}).agreement()
    assert table["A"].tolist() == [True, True, False, False]
    assert table["B"].tolist() == [False, True, True, False]
    assert table["C"].tolist() == [False] * 4
    assert table["chosen"].to_dict() == {1: 1, 2: 2, 3: 1, 4: 0}


def test_similarity_is_what_two_designs_share_of_what_either_has() -> None:
    # Of 1, 10 and 100 in cost; the third one has no rate that is known.
    diagrams = [
        diagram(number, feature(square(number, 0, 0.01)), cost_override=cost, cost_override_type="total")
        for number, cost in ((1, 1), (2, 10), (3, 100))
    ]
    compared = comparison(diagrams, {"A": [1, 2], "B": [2, 3], "C": []})
    by_diagrams, by_cost = compared.similarity(), compared.similarity("cost")
    assert by_diagrams.loc["A", "B"] == by_diagrams.loc["B", "A"] == pytest.approx(1 / 3)
    assert by_cost.loc["A", "B"] == pytest.approx(10 / 111)
    assert by_diagrams.loc["A", "A"] == by_cost.loc["B", "B"] == 1
    assert by_diagrams.loc["A", "C"] == 0 and np.isnan(by_diagrams.loc["C", "C"])
    with pytest.raises(InputError, match='by must be "diagrams" or "cost"'):
        compared.similarity("area")


def test_a_diagram_of_unknown_cost_is_left_out_of_the_similarity_with_a_warning() -> None:
    # Its kind of size is not known: no geometry, and 0 from the service.
    external = diagram(2, area=0, length=0, flat_geobuf_url="https://example.org/a.fgb")
    compared = comparison([diagram(1, feature(square(0, 0, 0.01))), external], {"A": [1], "B": [1, 2]})
    with pytest.warns(UserWarning, match="left out of the similarity: 2"):
        assert compared.similarity("cost").loc["A", "B"] == 1


def test_the_consensus_layer_of_three_squares() -> None:
    """The case of docs/comparing-designs.md: A and B overlap in half of each."""
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project"),
        diagram(2, feature(square(0.01, 0, 0.02)), sysid=2, type="project"),
        diagram(3, feature(square(0.01, 0, 0.02)), sysid=2, type="policy"),
        diagram(4, feature(line([0, 0], [1, 1])), sysid=1, type="project"),
    ]
    layer = comparison(diagrams, {"A": [1, 4], "B": [2, 3], "C": [2]}).consensus()
    found = layer[["designs", "system", "votes", "tied"]].values.tolist()
    assert found == [[3, "Housing", 2, False], [2, "Housing", 2, False], [1, "Water", 1, False]]
    boxes = [shapely.box(0.01, 0, 0.02, 0.02), shapely.box(0.02, 0, 0.03, 0.02), shapely.box(0, 0, 0.01, 0.02)]
    # Halves of an edge are not the geodesics that their boxes have.
    assert layer["area_ha"].tolist() == pytest.approx([hectares(box) for box in boxes], rel=1e-7)


def test_two_systems_with_as_many_votes_are_tied() -> None:
    diagrams = [diagram(number, feature(square(0, 0, 0.01)), sysid=number, type="project") for number in (1, 2)]
    (row,) = comparison(diagrams, {"A": [1], "B": [2]}).consensus().itertuples()
    assert (row.designs, row.system, row.votes, row.tied) == (2, "Water", 1, True)


@pytest.mark.slow
def test_the_consensus_of_ten_designs_agrees_with_every_place(project: Project) -> None:
    """At points all over the island, the layer agrees with the diagrams that cover the point."""
    every = [(team["id"], design["id"]) for team in project.teams() for design in project.designs(team["id"])]
    compared: Any = project.compare(every)
    layer = compared.consensus()
    shapes = {number: land(shape) for number, shape in compared.diagrams.geometry.items()}
    projects = set(compared.diagrams.index[compared.diagrams["kind"] == "project"])
    west, south, east, north = project.study_area.bounds() or pytest.fail("no bounds")
    random = np.random.default_rng(1)
    points = shapely.points(random.uniform(west, east, 500), random.uniform(south, north, 500))
    inside = [*points, *layer.geometry.representative_point()]
    assert len(compared.designs) == 10
    for point in inside:
        covering = [number for number in projects if shapes[number].contains(point)]
        systems = [
            {compared.diagrams["sysid"][number] for number in covering if number in design}
            for design in compared.designs.values()
        ]
        votes = pd.Series([sysid for chosen in systems for sysid in chosen], dtype=int).value_counts()
        rows = layer[layer.contains(point)]
        assert len(rows) == (len(votes) > 0)
        for row in rows.itertuples():
            assert row.designs == sum(map(bool, systems))
            assert row.votes == votes.max() == votes[row.sysid]
            assert row.tied == ((votes == votes.max()).sum() > 1)
    union = shapely.union_all(
        [shapes[number] for number in projects if any(number in ids for ids in compared.designs.values())]
    )
    assert layer["area_ha"].sum() == pytest.approx(hectares(union), rel=1e-7)


@pytest.mark.slow
def test_a_consensus_of_many_places_ends_at_ctrl_c() -> None:
    # Circles that cross each other, in one design each.
    shapes = shapely.buffer(shapely.points(np.arange(300) * 1e-4, 0), 0.01, quad_segs=300)
    diagrams = [diagram(number, feature(shape.__geo_interface__), sysid=1) for number, shape in enumerate(shapes, 1)]
    compared = comparison(diagrams, {f"design {number}": [number] for number in range(1, 301)})
    end = time.monotonic() + 0.2
    assert seconds_until_interrupt(lambda: time.monotonic() > end, compared.consensus) < 1


def test_a_project_without_designs_has_an_empty_agreement_and_layer() -> None:
    compared = comparison([diagram(1, feature(square(0, 0, 0.01)))], None)
    assert compared.agreement()["chosen"].tolist() == [0]
    assert len(compared.consensus()) == 0 and compared.similarity().shape == (0, 0)
