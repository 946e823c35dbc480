"""An unreadable or wrong row is one bad row: it stays, is named and counted, and stops nothing."""

import asyncio
import json
import pickle
import re
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from bad_rows import BAD_ROWS, LAND, WITH_NULL, bad, without_geojson
from builders import Json, collection, diagram, feature, line
from commands import output_of
from fake_service import PROJECT, FakeService, Response
from pygeodesign import ArchiveError, DecodeError, FeatureCollection, Project, Sandbox, compare_archives
from pygeodesign import open as open_archive

GOOD = [diagram(number, feature(LAND), type="project") for number in (1, 2)]
SYSTEMS = [{"id": 1, "name": "Water", "tag": "W", "cost": 100, "budget": 0, "current_ha": 0, "target_ha": 0}]


# A row with an unreadable field that does not affect the diagram's cost, and the message that names it.
BAD_FIELDS: dict[str, tuple[Json, str]] = {
    "a date": (bad(start_date="2024-13-45"), 'start_date is "2024-13-45"'),
    "a date in another order": (bad(start_date="03/04/2026"), 'start_date is "03/04/2026"'),
    "a year of five digits": (bad(end_date="+012345-01-01"), 'end_date is "[+]012345-01-01"'),
    "a text for a rank": (bad(rank="first"), 'rank is "first"'),
}
KINDS = pytest.mark.parametrize("kind", BAD_ROWS)
ALL = BAD_FIELDS | BAD_ROWS


def service_with(*rows: Json) -> FakeService:
    details = without_geojson(rows)
    below = {"diagrams/all/": list(rows), "systems/": SYSTEMS, "diagrams/all/details/": details}
    return FakeService(below, root={"projects/": [{"id": PROJECT, "projecttitle": "Coast"}]})


def good_total() -> float:
    with service_with(*GOOD) as service:
        return service.project().costs().total


@pytest.mark.parametrize("kind", ALL)
def test_a_bad_row_stays_and_is_named(kind: str) -> None:
    row, reason = ALL[kind]
    with service_with(GOOD[0], row, GOOD[1]) as service:
        with pytest.warns(UserWarning, match=f"1 bad row: diagram 9: .*{reason}"):
            diagrams = service.project().diagrams()
        with pytest.raises(DecodeError):
            service.project().diagrams(strict=True)
        with pytest.raises(DecodeError):
            service.project(strict=True).diagrams()
    assert list(dict.fromkeys(diagrams.to_arrow()["diagramid"].to_pylist())) == [1, 9, 2]
    (problem,) = diagrams.problems()
    assert problem["diagramid"] == 9 and (problem["part"], problem["position"]) == (None, None)
    assert problem["row"] in (1, 2)
    # The same from the dicts, from a pickle, and written.
    assert [one["properties"]["diagramid"] for one in diagrams].count(9) == len(diagrams) - 2
    twin = pickle.loads(pickle.dumps(diagrams))
    assert (twin.problems(), twin.to_dict()) == (diagrams.problems(), diagrams.to_dict())


@KINDS
def test_a_bad_row_is_counted_and_not_priced(kind: str) -> None:
    row, reason = BAD_ROWS[kind]
    with service_with(GOOD[0], row, GOOD[1]) as service:
        with pytest.warns(UserWarning, match="1 bad row: diagram 9"):
            report = service.project().costs()
        with pytest.raises(DecodeError, match="diagram 9: "):
            service.project().costs(strict=True)

        async def awaited() -> float:
            return (await service.async_project().costs()).total

        with pytest.warns(UserWarning, match="diagram 9"):
            assert asyncio.run(awaited()) == good_total()
    assert (report.total, report.unpriced, report.without_rate) == (good_total(), 1, 0)
    (found,) = [each for each in report.diagrams if each["diagramid"] == 9]
    assert (found["cost"], found["rate"], found["rate_source"]) == (None, None, "unknown")
    assert re.search(reason, str(found["cost_problem"]))


@pytest.mark.parametrize("kind", BAD_FIELDS)
def test_a_field_that_says_nothing_of_the_price_leaves_it_alone_and_is_named(kind: str) -> None:
    row, reason = BAD_FIELDS[kind]
    with service_with(GOOD[0], row) as service:
        with pytest.warns(UserWarning, match=f"1 bad row: diagram 9: .*{reason}"):
            report = service.project().costs()
        with pytest.raises(DecodeError, match="diagram 9: "):
            service.project().costs(strict=True)
    assert (report.total, report.unpriced) == (good_total(), 0)


@pytest.mark.parametrize("price", [{}, {"area": "large"}], ids=["priced", "unpriced"])
def test_a_row_counts_once_however_many_of_its_fields_are_wrong(price: Json) -> None:
    with service_with(GOOD[0], bad(start_date="soon", rank="first", **price)) as service:
        for read in (Project.diagrams, Project.costs):
            with pytest.warns(UserWarning, match="/: 1 bad row: diagram 9: "):
                read(service.project())


@pytest.mark.parametrize("row", [{"id": None}, {"id": ""}, {"id": "nine"}], ids=str)
def test_a_row_without_an_id_is_left_out_and_named(row: Json) -> None:
    without = {name: value for name, value in bad().items() if name != "id"} | row
    with service_with(GOOD[0], without, GOOD[1]) as service:
        with pytest.warns(UserWarning, match=r"1 bad row: .*\[1\] is left out"):
            diagrams = service.project().diagrams()
        with pytest.warns(UserWarning, match=r"1 bad row: \[1\] is left out"):
            report = service.project().costs()
        with pytest.raises(DecodeError):
            service.project(strict=True).diagrams()
    assert diagrams.to_arrow()["diagramid"].to_pylist() == [1, 2]
    assert (report.total, report.unpriced) == (good_total(), 0)
    assert [problem["diagramid"] for problem in diagrams.problems()] == [None]


def test_what_can_be_read_of_a_bad_row_is_there() -> None:
    rows = [BAD_FIELDS["a date"][0] | {"end_date": "2031-05-06"}, BAD_ROWS["a null coordinate"][0] | {"id": 10}]
    with service_with(*rows) as service, pytest.warns(UserWarning, match="2 bad rows"):
        table = service.project().diagrams().to_arrow()
    assert [str(date)[:10] for date in table["end_date"].to_pylist()] == ["2031-05-06", "None", "None"]
    assert [geometry is None for geometry in table["geometry"].to_pylist()] == [False, False, True]


def test_one_bad_row_of_each_kind_changes_no_total(tmp_path: Path) -> None:
    rows = [*GOOD, *(row | {"id": number} for number, (row, _) in enumerate(BAD_ROWS.values(), 10))]
    with service_with(*rows) as service:
        with pytest.warns(UserWarning, match=f"{len(BAD_ROWS)} bad rows: .*; and {len(BAD_ROWS) - 5} more"):
            report = service.project().costs()
        variables = {"GEODESIGN_URL": service.url, "GEODESIGN_TOKEN": "token"}
        printed = json.loads(output_of(tmp_path, "costs", PROJECT, "--json", **variables))
    assert (report.total, report.unpriced) == (good_total(), len(BAD_ROWS))
    assert printed["total"] == report.total


def test_a_figure_of_the_service_says_so_with_its_unit() -> None:
    area, length = (
        diagram(number, type="project") | figures for number, figures in ((3, {"area": 120_000}), (4, {"length": 1.5}))
    )
    with service_with(area, length, *GOOD) as service:
        report = service.project().costs()
    assert [row["area_figure"] for row in report.diagrams] == ["120000 m²", "1.5 km", None, None]
    assert "area from the service: 120000 m²" in str(report.to_html())


def test_an_override_per_kilometre_is_for_lines() -> None:
    fields: Json = {"cost_override": 5, "cost_override_type": "per km", "type": "project"}
    with (
        service_with(
            diagram(1, feature(line([10, 45], [10, 46])), **fields), diagram(2, feature(LAND), **fields)
        ) as service,
        pytest.warns(UserWarning, match="diagram 2: cost_override_type is per kilometre, and the diagram has an area"),
    ):
        report = service.project().costs()
    assert [row["cost"] is None for row in report.diagrams] == [False, True]


# Rows that come again


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_diagram_that_comes_twice_is_priced_once_and_named(place: int) -> None:
    again = list(GOOD)
    again.insert(place, GOOD[0] | {"description": "Once more"})
    with service_with(*again) as service, pytest.warns(UserWarning, match=r"\[\d\] is left out: it comes twice"):
        report = service.project().costs()
    assert (report.total, len(report.diagrams)) == (good_total(), len(GOOD))
    with service_with(*again) as service, pytest.raises(DecodeError, match="twice"):
        service.project(strict=True).costs()


# Very many


@pytest.mark.parametrize(
    ("path", "read", "row", "count", "problem"),
    [
        (
            "diagrams/all/",
            Project.diagrams,
            '{"id":1,"sysid":1,"geojson":{"features":null},"start_date":"2024-13-45"}',
            12_000,
            r"\[0\].geojson.features: .*more than 10000 values are wrong, too",
        ),
        ("systems/", Project.systems, '{"id":null,"name":"Water"}', 120_000, "more than 100000 other values are wrong"),
        ("systems/", Project.systems, "null", 120_000, r"\[0\]: invalid type: null"),
    ],
)
def test_very_many_bad_rows_are_an_error_in_seconds(path: str, read: Any, row: str, count: int, problem: str) -> None:
    started = time.process_time()
    service = FakeService({"systems/": SYSTEMS, path: many(row, count)})
    with service, pytest.raises(DecodeError, match=problem):
        read(service.project())
    assert time.process_time() - started < 5


def test_of_very_many_bad_rows_the_first_are_named() -> None:
    rows = many('{"id":1,"tag":"%s"},{"tag":1}' % ("x" * 90), 30_000)
    problem = r"30000 bad rows: \[1\]: it is left out: .*; and 29995 more"
    with FakeService({"tags/": rows}) as service, pytest.warns(UserWarning, match=problem):
        assert len(service.project().tags()) == 30_000


def many(row: str, count: int) -> Response:
    return Response(f"[{','.join([row] * count)}]".encode(), headers={"x-total-count": str(count)})


# Lists


@pytest.mark.parametrize(
    ("path", "read", "rows", "field"),
    [
        (
            "diagrams/",
            lambda project: project.diagrams(fields="summary"),
            [{"id": 1, "sysid": 1, "created_at": "2024-13-45"}],
            "created_at",
        ),
        (
            "diagrams/all/details/",
            lambda project: project.diagrams(fields="details"),
            [{"id": 1, "sysid": 1, "start_date": "x"}],
            "start_date",
        ),
        ("cteams/", Project.teams, [{"id": 1, "title": ["Youth"]}], "title"),
    ],
)
def test_a_value_of_a_list_that_cannot_be_read_is_none(path: str, read: Any, rows: list[Json], field: str) -> None:
    responses = {path: rows, "systems/1/": rows[0], "diagrams/": [{"id": 1, "sysid": 1}]} | {path: rows}
    with FakeService(responses) as service:
        with pytest.warns(UserWarning, match=rf"\[0\]\.{field}: "):
            assert read(service.project())[0][field] is None
        with pytest.raises(DecodeError, match=field):
            read(service.project(strict=True))


def test_a_design_with_a_bad_date_is_listed() -> None:
    designs = [{"id": "a023631f09bc2e31", "cteamid": 1, "creationdate": "2024-13-45"}]
    with FakeService({"cteams/1/": {"synthesis": designs}}) as service, pytest.warns(UserWarning, match="creationdate"):
        assert service.project().designs(1)[0]["creationdate"] is None


@pytest.mark.parametrize(
    ("path", "read", "good", "bad"),
    [
        ("systems/", Project.systems, SYSTEMS, {"id": None, "name": "Green"}),
        ("cteams/", Project.teams, [{"id": 1, "title": "Youth"}], None),
        ("tags/", Project.tags, [{"id": "a", "tag": "Coast"}], {"tag": "Quay"}),
        ("members/", Project.members, [{"username": "ana"}], {"username": None}),
        ("stakeholders/", lambda project: project.workshop.stakeholders(), [{"id": "a", "name": "Port"}], 7),
        ("cteams/1/members/", lambda project: project.team(1).members(), ["ana"], {"name": "ben"}),
        ("systems/1/diagrams/", lambda project: project.system(1).diagram_ids(), [1, 2], "third"),
    ],
)
def test_a_row_without_what_it_needs_is_left_out_and_named(path: str, read: Any, good: list[Any], bad: Any) -> None:
    rows = [*good, bad, *good]
    wrapped = {"members/": "members", "stakeholders/": "stakeholders", "cteams/1/members/": "members"}
    name = (wrapped | {"systems/1/diagrams/": "diagrams"}).get(path)
    responses = {path: {name: rows} if name else rows}
    with FakeService(responses | {"systems/1/": SYSTEMS[0]}) as service:
        with pytest.warns(UserWarning, match=rf"1 bad row: (\w+)?\[{len(good)}\]: it is left out: "):
            assert len(read(service.project())) == 2 * len(good)
        with pytest.raises(DecodeError):
            read(service.project(strict=True))


def test_a_system_stays_without_what_cannot_be_read_of_it() -> None:
    """Alone, in a list, and where the list leaves its figures out."""
    row = SYSTEMS[0] | {"name": None, "cost": "dear", "budget": [], "target_ha": 5}
    for listed in (row, {"id": 1}):
        with FakeService({"systems/": [listed], "systems/1/": row, "diagrams/all/": GOOD}) as service:
            with pytest.warns(UserWarning, match="2 bad rows: .*cost: .*budget: "):
                (in_list,) = service.project().systems()
            with pytest.warns(UserWarning, match="cost: "):
                alone: Any = dict(service.project().system(1))
            with pytest.warns(UserWarning, match="cost: "):
                report = service.project().costs()
        for system in (in_list, alone):
            figures = (system["name"], system["cost"], system["budget"], system["target_ha"])
            assert figures == ("System 1", None, None, 5)
        assert (report.total, report.unpriced) == (0, len(GOOD))


@pytest.mark.parametrize("empty", ["", " , ,,", [], None])
def test_empty_bounds_are_none(empty: Any) -> None:
    with FakeService({"bounds/": {"bounds": empty}, "center/": {"center": empty}}) as service:
        project = service.project(strict=True)
        assert (project.study_area.bounds(), project.study_area.center()) == (None, None)


def test_bounds_may_be_numbers() -> None:
    with FakeService({"bounds/": {"bounds": [-9.2, 38.7, -9, 39]}, "center/": {"center": [-9.1, 38.8]}}) as service:
        assert service.project().study_area.bounds() == (-9.2, 38.7, -9.0, 39.0)
        assert service.project().study_area.center() == (-9.1, 38.8)
    with FakeService({"bounds/": {"bounds": "here"}}) as service:
        with pytest.warns(UserWarning, match='bounds: "here" is not west,south,east,north'):
            assert service.project().study_area.bounds() is None
        with pytest.raises(DecodeError, match="here"):
            service.project(strict=True).study_area.bounds()


def archive_of(*rows: Json, path: Path) -> Path:
    """An archive of a service with these diagrams."""
    summaries = [{"id": row["id"], "sysid": row["sysid"], "rank": 1} for row in rows]
    below = {
        "": {"id": PROJECT, "projecttitle": "Coast"},
        **{"systems/": SYSTEMS, "systems/1/": SYSTEMS[0], "members/": {"members": [{"username": "ana"}, {}]}},
        **{"cteams/": [{"id": 1}, {"title": "Youth"}], "tags/": [None, {"id": "a"}], "bounds/": {"bounds": ""}},
        **{"diagrams/": summaries, "diagrams/all/": list(rows), "diagrams/all/details/": without_geojson(rows)},
        **{f"diagrams/{row['id']}/": row for row in rows},
    }
    with FakeService(below) as service, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        service.project().archive(path)
    return path


@KINDS
def test_a_bad_row_of_an_archive_stays_and_is_named(kind: str, tmp_path: Path) -> None:
    row, reason = BAD_ROWS[kind]
    archived = open_archive(archive_of(GOOD[0], row, GOOD[1], path=tmp_path / "bad.zip"))
    with pytest.warns(UserWarning, match=f"diagram 9: .*{reason}"):
        report = archived.costs()
    assert (report.total, report.unpriced) == (good_total(), 1)
    with pytest.warns(UserWarning, match=r"\[1\]: it is left out"):
        assert [team["id"] for team in archived.teams()] == [1]
    assert archived.study_area.bounds() is None


def test_archives_with_bad_rows_are_compared_and_say_so(tmp_path: Path) -> None:
    row, reason = BAD_ROWS["a null coordinate"]
    before, after = (
        archive_of(*rows, path=tmp_path / name)
        for name, rows in [("before.zip", [GOOD[0], GOOD[1]]), ("after.zip", [GOOD[0], row])]
    )
    with pytest.warns(UserWarning, match=f"diagram 9: .*{reason}"):
        changes = compare_archives(before, after)
    assert (changes.added, changes.removed, changes.repriced) == ([9], [2], [])
    assert changes.total_before == good_total() > changes.total_after > 0


# The service has no place for a diagram without a system.
WITHOUT_A_SYSTEM = ["an unlisted system", "no system"]


@pytest.mark.parametrize("kind", [kind for kind in BAD_ROWS if kind not in WITHOUT_A_SYSTEM])
def test_an_archive_with_a_bad_row_is_loaded(kind: str, tmp_path: Path) -> None:
    path = archive_of(GOOD[0], BAD_ROWS[kind][0], GOOD[1], path=tmp_path / "bad.zip")
    with Sandbox(project=path) as sandbox, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = sandbox.client().project(PROJECT)
        assert sorted(set(loaded.diagrams().to_arrow()["diagramid"].to_pylist())) == [1, 2, 9]
        costs: dict[Any, Any] = {row["diagramid"]: row["cost"] for row in loaded.costs().diagrams}
    assert costs[1] + costs[2] == good_total()
    # Of a geometry elsewhere nothing is priced.
    assert "CRS" not in kind or costs[9] is None


@pytest.mark.parametrize("kind", WITHOUT_A_SYSTEM)
def test_an_archive_with_a_diagram_of_no_system_is_not_loaded_in_part(kind: str, tmp_path: Path) -> None:
    path = archive_of(GOOD[0], BAD_ROWS[kind][0], path=tmp_path / "bad.zip")
    with pytest.raises(ArchiveError, match=r"cannot be loaded: .*(diagram 9|sysid|details)"):
        Sandbox(project=path)


def test_null_lists_are_empty() -> None:
    responses = {
        "members/": {"members": None},
        "stakeholders/": {"stakeholders": None},
        "cteams/1/": {"synthesis": None},
    }
    with FakeService(responses | {"systems/1/diagrams/": {"diagrams": None}}) as service:
        project = service.project()
        assert [
            project.members(),
            project.workshop.stakeholders(),
            project.designs(1),
            project.system(1).diagram_ids(),
        ] == [[]] * 4
    with FakeService({"members/": {}}) as service, pytest.raises(DecodeError, match="members"):
        service.project().members()


def test_other_forms_are_no_bad_rows() -> None:
    row = diagram("3", feature(LAND), sysid="1", type="project", tag_codes=["WAT", "GRN"], area="5")
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    row["geojson"]["crs"] = crs
    with service_with(row) as service, warnings.catch_warnings():
        warnings.simplefilter("error")
        diagrams, (detail,) = service.project().diagrams(strict=True), service.project().diagrams(fields="details")
    assert diagrams.to_arrow()["tag_codes"].to_pylist() == ["WAT|GRN"]
    assert (detail["id"], detail["sysid"], detail["tag_codes"]) == (3, 1, "WAT|GRN")


def test_ids_of_texts_may_be_numbers() -> None:
    with FakeService({"tags/": [{"id": 7, "tag": "Coast", "diagrams": ["1", 2]}]}) as service:
        assert [(tag["id"], tag["diagrams"]) for tag in service.project().tags()] == [("7", [1, 2])]


def test_a_selection_with_a_bad_feature_is_read() -> None:
    body = collection(feature(LAND, diagramid=1), feature(WITH_NULL, diagramid=2))
    with FakeService({"members/ana/diagrams/": body}) as service, pytest.warns(UserWarning, match="diagram 2"):
        selection: FeatureCollection = service.project().member("ana").selection()
    assert [one["geometry"] is None for one in selection] == [False, True]
