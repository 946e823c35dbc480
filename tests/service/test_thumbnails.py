"""A thumbnail is a picture of a diagram at the time of the request for it."""

import colorsys
import io
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
import shapely
from PIL import Image

from pygeodesign import NotFoundError, Project, Sandbox
from small_project import ADMINISTRATOR, GREEN, MEMBER, STRANGER, WATER, Workshop, running_workshop
from stress import duration

pytestmark = [pytest.mark.alone("time of drawing"), pytest.mark.stress]

# A box in the middle of the study area, a third of its width, and the same box with a hole.
WEST, SOUTH, EAST, NORTH = -9.19, 38.72, -9.13, 38.77
MIDDLE = shapely.Point((WEST + EAST) / 2, (SOUTH + NORTH) / 2)
BLOCK = shapely.box(WEST, SOUTH, EAST, NORTH)
RING = BLOCK - MIDDLE.buffer(0.012)
WATER_COLOR, GREEN_COLOR = (0x2B, 0x7B, 0xBA), (0x3B, 0x8F, 0x4E)


def pixels(png: bytes) -> Any:
    """Rows of red, green and blue."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def fraction_of(color: tuple[int, int, int], png: bytes) -> float:
    """The fraction of pixels with a colour's hue, at any brightness."""
    hue = colorsys.rgb_to_hsv(*(part / 255 for part in color))[0] * 255
    shown = np.asarray(Image.open(io.BytesIO(png)).convert("RGB").convert("HSV")).astype(int)
    return float(((np.abs(shown[..., 0] - hue) < 12) & (shown[..., 1] > 60)).mean())


def add_diagram(workshop: Workshop, shape: Any, sysid: int = WATER) -> int:
    return workshop.project.add_diagram(sysid, shape, title="Drawn", outside="allow").id


def request_thumbnail(workshop: Workshop, diagram: int) -> str:
    """Requests a thumbnail, and returns the path of its result, such as `/api/v1/…`."""
    path: str = workshop.send("GET", f"diagrams/{diagram}/generate_thumbnail/").json()["results_url"]
    return path


def download(workshop: Workshop, path: str, user: str = ADMINISTRATOR) -> requests.Response:
    return workshop.send_to("GET", path.removeprefix("/api/v1/"), user=user)


# The picture


def test_a_thumbnail_is_a_png_of_256_pixels(workshop: Workshop) -> None:
    image = Image.open(io.BytesIO(workshop.project.diagram(add_diagram(workshop, BLOCK)).thumbnail()))
    assert (image.format, image.size) == ("PNG", (256, 256))


def test_a_diagram_is_drawn_in_the_colour_of_its_system(workshop: Workshop) -> None:
    water, green = add_diagram(workshop, BLOCK), add_diagram(workshop, BLOCK, GREEN)
    pictures = workshop.project.thumbnails()
    assert fraction_of(WATER_COLOR, pictures[water]) > 0.05 > 0.001 > fraction_of(WATER_COLOR, pictures[green])
    assert fraction_of(GREEN_COLOR, pictures[green]) > 0.05 > 0.001 > fraction_of(GREEN_COLOR, pictures[water])


def test_lines_are_drawn(workshop: Workshop) -> None:
    line = add_diagram(workshop, shapely.LineString([(WEST, SOUTH), (EAST, NORTH)]))
    assert 0.001 < fraction_of(WATER_COLOR, workshop.project.diagram(line).thumbnail()) < 0.05


def test_a_hole_is_not_filled(workshop: Workshop) -> None:
    whole, holed = add_diagram(workshop, BLOCK), add_diagram(workshop, RING)
    difference = np.abs(
        pixels(workshop.project.diagram(whole).thumbnail()) - pixels(workshop.project.diagram(holed).thumbnail())
    ).sum(axis=2)
    rows, columns = np.nonzero(difference)
    # The pictures differ in one round spot, which is the hole.
    assert len(rows) > 50
    assert np.ptp(rows) < 90
    assert np.ptp(columns) < 90
    assert difference[int(rows.mean()), int(columns.mean())] > 0


@pytest.mark.parametrize("direction", [shapely.Polygon.reverse, shapely.normalize, lambda shape: shape])
def test_the_direction_of_rings_does_not_matter(direction: Any, workshop: Workshop) -> None:
    plain, other = add_diagram(workshop, RING), add_diagram(workshop, direction(RING))
    np.testing.assert_array_equal(
        pixels(workshop.project.diagram(plain).thumbnail()),
        pixels(workshop.project.diagram(other).thumbnail()),
        strict=True,
    )


def test_different_diagrams_have_different_thumbnails(workshop: Workshop) -> None:
    places = [shapely.affinity.translate(BLOCK, step / 100, 0) for step in range(-2, 3)]
    for place in places:
        add_diagram(workshop, place)
    assert len(set(workshop.project.thumbnails().values())) == len(places)


def test_east_is_right_and_north_is_up(workshop: Workshop) -> None:
    corner = add_diagram(workshop, shapely.box(-9.12, 38.78, -9.10, 38.795))
    found = np.abs(pixels(workshop.project.diagram(corner).thumbnail()) - WATER_COLOR).sum(axis=2) < 150
    rows, columns = np.nonzero(found)
    assert rows.max() < 128 < columns.min()


def test_a_diagram_without_features_has_a_thumbnail(workshop: Workshop) -> None:
    added = workshop.project.system(WATER).add_external("https://data.example.org/a", title="Far", layer_type="cogs")
    assert pixels(workshop.project.diagram(added.id).thumbnail()).shape == (256, 256, 3)


@pytest.mark.parametrize("shape", [shapely.box(-80, -80, 80, 80), shapely.box(100, 50, 110, 60)])
def test_a_diagram_outside_of_the_study_area_has_a_thumbnail(shape: Any, workshop: Workshop) -> None:
    assert pixels(workshop.project.diagram(add_diagram(workshop, shape)).thumbnail()).shape == (256, 256, 3)


def test_a_study_area_across_the_antimeridian_has_thumbnails(workshop: Workshop) -> None:
    systems: Any = [{"name": "Reefs", "color": "#2B7BBA"}]
    workshop.client().create_project("FADO", title="Fiji", bounds=(177, -19, -178, -16), systems=systems)
    fiji = workshop.client().project(workshop.sandbox.project_ids[-1])
    (reefs,) = fiji.systems()
    diagram = fiji.add_diagram(reefs["id"], shapely.box(178, -18.5, 179.5, -16.5), title="Reef").id
    assert fraction_of(WATER_COLOR, fiji.diagram(diagram).thumbnail()) > 0.05


def scribble(megabytes: int) -> dict[str, Any]:
    """Lines across the study area, as JSON of this size."""
    ends = np.random.default_rng(7).uniform((WEST, SOUTH), (EAST, NORTH), size=(megabytes * 21_000, 2, 2)).round(7)
    return {"type": "MultiLineString", "coordinates": ends.tolist()}


def test_a_scribble_is_drawn_at_once_and_nobody_waits_for_it(workshop: Workshop) -> None:
    diagram = add_diagram(workshop, scribble(duration(short=4, long=20)))
    with ThreadPoolExecutor(1) as pool:
        start = time.perf_counter()
        drawing = pool.submit(workshop.project.diagram(diagram).thumbnail)
        workshop.project.info()
        assert time.perf_counter() - start < 1
        picture = drawing.result()
        assert time.perf_counter() - start < 5
    assert fraction_of(WATER_COLOR, picture) > 0.05


def test_requests_beyond_the_limit_of_waiting_ones_are_refused_for_now() -> None:
    with Sandbox(limits={"heavy_requests_per_user": 1, "requests_per_user": 1}) as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        ids = [diagram["id"] for diagram in project.diagrams(fields="details")][:6]
        with ThreadPoolExecutor(6) as pool:
            answers = list(
                pool.map(
                    lambda diagram: requests.get(
                        f"{sandbox.url}projects/{sandbox.project_ids[0]}/diagrams/{diagram}/generate_thumbnail/",
                        headers={"Authorization": f"Token {sandbox.token('admin')}"},
                        timeout=20,
                    ),
                    ids,
                )
            )
        assert {answer.status_code for answer in answers} <= {200, 429}
        assert all(answer.headers["retry-after"] == "1" for answer in answers if answer.status_code == 429)
        assert all(project.diagram(diagram).thumbnail() for diagram in ids)


# Several thumbnails


def test_thumbnails_returns_the_picture_of_every_diagram(workshop: Workshop) -> None:
    ids = [add_diagram(workshop, BLOCK), add_diagram(workshop, RING), add_diagram(workshop, BLOCK, GREEN)]
    pictures = workshop.project.thumbnails()
    assert list(pictures) == ids
    assert pictures == {diagram: workshop.project.diagram(diagram).thumbnail() for diagram in ids}


def test_thumbnails_of_ids_returns_the_pictures_of_these_diagrams(workshop: Workshop) -> None:
    first, _, third = add_diagram(workshop, BLOCK), add_diagram(workshop, RING), add_diagram(workshop, BLOCK, GREEN)
    assert list(workshop.project.thumbnails([str(third), first, first])) == [first, third]


def test_thumbnails_of_no_diagrams_are_an_empty_dict(workshop: Workshop) -> None:
    assert workshop.project.thumbnails() == {}
    assert workshop.project.thumbnails([]) == {}


def test_the_thumbnail_of_an_unknown_diagram_is_not_found(workshop: Workshop) -> None:
    with pytest.raises(NotFoundError, match="diagram"):
        workshop.project.diagram(99).thumbnail()
    with pytest.raises(NotFoundError, match="diagram"):
        workshop.project.thumbnails([add_diagram(workshop, BLOCK), 99])


@pytest.mark.parametrize("progress", [True, False])
def test_a_progress_bar_counts_thumbnails(progress: bool, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[str] = []
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "write", painted.append, raising=False)
    ids = [add_diagram(workshop, BLOCK), add_diagram(workshop, RING)]
    workshop.project.thumbnails(progress=progress)
    assert ("2/2" in "".join(painted)) == progress
    painted.clear()
    workshop.project.thumbnails(ids, progress=progress)
    assert ("2/2" in "".join(painted)) == progress


# Jobs


def test_the_result_path_has_the_ids_of_diagram_and_job(workshop: Workshop) -> None:
    diagram = add_diagram(workshop, BLOCK)
    path = request_thumbnail(workshop, diagram)
    head, tail = f"/api/v1/projects/{workshop.id}/diagrams/{diagram}/thumbnail/", path.split("/")[-2]
    assert path == f"{head}{tail}/"
    assert str(uuid.UUID(tail)) == tail


def test_the_request_for_all_thumbnails_returns_a_path_for_each(workshop: Workshop) -> None:
    ids = [add_diagram(workshop, BLOCK), add_diagram(workshop, RING)]
    response = workshop.send("GET", "diagrams/all/generate_thumbnails/").json()
    assert isinstance(response["message"], str)
    assert [int(path.split("/")[6]) for path in response["results_url"]] == ids


def all_jobs(workshop: Workshop) -> list[str]:
    """The paths of the thumbnails of all diagrams."""
    paths: list[str] = workshop.send("GET", "diagrams/all/generate_thumbnails/").json()["results_url"]
    return paths


def test_the_thumbnails_of_all_diagrams_have_one_job(workshop: Workshop) -> None:
    for shape in (BLOCK, RING, BLOCK):
        add_diagram(workshop, shape)
    paths = all_jobs(workshop)
    (batch,) = {path.split("/")[-2] for path in paths}
    assert str(uuid.UUID(batch)) == batch
    own = [request_thumbnail(workshop, diagram) for diagram in (1, 2, 3)]
    assert batch not in {path.split("/")[-2] for path in own}
    assert [download(workshop, path).content for path in paths] == [download(workshop, path).content for path in own]


def test_the_same_pictures_have_the_same_job_and_other_pictures_another(workshop: Workshop) -> None:
    add_diagram(workshop, BLOCK)
    add_diagram(workshop, RING)
    before = all_jobs(workshop)
    assert all_jobs(workshop) == before
    pictures = [download(workshop, path).content for path in before]
    change_diagram_1(workshop.project)
    assert set(all_jobs(workshop)).isdisjoint(before)
    assert [download(workshop, path).content for path in before] == pictures


def test_a_job_of_all_diagrams_has_no_picture_of_a_later_one(workshop: Workshop) -> None:
    add_diagram(workshop, BLOCK)
    (path,) = all_jobs(workshop)
    later = add_diagram(workshop, RING)
    assert download(workshop, path.replace("/diagrams/1/", f"/diagrams/{later}/")).status_code == 404


def test_a_thumbnail_is_sent_as_png_with_its_content_length(workshop: Workshop) -> None:
    response = download(workshop, request_thumbnail(workshop, add_diagram(workshop, BLOCK)))
    assert response.headers["content-type"] == "image/png"
    assert int(response.headers["content-length"]) == len(response.content)


def test_two_requests_for_the_same_thumbnail_have_the_same_job(workshop: Workshop) -> None:
    diagram = add_diagram(workshop, BLOCK)
    assert request_thumbnail(workshop, diagram) == request_thumbnail(workshop, diagram)


def test_thumbnails_and_their_paths_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with running_workshop(path) as workshop:
        diagram = add_diagram(workshop, BLOCK)
        result, picture, token = (
            request_thumbnail(workshop, diagram),
            workshop.project.diagram(diagram).thumbnail(),
            workshop.sandbox.token(MEMBER),
        )
    with Sandbox(path) as again:
        address = again.url + result.removeprefix("/api/v1/")
        response = requests.get(address, headers={"Authorization": f"Token {token}"}, timeout=20)
    assert response.content == picture


@pytest.mark.parametrize("unknown", ["99999999-9999-4999-8999-999999999999", "no-uuid", "1"])
def test_an_unknown_job_is_not_found(unknown: str, workshop: Workshop) -> None:
    add_diagram(workshop, BLOCK)
    response = workshop.send("GET", f"diagrams/1/thumbnail/{unknown}/")
    assert (response.status_code, list(response.json())) == (404, ["detail"])


def test_a_job_of_another_diagram_is_not_found(workshop: Workshop) -> None:
    path = request_thumbnail(workshop, add_diagram(workshop, BLOCK))
    other = add_diagram(workshop, RING)
    assert download(workshop, path.replace("/diagrams/1/", f"/diagrams/{other}/")).status_code == 404


def test_a_stranger_does_not_find_the_job(workshop: Workshop) -> None:
    path = request_thumbnail(workshop, add_diagram(workshop, BLOCK))
    assert download(workshop, path, MEMBER).status_code == 200
    assert download(workshop, path, STRANGER).status_code == 404


# Changes


def change_diagram_1(project: Project) -> None:
    project.diagram(1).update(additional_metadata={"phase": 2})


def test_a_changed_diagram_gets_a_new_job_and_the_old_thumbnail_stays(workshop: Workshop) -> None:
    path = request_thumbnail(workshop, add_diagram(workshop, BLOCK))
    before = download(workshop, path).content
    change_diagram_1(workshop.project)
    assert request_thumbnail(workshop, 1) != path
    assert download(workshop, path).content == before


def test_a_changed_study_area_gives_a_new_thumbnail(workshop: Workshop) -> None:
    path = request_thumbnail(workshop, add_diagram(workshop, BLOCK))
    before = download(workshop, path).content
    workshop.project.study_area.set_boundaries(shapely.box(-9.2, 38.7, -9.1, 38.79))
    assert request_thumbnail(workshop, 1) != path
    assert workshop.project.diagram(1).thumbnail() != before
    assert download(workshop, path).content == before


def test_a_change_of_another_diagram_gives_no_new_thumbnail(workshop: Workshop) -> None:
    add_diagram(workshop, BLOCK)
    path = request_thumbnail(workshop, add_diagram(workshop, RING))
    change_diagram_1(workshop.project)
    assert request_thumbnail(workshop, 2) == path
