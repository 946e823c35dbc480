"""An external diagram's file is opened only where that is safe: any member of a project can enter any address."""

import asyncio
import ssl
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from geopandas.testing import assert_geodataframe_equal

from local_server import LocalServer, QuietHandler
from pygeodesign import AsyncClient, Client, CostReport, ExternalFileError, InputError, NotFoundError, Project, measure
from serving import running_service
from small_project import ADMINISTRATOR, WATER, Workshop

pytestmark = pytest.mark.early

PARKS = gpd.GeoDataFrame(
    {"name": ["North", "South"], "trees": [12, 7]},
    geometry=[shapely.box(-90_000, -106_000, -89_000, -105_000), shapely.box(-88_000, -106_000, -87_000, -105_000)],
    crs=3763,
)


class Files:
    """A server with files over https, which remembers requests."""

    def __init__(self, tls: ssl.SSLContext, authority: Path) -> None:
        self.authority = authority
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        files = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                files.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                if self.path in files.redirects:
                    self.send_response(302)
                    self.send_header("location", files.redirects[self.path])
                    self.send_body(b"")
                else:
                    self.send_response(200 if self.path in files.files else 404)
                    self.send_body(files.files.get(self.path, b""))

        self.server = LocalServer(Handler, tls)

    def url(self, path: str) -> str:
        return self.server.origin + path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate authority and its certificate for this machine."""
    with running_service("--db", tmp_path_factory.mktemp("tls") / "workshop.sqlite", "--tls-self-signed") as service:
        return Path(str(service.ca_file)).parent


@pytest.fixture
def files(certificates: Path) -> Iterator[Files]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificates / "server.pem", certificates / "server-key.pem")
    files = Files(tls, certificates / "ca.pem")
    with files.server:
        yield files


@pytest.fixture
def project(workshop: Workshop, files: Files) -> Project:
    """The project for the administrator, who trusts the certificates of the server with the files."""
    token = workshop.sandbox.token(ADMINISTRATOR)
    return Client(token, workshop.sandbox.url, ca_bundle=files.authority, timeout=10).project(workshop.id)


def flatgeobuf(frame: gpd.GeoDataFrame, folder: Path) -> bytes:
    frame.to_file(folder / "file.fgb", SPATIAL_INDEX="NO")
    return (folder / "file.fgb").read_bytes()


def external(project: Project, url: str, layer_type: str = "fgb-layer") -> int:
    """The id of a diagram whose file has this address."""
    return project.system(WATER).add_external(url, title="Parks", layer_type=layer_type).id


def refusal(ask: Callable[[], object]) -> str:
    with pytest.raises(ExternalFileError) as refused:
        ask()
    return str(refused.value)


# Files that are opened


@pytest.mark.parametrize("layer_type", ["fgb-layer", "another"])
def test_a_flatgeobuf_file_is_a_frame_in_wgs_84_with_its_columns(
    layer_type: str, project: Project, files: Files, tmp_path: Path
) -> None:
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    frame = project.diagram(external(project, files.url("/parks.fgb"), layer_type)).external(allow_private=True)
    assert_geodataframe_equal(frame, PARKS.to_crs(4326), check_dtype=False)


def test_it_is_opened_with_the_spatial_index_that_it_has(project: Project, files: Files, tmp_path: Path) -> None:
    PARKS.to_file(tmp_path / "indexed.fgb", SPATIAL_INDEX="YES")
    files.files["/parks.fgb"] = (tmp_path / "indexed.fgb").read_bytes()
    frame = project.diagram(external(project, files.url("/parks.fgb"))).external(allow_private=True)
    assert sorted(frame.name) == ["North", "South"]


def test_an_awaited_project_opens_the_same_frame(
    project: Project, files: Files, workshop: Workshop, tmp_path: Path
) -> None:
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    diagram = external(project, files.url("/parks.fgb"))

    async def opened() -> gpd.GeoDataFrame:
        async with AsyncClient(
            workshop.sandbox.token(ADMINISTRATOR), workshop.sandbox.url, ca_bundle=files.authority
        ) as client:
            return await client.project(workshop.id).diagram(diagram).external(allow_private=True)

    assert_geodataframe_equal(asyncio.run(opened()), project.diagram(diagram).external(allow_private=True))


@pytest.mark.slow
def test_files_are_opened_one_after_the_other_and_at_once(
    project: Project, files: Files, workshop: Workshop, tmp_path: Path
) -> None:
    """pyproj crashes in a thread that leaves Python and comes back."""
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    diagram = external(project, files.url("/parks.fgb"))

    async def opened() -> list[gpd.GeoDataFrame]:
        async with AsyncClient(
            workshop.sandbox.token(ADMINISTRATOR), workshop.sandbox.url, ca_bundle=files.authority
        ) as client:
            handle = client.project(workshop.id)
            first = [await handle.diagram(diagram).external(allow_private=True) for _ in range(5)]
            return first + await asyncio.gather(
                *(handle.diagram(diagram).external(allow_private=True) for _ in range(10))
            )

    assert [len(frame) for frame in asyncio.run(opened())] == [2] * 15


def test_the_token_is_not_sent_to_the_server_of_the_file(
    project: Project, files: Files, workshop: Workshop, tmp_path: Path
) -> None:
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    files.redirects["/moved"] = "/parks.fgb"
    project.diagram(external(project, files.url("/moved"))).external(allow_private=True)
    assert [path for path, _ in files.requests] == ["/moved", "/parks.fgb"]
    for _, headers in files.requests:
        assert not {"authorization", "cookie", "referer"} & set(headers)
        assert workshop.sandbox.token(ADMINISTRATOR) not in str(headers)


# Where the address may lead


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"])
def test_an_address_on_this_machine_is_not_connected_to_unless_asked_for(
    host: str, project: Project, files: Files
) -> None:
    url = files.url("/parks.fgb").replace("127.0.0.1", host)
    message = refusal(lambda: project.diagram(external(project, url)).external())
    assert url in message and "private or reserved" in message and "allow_private=True" in message
    assert files.requests == []


@pytest.mark.parametrize("host", ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00::1]", "[64:ff9b::a9fe:a9fe]"])
def test_an_address_in_a_private_network_is_refused(host: str, project: Project) -> None:
    assert "private or reserved" in refusal(
        lambda: project.diagram(external(project, f"https://{host}/parks.fgb")).external()
    )


def test_plain_http_is_refused_even_where_private_addresses_are_allowed(project: Project, files: Files) -> None:
    url = files.url("/parks.fgb").replace("https:", "http:")
    assert "only https" in refusal(lambda: project.diagram(external(project, url)).external(allow_private=True))
    assert files.requests == []


def test_a_redirect_to_plain_http_is_refused(project: Project, files: Files) -> None:
    files.redirects["/moved"] = "http://127.0.0.1/parks.fgb"
    diagram = external(project, files.url("/moved"))
    assert "only https" in refusal(lambda: project.diagram(diagram).external(allow_private=True))


def test_redirects_in_a_circle_end(project: Project, files: Files) -> None:
    files.redirects["/moved"] = "/moved"
    diagram = external(project, files.url("/moved"))
    assert "more than 5 redirects" in refusal(lambda: project.diagram(diagram).external(allow_private=True))


def test_a_certificate_that_nobody_trusts_is_refused(workshop: Workshop, files: Files) -> None:
    diagram = external(workshop.project, files.url("/parks.fgb"))
    assert "certificate" in refusal(lambda: workshop.project.diagram(diagram).external(allow_private=True))
    assert files.requests == []


def test_a_limit_that_no_file_is_within_is_refused_before_anything_is_requested(project: Project) -> None:
    for ask in (lambda: project.diagram(99).external(max_bytes=0), lambda: project.costs(external=True, max_bytes=0)):
        with pytest.raises(InputError, match="max_bytes is 0"):
            ask()


# Content of the file


def test_a_file_beyond_the_limit_is_refused_and_the_limit_named(project: Project, files: Files, tmp_path: Path) -> None:
    content = files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    diagram = external(project, files.url("/parks.fgb"))
    message = refusal(lambda: project.diagram(diagram).external(max_bytes=len(content) - 1, allow_private=True))
    assert f"more than {len(content) - 1} bytes" in message and "max_bytes" in message
    assert len(project.diagram(diagram).external(max_bytes=len(content), allow_private=True)) == 2


def disguised(folder: Path) -> bytes:
    """A file that begins like FlatGeobuf, and that GDAL alone would take for a list of other files to open."""
    (folder / "secret.csv").write_text("password\nhidden\n")
    source = f'<OGRVRTLayer name="secret"><SrcDataSource>{folder / "secret.csv"}</SrcDataSource></OGRVRTLayer>'
    return f"fgb\x03fgb\x01<OGRVRTDataSource>{source}</OGRVRTDataSource>".encode()


WRONG: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "a GeoTIFF": (lambda _: b"II*\0\x10\0\0\0" + bytes(50), "GeoTIFF"),
    "a page": (lambda _: b"<!DOCTYPE html><title>Sign in</title>", "not a FlatGeobuf file"),
    "nothing": (lambda _: b"", "not a FlatGeobuf file"),
    "another format in disguise": (disguised, "not a FlatGeobuf file"),
    "a file that is cut": (lambda folder: flatgeobuf(PARKS, folder)[:-40], "it cannot be read: "),
    "a header of anything": (lambda _: b"fgb\x03fgb\x01\x40\0\0\0" + bytes(range(200)), "its header is damaged"),
    "no CRS": (lambda folder: flatgeobuf(PARKS.set_crs(None, allow_override=True), folder), "it has no CRS"),
}


@pytest.mark.filterwarnings("ignore:'crs' was not provided")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_file_that_is_no_readable_flatgeobuf_is_refused(
    wrong: str, project: Project, files: Files, tmp_path: Path
) -> None:
    make, problem = WRONG[wrong]
    files.files["/file"] = make(tmp_path)
    diagram = external(project, files.url("/file"))
    message = refusal(lambda: project.diagram(diagram).external(allow_private=True))
    assert problem in message and files.url("/file") in message and f"diagram {diagram}" in message


def test_an_error_status_is_told(project: Project, files: Files) -> None:
    diagram = external(project, files.url("/gone.fgb"))
    assert "404" in refusal(lambda: project.diagram(diagram).external(allow_private=True))


# Other diagrams


def test_a_drawn_diagram_has_no_file(workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, shapely.box(-9.2, 38.7, -9.1, 38.8), title="Drawn")
    with pytest.raises(InputError, match=f"diagram {added.id} has no file"):
        workshop.project.diagram(added.id).external()


def test_a_diagram_that_is_not_there_is_not_found(workshop: Workshop) -> None:
    with pytest.raises(NotFoundError):
        workshop.project.diagram(99).external()


def test_a_missing_library_is_named_before_anything_is_requested(
    project: Project, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    diagram = external(project, files.url("/parks.fgb"))
    monkeypatch.setitem(sys.modules, "pyogrio", None)
    with pytest.raises(ImportError, match=r"pygeodesign\[geo\]"):
        project.diagram(diagram).external(allow_private=True)
    assert files.requests == []


# Costs


def figures(shapes: gpd.GeoDataFrame) -> tuple[float, float]:
    """Hectares and kilometres."""
    measured = measure(shapes)
    return float(measured["area_ha"].sum()), float(measured["length_km"].sum())


def test_external_diagrams_are_priced_by_their_files_on_request(
    project: Project, files: Files, workshop: Workshop, tmp_path: Path
) -> None:
    workshop.project.system(WATER).edit(cost=100)
    lines = gpd.GeoDataFrame(geometry=[shapely.LineString([(-9.2, 38.7), (-9.1, 38.8)])], crs=4326)
    files.files |= {"/parks.fgb": flatgeobuf(PARKS, tmp_path), "/lines.fgb": flatgeobuf(lines, tmp_path)}
    parks, way = (int(external(project, files.url(path))) for path in ("/parks.fgb", "/lines.fgb"))
    report = project.costs(external=True, allow_private=True)
    rows = {row["diagramid"]: row for row in report.diagrams}
    assert {row["area_source"] for row in report.diagrams} == {"external"}
    (hectares, _), (_, kilometres) = figures(PARKS), figures(lines)
    assert rows[parks]["area_ha"] == pytest.approx(hectares, rel=1e-6)
    assert rows[parks]["cost"] == pytest.approx(100 * hectares, rel=1e-6)
    assert rows[way]["length_km"] == pytest.approx(kilometres, rel=1e-9)
    assert rows[way]["cost"] == pytest.approx(100 * kilometres, rel=1e-9)
    assert (report.unpriced, report.invalid) == (0, None)
    assert {row["file_problem"] for row in report.diagrams} == {None}


def test_without_the_request_nothing_is_downloaded_and_the_area_is_not_known(project: Project, files: Files) -> None:
    external(project, files.url("/parks.fgb"))
    (row,) = project.costs(allow_private=True).diagrams
    assert (row["area_source"], row["file_problem"], files.requests) == ("unknown", None, [])


def test_a_file_that_cannot_be_opened_leaves_its_diagram_unknown_and_says_why(
    project: Project, files: Files, workshop: Workshop, tmp_path: Path
) -> None:
    workshop.project.system(WATER).edit(cost=100)
    files.files |= {"/parks.fgb": flatgeobuf(PARKS, tmp_path), "/cut.fgb": flatgeobuf(PARKS, tmp_path)[:-40]}
    wrong = {int(external(project, files.url(path))): path for path in ("/gone.fgb", "/cut.fgb")}
    good = int(external(project, files.url("/parks.fgb")))
    report = project.costs(external=True, allow_private=True)
    problems = {row["diagramid"]: row["file_problem"] for row in report.diagrams if row["area_source"] == "unknown"}
    assert problems.keys() == wrong.keys()
    for diagram, path in wrong.items():
        expected = f"the file of diagram {diagram}, {files.url(path)}, cannot be opened: "
        assert (problems[diagram] or "").startswith(expected)
    assert report.total == next(row["cost"] for row in report.diagrams if row["diagramid"] == good)
    assert report.unpriced == 2
    assert "not opened: 2" in repr(report)
    assert "The file of 2 diagrams could not be opened." in report._repr_html_()
    assert report.to_pandas("diagrams")["file_problem"].notna().sum() == 2


def test_costs_open_no_private_address_and_no_large_file_unless_asked_to(
    project: Project, files: Files, tmp_path: Path
) -> None:
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    external(project, files.url("/parks.fgb"))
    (row,) = project.costs(external=True).diagrams
    assert "private or reserved" in (row["file_problem"] or "") and files.requests == []
    (row,) = project.costs(external=True, allow_private=True, max_bytes=100).diagrams
    assert "more than 100 bytes" in (row["file_problem"] or "")


def test_the_geometries_of_a_file_are_checked_on_request(project: Project, files: Files, tmp_path: Path) -> None:
    bow_tie = shapely.Polygon([(-9.2, 38.7), (-9.1, 38.8), (-9.1, 38.7), (-9.2, 38.8)])
    files.files["/bow-tie.fgb"] = flatgeobuf(gpd.GeoDataFrame(geometry=[bow_tie], crs=4326), tmp_path)
    external(project, files.url("/bow-tie.fgb"))
    assert project.costs(external=True, allow_private=True).diagrams[0]["geometry_problem"] is None
    report = project.costs(check=True, external=True, allow_private=True)
    assert report.invalid == 1
    assert "crosses or touches itself" in (report.diagrams[0]["geometry_problem"] or "")


def test_only_the_files_of_priced_diagrams_are_downloaded(project: Project, files: Files, tmp_path: Path) -> None:
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    first = int(external(project, files.url("/parks.fgb")))
    external(project, files.url("/other.fgb"))
    project.costs(diagrams=[first], external=True, allow_private=True)
    assert [path for path, _ in files.requests] == ["/parks.fgb"]


@pytest.mark.slow
def test_an_awaited_report_opens_the_same_files(
    project: Project, files: Files, workshop: Workshop, tmp_path: Path
) -> None:
    files.files["/parks.fgb"] = flatgeobuf(PARKS, tmp_path)
    for _ in range(10):
        external(project, files.url("/parks.fgb"))

    async def report() -> CostReport:
        async with AsyncClient(
            workshop.sandbox.token(ADMINISTRATOR), workshop.sandbox.url, ca_bundle=files.authority
        ) as client:
            return await client.project(workshop.id).costs(external=True, allow_private=True)

    assert asyncio.run(report()).diagrams == project.costs(external=True, allow_private=True).diagrams
