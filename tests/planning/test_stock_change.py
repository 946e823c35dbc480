"""`Comparison.stock_change()`: the land's stock before and after, by closed forms and place by place."""

import datetime
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from shapely.geometry import LineString, box

from builders import collection, feature, read_collection, square
from deciding import DEGREES, cells, project_of
from overlays import hectares
from pygeodesign import InputError

USES = ("forest", "farm", "rock")


def use_map(*places: tuple[Any, str | None], crs: int = 4326) -> geopandas.GeoDataFrame:
    """A map of squares, each with a place and its use's name."""
    shapes = cells(*(place for place, _ in places))
    return geopandas.GeoDataFrame({"use": [use for _, use in places]}, geometry=shapes, crs=4326).to_crs(crs)


def built(places: list[Any], days: list[Any], size: float = 1, **columns: Any) -> dict[str, Any]:
    """Columns of diagrams at these places, each with its first and its last day; None has no dates."""
    texts: Any = [[None if pair is None else pair[side] for pair in days] for side in (0, 1)]
    start, end = map(pd.to_datetime, texts)
    return {"geometry": cells(*places, size=size), "start_date": start, "end_date": end, **columns}


def year(first: int, last: int | None = None) -> tuple[str, str]:
    return f"{first}-01-01", f"{last or first}-12-31"


def test_the_gain_is_the_stock_after_less_before_and_the_rate_of_the_years_since() -> None:
    compared = project_of(built([(0, 0), (5, 5)], [year(2031), year(2030)]), {"A": [1]})
    area = hectares(cells((0, 0))[0])
    given: dict[str, Any] = {"land_use": use_map(((0, 0), "farm")), "column": "use", "years": 5, "given_in": "jobs"}
    (row,) = compared.stock_change({"farm": 40}, {"Water": 10}, {"Water": 3}, by="design", **given).to_dict("records")
    assert [row["land_ha"], row["before"], row["after"], row["growth"]] == pytest.approx(
        [area, 40 * area, 10 * area, 3 * 3 * area]
    )
    assert row["gain"] == pytest.approx((10 - 40 + 3 * 3) * area)
    years = compared.stock_change({"farm": 40}, {"Water": 10}, {"Water": (3, 2)}, by="year", **given)
    assert years["year"].tolist() == [2030, 2031, 2032, 2033, 2034]
    assert years["change"].tolist() == pytest.approx([0, -30 * area, 0, 0, 0])
    assert years["growth"].tolist() == pytest.approx([0, 0, 3 * area, 3 * area, 0])
    assert years["cumulative"].tolist() == pytest.approx(np.cumsum(years["gain"]).tolist())
    assert years.attrs == {"unit": "jobs", "years": 5, "base_year": 2030, "unknown_uses": []}


def test_carbon_is_answered_in_carbon_dioxide_and_other_units_as_they_are() -> None:
    compared = project_of(built([(0, 0)], [year(2030)]), {"A": [1]})
    area = hectares(cells((0, 0))[0])

    def gain(given_in: str) -> Any:
        table = compared.stock_change(
            {"farm": 12}, {1: 24}, {"WAT": 12}, given_in=given_in, land_use=use_map(((0, 0), "farm")), column="use"
        )
        return table["gain"].iloc[0], table.attrs["unit"]

    assert gain("t C") == (pytest.approx((44 + 29 * 44) * area), "t CO₂e")
    assert gain("tC") == gain("t C") and gain("t CO2e") == gain("tCO₂e")
    assert gain("t CO2e") == (pytest.approx((12 + 29 * 12) * area), "t CO₂e")
    assert gain(" habitat units ") == (pytest.approx((12 + 29 * 12) * area), "habitat units")


def test_the_case_for_paper_gains_what_the_document_says() -> None:
    values = built([(0, 0), (1, 0)], [year(2030), year(2032)], sysid=[1, 2])
    values["geometry"][0] = box(0, 0, 2 * DEGREES, DEGREES)
    compared = project_of(values, {"Wood": [1], "Both": [1, 2]})
    area = hectares(cells((0, 0))[0])
    table = compared.stock_change(
        {"farm": 45},
        {"Water": 110, "Housing": 30},
        {"Water": 2},
        given_in="t C",
        land_use=use_map(((0, 0), "farm"), ((1, 0), "farm")),
        column="use",
        years=10,
    )
    assert table["gain"].tolist() == pytest.approx(np.array([166, 0, 83, -15]) * 44 / 12 * area, rel=1e-5)
    assert table["overlap_ha"].tolist() == pytest.approx([0, 0, area, 0], rel=1e-5)


def test_policies_lines_and_other_systems_change_no_land() -> None:
    values = built([(0, 0), (1, 0), (2, 0), (3, 0)], [year(2030)] * 4, kind=["policy", None, "project", "project"])
    values["sysid"] = [1, 1, 1, 2]
    values["geometry"][2] = LineString([(0, 0), (1, 1)])
    compared = project_of(values, {"A": [1, 2, 3, 4]})
    uses = use_map(*(((column, 0), "farm") for column in range(4)))
    water, housing = compared.stock_change(
        {"farm": 1}, {"Water": 3}, given_in="t", land_use=uses, column="use"
    ).to_dict("records")
    assert water["land_ha"] == pytest.approx(hectares(cells((1, 0))[0])) and water["unknown_ha"] == 0
    assert water["gain"] == pytest.approx(2 * water["land_ha"])
    # The stock of a hectare of housing is not given.
    assert housing["unknown_ha"] == housing["land_ha"] > 0 and np.isnan(housing["gain"])


def test_land_that_is_not_known_is_left_out_and_said() -> None:
    values = built([(0, 0), (4, 0), None, (0, 1)], [year(2030), year(2030), year(2030), None], size=2)
    compared = project_of(values, {"A": [1], "B": [2], "C": [3], "D": [1, 4]})
    uses = use_map(((0, 0), "farm"), ((1, 0), None), ((0, 1), "rock"))
    given: dict[str, Any] = {"given_in": "t", "land_use": uses, "column": "use"}
    table = compared.stock_change({"farm": 1}, {"Water": 3}, by="design", **given).set_index("design")
    area = hectares(cells((0, 0))[0])
    assert table["unknown_ha"].tolist() == pytest.approx([3 * area, 4 * area, 0, 3 * area], rel=1e-5)
    assert table["gain"].tolist() == pytest.approx([2 * area, np.nan, np.nan, 2 * area], nan_ok=True)
    assert table["without_geometry"].tolist() == [0, 0, 1, 0] and table["undated"].tolist() == [0, 0, 0, 1]
    assert table.attrs["unknown_uses"] == ["no class", "rock"]
    years = compared.stock_change({"farm": 1}, {"Water": 3}, by="year", **given)
    assert years.groupby("design")["cumulative"].last().isna().tolist() == [False, True, True, False]
    assert years.groupby("design")["growth"].last().isna().tolist() == [False, True, True, False]
    later = compared.stock_change({"farm": 1}, {"Water": 3}, by="design", undated=2035, **given)
    # The later project takes the land.
    assert later["land_ha"].tolist()[3] == pytest.approx(6 * area, rel=1e-5) and later["undated"].tolist() == [0] * 4
    assert later["overlap_ha"].tolist() == pytest.approx([0, 0, 0, 2 * area], rel=1e-5)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_every_place_counts_once_as_when_places_are_counted_one_by_one(data: Any) -> None:
    """Diagrams and uses are squares of a grid, and each place is computed alone."""
    spot = st.tuples(st.integers(0, 3), st.integers(0, 3))
    count = data.draw(st.integers(1, 5))
    each = {
        name: data.draw(st.lists(values, min_size=count, max_size=count))
        for name, values in {
            "place": st.none() | spot,
            "size": st.integers(1, 3),
            "days": st.none() | st.tuples(st.integers(2030, 2034), st.integers(0, 3)).map(lambda at: (at[0], sum(at))),
            "kind": st.sampled_from(["project", "project", "policy", None]),
            "sysid": st.integers(1, 2),
        }.items()
    }
    shapes = [cells(place, size=size)[0] for place, size in zip(each["place"], each["size"], strict=True)]
    values = built([], [pair and year(*pair) for pair in each["days"]], kind=each["kind"], sysid=each["sysid"])
    values["geometry"] = shapes
    designs = {"A": list(range(1, count + 1)), "B": list(range(1, count + 1, 2))}
    squares = data.draw(st.lists(st.tuples(spot, st.sampled_from(USES)), min_size=1, max_size=20))
    before = data.draw(st.permutations([("forest", 120.0), ("farm", 40.0)]).map(dict))
    after = data.draw(st.sampled_from([{"Water": 7.0, "Housing": 2.0}, {"Housing": 2.0}]))
    rates, undated = {"Water": (1.5, 2), "Housing": 0.5}, data.draw(st.none() | st.just(2032))
    compared = project_of(values, designs)
    given: dict[str, Any] = {"given_in": "t", "land_use": use_map(*squares, ((9, 9), "farm")), "column": "use"}
    given["years"] = 12
    if undated is None and not any(each["days"]):
        with pytest.raises(InputError, match="no diagram has a start"):
            compared.stock_change(before, after, rates, by="year", **given)
        return
    table = compared.stock_change(before, after, rates, undated=undated, **given).set_index(["design", "sysid"])
    years = compared.stock_change(before, after, rates, by="year", undated=undated, **given)
    names = {"Water": 1, "Housing": 2}
    of_systems = {names[name]: amount for name, amount in after.items()}
    base = min([pair[0] for pair in each["days"] if pair] + ([undated] if undated else []))
    for label, ids in designs.items():
        sums = {sysid: dict.fromkeys(("land", "unknown", "overlap", "double", "gain"), 0.0) for sysid in (1, 2)}
        gains = dict.fromkeys(range(base, base + 12), 0.0)
        for column in range(7):
            for row in range(7):
                here = [
                    number
                    for number in ids
                    if each["place"][number - 1]
                    and each["kind"][number - 1] != "policy"
                    and (each["days"][number - 1] or undated)
                    and all(
                        start <= at < start + each["size"][number - 1]
                        for start, at in zip(each["place"][number - 1], (column, row), strict=True)
                    )
                ]
                if not here:
                    continue
                area = hectares(cells((column, row))[0])
                days = {number: each["days"][number - 1] or (undated, undated) for number in here}
                last = max(here, key=lambda number: (days[number][1], days[number][0], number))
                for number in here:
                    if number != last:
                        sums[each["sysid"][number - 1]]["overlap"] += area
                sysid = each["sysid"][last - 1]
                own = sums[sysid]
                own["land"] += area
                found = {use for place, use in squares if place == (column, row)}
                own["double"] += area * (len(found) > 1)
                known = [use for use in before if use in found]
                if not known or sysid not in of_systems:
                    own["unknown"] += area
                    continue
                start, end = days[last]
                change = (of_systems[sysid] - before[known[0]]) * area
                first, stop = datetime.date(start, 1, 1), datetime.date(end + 1, 1, 1)
                for at in gains:
                    if start <= at <= end:
                        in_year = (datetime.date(at + 1, 1, 1) - datetime.date(at, 1, 1)).days
                        gains[at] += change * in_year / (stop - first).days
                    elif end < at and (sysid == 2 or at <= end + 2):
                        gains[at] += (0.5 if sysid == 2 else 1.5) * area
                        own["gain"] += (0.5 if sysid == 2 else 1.5) * area
                own["gain"] += change
        for sysid, own in sums.items():
            row = table.loc[(label, sysid)]
            wanted = [own["land"], own["unknown"], own["overlap"], own["double"]]
            answers = [row[name] for name in ("land_ha", "unknown_ha", "overlap_ha", "map_overlap_ha")]
            assert answers == pytest.approx(wanted, rel=1e-5, abs=1e-3)
            if not np.isnan(row["gain"]):
                assert row["gain"] == pytest.approx(own["gain"], rel=1e-4, abs=1)
            else:
                assert own["unknown"] == pytest.approx(own["land"], abs=1e-3)
        answer = years[years["design"] == label]["gain"]
        assert answer.isna().all() or answer.tolist() == pytest.approx(list(gains.values()), rel=1e-4, abs=1)


def test_a_map_is_a_file_of_any_crs_with_codes_or_an_evaluation_map(tmp_path: Path) -> None:
    compared = project_of(built([(0, 0)], [year(2030)], size=2), {"A": [1]})
    uses = use_map(((0, 0), "311"), ((1, 0), "211"), crs=32631).assign(use=[311.0, 211.0])
    uses.to_file(tmp_path / "corine.gpkg")
    given: dict[str, Any] = {"given_in": "t", "column": "use"}
    of_frame = compared.stock_change({311: 4, "211": 2}, {"Water": 0}, land_use=uses, **given)
    area = hectares(cells((0, 0))[0])
    assert of_frame["before"].iloc[0] == pytest.approx(6 * area, rel=1e-5)
    for path in (tmp_path / "corine.gpkg", str(tmp_path / "corine.gpkg")):
        of_file = compared.stock_change({311: 4, "211": 2}, {"Water": 0}, land_use=path, **given)
        pd.testing.assert_frame_equal(of_file, of_frame)
    areas = collection(feature(square(0, 0, DEGREES), kind="311"), feature(square(DEGREES, 0, DEGREES), kind="211"))
    of_features = compared.stock_change(
        {311: 4, "211": 2}, {"Water": 0}, given_in="t", land_use=read_collection(areas), column="kind"
    )
    pd.testing.assert_frame_equal(of_features, of_frame)
    compared.evaluations = {1: use_map(((0, 0), "red")).rename(columns={"use": "areatype"}), 2: use_map()}
    of_classes = compared.stock_change({"red": 4, "green3": 9}, {"Water": 0}, given_in="t", land_use="Water")
    assert of_classes["before"].iloc[0] == pytest.approx(4 * area, rel=1e-5)
    with pytest.raises(InputError, match="'Housing' has no evaluation map"):
        compared.stock_change({"red": 4}, {"Water": 0}, given_in="t", land_use="Housing")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"before": {"farm": "much"}}, "before of 'farm' is 'much': give an amount per hectare"),
        ({"before": {}}, "before is {}: give a dict of amounts per hectare by use"),
        ({"before": {311: 3, "311": 4}}, "before names the use '311' twice"),
        ({"before": {"town": 3}}, "before names no use of the map, which has 'farm'"),
        ({"after": {"Mars": 3}}, "no system 'Mars'"),
        ({"after": 3}, "after is 3: give a dict"),
        ({"rates": {"Water": (1, 2, 3)}}, r"the rate of 'Water' is \(1, 2, 3\): give a number per year, or a pair"),
        ({"rates": {"Water": (1, -2)}}, "how many years the rate of 'Water' lasts is -2"),
        ({"rates": 3}, "rates is 3: give a dict"),
        ({"given_in": "kg C"}, 'given_in is \'kg C\': give carbon in tonnes, "t C" or "t CO2e"'),
        ({"given_in": None}, "given_in is None: give the unit"),
        ({"column": "kind"}, "column is 'kind': give the column of the map that names the use; it has 'use'"),
        ({"column": None}, "column is None"),
        ({"land_use": use_map(((0, 0), "farm")).set_crs(None, allow_override=True)}, "land_use has no CRS"),
        ({"land_use": use_map(((0, 0), "outside"))}, "the map has a use called 'outside'"),
        ({"land_use": use_map((None, "farm"))}, "land_use has no polygons"),
        ({"land_use": "Mars"}, "land_use is 'Mars': give a system .*; no system 'Mars'"),
        ({"land_use": "missing.gpkg"}, "no file has that path"),
        ({"by": "month"}, 'by must be "system", "design" or "year"'),
        ({"years": 2}, "years=2 ends with 2031, before diagram 2 is built: give years=3"),
    ],
)
def test_what_is_no_change_of_a_stock_is_refused(options: dict[str, Any], reason: str) -> None:
    compared = project_of(built([(0, 0), (1, 0)], [year(2030), year(2032)]), {"A": [1, 2]})
    usual: dict[str, Any] = {"before": {"farm": 1}, "after": {"Water": 1}, "given_in": "t", "column": "use"}
    with pytest.raises(InputError, match=reason):
        compared.stock_change(**{**usual, "land_use": use_map(((0, 0), "farm")), **options})


def test_the_picture_has_a_panel_for_each_design_and_says_what_is_left_out() -> None:
    compared = project_of(built([(0, 0), (9, 9), None], [year(2030)] * 3), {"A": [1], "B": [2, 3]})
    axes = compared.plot_stock_change(
        {"farm": 1}, {"Water": 3}, given_in="t C", land_use=use_map(((0, 0), "farm")), column="use", years=3
    )
    first, second = (panel.get_title("left").replace("\n", " ") for panel in axes.figure.axes)
    assert "t CO₂e in 2032" in first and "Left out" not in first
    assert "is not known" in second and "ha of land that is not known, 1 without a geometry" in second
    assert axes.patches[0].get_height() == pytest.approx(2 * 44 / 12 * hectares(box(0, 0, DEGREES, DEGREES)))
    plt.close("all")
