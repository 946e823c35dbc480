"""A thumbnail shows a diagram as it looked when it was asked for."""

import colorsys
import io
import sys
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
import shapely
from PIL import Image

from pygeodesign import NotFoundError, Project, Sandbox
from small_project import ADMINISTRATOR, GREEN, MEMBER, STRANGER, WATER, Lisbon, lisbon_in

# In the middle of the study area, a third of it wide, with a hole in the middle.
WEST, SOUTH, EAST, NORTH = -9.19, 38.72, -9.13, 38.77
MIDDLE = shapely.Point((WEST + EAST) / 2, (SOUTH + NORTH) / 2)
BLOCK = shapely.box(WEST, SOUTH, EAST, NORTH)
RING = BLOCK - MIDDLE.buffer(0.012)
WATER_COLOR, GREEN_COLOR = (0x2B, 0x7B, 0xBA), (0x3B, 0x8F, 0x4E)


def pixels(png: bytes) -> Any:
    """Rows of red, green and blue."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def amount_of(color: tuple[int, int, int], png: bytes) -> float:
    """The share of pixels that are of the hue of a colour, pale or not."""
    hue = colorsys.rgb_to_hsv(*(part / 255 for part in color))[0] * 255
    shown = np.asarray(Image.open(io.BytesIO(png)).convert("RGB").convert("HSV")).astype(int)
    return float(((np.abs(shown[..., 0] - hue) < 12) & (shown[..., 1] > 60)).mean())


def drawn(lisbon: Lisbon, shape: Any, sysid: int = WATER) -> int:
    return int(lisbon.project.add_diagram(sysid, shape, title="Drawn")["diagram_id"])


def job(lisbon: Lisbon, diagram: int) -> str:
    """The path of a thumbnail that is asked for, below the host."""
    path: str = lisbon.send("GET", f"diagrams/{diagram}/generate_thumbnail/").json()["results_url"]
    return path


def download(lisbon: Lisbon, path: str, user: str = ADMINISTRATOR) -> requests.Response:
    return lisbon.send_to("GET", path.removeprefix("/api/v1/"), user=user)


# The picture


def test_a_thumbnail_is_a_png_of_256_pixels(lisbon: Lisbon) -> None:
    image = Image.open(io.BytesIO(lisbon.project.thumbnail(drawn(lisbon, BLOCK))))
    assert (image.format, image.size) == ("PNG", (256, 256))


def test_a_diagram_is_in_the_colour_of_its_system(lisbon: Lisbon) -> None:
    water, green = drawn(lisbon, BLOCK), drawn(lisbon, BLOCK, GREEN)
    pictures = lisbon.project.thumbnails()
    assert amount_of(WATER_COLOR, pictures[water]) > 0.05 > 0.001 > amount_of(WATER_COLOR, pictures[green])
    assert amount_of(GREEN_COLOR, pictures[green]) > 0.05 > 0.001 > amount_of(GREEN_COLOR, pictures[water])


def test_a_line_is_drawn_too(lisbon: Lisbon) -> None:
    line = drawn(lisbon, shapely.LineString([(WEST, SOUTH), (EAST, NORTH)]))
    assert 0.001 < amount_of(WATER_COLOR, lisbon.project.thumbnail(line)) < 0.05


def test_a_hole_is_a_hole(lisbon: Lisbon) -> None:
    whole, holed = drawn(lisbon, BLOCK), drawn(lisbon, RING)
    difference = np.abs(pixels(lisbon.project.thumbnail(whole)) - pixels(lisbon.project.thumbnail(holed))).sum(axis=2)
    rows, columns = np.nonzero(difference)
    # The difference is one round spot: the hole.
    assert len(rows) > 50
    assert np.ptp(rows) < 90
    assert np.ptp(columns) < 90
    assert difference[int(rows.mean()), int(columns.mean())] > 0


@pytest.mark.parametrize("direction", [shapely.Polygon.reverse, shapely.normalize, lambda shape: shape])
def test_the_direction_of_rings_is_all_the_same(direction: Any, lisbon: Lisbon) -> None:
    plain, turned = drawn(lisbon, RING), drawn(lisbon, direction(RING))
    np.testing.assert_array_equal(
        pixels(lisbon.project.thumbnail(plain)), pixels(lisbon.project.thumbnail(turned)), strict=True
    )


def test_different_diagrams_differ(lisbon: Lisbon) -> None:
    places = [shapely.affinity.translate(BLOCK, step / 100, 0) for step in range(-2, 3)]
    for place in places:
        drawn(lisbon, place)
    assert len(set(lisbon.project.thumbnails().values())) == len(places)


def test_east_is_right_and_north_is_up(lisbon: Lisbon) -> None:
    corner = drawn(lisbon, shapely.box(-9.12, 38.78, -9.10, 38.795))
    found = np.abs(pixels(lisbon.project.thumbnail(corner)) - WATER_COLOR).sum(axis=2) < 150
    rows, columns = np.nonzero(found)
    assert rows.max() < 128 < columns.min()


def test_a_diagram_without_a_geography_has_a_picture(lisbon: Lisbon) -> None:
    added = lisbon.project.add_external_diagram(WATER, "https://data.example.org/a", title="Far", layer_type="cogs")
    assert pixels(lisbon.project.thumbnail(added["diagram_id"])).shape == (256, 256, 3)


@pytest.mark.parametrize("shape", [shapely.box(-180, -90, 180, 90), shapely.box(100, 50, 110, 60)])
def test_a_diagram_beyond_the_study_area_has_a_picture(shape: Any, lisbon: Lisbon) -> None:
    assert pixels(lisbon.project.thumbnail(drawn(lisbon, shape))).shape == (256, 256, 3)


def test_a_study_area_across_the_antimeridian_has_pictures(lisbon: Lisbon) -> None:
    systems: Any = [{"name": "Reefs", "color": "#2B7BBA"}]
    lisbon.client().create_project("FADO", title="Fiji", bounds=(177, -19, -178, -16), systems=systems)
    fiji = lisbon.client().project(lisbon.sandbox.project_ids[-1])
    (reefs,) = fiji.systems()
    diagram = fiji.add_diagram(reefs["id"], shapely.box(178, -18.5, 179.5, -16.5), title="Reef")["diagram_id"]
    assert amount_of(WATER_COLOR, fiji.thumbnail(diagram)) > 0.05


# Many


def test_all_diagrams_have_a_picture(lisbon: Lisbon) -> None:
    ids = [drawn(lisbon, BLOCK), drawn(lisbon, RING), drawn(lisbon, BLOCK, GREEN)]
    pictures = lisbon.project.thumbnails()
    assert list(pictures) == ids
    assert pictures == {diagram: lisbon.project.thumbnail(diagram) for diagram in ids}


def test_named_diagrams_have_a_picture(lisbon: Lisbon) -> None:
    first, _, third = drawn(lisbon, BLOCK), drawn(lisbon, RING), drawn(lisbon, BLOCK, GREEN)
    assert list(lisbon.project.thumbnails([str(third), first, first])) == [first, third]


def test_no_diagrams_have_no_pictures(lisbon: Lisbon) -> None:
    assert lisbon.project.thumbnails() == {}
    assert lisbon.project.thumbnails([]) == {}


def test_the_picture_of_a_diagram_that_is_not_there_is_not_found(lisbon: Lisbon) -> None:
    with pytest.raises(NotFoundError, match="diagram"):
        lisbon.project.thumbnail(99)
    with pytest.raises(NotFoundError, match="diagram"):
        lisbon.project.thumbnails([drawn(lisbon, BLOCK), 99])


@pytest.mark.parametrize("progress", [True, False])
def test_a_bar_counts_pictures(progress: bool, lisbon: Lisbon, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[str] = []
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "write", painted.append, raising=False)
    ids = [drawn(lisbon, BLOCK), drawn(lisbon, RING)]
    lisbon.project.thumbnails(progress=progress)
    assert ("2/2" in "".join(painted)) == progress
    painted.clear()
    lisbon.project.thumbnails(ids, progress=progress)
    assert ("2/2" in "".join(painted)) == progress


# Jobs


def test_a_result_is_a_path_of_its_diagram_and_job(lisbon: Lisbon) -> None:
    diagram = drawn(lisbon, BLOCK)
    path = job(lisbon, diagram)
    head, tail = f"/api/v1/projects/{lisbon.id}/diagrams/{diagram}/thumbnail/", path.split("/")[-2]
    assert path == f"{head}{tail}/"
    assert str(uuid.UUID(tail)) == tail


def test_the_results_of_all_are_a_path_each(lisbon: Lisbon) -> None:
    ids = [drawn(lisbon, BLOCK), drawn(lisbon, RING)]
    answer = lisbon.send("GET", "diagrams/all/generate_thumbnails/").json()
    assert isinstance(answer["message"], str)
    assert [int(path.split("/")[6]) for path in answer["results_url"]] == ids


def all_jobs(lisbon: Lisbon) -> list[str]:
    """The paths of the thumbnails of all diagrams."""
    paths: list[str] = lisbon.send("GET", "diagrams/all/generate_thumbnails/").json()["results_url"]
    return paths


def test_the_thumbnails_of_all_diagrams_have_one_job(lisbon: Lisbon) -> None:
    for shape in (BLOCK, RING, BLOCK):
        drawn(lisbon, shape)
    paths = all_jobs(lisbon)
    (batch,) = {path.split("/")[-2] for path in paths}
    assert str(uuid.UUID(batch)) == batch
    own = [job(lisbon, diagram) for diagram in (1, 2, 3)]
    assert batch not in {path.split("/")[-2] for path in own}
    assert [download(lisbon, path).content for path in paths] == [download(lisbon, path).content for path in own]


def test_the_same_pictures_have_the_same_job_and_other_pictures_another(lisbon: Lisbon) -> None:
    drawn(lisbon, BLOCK)
    drawn(lisbon, RING)
    before = all_jobs(lisbon)
    assert all_jobs(lisbon) == before
    pictures = [download(lisbon, path).content for path in before]
    changed(lisbon.project)
    assert set(all_jobs(lisbon)).isdisjoint(before)
    assert [download(lisbon, path).content for path in before] == pictures


def test_a_job_of_all_diagrams_has_no_picture_of_a_later_one(lisbon: Lisbon) -> None:
    drawn(lisbon, BLOCK)
    (path,) = all_jobs(lisbon)
    later = drawn(lisbon, RING)
    assert download(lisbon, path.replace("/diagrams/1/", f"/diagrams/{later}/")).status_code == 404


def test_a_download_is_a_png_with_its_length(lisbon: Lisbon) -> None:
    answer = download(lisbon, job(lisbon, drawn(lisbon, BLOCK)))
    assert answer.headers["content-type"] == "image/png"
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_the_same_picture_is_the_same_job(lisbon: Lisbon) -> None:
    diagram = drawn(lisbon, BLOCK)
    assert job(lisbon, diagram) == job(lisbon, diagram)


def test_jobs_and_pictures_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with lisbon_in(path) as lisbon:
        diagram = drawn(lisbon, BLOCK)
        result, picture, token = job(lisbon, diagram), lisbon.project.thumbnail(diagram), lisbon.sandbox.token(MEMBER)
    with Sandbox(path) as again:
        address = again.url + result.removeprefix("/api/v1/")
        answer = requests.get(address, headers={"Authorization": f"Token {token}"}, timeout=20)
    assert answer.content == picture


@pytest.mark.parametrize("unknown", ["99999999-9999-4999-8999-999999999999", "no-uuid", "1"])
def test_an_unknown_job_is_not_found(unknown: str, lisbon: Lisbon) -> None:
    drawn(lisbon, BLOCK)
    answer = lisbon.send("GET", f"diagrams/1/thumbnail/{unknown}/")
    assert (answer.status_code, list(answer.json())) == (404, ["detail"])


def test_a_job_is_of_one_diagram(lisbon: Lisbon) -> None:
    path = job(lisbon, drawn(lisbon, BLOCK))
    other = drawn(lisbon, RING)
    assert download(lisbon, path.replace("/diagrams/1/", f"/diagrams/{other}/")).status_code == 404


def test_a_job_is_of_members(lisbon: Lisbon) -> None:
    path = job(lisbon, drawn(lisbon, BLOCK))
    assert download(lisbon, path, MEMBER).status_code == 200
    assert download(lisbon, path, STRANGER).status_code == 404


# Changes


def changed(project: Project) -> None:
    project.update_diagram(1, additional_metadata={"phase": 2})


def test_an_old_picture_stays_when_the_diagram_changes(lisbon: Lisbon) -> None:
    path = job(lisbon, drawn(lisbon, BLOCK))
    before = download(lisbon, path).content
    changed(lisbon.project)
    assert job(lisbon, 1) != path
    assert download(lisbon, path).content == before


def test_another_study_area_is_another_picture(lisbon: Lisbon) -> None:
    path = job(lisbon, drawn(lisbon, BLOCK))
    before = download(lisbon, path).content
    lisbon.sandbox.set_boundaries(lisbon.id, shapely.box(-9.2, 38.7, -9.1, 38.79))
    assert job(lisbon, 1) != path
    assert lisbon.project.thumbnail(1) != before
    assert download(lisbon, path).content == before


def test_the_changes_of_other_diagrams_are_none_of_its_own(lisbon: Lisbon) -> None:
    drawn(lisbon, BLOCK)
    path = job(lisbon, drawn(lisbon, RING))
    changed(lisbon.project)
    assert job(lisbon, 2) == path
