"""The facilitator's pages: maps from files and weighted maps, a rehearsal, files to take home, names."""

import json
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import geopandas
import pytest
from playwright.sync_api import Browser, expect
from shapely.geometry import box

from barriers import barriers
from pygeodesign import AuthenticationError, Client, Sandbox
from room_pages import Room, facilitated, joined, link_of
from team_designs import answer, choose_step, run_evening, save_choice

pytestmark = pytest.mark.early

TRIANGLE = {"type": "Polygon", "coordinates": [[[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]]}
LEFT, RIGHT = box(-74.16, 40.55, -74.15, 40.56), box(-74.15, 40.55, -74.14, 40.56)


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with its own team and a facilitator."""
    with facilitated() as sandbox:
        project = sandbox.project()
        project.add_team("Shore", members=["ana", "fay"])
        yield sandbox


def prepare(room: Room) -> None:
    run_evening(room, "Prepare")
    expect(room.page.get_by_label("Map file").nth(2)).to_be_attached()


@pytest.mark.slow
def test_the_study_area_comes_from_a_geopackage_in_metres_with_several_layers(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    project = workshop.project()
    file = tmp_path / "city.gpkg"
    geopandas.GeoDataFrame({"name": ["x"]}, geometry=[LEFT], crs=4326).to_crs(32618).to_file(file, layer="centre")
    geopandas.GeoDataFrame({"name": ["y"]}, geometry=[RIGHT], crs=4326).to_crs(32618).to_file(file, layer="outskirts")
    with joined(browser, link_of(workshop, "fay")) as fay:
        prepare(fay)
        page = fay.page
        page.get_by_label("Map file").first.set_input_files(file)
        page.get_by_label("Layer in the file").select_option("outskirts")
        page.get_by_role("button", name="Use map").click()
        expect(page.locator(".notice")).to_contain_text("Study area is saved")
        (area,) = project.study_area.boundaries().to_geopandas().geometry
        assert area.symmetric_difference(RIGHT).area < 1e-9 * RIGHT.area + 1e-10
        assert barriers(page) == [] and fay.faults() == []


@pytest.mark.slow
def test_a_file_of_the_context_replaces_what_was_of_its_kind(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    study_area = workshop.project().study_area
    (kept,) = [row for row in study_area.context() if row["properties"]["name"] == "Travis"]
    line = {"type": "LineString", "coordinates": [[-74.16, 40.55], [-74.15, 40.56]]}
    roads = [{"type": "Feature", "properties": {"kind": "road"}, "geometry": line}]
    study_area.set_context({"type": "FeatureCollection", "features": [kept, *roads]})
    streets = {"NAME": ["Victory Boulevard", None], "lanes": [4, 2]}
    both = geopandas.GeoDataFrame(streets, geometry=[LEFT.exterior, LEFT.centroid], crs=4326)
    both.to_file(tmp_path / "streets.geojson")
    with joined(browser, link_of(workshop, "fay")) as fay:
        prepare(fay)
        page = fay.page
        page.get_by_label("Map file").first.set_input_files(tmp_path / "streets.geojson")
        page.get_by_label("Map’s role").select_option(label="Context")
        page.get_by_label("What the file shows").select_option("road")
        page.get_by_role("button", name="Use map").click()
        expect(page.locator(".notice")).to_contain_text("Context is saved")
        context = study_area.context()
        assert [row["properties"] for row in context] == [
            {"kind": "place", "name": "Travis"},
            {"kind": "road", "name": "Victory Boulevard"},
            {"kind": "road"},
        ]
        assert [row["geometry"]["type"] for row in context] == ["Point", "LineString", "Point"]
        assert barriers(page) == [] and fay.faults() == []


@pytest.mark.slow
def test_a_shapefile_in_a_zip_becomes_an_evaluation_map_and_a_broken_file_says_why(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    project = workshop.project()
    soil = geopandas.GeoDataFrame({"suit": ["good", "bad"]}, geometry=[LEFT, RIGHT], crs=4326).to_crs(32618)
    soil.to_file(tmp_path / "soil.shp")
    with zipfile.ZipFile(tmp_path / "soil.zip", "w") as archive:
        for part in tmp_path.glob("soil.*"):
            if part.suffix != ".zip":
                archive.write(part, part.name)
    (tmp_path / "broken.gpkg").write_bytes(b"SQLite format 3\0" + b"\1" * 5000)
    with joined(browser, link_of(workshop, "fay")) as fay:
        prepare(fay)
        page = fay.page
        page.get_by_label("Map’s role").select_option(label="Evaluation map: Water")
        page.get_by_label("Map file").first.set_input_files(tmp_path / "broken.gpkg")
        expect(page.locator(".notice")).to_contain_text("broken.gpkg")
        page.get_by_label("Map file").first.set_input_files(tmp_path / "soil.zip")
        page.get_by_label("Class of good").select_option("green2")
        page.get_by_label("Class of bad").select_option("red")
        page.get_by_role("button", name="Use map").click()
        expect(page.locator(".notice")).to_contain_text("Water is saved")
        features = project.system("Water").evaluation().to_dict()["features"]
        assert [feature["properties"]["areatype"] for feature in features] == ["green2", "red"]


@pytest.mark.slow
def test_an_evaluation_map_is_made_of_several_maps_by_their_weights(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    project = workshop.project()
    frames = {
        "slope": geopandas.GeoDataFrame({"areatype": ["Not appropriate", "green3"]}, geometry=[LEFT, RIGHT], crs=4326),
        "soil": geopandas.GeoDataFrame({"areatype": ["green3"]}, geometry=[LEFT.union(RIGHT)], crs=4326),
    }
    for name, frame in frames.items():
        frame.to_file(tmp_path / f"{name}.geojson")
    with joined(browser, link_of(workshop, "fay")) as fay:
        prepare(fay)
        page = fay.page
        for place, name in enumerate(frames, 1):
            page.get_by_label("Map file").nth(place).set_input_files(tmp_path / f"{name}.geojson")
        page.get_by_label("Weight", exact=True).first.fill("2")
        page.get_by_role("button", name="Make evaluation map").click()
        expect(page.get_by_text("slope ×2 + soil ×1")).to_be_visible(timeout=20_000)
        made = project.system("Water").evaluation().to_geopandas().set_index("areatype")
        assert set(made.index) == {"green", "green3"}
        assert made.geometry["green"].symmetric_difference(LEFT).area < 1e-9
        assert made["why"]["green"] == "slope ×2: yellow, soil ×1: green3"
        assert barriers(page) == [] and fay.faults() == []


def test_a_project_is_prepared_from_its_title_to_its_people_in_the_browser(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "fay")) as fay:
        run_evening(fay, "Prepare")
        page = fay.page
        page.get_by_label("Title", exact=True).fill("Richmond 2050")
        page.keyboard.press("Tab")
        expect(page.get_by_role("heading", name="Richmond 2050")).to_be_visible()
        page.get_by_role("button", name="Add system").click()
        expect(page.get_by_label("Name: System 10", exact=True)).to_be_focused()
        page.keyboard.type("Tourism")
        page.keyboard.press("Tab")
        page.get_by_label("Cost per hectare: Tourism").fill("800000")
        page.keyboard.press("Tab")
        expect(page.locator(".notice")).to_have_text("Tourism is saved.")
        assert (project.info()["projecttitle"], project.system("Tourism")["cost"]) == ("Richmond 2050", 800_000)
        page.get_by_label("Table of members").fill("Name\tTeam\tAdministrator\nzoe\tYouth\t\nyan\tYouth\tyes\nben\t\t")
        expect(page.get_by_text("3 members · 1 team")).to_be_visible()
        page.get_by_role("button", name="Add people").click()
        expect(page.locator(".notice")).to_have_text("3 members added.")
        expect(page.get_by_label("Members of Youth")).to_have_value("yan, zoe")
        assert workshop.client("yan").project(project.id).workshop.walk_ins()["open"] is False, "an administrator"
        page.get_by_role("button", name="Remove Tourism").click()
        expect(page.get_by_label("Budget: Tourism")).to_have_count(0)
        assert len(project.systems()) == 9
        assert barriers(page) == []


def test_the_operator_begins_a_project_in_the_browser(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "admin")) as admin:
        page = admin.page
        page.locator(".who").click()
        page.get_by_role("button", name="Other projects").click()
        page.locator("summary", has_text="Begin a project").click()
        page.get_by_label("Title").fill("Lisbon 2040")
        page.get_by_role("button", name="Begin a project").click()
        expect(page.get_by_role("heading", name="Lisbon 2040")).to_be_visible()
        expect(page.locator(".steps [aria-current=step]")).to_contain_text("Prepare")
        expect(page.get_by_text("No study area yet")).to_be_visible()
        page.get_by_role("button", name="Add system").click()
        expect(page.get_by_label("Name: System 1", exact=True)).to_be_focused()
        assert [row["projecttitle"] for row in workshop.client("admin").projects()][-1] == "Lisbon 2040"


def test_the_history_is_told_in_sentences_and_found_by_person_and_word(browser: Browser, workshop: Sandbox) -> None:
    workshop.project(username="ana").add_diagram("Energy", TRIANGLE, title="A mill")
    workshop.project().diagram("Oakwood Beach tidal marsh").edit(title="A marsh")
    with joined(browser, link_of(workshop, "fay")) as fay:
        run_evening(fay)
        entries = fay.page.locator(".history li")
        expect(entries.first).to_contain_text("admin changed “A marsh”")
        fay.page.get_by_label("Person").select_option("ana")
        expect(entries).to_have_count(1)
        expect(entries).to_contain_text("ana drew “A mill” in Energy")
        fay.page.get_by_label("Person").select_option("")
        fay.page.get_by_label("Find in the history").fill("marsh")
        expect(entries).to_have_count(1)
        fay.page.get_by_role("button", name="Undo: A marsh").click()
        expect(fay.page.locator("#page-evening .history")).to_contain_text("Change undone")


def test_a_rehearsal_leaves_the_project_as_it_was(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    before, designs = project.costs().total, len(project.designs())
    with joined(browser, link_of(workshop, "fay")) as fay:
        page = fay.page
        run_evening(fay, "Rehearse")
        page.get_by_role("button", name="Start rehearsal").click()
        expect(page.get_by_role("button", name="End rehearsal")).to_be_visible()
        drawn = workshop.project(username="ana").add_diagram("Energy", TRIANGLE, title="Only tried")
        drawn.set_notes("Tried twice.")
        project.diagram("Oakwood Beach tidal marsh").delete()
        save_choice(fay, ["South Beach dune"], "Tried")
        page.locator("#tab-evening").click()
        choose_step(fay, "Run")
        page.get_by_role("switch", name="Drawing").click()
        choose_step(fay, "Rehearse")
        page.get_by_role("button", name="End rehearsal").click()
        answer(fay, "End rehearsal")
        expect(page.get_by_text(re.compile("Undone: 3"))).to_be_visible()
        assert (project.costs().total, len(project.designs())) == (before, designs)
        assert project.workshop.activities()["drawing"]["open"]
        # A diagram may be gone again before the page has read it.
        assert [fault for fault in fay.faults() if "404 (Not Found)" not in fault] == []


@pytest.mark.slow
def test_report_workbook_and_costs_are_taken_home(browser: Browser, workshop: Sandbox, tmp_path: Path) -> None:
    with joined(browser, link_of(workshop, "fay")) as fay:
        page = fay.page
        run_evening(fay, "Take home")
        kept = {}
        for name in ("Comparison report", "Cost workbook", "Cost page", "QGIS project"):
            with page.expect_download() as download:
                page.get_by_role("button", name=name).click()
            kept[name] = tmp_path / download.value.suggested_filename
            download.value.save_as(kept[name])
        assert "South Beach dune" in kept["Comparison report"].read_text()
        assert zipfile.is_zipfile(kept["Cost workbook"])
        assert "Staten Island 2050" in kept["Cost page"].read_text()
        assert kept["QGIS project"].name == "Staten Island 2050.qgz"
        with zipfile.ZipFile(kept["QGIS project"]) as project:
            assert f"{workshop.url.removesuffix('api/v1/')}ogc" in project.read(project.namelist()[0]).decode()
        # Only the service's operator has this.
        expect(page.get_by_role("button", name="Database copy")).to_have_count(0)
        assert fay.faults() == []


def test_who_runs_the_service_takes_a_copy_of_the_database_home(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    with joined(browser, link_of(workshop, "admin")) as admin:
        run_evening(admin, "Take home")
        with admin.page.expect_download() as download:
            admin.page.get_by_role("button", name="Database copy").click()
        download.value.save_as(tmp_path / "copy.sqlite")
    with Sandbox(tmp_path / "copy.sqlite") as copy:
        assert copy.project().costs().total == workshop.project().costs().total


@pytest.mark.slow
def test_a_card_is_withdrawn_and_a_member_is_added_by_who_runs_the_service(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "admin")) as admin:
        page = admin.page
        run_evening(admin)
        page.get_by_label("Member’s name").fill("Nia")
        page.get_by_role("button", name="Add member").click()
        link = page.locator("dialog code").inner_text()
        page.keyboard.press("Escape")
        with joined(browser, link) as nia:
            expect(nia.page.locator(".who")).to_have_text("Nia")
            page.get_by_label("Find a member").fill("nia")
            expect(page.locator(".people li:visible")).to_have_count(1)
            page.get_by_label("Menu of Nia").click()
            page.get_by_role("button", name="Withdraw card").click()
            answer(admin, "Withdraw card")
            nia.page.reload()
            expect(nia.page.get_by_role("heading", name="Staten Island 2050")).to_have_count(0)
            with pytest.raises(AuthenticationError):
                Client.join(link).projects()


def test_a_name_is_removed_and_the_diagram_stays(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    workshop.project(username="ana").add_diagram("Energy", TRIANGLE, title="Mine")
    with joined(browser, link_of(workshop, "fay")) as fay:
        page = fay.page
        run_evening(fay)
        menu = page.locator(".people").get_by_label("Menu of ana")
        menu.click()
        page.get_by_role("button", name="Remove name").click()
        answer(fay, "Remove name")
        expect(menu).to_have_count(0)
        page.locator("#tab-diagrams").click()
        expect(fay.cell("Mine")).to_contain_text("former member 1")
        row = next(row for row in project.diagrams(fields="summary") if row["worlddescription"] == "Mine")
        assert row["author"] == "former member 1"


@pytest.mark.slow
def test_only_administrators_have_files_read_and_reports_written(workshop: Sandbox) -> None:
    root = workshop.url.removesuffix("api/v1/")
    paths = ["report/", "workbook/", "cost_page/", "qgis_project/", "read_map/?name=a.gpkg", "weigh_maps/"]
    for path in paths:
        body = b"{}" if "map" in path else None
        for token, status in ((workshop.token("ana"), 403), ("wrong", 401)):
            address = f"{root}processes/{workshop.project_ids[0]}/{path}"
            request = urllib.request.Request(address, data=body, headers={"Authorization": f"Token {token}"})
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code == status
            assert json.loads(refused.value.read())["detail"]
    address = f"{root}processes/{workshop.project_ids[0]}/weigh_maps/"
    for body in (b"{", b"[]", b'{"maps": [{"name": "a", "features": 3}]}'):
        request = urllib.request.Request(address, body, {"Authorization": f"Token {workshop.token()}"})
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(request)


def refusal(sandbox: Sandbox, token: str, method: str, path: str, body: object = None) -> int:
    """The status of a plain HTTP request that is refused with a reason."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    address = f"{sandbox.url}projects/{sandbox.project_ids[-1]}/{path}"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(address, data, headers, method=method))
    assert json.loads(refused.value.read())["detail"]
    return refused.value.code


@pytest.mark.slow
def test_an_evening_from_the_study_areas_file_to_the_report_by_pages_alone(browser: Browser, tmp_path: Path) -> None:
    frame = geopandas.GeoDataFrame({"name": ["Lisbon"]}, geometry=[box(-9.16, 38.70, -9.12, 38.72)], crs=4326)
    frame.to_file(tmp_path / "area.gpkg", layer="area")
    halves = [box(-9.16, 38.70, -9.14, 38.72), box(-9.14, 38.70, -9.12, 38.72)]
    geopandas.GeoDataFrame({"fit": ["no", "yes"]}, geometry=halves, crs=4326).to_file(tmp_path / "water.geojson")
    colors = {"Water": "#2B7BBA", "Green": "#3B8F4E"}
    lisbon = {
        "title": "Lisbon 2040",
        "bounds": "-9.2,38.6,-9.1,38.8",
        "systems": [{"name": name, "color": color, "cost": 1000} for name, color in colors.items()],
        "administrators": ["facilitator"],
    }
    with (
        Sandbox(project=None, setup={"new_projects": [lisbon]}) as sandbox,
        joined(browser, link_of(sandbox, "facilitator"), wait=False) as host,
    ):
        project = sandbox.project(username="facilitator")
        page = host.page
        prepare(host)
        page.get_by_label("Map file").first.set_input_files(tmp_path / "area.gpkg")
        page.get_by_role("button", name="Use map").click()
        expect(page.locator(".notice")).to_contain_text("Study area is saved")
        page.get_by_label("Budget: Water").fill("500000")
        page.keyboard.press("Tab")
        expect(page.locator(".notice")).to_contain_text("Water is saved")
        page.get_by_label("Map’s role").select_option(label="Evaluation map: Water")
        page.get_by_label("Map file").first.set_input_files(tmp_path / "water.geojson")
        page.get_by_label("Class of no").select_option("red")
        page.get_by_label("Class of yes").select_option("green3")
        page.get_by_role("button", name="Use map").click()
        expect(page.locator(".notice")).to_contain_text("Evaluation map: Water is saved")
        for team in ("River", "Hills"):
            page.get_by_label("Team name").fill(team)
            page.get_by_role("button", name="Add team").click()
            expect(page.get_by_label(f"Members of {team}")).to_be_visible()
        choose_step(host, "Run")
        page.get_by_role("button", name="Open the door").click()
        code = page.locator("dialog code").inner_text()
        page.keyboard.press("Escape")
        with joined(browser, code, wait=False) as zoe, joined(browser, code, wait=False) as yan:
            for guest, name in ((zoe, "Zoe"), (yan, "Yan")):
                guest.page.get_by_label("Your name").fill(name)
                guest.page.get_by_role("button", name="Join").click()
                expect(guest.page.locator(".state[data-is=online]")).to_be_attached(timeout=15_000)
            choose_step(host, "Prepare")
            for team, name in (("River", "Zoe"), ("Hills", "Yan")):
                page.get_by_label(f"Members of {team}").fill(name)
                page.keyboard.press("Tab")
                expect(page.locator(".notice")).to_contain_text(f"{team} is saved")
            for guest, title in ((zoe, "A pond"), (yan, "A park")):
                guest.draw(title)
                expect(guest.cell(title)).to_be_attached(timeout=10_000)

            # Others are told that they do not run the evening, by page and by plain HTTP.
            zoe.page.locator(".who").click()
            zoe.page.get_by_role("button", name="Run the evening").click()
            expect(zoe.page.locator(".notice")).to_contain_text("Only an administrator")
            token = zoe.page.evaluate(
                "JSON.parse(Object.entries(localStorage).find(([, text]) => text.includes('token'))[1]).token"
            )
            empty = {"description": "", "geojson": {"type": "FeatureCollection", "features": []}}
            assert refusal(sandbox, token, "PUT", "boundaries/", empty) == 403
            river, hills = (project.team(title).id for title in ("River", "Hills"))
            pond = project.diagram("A pond").id
            # Another team, too.
            design = {"description": "Not ours", "diagrams": [pond]}
            assert refusal(sandbox, token, "POST", f"cteams/{hills}/", design) == 403
            for guest, title, name in ((zoe, "A pond", "By the river"), (yan, "A park", "On the hills")):
                save_choice(guest, [title], name)
                options = guest.page.get_by_label("Team", exact=True).locator("option").all_inner_texts()
                assert options == [project.design(name).team.title]

            choose_step(host, "Run")
            page.get_by_role("switch", name="Drawing").click()
            expect(zoe.page.get_by_role("button", name="Draw", exact=True)).to_have_attribute("aria-disabled", "true")
            drawing = {
                "type": "FeatureCollection",
                "features": [{"type": "Feature", "properties": {}, "geometry": TRIANGLE}],
            }
            late = {"geometry": drawing, "description": "Too late", "featuretype": "polygon", "fundingtype": "o"}
            assert refusal(sandbox, token, "POST", f"systems/{project.system('Water').id}/add/project/", late) == 403
            assert len(project.team(river).designs()) == 1

        choose_step(host, "Take home")
        for name in ("Comparison report", "Project archive"):
            with page.expect_download() as download:
                page.get_by_role("button", name=name).click()
            download.value.save_as(tmp_path / download.value.suggested_filename)
        report = (tmp_path / "Lisbon 2040 report.html").read_text()
        assert "By the river" in report and "On the hills" in report
        with Sandbox(project=tmp_path / "Lisbon 2040.zip") as copy:
            assert copy.project().design("By the river").costs().total == project.design("By the river").costs().total
