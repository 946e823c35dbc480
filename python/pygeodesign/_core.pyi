# Written by tools/stubs.py from the Rust code. Edit that, and run `python tools/stubs.py`.

from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from datetime import date, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias, final, overload

from geopandas import GeoDataFrame
from matplotlib.axes import Axes
from pandas import DataFrame
from pyarrow import Table

from pygeodesign._history import History
from pygeodesign.maps import Gallery, LiveMap, WebMap
from pygeodesign.planning import Comparison
from pygeodesign.types import (
    Activities,
    AddedMembers,
    ArchiveAllReport,
    CardHolder,
    Comment,
    CostFigures,
    DesignDetails,
    DiagramCost,
    DiagramDetails,
    DiagramGroup,
    DiagramSummary,
    EsriFeature,
    GeometryProblem,
    GuestLink,
    HistoryEntry,
    Identity,
    IssuedToken,
    JoiningCode,
    LandOfDiagrams,
    Layer,
    Limit,
    MergeReport,
    Move,
    NegotiationSession,
    NewGuest,
    NewMember,
    NewSystem,
    NewTag,
    Period,
    Plugin,
    PresentMember,
    Preview,
    ProjectChange,
    ProjectInfo,
    Quantity,
    Stakeholder,
    SyncReport,
    SystemCost,
    Tag,
    TokenInfo,
    UploadedRow,
    UserAccount,
    Vote,
    WalkedIn,
    WalkIns,
    WorkState,
)

__all__ = [
    "AsyncClient",
    "AsyncDesign",
    "AsyncDiagram",
    "AsyncMember",
    "AsyncProject",
    "AsyncStudyArea",
    "AsyncSystem",
    "AsyncTeam",
    "AsyncWorkshop",
    "Client",
    "CostReport",
    "Design",
    "Diagram",
    "FeatureCollection",
    "Member",
    "Project",
    "Sandbox",
    "StudyArea",
    "System",
    "Team",
    "Workshop",
    "__version__",
]
__version__: str

class _GeoInterface(Protocol):
    @property
    def __geo_interface__(self) -> Mapping[str, Any]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

_Geometry: TypeAlias = _GeoInterface | _ArrowStream | Mapping[str, Any] | str | bytes | PathLike[str]
_Geometries: TypeAlias = _Geometry | Iterable[_Geometry]
_Team: TypeAlias = int | str | Team | AsyncTeam
_NamedDesign: TypeAlias = str | Design | AsyncDesign
_Design: TypeAlias = tuple[int, str] | _NamedDesign | Iterable[_Diagram]
_System: TypeAlias = int | str | System | AsyncSystem
_Diagram: TypeAlias = int | str | Diagram | AsyncDiagram

@final
class _Lands:
    def __new__(cls, geometries: Sequence[bytes | None], map: int | None = None) -> Self: ...
    def __len__(self) -> int: ...
    def hectares(self) -> bytes: ...
    def shapes(self) -> list[bytes]: ...
    def near(self, split: int | None = None) -> bytes: ...
    def rows(self, rows: Sequence[int]) -> Self: ...
    def joined(self, others: Self) -> Self: ...
    def united(self, groups: Sequence[Sequence[int]]) -> Self: ...
    def common(self, rows: Sequence[tuple[int, Sequence[int]]]) -> Self: ...
    def without(self, rows: Sequence[tuple[int, Sequence[int]]]) -> Self: ...
    def consensus(
        self, square_metres: Sequence[float], systems: Sequence[int], designs: Sequence[Sequence[int]]
    ) -> tuple[list[tuple[int, int, int, bool]], bytes, Self]: ...
    def between(
        self, pairs: Sequence[tuple[int, int]], systems: Sequence[int], designs: Sequence[Sequence[int]]
    ) -> Self: ...
    def in_classes(self, square_metres: Sequence[float], class_of: Sequence[int], classes: int) -> bytes: ...
    def shared_hectares(self, pairs: bytes) -> bytes: ...

def _run(arguments: Sequence[str]) -> int: ...
def _measure(geometries: Sequence[bytes | str | None]) -> tuple[list[list[float]], list[int]]: ...
def _open(path: str | PathLike[str]) -> Project: ...
def _limit_processors(count: int) -> None: ...
def _open_own(path: str | PathLike[str]) -> Project: ...
def _csv_cell(text: str) -> str: ...
def _csv_text(cell: str) -> str: ...
def _geojson_features(
    content: bytes, max_features: int, max_properties: int
) -> list[tuple[str | None, str | None, str | None, bool]]: ...
def _geojson_of(rows: Sequence[Any]) -> str: ...
def _crs_name(crs: str) -> str | None: ...
def _transformed(geometries: Sequence[Any], transform: Callable[[bytes], bytes]) -> list[Any]: ...
def _with_known_heights(geometries: Sequence[Any], zero: bool) -> list[Any]: ...
def _web_file(name: str) -> str: ...
def _write_whole(path: str | PathLike[str], content: bytes) -> None: ...
def _for_card(work: Callable[[], Any]) -> Any: ...
def _need(*libraries: str) -> None: ...
def _use(package: object) -> None: ...
def _awaited(project: Project) -> AsyncProject: ...
def _forward(
    project: Project, method: str, path: str, body: bytes | None, headers: list[tuple[str, str]]
) -> tuple[int, str | None, int | None, bytes]: ...
def _ogc(project: Project, path: str) -> tuple[str, bytes]: ...
def _projected_bounds(epsg: int, bounds: Sequence[float]) -> list[float]: ...
def _evaluation_classes() -> list[tuple[str, str, dict[str, str]]]: ...
def _evaluation_color(areatype: str) -> str: ...
def _inside(geometries: Sequence[bytes | None], area: Sequence[bytes]) -> list[bytes | None]: ...
def _on_land(drawing: Sequence[bytes], land: Sequence[bytes]) -> tuple[float, float, int, float]: ...
def _missing_extra(error: ImportError) -> ImportError: ...
def _service_addresses() -> list[tuple[str, int]]: ...

@final
class Client:
    """A connection to the service as one user.

    It is safe to share between threads, and a context manager: leaving it closes its connections.

    Args:
        token: The API token, from the API page of the service. Default: the environment's `GEODESIGN_TOKEN`, or the one that
            `Client.login` or `pygeodesign login` saved for this service.
        base_url: The service's address, with or without `/api/v1`. Default: the environment's `GEODESIGN_URL`, or the one that was saved
            with the token. Plain http is allowed on this machine only, unless `allow_http`.
        profile: The name of a saved login, in place of `token` and `base_url`. Default: the environment's `GEODESIGN_PROFILE`, or
            the login without a name.
        timeout: Seconds for a request, from connecting to the last byte of the response, with all retries. A list of several pages
            may take ten times as long.
        connect_timeout: Seconds for connecting.
        read_timeout: Seconds to wait for the next byte of a response. Default: no limit other than `timeout`.
        retries: Retries of a read after a failure that may be temporary (connection lost, 408, 425, 429, 500, 502,
            503, 504). A write is tried again only if the service cannot have carried it out. Each retry is logged to
            `pygeodesign.client`, at level `INFO`.
        max_concurrency: The most requests at the same time. Default: 16, each on its own connection; or 200 on one
            connection if the service speaks HTTP/2.
        max_response_bytes: The largest response to read, all pages of a list together, in bytes after decompression; a larger one raises
            `DecodeError`.
        proxy: The address of a proxy for all requests, such as `"http://USER:PASSWORD@HOST:3128"`; `""` for no proxy. Default: the
            environment's `HTTPS_PROXY` or `ALL_PROXY` unless `NO_PROXY` has the host, or the system's proxy.
        headers: Further headers of each request to the service, such as those that a gateway in front of it asks for. They are shown
            nowhere and sent to no other server.
        ca_bundle: A PEM file of certificate authorities to trust in addition to the system's, or a folder of such files. Those of
            `REQUESTS_CA_BUNDLE` and `CURL_CA_BUNDLE` are trusted, too.
        authority: The certificate of the only authority to trust, as PEM text, instead of the system's and `ca_bundle`. `Client.join`
            requests it from the service.
        compression: True to request compressed responses. Default: True, except for a service on this machine.
        cache: True to cache responses while the client lives, or the path of a folder for cache files that only you can read. The service
            then sends only changes. Every read still asks the service (`If-None-Match`), so no response is out of date. Services without
            `ETag` send everything.
        max_cache_bytes: The most bytes of cached responses, separately in memory and in the folder. The least recently used are dropped
            first.
        strict: True to raise `DecodeError` if a row of a list is unreadable or has a wrong value. By default the row stays, without
            the unreadable values, and a `UserWarning` names it.
        allow_http: True to allow plain http in a private network, to an address such as `http://10.0.0.1:8443` or to a name that
            ends with `.local`: a service started with `--http-for`. Anybody in that network can read the token.

    Raises:
        ConfigurationError: No token, no address, or an invalid setting.
        HttpsRequiredError: Plain http to another machine.

    Examples:
        >>> from pygeodesign import Client, Sandbox
        >>> sandbox = Sandbox()
        >>> client = Client(sandbox.token(), sandbox.url)
        >>> [project["projecttitle"] for project in client.projects()]
        ['Staten Island 2050']
    """

    def __new__(
        cls,
        token: str | None = None,
        base_url: str | None = None,
        *,
        profile: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 10.0,
        read_timeout: float | None = None,
        retries: int = 3,
        max_concurrency: int | None = None,
        max_response_bytes: int = 268435456,
        proxy: str | None = None,
        headers: Mapping[str, str] | None = None,
        ca_bundle: str | PathLike[str] | None = None,
        authority: str | None = None,
        compression: bool | None = None,
        cache: bool | str | PathLike[str] = False,
        max_cache_bytes: int = 536870912,
        strict: bool = False,
        allow_http: bool = False,
    ) -> Self: ...
    @property
    def base_url(self) -> str:
        """The API root that requests go to, ending in `/api/v1/`."""
    @classmethod
    def join(cls, link: str, **settings: Any) -> Self:
        """Joins a room with the link of a card.

        The link is `https://HOST/join/#NAME:TOKEN`, or `#NAME:TOKEN:KEY` where the room has a certificate authority of its own. With
        KEY, the service is asked for the certificate of that authority (`GET /ca.pem`). The client trusts it, and nobody else, if its
        public key has the digest KEY and the service itself has a certificate from it; else it is an error, and the token is not sent.
        Without KEY, nothing is sent.

        Args:
            link: The link, whole.
            settings: Settings of `Client`, such as `timeout` and `cache`.

        Returns:
            A client of the member whose card it is.

        Raises:
            ConfigurationError: The link is cut or none, or a setting is invalid. The message says what is wrong, and does not show
                the link.
            HttpsRequiredError: The link is plain http to another machine, without `allow_http=True`.
            TransportError: Somebody else answers at this address, or nobody.

        Examples:
            >>> from urllib.parse import urljoin
            >>> link = urljoin(sandbox.url, f"/join/#amara.okafor:{sandbox.token('amara.okafor')}")
            >>> client = Client.join(link)
            >>> [project["projecttitle"] for project in client.projects()]
            ['Staten Island 2050']
        """
    @classmethod
    def login(cls, base_url: str | None = None, *, profile: str | None = None, **settings: Any) -> Self:
        """Logs in once: asks for a token, tries it, and saves it for `Client()`, `AsyncClient()` and `pygeodesign`.

        With an address, it asks for the token from the API page of the service; without, for the link of a room's card. A notebook or a
        terminal shows nothing of what you enter. The address and the token are saved together, in `pygeodesign/login.json` in your folder for
        settings (`XDG_CONFIG_HOME`, `~/.config`, or `%APPDATA%` on Windows). Only you can read the file. `pygeodesign logout` removes it.

        Args:
            base_url: The service's address. Default: the environment's `GEODESIGN_URL`.
            profile: A name for this login, to keep several. `Client(profile=...)` uses it. Default: the environment's
                `GEODESIGN_PROFILE`, or the login without a name.
            settings: Settings of `Client`, such as `ca_bundle` and `proxy`. `ca_bundle` and `allow_http` are saved, too.

        Returns:
            The client.

        Raises:
            ConfigurationError: The token or the link is invalid, nobody can be asked, or the file cannot be written. The message says what
                to do instead.
            AuthenticationError: The service does not accept the token. Nothing is saved.
            TransportError: There is no answer from the service. Nothing is saved.

        Examples:
            >>> client = Client.login(sandbox.url)
            >>> Client().whoami()["profile"]
            'default'
        """
    def close(self) -> None:
        """Closes the connections. A `Project` made before keeps its own until it is deleted."""
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def _repr_html_(self) -> str: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, Any]]: ...
    def users(self) -> list[UserAccount]:
        """The accounts of the service, sorted by name. Only the operator of the service may do this.

        The operator is the user `admin`.

        Returns:
            A list of `UserAccount` dicts: `username`, `projects` and `administers` (ids of projects), `withdrawn`.

        Raises:
            PermissionDeniedError: The user is not the operator of the service.

        Examples:
            >>> [user["username"] for user in client.users() if user["administers"]]
            ['admin']
        """
    def username(self) -> str:
        """The user that the token belongs to.

        A guest has no account.

        Returns:
            The name of the user.

        Raises:
            PermissionDeniedError: The token belongs to a link for guests.

        Examples:
            >>> sandbox.client("amara.okafor").username()
            'amara.okafor'
        """
    def remove_user(self, username: str | Member | AsyncMember) -> None:
        """Withdraws an account with its tokens, memberships and selections. Its diagrams stay. Only the operator of the service may do this.

        Args:
            username: A user of the service.

        Raises:
            PermissionDeniedError: The caller is not the operator of the service.
            NotFoundError: The service has no such user.
            BadRequestError: It is the operator's own account.

        Examples:
            >>> client.add_user("guest")
            >>> client.remove_user("guest")
        """
    def tokens(self) -> list[TokenInfo]:
        """Information about the valid tokens of all accounts, without the tokens themselves. Only the operator of the service may do this.

        The time of last use is exact to the minute; the service stores it with its next change.

        Returns:
            A list of `TokenInfo` dicts: `id`, `username`, `issued_at`, `expires_at`, `last_used_at` (None if it was not used),
            `on_card`. All times are in UTC.

        Raises:
            PermissionDeniedError: The user is not the operator of the service.

        Examples:
            >>> [token["username"] for token in client.tokens() if token["last_used_at"]]
            ['admin']
        """
    def withdraw_token(self, id: str) -> None:
        """Withdraws a token. Only the operator of the service may do this.

        Args:
            id: The `id` of one of `tokens()`.

        Raises:
            PermissionDeniedError: The user is not the operator of the service.
            NotFoundError: There is no such token.

        Examples:
            >>> token = client.add_token("amara.okafor")
            >>> client.withdraw_token(token["id"])
        """
    def service_history(self) -> list[HistoryEntry]:
        """Changes of the service's accounts, tokens, creation codes and plugins, with author and time, newest first. Only the operator of the service may see this.

        Returns:
            A list of `HistoryEntry` dicts, see `Project.history`.

        Raises:
            PermissionDeniedError: The user is not the operator of the service.

        Examples:
            >>> client.add_user("noor.haddad")
            >>> entry = client.service_history()[0]
            >>> entry["username"], entry["operation"], entry["subject"]
            ('admin', 'add_user', 'user noor.haddad')
        """
    def add_user(self, username: str | Member | AsyncMember) -> None:
        """Adds an account, or restores one that was withdrawn, without its memberships. Only the operator of the service may do this.

        Args:
            username: 1 to 150 characters.

        Raises:
            InputError: The name is not a valid user name; nothing was sent.
            PermissionDeniedError: The user is not the operator of the service.

        Examples:
            >>> client.add_user("noor.haddad")
        """
    def add_token(self, username: str | Member | AsyncMember, *, expires_at: date | str | None = None) -> IssuedToken:
        """Makes a token for an account. It is shown only once. Only the operator of the service may do this.

        Args:
            username: A user of the service.
            expires_at: The time when the token expires, as for `Diagram.update`. Default: after the time set by the operator with
                `pygeodesign serve --token-lifetime`, or after six months.

        Returns:
            An `IssuedToken` dict: `id`, `username`, `token`, `expires_at` (UTC).

        Raises:
            BadRequestError: There is no such user, or the time has passed.
            PermissionDeniedError: The user is not the operator of the service.

        Examples:
            >>> token = client.add_token("amara.okafor", expires_at="2999-06-01")
            >>> len(token["token"])
            40
        """
    def whoami(self) -> Identity:
        """The service, the saved login and the user that the token belongs to.

        It takes one request, at a service other than pygeodesign's two: such a service does not say who the user is, so that the token
        is tried.

        Returns:
            An `Identity` dict: `service`, `profile` (None if the token was given or comes from the environment) and `username` (None
            for a guest, and if the service does not say).

        Raises:
            AuthenticationError: The service does not accept the token.

        Examples:
            >>> sandbox.client("amara.okafor").whoami()["username"]
            'amara.okafor'
        """
    def backup(self, path: str | PathLike[str]) -> None:
        """A copy of the whole database in its current state. Only the operator of the service may do this.

        `pygeodesign serve --db` serves it. It has all projects, and no usable token: the database has only
        digests of tokens. During the download, others can read and write.

        Args:
            path: The file, such as `"copy.sqlite"`, which only you may read. An existing file is replaced when the new one is
                complete.

        Raises:
            InputError: The file cannot be written.
            PermissionDeniedError: The user is not the operator of the service.

        Examples:
            >>> import tempfile
            >>> client.backup(f"{tempfile.mkdtemp()}/copy.sqlite")
        """
    def walk_in(self, code: str, username: str | Member | AsyncMember) -> WalkedIn:
        """Walks in to a project with a joining code and a name, and returns a token, which is shown only once. The request needs no token.

        If you have no token yet, give the client any word instead.

        Args:
            code: The joining code of a project. Case, spaces and dashes are ignored.
            username: The name that others then see, 1 to 150 characters.

        Returns:
            A `WalkedIn` dict: `username`, `projectid`, `token`, `expires_at` (UTC), `admitted`. While `admitted` is False, requests with
            the token raise `PermissionDeniedError`, until an administrator of the project admits the user.

        Raises:
            PermissionDeniedError: The code is not valid, or the project is closed to walk-ins.
            BadRequestError: The code has reached its limit of people.
            ApiError: With `status_code` 409, somebody has that name already, or one that looks the same.
            RateLimitedError: There are too many wrong codes from the same address (the limit `walk_ins_per_second`).

        Examples:
            >>> code = project.workshop.open_walk_ins("2999-06-01", team=1)["code"]
            >>> client.walk_in(code, "Yara")["admitted"]
            True
            >>> "Yara" in project.team(1).members()
            True
        """
    def sign_in(self, code: str) -> CardHolder:
        """The member whose card has a code, with the card's token. The request needs no token.

        If you have no token yet, give the client any word instead.

        Args:
            code: The code on your card. Case, spaces and dashes are ignored.

        Returns:
            A `CardHolder` dict: `username`, `token`, `expires_at` (UTC).

        Raises:
            PermissionDeniedError: No valid card has the code, or its holder is a member of no project.
            RateLimitedError: There are too many codes from the same address (the limit `walk_ins_per_second`).

        Examples:
            >>> card = project.member("jose.villanueva").add_token()
            >>> client.sign_in(card["code"])["token"] == card["token"]
            True
        """
    def projects(self) -> list[ProjectInfo]:
        """The projects that the user is a member of, oldest first.

        Returns:
            A list of `ProjectInfo` dicts, oldest first: `id`, `projecttitle`, `projectdesc`, `startdate`
            (`YYYY-MM-DD`), `projecttype`, `external_connection`.

        Raises:
            AuthenticationError: The token is missing, wrong or expired.

        Examples:
            >>> [project["id"] for project in client.projects()]
            ['StatenIsland2050']
        """
    def limits(self) -> list[Limit]:
        """The limits of the service: how much of it one request, one user or one project may use.

        Only the embedded service reports its limits.

        Returns:
            A list of `Limit` dicts: `name`, `value`, `unit` (such as `bytes` or `seconds`), `description`.

        Raises:
            AuthenticationError: The token is missing, wrong or expired.
            NotFoundError: The service does not report its limits.

        Examples:
            >>> {limit["name"]: limit["value"] for limit in client.limits()}["connections"]
            800
        """
    def latest_project(self) -> ProjectInfo | None:
        """The user's most recently created project.

        Returns:
            A `ProjectInfo` dict, or None if the user has no project.

        Raises:
            AuthenticationError: The token is missing, wrong or expired.

        Examples:
            >>> client.latest_project()["startdate"]
            '2026-03-02'
        """
    def create_project(
        self,
        creation_code: str,
        *,
        title: str,
        bounds: tuple[float, float, float, float] | str,
        systems: Iterable[NewSystem],
        description: str = "",
        center: tuple[float, float] | str | None = None,
        zoom_level: int = 10,
        tags: Iterable[NewTag | str] | None = None,
        plugins: Sequence[str] | None = None,
    ) -> str:
        """Creates a project. The user becomes its administrator.

        It is then the result of `latest_project()`.

        Args:
            creation_code: Issued by an administrator of the service.
            title: Shown at the top of the project.
            bounds: West, south, east, north of the study area in degrees.
            systems: At most nine dicts with `name` and `color` (`#RRGGBB`), and optionally `tag`, `description` and `cost` (an
                integer per hectare, or per kilometre of line).
            description: The project's description.
            center: Longitude, latitude of the map's middle in degrees. Default: the middle of the bounds.
            zoom_level: The map's zoom, from 0 to 30.
            tags: Dicts with `tag` and `code`, or names alone.
            plugins: UUIDs.

        Returns:
            The id of the new project, for `client.project`.

        Raises:
            InputError: An invalid value; nothing was sent.
            PermissionDeniedError: The creation code is not valid.
            DecodeError: The project was created, but the service does not return its id: its message has none, and its list of
                projects does not have exactly one project more than before.

        Examples:
            >>> id = client.create_project(
            ...     sandbox.creation_code(),
            ...     title="Lisbon 2050",
            ...     bounds=(-9.23, 38.69, -9.09, 38.80),
            ...     systems=[{"name": "Water", "color": "#2B7BBA", "cost": 125000}],
            ...     tags=["Resilience"],
            ... )
            >>> client.project(id).info()["projecttitle"]
            'Lisbon 2050'
        """
    def create_linked_project(
        self,
        gpl_project_id: str,
        *,
        title: str,
        bounds: tuple[float, float, float, float] | str,
        systems: Iterable[NewSystem],
        description: str = "",
        center: tuple[float, float] | str | None = None,
        zoom_level: int = 10,
        tags: Iterable[NewTag | str] | None = None,
        plugins: Sequence[str] | None = None,
    ) -> str:
        """Creates a project that is linked to a project of the companion planning platform. The user becomes its administrator.

        Args:
            gpl_project_id: The id of the project on that platform, issued by its administrator.
            title: Shown at the top of the project.
            bounds: West, south, east, north in degrees.
            systems: Dicts as for `create_project`.
            description: The project's description.
            center: Longitude, latitude in degrees. Default: the middle of the bounds.
            zoom_level: From 0 to 30.
            tags: Dicts with `tag` and `code`, or names alone.
            plugins: UUIDs.

        Returns:
            The id of the new project, for `client.project`.

        Raises:
            InputError: An invalid value; nothing was sent.
            PermissionDeniedError: The service does not know the project to link to.
            DecodeError: The project was created, but the service does not return its id, as for `create_project`.

        Examples:
            >>> linked = {"title": "Linked", "bounds": (-9.23, 38.69, -9.09, 38.80), "systems": [{"name": "Water", "color": "#2B7BBA"}]}
            >>> with Sandbox(setup={"linked_projects": ["GPL-7"]}) as other:
            ...     id = other.client().create_linked_project("GPL-7", **linked)
            ...     other.project(id).info()["external_connection"]
            'esri'
        """
    def project(self, project: str | Project | AsyncProject) -> Project:
        """A project of the service. Nothing is sent until you ask it for something.

        Args:
            project: Its id (16 letters and digits), its title in upper or lower case, or the unique start of its title. Text in the
                form of an id is an id.

        Raises:
            InputError: On the first request: the user has no project of that title, or several; it lists them.
            NotFoundError: On the first request: there is no project of that id.

        Examples:
            >>> client.project("Staten Island").id
            'StatenIsland2050'
        """
    def archive_all(
        self,
        store: Any,
        projects: Iterable[str | Project | AsyncProject] | Mapping[str, Mapping[str, Any]] | None = None,
        *,
        storage_options: dict[str, Any] | None = None,
        progress: bool | None = None,
    ) -> ArchiveAllReport:
        """Writes an archive of many projects into a folder or a bucket, or updates the one there.

        Each project has a folder `project=ID/` with `diagrams.parquet` (GeoParquet), `systems.parquet`, `designs.parquet`,
        `costs.parquet`, and `project.zip` for `pygeodesign.open`. `pygeodesign.read_archive` reads all of it.

        A project that is already in the archive is read only if its change id is different, which takes one request.
        Readers see each project in its old or its new state, never half of it, also after an interruption at any
        moment. Ctrl-C keeps the complete projects.

        Args:
            store: A folder; a URL such as `"s3://bucket/archive"`, which needs fsspec and the library of its protocol; a
                filesystem of fsspec, such as a `DirFileSystem`; or a store of obstore.
            projects: Ids or projects; or a dict from ids to dicts of further columns for the manifest, such as
                `{"StatenIsland2050": {"region": "Northeast"}}`, by which `ProjectsArchive.costs(by="region")` sums.
                Default: all projects of the user. Other projects in the archive stay unchanged.
            storage_options: Options of fsspec for the URL, such as `{"profile": "archive"}`.
            progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

        Returns:
            An `ArchiveAllReport` dict: the ids `archived`, `unchanged` and `kept`, and `failures`, a dict from the id of
            each project that could not be read to its exception.

        Raises:
            ArchiveError: The store has other data under that name, an archive of a newer version, or cannot be written.
            InputError: The store or a project is of another kind.
            ImportError: GeoPandas, pyarrow or fsspec is missing; `pip install 'pygeodesign[many]'` installs all.

        Warns:
            UserWarning: Some projects could not be read; the message names them. All others are archived.

        Examples:
            >>> import tempfile, pygeodesign
            >>> folder = tempfile.mkdtemp()
            >>> client.archive_all(folder)["archived"]
            ['StatenIsland2050']
            >>> len(pygeodesign.read_archive(folder).costs())
            9
        """

@final
class AsyncClient:
    """A connection to the service as one user, for asyncio.

    The same settings, operations and arguments as `Client`; every operation is awaited. It works with `async with`.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def titles(sandbox):
        ...     async with sandbox.async_client() as client:
        ...         return [project["projecttitle"] for project in await client.projects()]
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(titles(sandbox))
        ['Staten Island 2050']
    """

    def __new__(
        cls,
        token: str | None = None,
        base_url: str | None = None,
        *,
        profile: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 10.0,
        read_timeout: float | None = None,
        retries: int = 3,
        max_concurrency: int | None = None,
        max_response_bytes: int = 268435456,
        proxy: str | None = None,
        headers: Mapping[str, str] | None = None,
        ca_bundle: str | PathLike[str] | None = None,
        authority: str | None = None,
        compression: bool | None = None,
        cache: bool | str | PathLike[str] = False,
        max_cache_bytes: int = 536870912,
        strict: bool = False,
        allow_http: bool = False,
    ) -> Self: ...
    @property
    def base_url(self) -> str:
        """The API root that requests go to, ending in `/api/v1/`."""
    @classmethod
    def join(cls, link: str, **settings: Any) -> Coroutine[Any, Any, Self]:
        """Joins a room with the link of a card. As `Client.join`, awaited."""
    @classmethod
    def login(
        cls, base_url: str | None = None, *, profile: str | None = None, **settings: Any
    ) -> Coroutine[Any, Any, Self]:
        """Logs in once: asks for a token, tries it, and saves it for `Client()`, `AsyncClient()` and `pygeodesign`. As `Client.login`, awaited."""
    def close(self) -> None:
        """Closes the connections. As `Client.close`."""
    def __aenter__(self) -> Coroutine[Any, Any, Self]: ...
    def __aexit__(self, *_exception: object) -> Coroutine[Any, Any, None]: ...
    def _repr_html_(self) -> str: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, Any]]: ...
    async def users(self) -> list[UserAccount]:
        """The accounts of the service, sorted by name. As `Client.users`, awaited."""
    async def username(self) -> str:
        """The user that the token belongs to. As `Client.username`, awaited."""
    async def remove_user(self, username: str | Member | AsyncMember) -> None:
        """Withdraws an account with its tokens, memberships and selections. As `Client.remove_user`, awaited."""
    async def tokens(self) -> list[TokenInfo]:
        """Information about the valid tokens of all accounts, without the tokens themselves. As `Client.tokens`, awaited."""
    async def withdraw_token(self, id: str) -> None:
        """Withdraws a token. As `Client.withdraw_token`, awaited."""
    async def service_history(self) -> list[HistoryEntry]:
        """Changes of the service's accounts, tokens, creation codes and plugins, with author and time, newest first. As `Client.service_history`, awaited."""
    async def add_user(self, username: str | Member | AsyncMember) -> None:
        """Adds an account, or restores one that was withdrawn, without its memberships. As `Client.add_user`, awaited."""
    async def add_token(
        self, username: str | Member | AsyncMember, *, expires_at: date | str | None = None
    ) -> IssuedToken:
        """Makes a token for an account. As `Client.add_token`, awaited."""
    async def whoami(self) -> Identity:
        """The service, the saved login and the user that the token belongs to. As `Client.whoami`, awaited."""
    async def backup(self, path: str | PathLike[str]) -> None:
        """A copy of the whole database in its current state. As `Client.backup`, awaited."""
    async def walk_in(self, code: str, username: str | Member | AsyncMember) -> WalkedIn:
        """Walks in to a project with a joining code and a name, and returns a token, which is shown only once. As `Client.walk_in`, awaited."""
    async def sign_in(self, code: str) -> CardHolder:
        """The member whose card has a code, with the card's token. As `Client.sign_in`, awaited."""
    async def projects(self) -> list[ProjectInfo]:
        """The projects that the user is a member of, oldest first. As `Client.projects`, awaited."""
    async def limits(self) -> list[Limit]:
        """The limits of the service: how much of it one request, one user or one project may use. As `Client.limits`, awaited."""
    async def latest_project(self) -> ProjectInfo | None:
        """The user's most recently created project. As `Client.latest_project`, awaited."""
    async def create_project(
        self,
        creation_code: str,
        *,
        title: str,
        bounds: tuple[float, float, float, float] | str,
        systems: Iterable[NewSystem],
        description: str = "",
        center: tuple[float, float] | str | None = None,
        zoom_level: int = 10,
        tags: Iterable[NewTag | str] | None = None,
        plugins: Sequence[str] | None = None,
    ) -> str:
        """Creates a project. As `Client.create_project`, awaited."""
    async def create_linked_project(
        self,
        gpl_project_id: str,
        *,
        title: str,
        bounds: tuple[float, float, float, float] | str,
        systems: Iterable[NewSystem],
        description: str = "",
        center: tuple[float, float] | str | None = None,
        zoom_level: int = 10,
        tags: Iterable[NewTag | str] | None = None,
        plugins: Sequence[str] | None = None,
    ) -> str:
        """Creates a project that is linked to a project of the companion planning platform. As `Client.create_linked_project`, awaited."""
    def project(self, project: str | Project | AsyncProject) -> AsyncProject:
        """A project of the service. As `Client.project`."""
    async def archive_all(
        self,
        store: Any,
        projects: Iterable[str | Project | AsyncProject] | Mapping[str, Mapping[str, Any]] | None = None,
        *,
        storage_options: dict[str, Any] | None = None,
        progress: bool | None = None,
    ) -> ArchiveAllReport:
        """Writes an archive of many projects into a folder or a bucket, or updates the one there. As `Client.archive_all`, awaited."""

@final
class Project:
    """A project of the service, from `Client.project(id)`. It holds no data: every call asks the service.

    Every operation raises `AuthenticationError` for a bad token, `NotFoundError` for an id that does not exist or a project
    that the user is not a member of, and `TransportError`, `RequestTimeoutError` or `DecodeError` if the response does not arrive
    or cannot be read.
    """

    @property
    def id(self) -> str:
        """The project's id: 16 letters and digits. For a project given by its title, it is known after the lookup."""
    @property
    def workshop(self) -> Workshop:
        """Participation: activities open to members, guests, walk-ins, negotiations, stakeholders, plugins.

        Examples:
            >>> project.workshop.activities()["drawing"]["open"]
            True
        """
    @property
    def study_area(self) -> StudyArea:
        """The land of the project: bounds, boundaries, constraints, context, data layers.

        Examples:
            >>> west, south, east, north = project.study_area.bounds()
        """
    def watch(self, *, interval: float = 5.0, timeout: float | None = None) -> Iterator[ProjectChange]:
        """Watches the project: yields what is added, changed and removed, as it happens.

        It starts watching with this call. With asyncio, the call is not awaited, and watching starts with the first step of the
        iteration: `async for change in project.watch(): …`

        If the service reports changes (`events/`), each arrives within moments, whatever its subject. Otherwise only diagrams are
        watched: every `interval` seconds, it reads the list of diagrams, and the change ids of 50 diagrams in turn. An edit of one
        among 200 is found within four intervals.

        While the service restarts or the network is down, the iterator waits and reconnects; no change is lost or reported twice.
        If the service cannot report everything that happened meanwhile, it yields a change of `kind` `"project"`, and then the
        differences of diagrams.

        Args:
            interval: Seconds between two requests, if the service reports no changes or a proxy holds them back.
            timeout: End when nothing has changed for this many seconds. Default: never; Ctrl-C ends it.

        Returns:
            An iterator, asynchronous for an `AsyncProject`, of `ProjectChange` dicts: `kind` (`"diagram"`, `"tag"`, `"design"`, `"selection"`, `"system"`, …), `action`
            (`"added"`, `"changed"` or `"removed"`), `id`, and `diagram`: the `FeatureCollection` of a diagram that was added or
            changed, otherwise None.

        Raises:
            InputError: A time is not greater than 0; or the project was opened from an archive, which does not change.

        Examples:
            >>> changes = project.watch(interval=0.1, timeout=5)
            >>> project.diagram(1007).set_notes("Ask the library.")
            >>> change = next(changes)
            >>> change["action"], change["kind"], change["id"], change["diagram"].metadata["notes"]
            ('changed', 'diagram', 1007, 'Ask the library.')
        """
    def archive(
        self, path: str | PathLike[str], *, thumbnails: bool = False, progress: bool | None = None
    ) -> dict[str, int]:
        """Downloads everything you can read of the project into one file, for `pygeodesign.open`.

        The file is a zip of the service's responses in JSON, with a manifest. It is written under another name and renamed when
        it is complete, so an existing file of that name stays unchanged until then. The token is not in it. If diagrams,
        systems, members or teams come or go meanwhile, the project is read again, at most three times.

        Args:
            path: The file, such as `"staten.zip"`. Its folder must exist.
            thumbnails: True to add the pictures of all diagrams.
            progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

        Returns:
            A dict from `diagrams`, `systems`, `members`, `teams` and `designs` to their number in the file.

        Raises:
            ArchiveError: The file cannot be written.
            InputError: The project changed each time it was read.

        Examples:
            >>> import tempfile
            >>> folder = tempfile.mkdtemp()
            >>> project.archive(f"{folder}/staten.zip")["systems"]
            9
        """
    def sync(self, path: str | PathLike[str], *, progress: bool | None = None) -> SyncReport:
        """Brings an archive up to date: the file becomes what a new archive would be, but only changes are downloaded.

        If the change id of the project is still the same, nothing is downloaded. Otherwise the lists of all diagrams are downloaded, and
        the diagrams that differ in them or have different change ids. Everything else is downloaded unless the service says that it is
        unchanged (`ETag`). If there is no such file, the project is archived. An archive with pictures gets new pictures of what changed.

        Until the new archive is complete, the file stays unchanged. Offline work is not lost: an archive of a sandbox that
        was loaded from an archive, and changed since, is refused.

        Args:
            path: The archive.
            progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

        Returns:
            A `SyncReport` dict: `added`, `changed` and `removed` (ids of diagrams), `downloaded` (responses of the service), `kept`
            (members of the archive that it did not have to send) and `bytes` (of the responses, after decompression).

        Raises:
            ArchiveError: The file is not an archive, is damaged, or cannot be written.
            InputError: It is an archive of another project, or of another service or a changed copy, which may hold what this service
                does not have; or the project changed each time it was read.

        Examples:
            >>> import tempfile
            >>> path = f"{tempfile.mkdtemp()}/staten.zip"
            >>> counts = project.archive(path)
            >>> project.diagram(1003).set_notes("Ask the ferry company.")
            >>> project.sync(path)["changed"]
            [1003]
        """
    def merge(
        self, path: str | PathLike[str], *, dry_run: bool = False, prefer: Literal["here", "archive"] | None = None
    ) -> MergeReport:
        """Merges offline work: brings the changes in an archive of a copy of the project into the project.

        A copy is what `Sandbox(project="staten.zip")` or `serve --load` made from an archive of this project. Everything added, changed or
        removed in it is merged: diagrams with their titles, notes, dates, tags, costs and geometry, selections, designs, new teams and
        tags, figures of systems and the title of the project. If both sides changed something in different ways, it is listed and stays as
        it is here, unless `prefer` says which side counts. Everything is merged in one transaction, or nothing. Merging the same archive
        again, or an older one of the same copy, changes nothing.

        Administrators merge everything, each diagram with its author. Other members merge their own diagrams and selection, and the designs
        of their teams; diagrams drawn by the copy's `admin` count as theirs. Members, maps of the project, votes and groups are not merged.
        If everything was merged or decided, `complete` is True and `sync` accepts the archive.

        Args:
            path: The archive, as `archive` writes it in the copy.
            dry_run: True to change nothing and only report what would be done.
            prefer: `"here"` or `"archive"`: the side that counts if both changed the same thing. Default: neither.

        Returns:
            A `MergeReport` dict. `added`, `changed` and `removed` list what was merged: `kind` (`"diagram"`, `"selection"`, `"design"`, `"team"`,
            `"tag"`, `"system"` or `"project"`), its `id` in the archive and `here` (a different one if both sides used the same id),
            `title`, and the `fields` that changed. `conflicts` has, by field, what it was `before`, `here` and in the `archive`. `left` has
            everything that was not merged, with the `reason`. `superseded_by` is the date of a later archive of the copy that was merged
            before.

        Raises:
            ArchiveError: The file is not an archive, or is damaged.
            InputError: It is an archive of another project; nothing was sent.
            PermissionDeniedError: Drawing, selecting, designing or commenting is closed.
            ApiError: The archive and the project have no common origin (409).

        Examples:
            >>> import tempfile
            >>> from pygeodesign import Sandbox
            >>> folder = tempfile.mkdtemp()
            >>> counts = project.archive(f"{folder}/staten.zip")
            >>> with Sandbox(project=f"{folder}/staten.zip") as offline:
            ...     copy = offline.client().project(project.id)
            ...     copy.diagram(1003).set_notes("Ask the ferry company.")
            ...     counts = copy.archive(f"{folder}/train.zip")
            >>> report = project.merge(f"{folder}/train.zip")
            >>> [(thing["kind"], thing["id"], thing["fields"]) for thing in report["changed"]]
            [('diagram', 1003, ['notes'])]
            >>> report["complete"]
            True
        """
    def change_id(self) -> str:
        """The change id of the project: a text that differs after each change of anything that the project shows.

        Compare it with an earlier one: while it is the same, nothing has changed. If the service has no such id, it is a digest
        of the list of diagrams and of the change ids of all diagrams (one request for each), and stays the same when something
        other than a diagram changes.

        Examples:
            >>> before = project.change_id()
            >>> project.diagram(1004).set_notes("Ask the harbour.")
            >>> project.change_id() == before
            False
        """
    def comment(self, text: str, *, place: tuple[float, float] | str) -> Comment:
        """Adds a comment on a place. `Diagram.comment` and `Design.comment` add one on a diagram or a design.

        Args:
            text: Plain text.
            place: Longitude and latitude in degrees.

        Returns:
            A `Comment` dict, as from `comments()`.

        Raises:
            InputError: An empty text, or a place that is not on Earth; nothing was sent.
            PermissionDeniedError: The user is a guest, or commenting is closed.

        Examples:
            >>> project.comment("The bus turns here.", place=(-74.1, 40.6))["place"]
            [-74.1, 40.6]
        """
    def reply(self, comment: Comment | str, text: str) -> Comment:
        """Adds a reply to a thread.

        Args:
            comment: The first comment of the thread: its dict or its id.
            text: Plain text.

        Returns:
            A `Comment` dict, as from `comments()`.

        Raises:
            InputError: An empty text; nothing was sent.
            BadRequestError: The project has no such comment, or it is a reply itself.
            PermissionDeniedError: The user is a guest, or commenting is closed.

        Examples:
            >>> question = project.diagram(1001).comment("Who maintains it?")
            >>> project.reply(question, "The parks department.")["reply_to"] == question["id"]
            True
        """
    def edit_comment(self, comment: Comment | str, *, text: str | None = None, resolved: bool | None = None) -> Comment:
        """Changes the text of a comment, or resolves or reopens a thread by its first comment. Members change their own texts and resolve every thread, but only its author and those asked resolve a review. Administrators do all of it.

        Args:
            comment: The comment: its dict or its id.
            text: Its new text.
            resolved: True to resolve the thread, False to reopen it.

        Returns:
            The changed `Comment` dict, as from `comments()`.

        Raises:
            InputError: An empty text; nothing was sent.
            BadRequestError: A reply is to be resolved.
            PermissionDeniedError: Somebody else wrote the text, or others are asked for the review, and the user is not an administrator of
                the project; or commenting is closed.
            NotFoundError: The project has no such comment.

        Examples:
            >>> question = project.diagram(1001).comment("Who maintains it?")
            >>> project.edit_comment(question, resolved=True)["resolved"]
            True
        """
    def delete_comment(self, comment: Comment | str) -> None:
        """Removes a comment that has no replies. Members remove their own, administrators every one.

        Args:
            comment: The comment: its dict or its id.

        Raises:
            PermissionDeniedError: Somebody else wrote it, and the user is not an administrator of the project; or commenting is closed.
            NotFoundError: The project has no such comment.
            ApiError: With `status_code` 409, the comment has replies.

        Examples:
            >>> project.delete_comment(project.diagram(1001).comment("A mistake"))
        """
    def costs(
        self,
        *,
        member: str | Member | AsyncMember | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        diagrams: Iterable[_Diagram] | None = None,
        land: Literal["all", "inside"] = "all",
        check: bool = False,
        external: bool = False,
        max_bytes: int = 100000000,
        allow_private: bool = False,
        strict: bool = False,
    ) -> CostReport:
        """The cost of diagrams, system by system.

        For each diagram, in this order: an override of type `total` is the cost; a policy costs nothing; the rate is the
        diagram's own if it has one, else its system's; a diagram that covers any area costs rate × hectares, one with
        lines only rate × kilometres, one with points only rate × their number. Area and length are geodesic on WGS 84 (Karney 2013), from the geometry; if there is
        none, from the external file if requested, or else the service's own figures. A diagram of unknown rate or area
        has no cost: the report counts it in `unpriced`, and leaves it out of its sums.

        With `land="inside"`, area and length are those of the part inside the study area, the project's boundaries; what lies along them is
        inside. An override of type `total` stays as it is. A diagram without a geometry counts as a whole. `outside_note` of each row says
        what is not counted, or why all of it is.

        Args:
            member: Price the diagrams that this member selected.
            design: Price this design: the object, its id, its title or its title's unique start.
            team: The design's team, if several teams have designs of that title. Without `design`, the team's latest design, named in the
                report's title.
            diagrams: Price these diagrams: the objects, their ids, their titles or their titles' unique starts. Without any of these four,
                every diagram.
            land: The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area.
            check: True to check the geometries, as `FeatureCollection.problems()` does: an invalid one, such as one with overlapping parts,
                may have a wrong cost. The report then has the number of invalid ones (`invalid`), and the reasons (`geometry_problem`).
            external: True to download the files of external diagrams, as `external()` does, and to price these by the
                geometries in the files (`area_source` is `external`). If a file cannot be opened, `file_problem` says why.
            max_bytes: The largest external file that is read. Default: 100 MB.
            allow_private: True to allow external files on this machine or in a private network; see `external()`.
            strict: True to raise an error for a diagram with a wrong or unreadable value, or with a system that the project does not list.
                By default it has no cost: `unpriced` counts it, `cost_problem` says why, and a `UserWarning` says how many there are.

        Returns:
            A `CostReport`.

        Raises:
            InputError: More than one way to choose diagrams, or a diagram, team or design that the project does not have. For `land="inside"`, the
                project has no boundaries, or the overlay with them would take too long.
            DecodeError: A diagram has no id; with `strict=True`, a diagram is wrong.
            ImportError: For `external=True`, GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Examples:
            >>> report = project.costs(diagrams=[1001, 1002])
            >>> report.total == sum(row["cost"] for row in report.diagrams)
            True
            >>> inside = project.costs(diagrams=[1001, 1002], land="inside")
            >>> inside.total <= report.total
            True
        """
    @overload
    def diagrams(
        self,
        *,
        fields: Literal["all"] = "all",
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        member: str | Member | AsyncMember | None = None,
        ids: Iterable[_Diagram] | None = None,
        strict: bool = False,
    ) -> FeatureCollection:
        """The diagrams of the project: all of them, or those that match all given arguments.

        With `fields="all"` there is one row per feature, and one row for each diagram without features. Each row has the diagram's fields
        and the feature's own; if both have a field of the same name, the diagram's value is used. Values that a service sent in a form
        that cannot be read, such as the date 2024-13-45, are left out of their rows; a `UserWarning` counts these rows, and `problems()` of
        the collection names them.

        Args:
            fields: `"all"` for features with all fields; `"details"` for all fields without features; `"summary"` for the title, author,
                system, rank and time of creation.
            team: The design's team, if several teams have designs of that title. Without `design`, the team's latest design.
            design: Only diagrams of this design: the object, its id, its title or its title's unique start.
            system: Only diagrams of this system: the object, its id, name or tag, or the unique start of its name.
            member: Only diagrams that this member selected.
            ids: Only these diagrams: the objects, their ids, their titles or their titles' unique starts.
            strict: True to raise an error if a row cannot be read. Default: the client's `strict`.

        Returns:
            With `fields="all"`, a `FeatureCollection`. Its columns are the same for every project: ids are integers, `area` (m²) and
            `length` (km) floats, dates timestamps, free-form objects JSON text. With `"details"`, a list of `DiagramDetails` dicts; `area`
            is in m², `length` in km, dates are `YYYY-MM-DD`, or None if they were never set. With `"summary"`, a list of `DiagramSummary`
            dicts: `id`, `worlddescription` (the title), `author`, `created_at` (ISO 8601, without zone), `rank`, `sysid`.

        Raises:
            InputError: `fields` has another value; or the project has no such team, design, system or diagram.
            PermissionDeniedError: `member` is not a member of the project.
            DecodeError: The response is not a list of diagrams; a diagram has no id; with `strict=True`, a row cannot
                be read, has a wrong value, or belongs to a system that the project does not list.

        Examples:
            >>> len({feature["properties"]["diagramid"] for feature in project.diagrams()})
            180
            >>> [diagram["id"] for diagram in project.diagrams(fields="summary", system="Water", design="Design 1 – room")][:3]
            [1001, 1004, 1005]
        """
    @overload
    def diagrams(
        self,
        *,
        fields: Literal["details"],
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        member: str | Member | AsyncMember | None = None,
        ids: Iterable[_Diagram] | None = None,
        strict: bool = False,
    ) -> list[DiagramDetails]: ...
    @overload
    def diagrams(
        self,
        *,
        fields: Literal["summary"],
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        member: str | Member | AsyncMember | None = None,
        ids: Iterable[_Diagram] | None = None,
        strict: bool = False,
    ) -> list[DiagramSummary]: ...
    def group_diagrams(self, groups: Mapping[str, Iterable[_Diagram]]) -> None:
        """Puts diagrams into groups. The diagrams of an existing group are replaced.

        Other groups stay as they are.

        Args:
            groups: A dict from group name to diagrams: the objects, their ids or titles.

        Raises:
            NotFoundError: The project has no such diagram; nothing was changed.

        Examples:
            >>> project.group_diagrams({"East Shore": [1001, 1002], "North Shore": [1040]})
        """
    def diagram_change_ids(self, ids: Iterable[_Diagram] | None = None) -> dict[int, str]:
        """The change ids of many diagrams, requested concurrently.

        Args:
            ids: Diagrams: the objects, their ids or titles. Default: all diagrams.

        Returns:
            A dict from diagram id to change id.

        Raises:
            NotFoundError: The project does not have one of the diagrams.

        Examples:
            >>> sorted(project.diagram_change_ids([1001, 1002]))
            [1001, 1002]
        """
    def land(
        self,
        pairs: Iterable[tuple[Diagram | int | str, Diagram | int | str]] = (),
        *,
        classes_of: Iterable[_Diagram] | None = None,
        land: Literal["all", "inside"] = "all",
    ) -> LandOfDiagrams:
        """The land of diagrams, computed by the service: overlaps of pairs, and hectares in each class of an evaluation map.

        Use it for a few diagrams of a large project: `compare()` answers the same for complete designs, but downloads all diagrams. Areas are
        geodesic, edges geodesics, and each place of a diagram counts once. Lines have no land, nor do features in external files.
        Other services may not have this operation.

        Args:
            pairs: Pairs of diagrams: the objects, their ids or titles.
            classes_of: The diagrams whose land is looked up in the evaluation map of their system.
            land: The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area.

        Returns:
            A `LandOfDiagrams` dict in hectares: `shared_ha`, a number for each pair in order, and `classes`, a dict for each of
            `classes_of` with `diagramid`, `area_ha`, `evaluation` (dicts with `areatype` and `area_ha`, from where change is least wanted
            to where it is most) and `outside_ha` of all classes, which are None if the system has no evaluation map, and
            `outside_study_area_ha`, None if the project has no boundaries. With `land="inside"`, that land is in no other figure.

        Raises:
            InputError: The project has no diagram of that title, or a pair does not have two diagrams.
            BadRequestError: The project has no diagram of that id; or the diagrams are too many or too large for the service to compare at once. For
                `land="inside"`, the project has no boundaries.
            NotFoundError: The service does not answer questions about land.

        Examples:
            >>> land = project.land([(1001, 1002), (1001, 1010)], classes_of=[1003])
            >>> len(land["shared_ha"]), [part["areatype"] for part in land["classes"][0]["evaluation"]]
            (2, ['red', 'yellow', 'green'])
        """
    def thumbnails(self, ids: Iterable[_Diagram] | None = None, progress: bool | None = None) -> dict[int, bytes]:
        """Pictures of many diagrams, fetched several at once.

        Args:
            ids: Diagrams: the objects, their ids or titles. Default: all diagrams.
            progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

        Returns:
            A dict from diagram id to a PNG, as bytes.

        Raises:
            NotFoundError: The project has no such diagram.

        Examples:
            >>> sorted(project.thumbnails([1001, 1002]))
            [1001, 1002]
        """
    def add_diagram(
        self,
        system: _System,
        geometry: _Geometries,
        *,
        title: str,
        kind: Literal["project", "policy"] = "project",
        funding: Literal[
            "public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"
        ] = "public",
        feature_type: Literal["polygon", "line"] | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        building_data: Mapping[str, Any] | None = None,
        outside: Literal["refuse", "allow"] = "refuse",
    ) -> Diagram:
        """Adds a diagram to a system.

        A geometry completely outside the study area is refused: its axes are probably swapped, or it belongs elsewhere. The study
        area is the land of the project's boundaries or, without boundaries, within its bounds; the first call requests them.

        Args:
            system: The system: the object, its id, name or tag, or the unique start of its name.
            geometry: Polygons, lines or points: a GeoDataFrame or GeoSeries (reprojected to WGS 84 from its CRS), a shapely geometry,
                anything with `__geo_interface__` or an Arrow stream, GeoJSON as a dict or string, or the path of a file that
                GeoPandas reads. All its features are one diagram. The only attributes sent are storeys and heights, in metres above the
                ground: `volume_information` (a dict with `min_height` and `max_height`), or `min_height` and `max_height`
                themselves. A feature with a `max_height` alone stands on the ground. Positions up to 1e-9 degrees beyond longitude ±180 or
                latitude ±90 are moved to that limit.
            title: The diagram's title.
            kind: `"project"` or `"policy"`.
            funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
            feature_type: `"polygon"`, `"line"` or `"point"`. Default: the type of the geometry.
            start_date: The first day of the diagram, as `Diagram.update` takes it.
            end_date: The last day. A single date stands for both; without any, the diagram is undated.
            building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`, whole numbers from which floors are
                counted. Default: these attributes of the geometry.
            outside: For a feature completely outside the study area, `"refuse"`, or `"allow"` to add it. If a feature is partly outside, a
                warning gives the share.

        Returns:
            The `Diagram`. A warning gives its size and share on constraints, land where nothing can change.

        Raises:
            InputError: No CRS; several types of geometries; two points at one place; an empty, unclosed or self-crossing geometry, one with NaN or outside the
                range of longitude and latitude, one outside the study area; features that cover the same land, which would be priced twice;
                heights that are not numbers. It names the features; nothing was added. Or the project has no system of that name; it lists
                the systems.
            ApiError: The project refuses drawings on constraints (400).
            NotFoundError: The project has no system with that id.

        Examples:
            >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
            >>> garden = project.add_diagram("Water", {"type": "Polygon", "coordinates": [ring]}, title="Rain garden")
            >>> garden.system.name
            'Water'
            >>> trees = {"type": "MultiPoint", "coordinates": [(-74.15, 40.57), (-74.14, 40.57)]}
            >>> planted = project.add_diagram("Green infrastructure", trees, title="Two trees")
            >>> project.costs(diagrams=[planted]).diagrams[0]["pieces"]
            2
        """
    def preview(
        self,
        system: _System,
        geometry: _Geometries,
        *,
        kind: Literal["project", "policy"] = "project",
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        land: Literal["all", "inside"] = "all",
        building_data: Mapping[str, Any] | None = None,
    ) -> Preview:
        """Previews the effects of adding a drawing to a system. Nothing is written.

        Other services may not have this operation. Areas are geodesic, and edges geodesics, as in `compare()`.

        Args:
            system: The system: the object, its id, name or tag, or the unique start of its name.
            geometry: Polygons, lines or points, as `add_diagram` takes them.
            kind: `"project"` or `"policy"`. A policy claims no land, so it has no conflicts.
            team: Look for conflicts with this team's latest design, or with its `design`. Default: with the user's selection.
            design: Look for conflicts with this design: the object, its id, its title or its title's unique start.
            land: The land that counts: `"all"`, or `"inside"` for the part of the drawing inside the study area.
            building_data: A dict with storeys, as for `add_diagram`.

        Returns:
            A `Preview` dict: `faults` (dicts with `feature`, `reason`, `code` and `position`; if there are any, all else is None or empty, unless
            the code is `on_constraints`), `area_ha`, `length_km`, `pieces` (the number of points), `rate`, `cost` (None if the system has no
            rate), `share_outside` (of the study area, from 0 to 1), `evaluation` (dicts with `areatype`, `area_ha`, `length_km` and `pieces`,
            one for each class of the system's evaluation map), `conflicts_ha` (land that projects also claim, each place once), `conflicts`
            (dicts with `diagramid`, `sysid`, `description` and `area_ha`), `good_land` (dicts with `sysid`, `area_ha` and `impact` for the
            other systems on whose capable, suitable or feasible land a project lies; empty if the system has no impacts, None if the maps
            are too large to compare) and `constraints` (`area_ha`, `length_km`, `pieces` and `share` on land where nothing can change; None
            if the project has no constraints), `floor_m2` (None without storeys) and, if the system has some, `quantities`: amounts by name, None if
            unknown. With `land="inside"` also `outside_ha`, `outside_km`, `outside_pieces` and `outside_note`,
            which do not count.

        Raises:
            InputError: No CRS, or a source without geometries; or the project has no such system, team or design; it lists them.
            ApiError: For `land="inside"`, the project has no boundaries (400).
            NotFoundError: The project has no such system or design, or the service has no previews.
            RateLimitedError: The user has more requests at the same time than the service's limits allow.

        Examples:
            >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
            >>> preview = project.preview("Water", {"type": "Polygon", "coordinates": [ring]})
            >>> round(preview["area_ha"], 1), preview["share_outside"], preview["faults"]
            (47.0, 0.0, [])
            >>> [part["areatype"] for part in preview["evaluation"]]
            ['red', 'yellow', 'green']
        """
    def add_diagrams(
        self,
        system: _System,
        frame: _Geometries,
        *,
        title: str,
        kind: str = "project",
        funding: str = "public",
        feature_type: str | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        layer: str | None = None,
        outside: Literal["refuse", "allow"] = "refuse",
        duplicates: Literal["warn", "skip"] = "warn",
        on_error: Literal["raise", "skip"] = "raise",
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> list[UploadedRow]:
        """Adds one diagram for each row of a frame or a file, several at once.

        Every row is checked before the first is sent, and an error names all rows that cannot be sent. Each row then succeeds or
        fails independently of the others.

        Args:
            system: The system: the object, its id, name or tag, or the unique start of its name.
            frame: A GeoDataFrame (reprojected to WGS 84 from its CRS), the path of a file of up to 256 MiB
                (GeoPackage, GeoJSON, Shapefile, FlatGeobuf, GeoParquet, KML or GML; also reprojected), or anything that
                `add_diagram` takes, with heights as there. The columns `storeys_above_ground` and `storeys_below_ground`, or `building_data`, are
                sent, too.
            title: The name of the column with the titles.
            kind: `"project"`, `"policy"`, or the name of a column with these values.
            funding: `"public"`, `"public_private"`, `"private"`, `"budgeted"`, or the name of a column with these values.
            feature_type: `"polygon"`, `"line"`, `"point"`, or the name of a column with these values. Default: the type of each geometry.
            start_date: The first day: a date for all rows, or the name of a column. A row is undated if its cell is empty.
            end_date: The last day, in the same form. A single date stands for both.
            layer: The layer of a file that has several.
            outside: For rows completely outside the study area, `"refuse"`, or `"allow"` to add them. If rows are
                partly outside, a warning gives the share.
            duplicates: For rows with the same geometry as a diagram of the system, `"warn"` to name them, or `"skip"` to leave them out,
                such as the rows of a frame that was partly sent before.
            on_error: For rows that cannot be sent, `"raise"` an error, or `"skip"` them and send the others.
            dry_run: True to check everything without sending it.
            progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

        Returns:
            A list of `UploadedRow` dicts in the order of the rows: `position` (from 0), `row` (the label in the index), `title`,
            `diagram_id` (for a skipped row, the id of the existing diagram) and `grid_location` (None if it
            failed, and after a dry run), `error` (None if there is none) and `constraints` (the part on land where nothing can change, as in
            `preview()`; None if it was not added, or the project has no constraints). To send the rest again:
            `frame.iloc[[row["position"] for row in report if row["diagram_id"] is None]]`.

        Raises:
            InputError: Rows that cannot be sent, as for `add_diagram`; it names up to 20 of them and counts the others, and has all
                of them as `rows`, which are `UploadedRow` dicts. Or the
                project has no such system; it lists the systems. Or a file that cannot be read, or has several layers. Nothing
                was added.

        Examples:
            >>> frame = project.study_area.boundaries().to_geopandas()
            >>> checked = project.add_diagrams("Green infrastructure", frame, title="bname", kind="policy", dry_run=True)
            >>> frame.to_file("districts.gpkg")
            >>> report = project.add_diagrams("Green infrastructure", "districts.gpkg", title="bname", kind="policy")
            >>> report[0]["title"], report[0]["error"]
            ('Staten Island', None)
        """
    def votes(self) -> list[Vote]:
        """The votes of all members on the diagrams of the project.

        While votes are hidden, members see only their own, administrators all.

        Returns:
            A list of `Vote` dicts: `diagram`, `username`, `vote` (from -2, strongly against, to 2, strongly for), `comment`,
            `voted_at` (UTC).

        Examples:
            >>> project.diagram(1002).vote(2, "Shade where children play.")
            >>> [(vote["diagram"], vote["vote"]) for vote in project.votes()]
            [(1002, 2)]
        """
    def comments(self) -> list[Comment]:
        """The comments on diagrams, designs and places of the project, oldest first.

        A thread is a first comment and its replies. Comments on removed diagrams are left out until the diagrams are restored.

        Returns:
            A list of `Comment` dicts: `id`, `author`, `text`, `created_at` (UTC), `edited_at` (or None); one of `diagram` (its id),
            `design` (its id) and `place` (longitude and latitude); `reply_to` (the id of the thread's first comment, or None),
            `resolved`, `resolved_by` (or None); `review` (True if the thread asks for a review), `asked` (the members who are asked;
            empty for all).

        Examples:
            >>> question = project.diagram(1002).comment("Why not further north?")
            >>> answer = project.reply(question, "The pipe ends here.")
            >>> [comment["text"] for comment in project.comments()]
            ['Why not further north?', 'The pipe ends here.']
        """
    def presence(self) -> list[PresentMember]:
        """The members who are here: those who listen to the project's events, in the room or in another program.

        Presence is never stored. A member is here until five seconds after the last of their streams ends.

        Returns:
            A list of `PresentMember` dicts: `username`, `cteams` (the ids of the member's teams), `since` (UTC).

        Examples:
            >>> project.presence()
            []
        """
    def diagram_groups(self) -> list[DiagramGroup]:
        """The groups of diagrams, sorted by name.

        Returns:
            A list of dicts with `group_name` and `diagrams` (their ids).

        Examples:
            >>> project.group_diagrams({"Harbour": [1003, 1004]})
            >>> project.diagram_groups()
            [{'group_name': 'Harbour', 'diagrams': [1003, 1004]}]
        """
    def add_members(self, members: Iterable[NewMember | str]) -> AddedMembers:
        """Adds people to the project and to its teams, all of them or none. Names without an account get one, and missing teams are added. Only an administrator of the project may do this.

        Args:
            members: Names, or dicts with `username`, and optionally `team` (a title) and `administrator` (true or false). A member of
                the project joins the team and stays what he or she is.

        Returns:
            An `AddedMembers` dict: `added`, the names that are new in the project, and `accounts`, those that had no account.

        Raises:
            InputError: A team without a title; nothing was sent.
            BadRequestError: A name looks like another one, or the operator of the service removed that person; nobody was added.
            PermissionDeniedError: The caller is not an administrator of the project.

        Examples:
            >>> project.add_members([{"username": "zoe", "team": "Youth"}, "amara.okafor"])
            {'added': ['zoe'], 'accounts': ['zoe']}
        """
    def download_archive(self, path: str | PathLike[str]) -> None:
        """The project in one file, as `archive` writes it. Only an administrator of the project may do this.

        The service makes the file, so one request is enough. `archive` requests each part, from any service and as any member, and can add
        pictures; `sync` brings either file up to date.

        Args:
            path: The file, such as `"staten.zip"`, which only you may read. An existing file is replaced when the new one is
                complete.

        Raises:
            InputError: The file cannot be written.
            PermissionDeniedError: The user is not an administrator of the project.
            ApiError: With `status_code` 409, the project changed each of the three times that the service read it.

        Examples:
            >>> import tempfile
            >>> from pygeodesign import open
            >>> path = f"{tempfile.mkdtemp()}/staten.zip"
            >>> project.download_archive(path)
            >>> open(path).costs().total == project.costs().total
            True
        """
    def show_outline(self, outline: Sequence[tuple[float, float] | str] | None) -> bool:
        """Shows the others the outline of a drawing in progress, for ten seconds, if the project shows drawings.

        Send it again while the drawing goes on. The service passes on two outlines of a member per second and keeps none.

        Args:
            outline: At most 200 points: longitude and latitude in degrees. None ends the drawing.

        Returns:
            False if the others do not see it: the project shows no drawings (`workshop.set_activities(drawings_shown=True)`), or
            you do not listen to its events.

        Raises:
            InputError: Too many points, or one that is not on Earth; nothing was sent.
            PermissionDeniedError: The user is a guest, or drawing is closed.

        Examples:
            >>> project.show_outline([(-74.1, 40.6), (-74.0, 40.6)])
            False
        """
    def info(self) -> ProjectInfo:
        """Title, description and start date of the project.

        Returns:
            A `ProjectInfo` dict.

        Examples:
            >>> project.info()["projecttitle"]
            'Staten Island 2050'
        """
    def undo(self, entry: int) -> None:
        """Undoes a change of a diagram, its note or a map. Only an administrator of the project may do this.

        A removed diagram returns with its id, and with its places in designs, groups and selections. Undoing is a change
        that can be undone in turn.

        Args:
            entry: The `id` of an entry of `history()` that `can_be_undone`.

        Raises:
            NotFoundError: The history has no such entry.
            ApiError: The change cannot be undone (409).
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.diagram(1006).set_notes("A mistake")
            >>> project.undo(project.history()[0]["id"])
            >>> "mistake" in project.diagram(1006).notes()
            False
        """
    def service_costs(self) -> CostFigures:
        """The cost of all diagrams of the project, system by system, by the rules of the cost report.

        These are the figures of `costs()`, which computes them from downloaded diagrams: here the service computes them, so
        that programs in other languages need no copy of the rules. External files are not opened. Other services may not have this.

        Returns:
            A `CostFigures` dict: `project` and `selection` (what was priced, for titles), `total`, `unpriced`, `without_rate`,
            `lines_at_area_rate`, `systems` (`SystemCost` dicts) and `diagrams` (`DiagramCost` dicts).

        Examples:
            >>> figures = project.service_costs()
            >>> figures["total"] == project.costs().total, figures["systems"] == project.costs().systems
            (True, True)
        """
    def tags(self) -> list[Tag]:
        """The tags of the project, each with the ids of its diagrams.

        Returns:
            A list of `Tag` dicts: `id` (a UUID), `tag`, `slug`, `code` (may be empty), `diagrams` (a list of diagram ids).

        Examples:
            >>> sorted(tag["code"] for tag in project.tags())[:3]
            ['', 'AH', 'BD']
        """
    def edit(
        self,
        *,
        title: str | None = None,
        description: str | None = None,
        currency: str | None = None,
        language: str | None = None,
        counted_land: str | None = None,
        drawings_on_constraints: str | None = None,
    ) -> ProjectInfo:
        """Changes the title or the description of the project. Only an administrator of the project may do this.

        Args:
            title: The project's title.
            description: The project's description.
            currency: The currency of rates, budgets and costs, such as `"USD"`; an empty string for none.
            language: The language of reports, cards and the wall: `"ar"`, `"de"`, `"en"`, `"es"`, `"fr"`, `"it"` or
                `"pt-BR"`; an empty string for none.
            counted_land: The land that counts in the room: `"all"`, or `"inside"` for the part of each diagram inside the study area.
            drawings_on_constraints: For drawings on land where nothing can change, `"warn"` their authors, or `"refuse"` them.

        Returns:
            A `ProjectInfo` dict.

        Raises:
            InputError: An empty title, a currency of more than 20 characters an unknown language, or another unknown value; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.edit(description="A fictional workshop")["projectdesc"]
            'A fictional workshop'
        """
    def impacts(self) -> dict[str, dict[str, int]]:
        """The impacts of systems on each other: the effect of one system's projects on the others, per hectare.

        Impacts are whole numbers from -2 (much worse) to 2 (much better). A pair that is absent counts as 0: no effect, or nobody
        assessed it. `project.compare().impact()` multiplies them by hectares.

        Returns:
            A dict of dicts: by the name of the acting system, then of the system that it acts on. It is empty if the project has no
            impacts, as on services that do not store them. `pandas.DataFrame.from_dict(matrix, orient="index")` makes a table of it.

        Examples:
            >>> project.set_impacts({"Industry & commerce": {"Water": -2}, "Green infrastructure": {"Water": 2}})
            >>> project.impacts()["Industry & commerce"]
            {'Water': -2}
        """
    def set_impacts(self, matrix: Mapping[Any, Mapping[Any, float]] | DataFrame) -> None:
        """Sets impacts of systems on each other. Pairs that you leave out stay as they are.

        Args:
            matrix: A dict of dicts, or a DataFrame with a row for each acting system: whole numbers from -2 (much worse) to 2 (much
                better). 0 removes an impact; empty cells of a DataFrame stay as they are. Give systems by name, id or tag.

        Raises:
            InputError: An impact is not on the scale, a system acts on itself, or the project has no such system; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.set_impacts({"Industry & commerce": {"Water": -2, "Green infrastructure": -1}})
        """
    def quantities(self) -> dict[str, dict[str, Quantity]]:
        """Quantities of the systems: what their projects bring for each hectare, square metre of floor, or piece.

        Homes, people and jobs are such quantities. `project.compare().people()` sums them over designs and compares them with their targets.

        Returns:
            A dict of dicts: by the name of the system, then of the quantity, dicts with `amount`, `per` (`"hectare"`, `"floor_m2"` or `"piece"`)
            and, if it has one, `target`. It is empty if the project has no quantities, as on services that do not store them.

        Examples:
            >>> project.set_quantities({"Mixed use": {"homes": {"amount": 0.01, "per": "floor_m2", "target": 300}}})
            >>> project.quantities()["Mixed use"]
            {'homes': {'amount': 0.01, 'per': 'floor_m2', 'target': 300.0}}
        """
    def set_quantities(self, quantities: Mapping[Any, Mapping[str, Quantity | None]]) -> None:
        """Sets quantities of systems. Quantities that you leave out stay as they are.

        Args:
            quantities: A dict of dicts: for each system (its name, id or tag), dicts by the name of the quantity. Each has `amount`, which may
                be negative, `per`, and, if you like, `target`, the amount that the system should reach. `per` is `"hectare"` of a project's
                area, `"floor_m2"` for a square metre of floor (its area on each storey, above the ground and below), or `"piece"` for a point.
                None in place of a dict removes the quantity.

        Raises:
            InputError: An amount or target is no number, a name is empty or long, or the project has no such system; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> homes, people = {"amount": 0.01, "per": "floor_m2", "target": 300}, {"amount": 0.024, "per": "floor_m2"}
            >>> project.set_quantities({"Mixed use": {"homes": homes, "people": people}})
        """
    def history(
        self,
        since: date | str | None = None,
        *,
        user: str | Member | AsyncMember | None = None,
        diagram: _Diagram | None = None,
    ) -> History:
        """The changes of the project, with author and time, newest first. Administrators of the project see all changes, members the changes of data they can read.

        Entries about memberships, tokens, links and walk-ins are for administrators; only they can `undo`. Guests with a link without
        names cannot read the history. The service's limits set how many changes are kept, and for how long. An opened archive
        has the entries that its writer could read when it was written.

        Args:
            since: Only changes from this time on: a datetime, a date (its midnight), or a string of either. Without a zone it is in
                UTC, like the service's times.
            user: Only changes of this user.
            diagram: Only changes of this diagram itself: its features, title, days, costs, tags, notes and votes. A removed
                one is found by its id.

        Returns:
            A `History`: a list of `HistoryEntry` dicts, newest first, with `to_pandas()`. An entry has `id`, `time` (ISO 8601, UTC,
            without zone), `username` (None for the operator of the service), `operation`, `subject` (such as `diagram 1002`),
            `diagram` (its id, or None), `before` and `after` (in short), `can_be_undone`.

        Raises:
            InputError: `since` is neither a date nor a date-time, or the project has no diagram of that title, or several; it lists them.
            PermissionDeniedError: The guest's link has no names, or the service shows the history to administrators only.
            NotFoundError: The service keeps no history.

        Examples:
            >>> project.diagram(1005).set_notes("Ask the school first.")
            >>> entry = project.history()[0]
            >>> entry["username"], entry["operation"], entry["subject"], entry["after"]
            ('admin', 'set_notes', 'diagram 1005', 'notes: Ask the school first.')
            >>> len(project.history("2026-03-02", user="admin", diagram=1005))
            1
            >>> str(project.history(diagram=1005).to_pandas()["time"].dt.tz)
            'UTC'
        """
    def create_tags(self, tags: Iterable[NewTag | str]) -> None:
        """Adds tags to the project. Tags that the project already has, with the same name and code, are skipped.

        Args:
            tags: Dicts with `tag` and `code`, or names alone. A code contains no `|`, and no two tags have the same code.

        Raises:
            InputError: An empty name, or a code with `|`; nothing was sent.
            ApiError: Another tag has that code (409).

        Examples:
            >>> project.create_tags([{"tag": "Quick win", "code": "QW"}])
        """
    def _call(self, work: Callable[[Project], Any]) -> Any:
        """For methods in Python with many requests: the result of a function of this project."""
    def _archived_at(self) -> str | None:
        """For `compare_archives`: the time when an opened archive was written; None for a project of a service."""
    def _repr_html_(self) -> str:
        """The contents, requested from the service; if that fails, what is known without it."""
    @staticmethod
    def _in_archive(content: object, path: str | PathLike[str]) -> Project:
        """For pickling: the project in an archive with the given content. Messages call it `path`."""
    def _paced(self, requests_per_second: float) -> Self:
        """For `map_projects`: the same project, with a limit of requests per second."""
    def _client_arguments(self) -> Any | None:
        """For `map_projects`: the arguments of a client with the same settings; None for an archive."""
    def _archived_state(self) -> tuple[str, str | None, dict[str, str], dict[str, int]]:
        """For `archive_all`: the manifest's data of an opened archive's project: the API root, the change id, the
        ETags of the responses about the project itself, and counts.
        """
    def team(self, team: _Team) -> Team:
        """A change team of the project. Nothing is sent until you ask it for something.

        Args:
            team: Its id, its title in upper or lower case, or the unique start of its title.

        Raises:
            InputError: On the first request: the project has no such team, or several; it lists them.

        Examples:
            >>> project.team("Conservation").members()[0]
            'amara.okafor'
        """
    def design(self, design: _NamedDesign | None = None, team: _Team | None = None) -> Design:
        """A design of a change team. Nothing is sent until you ask it for something.

        Args:
            design: Its id, its title in upper or lower case, or the unique start of its title. Default: the latest one.
            team: The design's team, if several teams have one of that title. Default: any.

        Raises:
            InputError: On the first request: the project has no such design, or several; it lists them.

        Examples:
            >>> project.design("Design 3 – with the Residents' parks").team.title
            'Conservation'
            >>> project.design(team="Mobility").title
            'Design 3 – what the budget carries'
        """
    def system(self, system: _System) -> System:
        """A system of the project. Nothing is sent until you ask it for something.

        Args:
            system: Its id, its name or tag in upper or lower case, or the unique start of its name.

        Raises:
            InputError: On the first request: the project has no system of that name, or several; it lists them.
            NotFoundError: On the first request: the project has no system with that id.

        Examples:
            >>> project.system("Water").tag
            'WAT'
        """
    def diagram(self, diagram: _Diagram) -> Diagram:
        """A diagram of the project. Nothing is sent until you ask it for something.

        Args:
            diagram: Its id, its title in upper or lower case, or the unique start of its title.

        Raises:
            InputError: On the first request: the project has no diagram of that title, or several; it lists them.
            NotFoundError: On the first request: the project has no diagram of that id.

        Examples:
            >>> project.diagram("Oakwood Beach tidal").id
            1001
        """
    def member(self, username: str | Member | AsyncMember) -> Member:
        """A member of the project. Nothing is sent until you ask the member for something.

        Args:
            username: The name of the member, which is case-sensitive.

        Raises:
            PermissionDeniedError: On the first request: the user is not a member of the project.

        Examples:
            >>> len(project.member("amara.okafor").selection()) > 0
            True
        """
    def teams(self) -> list[Team]:
        """The change teams of the project.

        Returns:
            A list of `Team`.

        Examples:
            >>> [team.title for team in project.teams()]
            ['Conservation', 'Developers', 'Mobility', 'Residents']
        """
    def designs(self, team: _Team | None = None) -> list[Design]:
        """The designs of the project, newest last, or those of a team.

        Args:
            team: A team: the object, its id, its title or its title's unique start. Default: all teams.

        Returns:
            A list of `Design`.

        Raises:
            InputError: The project has no such team; it lists the teams.

        Examples:
            >>> len(project.designs()), [design.title for design in project.designs("Developers")]
            (10, ['Design 1 – build at the stations', 'Design 2 – North Shore first'])
        """
    def systems(self) -> list[System]:
        """The systems of the project.

        If the service leaves figures out of the list, each system is requested.

        Returns:
            A list of `System`.

        Examples:
            >>> water = project.systems()[0]
            >>> water.name, water.target_ha
            ('Water', 1200.0)
        """
    def members(self) -> list[Member]:
        """The users who take part in the project.

        Returns:
            A list of `Member`.

        Examples:
            >>> project.members()[0].username
            'admin'
        """
    def add_team(
        self, title: str, members: Sequence[str | Member | AsyncMember] | None = None, *, color: str | None = None
    ) -> Team:
        """Adds a change team. Only an administrator of the project may do this.

        Args:
            title: The team's title.
            members: Members of the project.
            color: `#RRGGBB`.

        Returns:
            The `Team`.

        Raises:
            InputError: An empty title, or no such colour; nothing was sent.
            BadRequestError: One of the members is not a member of the project; nothing was added.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.add_team("Youth council", ["amara.okafor"], color="#7B3294").members()
            ['amara.okafor']
        """
    def add_system(
        self,
        name: str,
        color: str,
        *,
        tag: str | None = None,
        description: str | None = None,
        cost: float | None = None,
        budget: float | None = None,
        current_ha: float | None = None,
        target_ha: float | None = None,
    ) -> System:
        """Adds a system. Only an administrator of the project may do this.

        Args:
            name: The system's name.
            color: `#RRGGBB`.
            tag: A short name.
            description: Its subject.
            cost: Per hectare of a project, or per kilometre of one with lines only.
            budget: For the complete system.
            current_ha: Hectares that the system covers today.
            target_ha: Hectares that it should cover.

        Returns:
            The `System`.

        Raises:
            InputError: An empty name, no such colour, a figure below 0; nothing was sent.
            BadRequestError: The project has twelve systems.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.add_system("Tourism", "#4FB3A9", tag="TOU", cost=800_000).cost
            800000.0
        """
    def add_member(self, username: str | Member | AsyncMember, *, administrator: bool = False) -> Member:
        """Makes a user of the service a member of the project, or changes whether a member administers it. Only an administrator of the project may do this.

        Args:
            username: A user of the service.
            administrator: True if the member administers the project.

        Returns:
            The `Member`.

        Raises:
            BadRequestError: The project would have no administrator.
            PermissionDeniedError: The caller is not an administrator of the project, or the service has no such user.

        Examples:
            >>> project.add_member("amara.okafor", administrator=True).username
            'amara.okafor'
        """
    @overload
    def map(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        evaluations: bool = True,
        title: str | None = None,
        credits: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
        basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
        height: int = 560,
        draw: Literal[False] = False,
        live: Literal[False] | None = None,
        on_drawn: Callable[[dict[str, Any]], object] | None = None,
        static: bool = False,
    ) -> WebMap:
        """An interactive map: boundaries, constraints, diagrams by system, and evaluation maps as layers.

        Its contents are downloaded, some requests at a time. A notebook shows the map; `to_html` writes it as one
        file that needs no network. Archives from `pygeodesign.open` work in the same way.

        Args:
            designs: Designs to show side by side, moved together, up to 12: as for `compare`. Default: one map with all
                diagrams.
            member: Only diagrams that this member selected.
            team: The design's team, if several teams have designs of that title. Without `design`, the team's latest
                design.
            design: Only this design: the object, its id, its title or its title's unique start.
            evaluations: True to add evaluation maps as layers.
            title: The title. Default: the name of the project.
            credits: The line below the map. Default: the source of the boundary, if it has one.
            currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
            theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or light.
            basemap: Background tiles that the browser loads from a server on the network: `"streets"`, `"light"`, `"dark"`,
                `"topography"` or `"satellite"`; a pair of a tile address with `{z}`, `{x}` and `{y}` and its
                credits; or a provider of xyzservices; or a file of tiles (MBTiles with PNG, JPEG or WebP), of which the
                page includes the tiles of its region, up to 12 MB. Default: none.
            height: The height in a notebook, in pixels.
            draw: True to draw on the map in a notebook cell; or the system to start with: the object, its id, name
                or tag.
            live: True to keep the map in the cell and follow changes by others. Default: in the kernel of a notebook,
                unless you give title, credits, currency, units or basemap, which only a page has.
            on_drawn: A function, called with each finished drawing, a `FeatureCollection`-like GeoJSON dict, instead of
                sending it to the service.
            static: True to make a page with the project's current state, even in a notebook.

        Returns:
            A `pygeodesign.maps.WebMap`; with `draw` or `live`, and in the kernel of a notebook, a
            `pygeodesign.maps.LiveMap`.

        Raises:
            InputError: A design, the units, the theme, the basemap or the system is unknown, or the project has more than
                3,000,000 positions.
            ImportError: matplotlib, GeoPandas or anywidget is missing; `pip install 'pygeodesign[notebook]'` installs them.

        Examples:
            >>> project.map(currency="USD").to_html("map.html")
            >>> project.map([(1, project.designs(1)[0]["id"]), (2, project.designs(2)[0]["id"])]).to_html("designs.html")
        """
    @overload
    def map(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        evaluations: bool = True,
        title: str | None = None,
        credits: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
        basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
        height: int = 560,
        draw: Literal[True] | str | System | AsyncSystem,
        live: bool | None = None,
        on_drawn: Callable[[dict[str, Any]], object] | None = None,
        static: bool = False,
    ) -> LiveMap: ...
    @overload
    def map(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        evaluations: bool = True,
        title: str | None = None,
        credits: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
        basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
        height: int = 560,
        draw: Literal[False] = False,
        live: Literal[True],
        on_drawn: Callable[[dict[str, Any]], object] | None = None,
        static: bool = False,
    ) -> LiveMap: ...
    def gallery(
        self,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        limit: int | None = 100,
        title: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Gallery:
        """Thumbnails of the diagrams as a grid: each over the study area, with its id, title, system and cost.

        They are drawn from the geometries, so archives have a gallery, too. A notebook shows it; `to_html`
        writes it as one file that needs no network.

        Args:
            member: Only diagrams that this member selected.
            team: The design's team, if several teams have designs of that title. Without `design`, the team's latest
                design.
            design: Only this design: the object, its id, its title or its title's unique start.
            system: Only diagrams of this system: its id, name or tag.
            limit: The most diagrams to show; the page says how many more there are. None shows all.
            title: The title. Default: the name of the project.
            currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
            theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or light.

        Returns:
            A `pygeodesign.maps.Gallery`.

        Raises:
            InputError: The system, the units or the theme is unknown.
            ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.

        Examples:
            >>> project.gallery(system="Water")
            <Gallery of Staten Island 2050: 20 diagrams>
            >>> project.gallery(limit=None).to_html("gallery.html")
        """
    def compare(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        land: Literal["all", "inside"] = "all",
    ) -> Comparison:
        """Compares designs: where they agree, where diagrams collide, and which land they use.

        The project's diagrams, systems, maps and designs are downloaded, some requests at a time. The
        questions send no further requests, so you can ask them without a network. Archives from `pygeodesign.open` work
        in the same way.

        Args:
            designs: The designs, as a list, or as a dict from labels: pairs of team id and design id, ids of designs,
                or lists of diagram ids. Default: the latest design of each team.
            land: The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area, as in
                `costs`. Every question then counts only this part.

        Returns:
            A `pygeodesign.planning.Comparison`. Designs of teams are called `Team – Design`, lists of diagram ids `Design
            1` and so on.

        Raises:
            InputError: No design has that id, the project does not have one of the diagrams, or a design has none of the
                forms above. For `land="inside"`, the project has no boundaries.
            ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Warns:
            UserWarning: A team's design has diagrams that the project no longer has; they are left out.

        Examples:
            >>> project.compare()
            <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>
            >>> project.compare({"marsh": [1001, 1002], "Conservation": (1, project.designs(1)[0]["id"])}).designs["marsh"]
            [1001, 1002]
            >>> project.compare(land="inside")
            <Comparison of Staten Island 2050 – inside the study area: 4 designs, 180 diagrams, 2 without a geometry>
        """
    def record(
        self,
        folder: str | PathLike[str],
        *,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        land: Literal["all", "inside"] = "all",
        title: str | None = None,
        author: str = "",
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        language: str | None = None,
        sections: Mapping[str, Any] | None = None,
        progress: bool | None = None,
    ) -> list[Path]:
        """Writes the record of a workshop into one folder: report, archive, GeoPackage, workbook of costs, and history.

        The archive is read first, and everything except the history is made from it, so that they show one state.
        The folder stays empty until all files are complete. `index.html` is its first page: when diagrams were drawn and
        designs decided, who wrote the record, teams with their members, counts, a map of the agreed design or else of all
        diagrams, and the files.

        Args:
            folder: A new or empty folder.
            designs: The designs that the report compares, as for `compare`. Default: the latest design of each team.
            land: The land that counts in the report and in the costs, as for `compare`.
            title: The heading of the report. Default: the title of the project.
            author: The author, for the first pages. Default: the caller in the record, if known, and none in the report.
            currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"`, or `"us"` for acres and miles in the report. Default: from `pygeodesign.options`.
            language: The language of the first page and the report, such as `"de"`, as for `Comparison.to_html`. Default:
                the project's.
            sections: Additions to the report, as for `Comparison.to_html`: `{"optimum": {"budget": 1e9}}` adds the best
                choice under a budget.
            progress: True to show progress bars, which need tqdm. Default: in a notebook or a terminal.

        Returns:
            The paths of the files. `history.csv` is missing if the history cannot be read, as in an archive;
            `index.html` says so.

        Raises:
            InputError: The folder has files in it, or an argument is invalid for `compare` or `Comparison.to_html`.
            ImportError: GeoPandas or XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` installs them.

        Examples:
            >>> import tempfile
            >>> folder = tempfile.mkdtemp()
            >>> [path.name for path in project.record(f"{folder}/evening", author="Ana López", currency="USD")]
            ['index.html', 'report.html', 'project.zip', 'project.gpkg', 'costs.xlsx', 'history.csv']
        """
    def activity(self, since: date | str | None = None, *, minutes: int = 15) -> DataFrame:
        """The changes of the members, counted by quarter of an hour, member, team and system, and who is silent.

        It is made of the history: what the caller can read of it, and as far back as the service keeps it.

        Args:
            since: Only changes from this time on, as for `history`.
            minutes: The length of a period, from 1 to 1,440 (a day).

        Returns:
            A DataFrame with one row per period, member and system: `time` (the start of the period, UTC), `username`,
            `team` (missing without one), `system` (missing if a change is about no diagram), and the numbers of changes:
            `drawn`, `changed` (diagrams, also withdrawn ones), `chosen` (choices and votes), `designed` (designs and
            negotiations), `said` (comments and reviews) and `other`. `attrs["silent"]` lists the members without any.

        Raises:
            InputError: `minutes` or `since` is invalid.
            PermissionDeniedError: The guest's link has no names.
            ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` installs it.

        Examples:
            >>> project.diagram(1005).set_notes("Ask the school first.")
            >>> table = project.activity()
            >>> table[["username", "system", "changed"]].tail(1).to_string(header=False, index=False).split()
            ['admin', 'Water', '1']
            >>> len(project.activity().attrs["silent"])
            12
        """
    def to_qgis(self, path: str | PathLike[str]) -> None:
        """Writes a QGIS project that shows this project's current state at the service, in the colours of its systems.

        The file has no data: QGIS requests them from the service's OGC API (`/ogc/`), with a name and a password. Any name
        will do, and the password is the token. Neither is in the file, so you can give it to all members. It has
        diagrams, parts, designs, selections, evaluation maps and maps as layers in groups, forms with the titles of the
        systems, and a print layout of A3. Its reference system is the UTM zone of the study area. It has no background,
        which another server would have to provide. If the client has a local address (`127.0.0.1`), a warning says that the
        file works on this machine only.

        Args:
            path: The file to write: `.qgz`, a project of QGIS 3.22 or later, or `.qlr`, a layer definition file with the
                same layers, for an existing project. An existing file is replaced when the new one is complete.

        Raises:
            InputError: The path has another extension, the project is from an opened archive, which QGIS cannot connect to,
                or the service has no OGC API.
            OSError: The file cannot be written.

        Examples:
            >>> project.to_qgis("staten.qgz")
        """
    def add_external_diagrams(
        self,
        table: str | PathLike[str] | DataFrame | Iterable[Mapping[str, Any]],
        *,
        layer_type: str | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        dry_run: bool = False,
    ) -> list[UploadedRow]:
        """Adds one diagram for each row of a table. The geometries are in files on other servers.

        The columns are those of the public platform's archiver, or the arguments of `System.add_external`: `url` (or
        `flat_geobuf_url`), `title` (`description`), `system` (`system_id`: an id, name or tag), and optionally
        `kind` (`project_or_policy`), `funding` (`funding_type`), `feature_type`, `layer_type`, `cost` (0 for none),
        `cost_type` (`t`, `u`) and `additional_metadata` (JSON). Every row is checked before the first is sent.

        Args:
            table: The path of a CSV or Excel file, a DataFrame, or a list of dicts.
            layer_type: The type for rows without one: `fgb-layer` (the default), `cogs`, `pmtiles-layer`, or another that
                the service knows.
            on_error: For rows that cannot be sent, `"raise"` an error, or `"skip"` them and send the others.
            dry_run: True to check everything without sending it.

        Returns:
            A list of `UploadedRow` dicts in the order of the rows, as from `add_diagrams`. `grid_location` is None.

        Raises:
            InputError: The table lacks one of the first three columns, the file cannot be read, or rows cannot be
                sent; it names up to 20 of them, and has all of them as `rows`. Nothing was added.

        Examples:
            >>> parks = {"description": "Parks", "system_id": 3, "flat_geobuf_url": "https://data.example.org/parks.fgb"}
            >>> [row["error"] for row in project.add_external_diagrams([parks], dry_run=True)]
            [None]
        """

@final
class AsyncProject:
    """A project of the service, from `AsyncClient.project(id)`: the operations of `Project`, awaited.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def teams(sandbox):
        ...     project = sandbox.async_client().project("StatenIsland2050")
        ...     return await project.teams()
        >>> with Sandbox() as sandbox:
        ...     len(asyncio.run(teams(sandbox)))
        4
    """

    @property
    def id(self) -> str:
        """The project's id: 16 letters and digits. As `Project.id`."""
    @property
    def workshop(self) -> AsyncWorkshop:
        """Participation: activities open to members, guests, walk-ins, negotiations, stakeholders, plugins. As `Project.workshop`."""
    @property
    def study_area(self) -> AsyncStudyArea:
        """The land of the project: bounds, boundaries, constraints, context, data layers. As `Project.study_area`."""
    def watch(self, *, interval: float = 5.0, timeout: float | None = None) -> AsyncIterator[ProjectChange]:
        """Watches the project: yields what is added, changed and removed, as it happens. As `Project.watch`."""
    async def archive(
        self, path: str | PathLike[str], *, thumbnails: bool = False, progress: bool | None = None
    ) -> dict[str, int]:
        """Downloads everything you can read of the project into one file, for `pygeodesign.open`. As `Project.archive`, awaited."""
    async def sync(self, path: str | PathLike[str], *, progress: bool | None = None) -> SyncReport:
        """Brings an archive up to date: the file becomes what a new archive would be, but only changes are downloaded. As `Project.sync`, awaited."""
    async def merge(
        self, path: str | PathLike[str], *, dry_run: bool = False, prefer: Literal["here", "archive"] | None = None
    ) -> MergeReport:
        """Merges offline work: brings the changes in an archive of a copy of the project into the project. As `Project.merge`, awaited."""
    async def change_id(self) -> str:
        """The change id of the project: a text that differs after each change of anything that the project shows. As `Project.change_id`, awaited."""
    async def comment(self, text: str, *, place: tuple[float, float] | str) -> Comment:
        """Adds a comment on a place. As `Project.comment`, awaited."""
    async def reply(self, comment: Comment | str, text: str) -> Comment:
        """Adds a reply to a thread. As `Project.reply`, awaited."""
    async def edit_comment(
        self, comment: Comment | str, *, text: str | None = None, resolved: bool | None = None
    ) -> Comment:
        """Changes the text of a comment, or resolves or reopens a thread by its first comment. As `Project.edit_comment`, awaited."""
    async def delete_comment(self, comment: Comment | str) -> None:
        """Removes a comment that has no replies. As `Project.delete_comment`, awaited."""
    async def costs(
        self,
        *,
        member: str | Member | AsyncMember | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        diagrams: Iterable[_Diagram] | None = None,
        land: Literal["all", "inside"] = "all",
        check: bool = False,
        external: bool = False,
        max_bytes: int = 100000000,
        allow_private: bool = False,
        strict: bool = False,
    ) -> CostReport:
        """The cost of diagrams, system by system. As `Project.costs`, awaited."""
    @overload
    async def diagrams(
        self,
        *,
        fields: Literal["all"] = "all",
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        member: str | Member | AsyncMember | None = None,
        ids: Iterable[_Diagram] | None = None,
        strict: bool = False,
    ) -> FeatureCollection:
        """The diagrams of the project: all of them, or those that match all given arguments. As `Project.diagrams`, awaited."""
    @overload
    async def diagrams(
        self,
        *,
        fields: Literal["details"],
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        member: str | Member | AsyncMember | None = None,
        ids: Iterable[_Diagram] | None = None,
        strict: bool = False,
    ) -> list[DiagramDetails]: ...
    @overload
    async def diagrams(
        self,
        *,
        fields: Literal["summary"],
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        member: str | Member | AsyncMember | None = None,
        ids: Iterable[_Diagram] | None = None,
        strict: bool = False,
    ) -> list[DiagramSummary]: ...
    async def group_diagrams(self, groups: Mapping[str, Iterable[_Diagram]]) -> None:
        """Puts diagrams into groups. As `Project.group_diagrams`, awaited."""
    async def diagram_change_ids(self, ids: Iterable[_Diagram] | None = None) -> dict[int, str]:
        """The change ids of many diagrams, requested concurrently. As `Project.diagram_change_ids`, awaited."""
    async def land(
        self,
        pairs: Iterable[tuple[Diagram | int | str, Diagram | int | str]] = (),
        *,
        classes_of: Iterable[_Diagram] | None = None,
        land: Literal["all", "inside"] = "all",
    ) -> LandOfDiagrams:
        """The land of diagrams, computed by the service: overlaps of pairs, and hectares in each class of an evaluation map. As `Project.land`, awaited."""
    async def thumbnails(self, ids: Iterable[_Diagram] | None = None, progress: bool | None = None) -> dict[int, bytes]:
        """Pictures of many diagrams, fetched several at once. As `Project.thumbnails`, awaited."""
    async def add_diagram(
        self,
        system: _System,
        geometry: _Geometries,
        *,
        title: str,
        kind: Literal["project", "policy"] = "project",
        funding: Literal[
            "public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"
        ] = "public",
        feature_type: Literal["polygon", "line"] | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        building_data: Mapping[str, Any] | None = None,
        outside: Literal["refuse", "allow"] = "refuse",
    ) -> AsyncDiagram:
        """Adds a diagram to a system. As `Project.add_diagram`, awaited."""
    async def preview(
        self,
        system: _System,
        geometry: _Geometries,
        *,
        kind: Literal["project", "policy"] = "project",
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        land: Literal["all", "inside"] = "all",
        building_data: Mapping[str, Any] | None = None,
    ) -> Preview:
        """Previews the effects of adding a drawing to a system. As `Project.preview`, awaited."""
    async def add_diagrams(
        self,
        system: _System,
        frame: _Geometries,
        *,
        title: str,
        kind: str = "project",
        funding: str = "public",
        feature_type: str | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        layer: str | None = None,
        outside: Literal["refuse", "allow"] = "refuse",
        duplicates: Literal["warn", "skip"] = "warn",
        on_error: Literal["raise", "skip"] = "raise",
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> list[UploadedRow]:
        """Adds one diagram for each row of a frame or a file, several at once. As `Project.add_diagrams`, awaited."""
    async def votes(self) -> list[Vote]:
        """The votes of all members on the diagrams of the project. As `Project.votes`, awaited."""
    async def comments(self) -> list[Comment]:
        """The comments on diagrams, designs and places of the project, oldest first. As `Project.comments`, awaited."""
    async def presence(self) -> list[PresentMember]:
        """The members who are here: those who listen to the project's events, in the room or in another program. As `Project.presence`, awaited."""
    async def diagram_groups(self) -> list[DiagramGroup]:
        """The groups of diagrams, sorted by name. As `Project.diagram_groups`, awaited."""
    async def add_members(self, members: Iterable[NewMember | str]) -> AddedMembers:
        """Adds people to the project and to its teams, all of them or none. As `Project.add_members`, awaited."""
    async def download_archive(self, path: str | PathLike[str]) -> None:
        """The project in one file, as `archive` writes it. As `Project.download_archive`, awaited."""
    async def show_outline(self, outline: Sequence[tuple[float, float] | str] | None) -> bool:
        """Shows the others the outline of a drawing in progress, for ten seconds, if the project shows drawings. As `Project.show_outline`, awaited."""
    async def info(self) -> ProjectInfo:
        """Title, description and start date of the project. As `Project.info`, awaited."""
    async def undo(self, entry: int) -> None:
        """Undoes a change of a diagram, its note or a map. As `Project.undo`, awaited."""
    async def service_costs(self) -> CostFigures:
        """The cost of all diagrams of the project, system by system, by the rules of the cost report. As `Project.service_costs`, awaited."""
    async def tags(self) -> list[Tag]:
        """The tags of the project, each with the ids of its diagrams. As `Project.tags`, awaited."""
    async def edit(
        self,
        *,
        title: str | None = None,
        description: str | None = None,
        currency: str | None = None,
        language: str | None = None,
        counted_land: str | None = None,
        drawings_on_constraints: str | None = None,
    ) -> ProjectInfo:
        """Changes the title or the description of the project. As `Project.edit`, awaited."""
    async def impacts(self) -> dict[str, dict[str, int]]:
        """The impacts of systems on each other: the effect of one system's projects on the others, per hectare. As `Project.impacts`, awaited."""
    async def set_impacts(self, matrix: Mapping[Any, Mapping[Any, float]] | DataFrame) -> None:
        """Sets impacts of systems on each other. As `Project.set_impacts`, awaited."""
    async def quantities(self) -> dict[str, dict[str, Quantity]]:
        """Quantities of the systems: what their projects bring for each hectare, square metre of floor, or piece. As `Project.quantities`, awaited."""
    async def set_quantities(self, quantities: Mapping[Any, Mapping[str, Quantity | None]]) -> None:
        """Sets quantities of systems. As `Project.set_quantities`, awaited."""
    async def history(
        self,
        since: date | str | None = None,
        *,
        user: str | Member | AsyncMember | None = None,
        diagram: _Diagram | None = None,
    ) -> History:
        """The changes of the project, with author and time, newest first. As `Project.history`, awaited."""
    async def create_tags(self, tags: Iterable[NewTag | str]) -> None:
        """Adds tags to the project. As `Project.create_tags`, awaited."""
    def _call(self, work: Callable[[Project], Any]) -> Coroutine[Any, Any, Any]:
        """The same as for `Project`; messages call the coroutine by the function's `__qualname__`."""
    def _repr_html_(self) -> str: ...
    def __await__(self) -> Generator[Any, None, Self]: ...
    @staticmethod
    def _in_archive(content: object, path: str | PathLike[str]) -> AsyncProject:
        """For pickling: the project in an archive with the given content. As `Project._in_archive`."""
    def _paced(self, requests_per_second: float) -> Self:
        """For `map_projects`: the same project, with a limit of requests per second."""
    def _client_arguments(self) -> Any | None:
        """For `map_projects`: the arguments of a client with the same settings; None for an archive."""
    def _archived_state(self) -> tuple[str, str | None, dict[str, str], dict[str, int]]:
        """For `archive_all`: the manifest's data of an opened archive's project: the API root, the change id, the
        ETags of the responses about the project itself, and counts.
        """
    def team(self, team: _Team) -> AsyncTeam:
        """A change team of the project. As `Project.team`."""
    def design(self, design: _NamedDesign | None = None, team: _Team | None = None) -> AsyncDesign:
        """A design of a change team. As `Project.design`."""
    def system(self, system: _System) -> AsyncSystem:
        """A system of the project. As `Project.system`."""
    def diagram(self, diagram: _Diagram) -> AsyncDiagram:
        """A diagram of the project. As `Project.diagram`."""
    def member(self, username: str | Member | AsyncMember) -> AsyncMember:
        """A member of the project. As `Project.member`."""
    async def teams(self) -> list[AsyncTeam]:
        """The change teams of the project. As `Project.teams`, awaited."""
    async def designs(self, team: _Team | None = None) -> list[AsyncDesign]:
        """The designs of the project, newest last, or those of a team. As `Project.designs`, awaited."""
    async def systems(self) -> list[AsyncSystem]:
        """The systems of the project. As `Project.systems`, awaited."""
    async def members(self) -> list[AsyncMember]:
        """The users who take part in the project. As `Project.members`, awaited."""
    async def add_team(
        self, title: str, members: Sequence[str | Member | AsyncMember] | None = None, *, color: str | None = None
    ) -> AsyncTeam:
        """Adds a change team. As `Project.add_team`, awaited."""
    async def add_system(
        self,
        name: str,
        color: str,
        *,
        tag: str | None = None,
        description: str | None = None,
        cost: float | None = None,
        budget: float | None = None,
        current_ha: float | None = None,
        target_ha: float | None = None,
    ) -> AsyncSystem:
        """Adds a system. As `Project.add_system`, awaited."""
    async def add_member(self, username: str | Member | AsyncMember, *, administrator: bool = False) -> AsyncMember:
        """Makes a user of the service a member of the project, or changes whether a member administers it. As `Project.add_member`, awaited."""
    @overload
    async def map(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        evaluations: bool = True,
        title: str | None = None,
        credits: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
        basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
        height: int = 560,
        draw: Literal[False] = False,
        live: Literal[False] | None = None,
        on_drawn: Callable[[dict[str, Any]], object] | None = None,
        static: bool = False,
    ) -> WebMap:
        """An interactive map: boundaries, constraints, diagrams by system, and evaluation maps as layers. As `Project.map`, awaited."""
    @overload
    async def map(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        evaluations: bool = True,
        title: str | None = None,
        credits: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
        basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
        height: int = 560,
        draw: Literal[True] | str | System | AsyncSystem,
        live: bool | None = None,
        on_drawn: Callable[[dict[str, Any]], object] | None = None,
        static: bool = False,
    ) -> LiveMap: ...
    @overload
    async def map(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        evaluations: bool = True,
        title: str | None = None,
        credits: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
        basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
        height: int = 560,
        draw: Literal[False] = False,
        live: Literal[True],
        on_drawn: Callable[[dict[str, Any]], object] | None = None,
        static: bool = False,
    ) -> LiveMap: ...
    async def gallery(
        self,
        *,
        member: str | None = None,
        team: _Team | None = None,
        design: _NamedDesign | None = None,
        system: _System | None = None,
        limit: int | None = 100,
        title: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Gallery:
        """Thumbnails of the diagrams as a grid: each over the study area, with its id, title, system and cost. As `Project.gallery`, awaited."""
    async def compare(
        self,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        *,
        land: Literal["all", "inside"] = "all",
    ) -> Comparison:
        """Compares designs: where they agree, where diagrams collide, and which land they use. As `Project.compare`, awaited."""
    async def record(
        self,
        folder: str | PathLike[str],
        *,
        designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
        land: Literal["all", "inside"] = "all",
        title: str | None = None,
        author: str = "",
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        language: str | None = None,
        sections: Mapping[str, Any] | None = None,
        progress: bool | None = None,
    ) -> list[Path]:
        """Writes the record of a workshop into one folder: report, archive, GeoPackage, workbook of costs, and history. As `Project.record`, awaited."""
    async def activity(self, since: date | str | None = None, *, minutes: int = 15) -> DataFrame:
        """The changes of the members, counted by quarter of an hour, member, team and system, and who is silent. As `Project.activity`, awaited."""
    async def to_qgis(self, path: str | PathLike[str]) -> None:
        """Writes a QGIS project that shows this project's current state at the service, in the colours of its systems. As `Project.to_qgis`, awaited."""
    async def add_external_diagrams(
        self,
        table: str | PathLike[str] | DataFrame | Iterable[Mapping[str, Any]],
        *,
        layer_type: str | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        dry_run: bool = False,
    ) -> list[UploadedRow]:
        """Adds one diagram for each row of a table. As `Project.add_external_diagrams`, awaited."""

@final
class Team:
    """A change team of a project, from `project.team(…)` or `project.teams()`.

    `project.team(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
    `team["title"]`, `dict(team)`. Handles to the same team are equal.

    Examples:
        >>> team = project.team("Conservation")
        >>> team.id, team.title == team["title"]
        (1, True)
        >>> [design.title for design in team.designs()][0]
        'Design 1 – room for the water'
    """

    @property
    def project(self) -> Project:
        """The project that it belongs to.

        Examples:
            >>> project.team(1).project.id
            'StatenIsland2050'
        """
    @property
    def id(self) -> int:
        """The team's id."""
    @property
    def title(self) -> str | None:
        """The team's title; None if it has none."""
    @property
    def color(self) -> str | None:
        """The team's colour, `#RRGGBB`; None if it was never set."""
    def delete(self) -> None:
        """Removes a change team with its designs. Only an administrator of the project may do this.



        Raises:
            InputError: The project has no team of that title, or several; it lists them.
            NotFoundError: The project has no team of that id.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.add_team("A mistake").delete()
        """
    def members(self) -> list[str]:
        """The members of a change team.

        Returns:
            A list of user names.

        Raises:
            InputError: The project has no team of that title, or several; it lists them.
            NotFoundError: The project has no team of that id.

        Examples:
            >>> len(project.team(1).members())
            3
        """
    def __getitem__(self, name: Literal["color", "id", "title"], /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Literal["color", "id", "title"]]: ...
    def __len__(self) -> int: ...
    def keys(self) -> KeysView[Literal["color", "id", "title"]]:
        """The names of its fields, like a dict's.

        Examples:
            >>> [*project.team(1).keys()]
            ['id', 'title']
        """
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's.

        Examples:
            >>> [*project.team(1).values()]
            [1, 'Conservation']
        """
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's.

        Examples:
            >>> [*project.team(1).items()]
            [('id', 1), ('title', 'Conservation')]
        """
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire.

        Args:
            name: Its name.
            default: The value if there is no field of that name.

        Examples:
            >>> project.team(1).get("color", "#000000")
            '#000000'
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def designs(self) -> list[Design]:
        """The designs that the team saved, oldest first.

        Returns:
            A list of `Design`.

        Raises:
            InputError: The project has no such team; it lists the teams.

        Examples:
            >>> [design.title for design in project.team("Mobility").designs()][:2]
            ['Design 1 – two new lines', 'Design 2 – lines, streets and paths']
        """
    def latest(self) -> Design:
        """The design that the team saved last, by its date.

        Returns:
            The `Design`.

        Raises:
            InputError: The team has no design yet; or the project has no such team, and it lists the teams.

        Examples:
            >>> project.team("Mobility").latest().title
            'Design 3 – what the budget carries'
        """
    def save(
        self,
        title: str,
        diagrams: Iterable[_Diagram] | None = None,
        *,
        members: Sequence[str | Member | AsyncMember] | None = None,
        design: _NamedDesign | None = None,
        add: Iterable[_Diagram] | None = None,
        remove: Iterable[_Diagram] | None = None,
    ) -> Design:
        """Saves a design of the team. Its members and administrators may do this.

        It starts with the diagrams of all given arguments: `diagrams`, the selections of `members`, another `design`.

        Args:
            title: The design's title.
            diagrams: Diagrams: the objects, their ids, their titles or their titles' unique starts.
            members: Members of the project whose selections to include.
            design: Another design of the project: the object, its id or its title.
            add: Diagrams to add to these.
            remove: Diagrams to leave out.

        Returns:
            The `Design`.

        Raises:
            InputError: No title, or nothing to start with; nothing was sent. Or there is no such team or design; it lists them.
            BadRequestError: The project lacks one of the diagrams or members; nothing was saved.
            PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.

        Examples:
            >>> team = project.team("Residents")
            >>> design = team.save("Round 2", members=["amara.okafor"])
            >>> design in team.designs()
            True
        """
    def edit(
        self,
        *,
        title: str | None = None,
        members: Sequence[str | Member | AsyncMember] | None = None,
        color: str | None = None,
    ) -> Team:
        """Changes the given fields of the team. Only an administrator of the project may do this.

        Args:
            title: The team's title.
            members: All members of the team after the change.
            color: `#RRGGBB`.

        Returns:
            The updated `Team`.

        Raises:
            InputError: An empty title, or no such colour; nothing was sent. Or there is no such team; it lists the teams.
            BadRequestError: One of the members is not a member of the project; nothing was changed.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.team("Developers").edit(color="#D95F02").color
            '#D95F02'
        """
    def _repr_html_(self) -> str | None:
        """Its contents, requested from the service; None, for its plain text, if that fails."""

@final
class AsyncTeam:
    """A change team of a project, from `AsyncProject.team(…)`: the methods of `Team`, awaited. `await team` reads its fields.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def title(sandbox):
        ...     team = await sandbox.async_client().project("StatenIsland2050").team(1)
        ...     return team.title
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(title(sandbox))
        'Conservation'
    """

    @property
    def project(self) -> AsyncProject:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> int:
        """The team's id."""
    @property
    def title(self) -> str | None:
        """The team's title; None if it has none."""
    @property
    def color(self) -> str | None:
        """The team's colour, `#RRGGBB`; None if it was never set."""
    async def delete(self) -> None:
        """Removes a change team with its designs. As `Team.delete`, awaited."""
    async def members(self) -> list[str]:
        """The members of a change team. As `Team.members`, awaited."""
    def __await__(self) -> Generator[Any, None, Self]: ...
    def __getitem__(self, name: Literal["color", "id", "title"], /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Literal["color", "id", "title"]]: ...
    def __len__(self) -> int: ...
    def keys(self) -> KeysView[Literal["color", "id", "title"]]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    async def designs(self) -> list[AsyncDesign]:
        """The designs that the team saved, oldest first. As `Team.designs`, awaited."""
    async def latest(self) -> AsyncDesign:
        """The design that the team saved last, by its date. As `Team.latest`, awaited."""
    async def save(
        self,
        title: str,
        diagrams: Iterable[_Diagram] | None = None,
        *,
        members: Sequence[str | Member | AsyncMember] | None = None,
        design: _NamedDesign | None = None,
        add: Iterable[_Diagram] | None = None,
        remove: Iterable[_Diagram] | None = None,
    ) -> AsyncDesign:
        """Saves a design of the team. As `Team.save`, awaited."""
    async def edit(
        self,
        *,
        title: str | None = None,
        members: Sequence[str | Member | AsyncMember] | None = None,
        color: str | None = None,
    ) -> AsyncTeam:
        """Changes the given fields of the team. As `Team.edit`, awaited."""

@final
class Design:
    """A design of a change team, from `project.design(…)`, `project.designs()` or `team.designs()`.

    `project.design(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
    `design["description"]`, `dict(design)`. Handles to the same design are equal.

    Examples:
        >>> design = project.design("Design 1 – room")
        >>> design.title, design.team.title
        ('Design 1 – room for the water', 'Conservation')
        >>> design.costs().total == project.costs(team=1, design=design.id).total
        True
    """

    @property
    def project(self) -> Project:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> str:
        """The design's id, 16 characters."""
    @property
    def title(self) -> str | None:
        """The design's title, called `description` on the wire; None if it has none."""
    @property
    def created(self) -> str | None:
        """The time of saving, by the service's clock: ISO 8601, UTC."""
    @property
    def team(self) -> Team:
        """The team that saved the design."""
    def comments(self) -> list[Comment]:
        """The comments on the design, oldest first.

        Returns:
            A list of `Comment` dicts, as from `Project.comments`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.

        Examples:
            >>> design = project.design("Design 1 – room")
            >>> question = design.comment("Where do the buses go?")
            >>> [comment["text"] for comment in design.comments()]
            ['Where do the buses go?']
        """
    def comment(
        self, text: str, *, review: bool = False, asked: Sequence[str | Member | AsyncMember] | None = None
    ) -> Comment:
        """Adds a comment on the design, or asks for a review of it. `Project.reply` answers it, `Project.edit_comment` resolves it.

        Args:
            text: Plain text.
            review: True to ask for a review. It is done once the comment is resolved, by you, those asked or an administrator.
            asked: Names of the members who are asked to review; all members if left out.

        Returns:
            A `Comment` dict, as from `Project.comments`.

        Raises:
            InputError: An empty text, or `asked` without `review`; nothing was sent. Or there is no such design, or several have that title; it lists them.
            PermissionDeniedError: The user is a guest, or commenting is closed.
            BadRequestError: The project has no design of that id, or no member of a name in `asked`.

        Examples:
            >>> design = project.team("Residents").save("Draft", [1001])
            >>> design.comment("Where do the buses go?")["design"] == design.id
            True
            >>> design.comment("Ready. Does the path fit?", review=True)["review"]
            True
        """
    def delete(self) -> None:
        """Removes a design. Members of its team and administrators may do this.



        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.
            PermissionDeniedError: The user is neither in the team nor an administrator of the project.

        Examples:
            >>> design = project.team("Residents").save("A mistake", [1001])
            >>> design.delete()
        """
    def diagram_ids(self) -> list[int]:
        """The ids of the diagrams in a design.

        If the service lacks this operation, the ids come from the features of the design, so diagrams without features are missing.

        Returns:
            A list of ints.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> design = project.design("Design 1 – room")
            >>> len(design.diagram_ids()) > 0
            True
        """
    def service_costs(self) -> CostFigures:
        """The cost of a design's diagrams, system by system.

        These are the figures of `costs(team=…, design=…)`, computed by the service.

        Returns:
            A `CostFigures` dict, see `service_costs()`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> design = project.design("Design 1 – room")
            >>> design.service_costs()["total"] == design.costs().total
            True
        """
    def timeline(self) -> dict[int, Period]:
        """The dates on which the diagrams of a design start and end.

        Returns:
            A dict from diagram id to a dict with `start` and `end` (`YYYY-MM-DD`, or None).

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> design = project.design("Design 1 – room")
            >>> sorted(design.timeline()) == design.diagram_ids()
            True
        """
    def esri(self) -> list[EsriFeature]:
        """The features of the diagrams in a design, as feature-JSON.

        It is for tools that read this format; `FeatureCollection.from_esri` reads it, too.

        Returns:
            A list of `EsriFeature` dicts: `attributes`, and `geometry` with `rings` or `paths` and `spatialReference`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> design = project.design("Design 1 – room")
            >>> design.esri()[0]["geometry"]["spatialReference"]
            {'wkid': 4326}
        """
    def __getitem__(self, name: Literal["creationdate", "cteamid", "description", "id"], /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Literal["creationdate", "cteamid", "description", "id"]]: ...
    def __len__(self) -> int: ...
    def keys(self) -> KeysView[Literal["creationdate", "cteamid", "description", "id"]]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def map(self, **options: Any) -> WebMap:
        """An interactive map of its diagrams: `Project.map` of this design.

        Args:
            options: The other arguments of `Project.map`, such as `currency` and `basemap`.

        Returns:
            A `pygeodesign.maps.WebMap`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.

        Examples:
            >>> project.design("Design 1 – room").map(currency="USD").to_html("design.html")
        """
    def rename(self, title: str) -> Design:
        """Renames the design. Members of its team and administrators may do this.

        Args:
            title: Its new title.

        Returns:
            The updated `Design`.

        Raises:
            InputError: An empty title; nothing was sent. Or there is no such design; it lists them.
            PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.

        Examples:
            >>> design = project.team("Residents").save("Draft", [1001])
            >>> design.rename("Round 4").title
            'Round 4'
        """
    def costs(self, *, land: Literal["all", "inside"] = "all", check: bool = False, strict: bool = False) -> CostReport:
        """The cost of its diagrams, system by system: `Project.costs` of this design.

        Args:
            land: `"inside"` to count only land inside the study area, as `Project.costs` does.
            check: True to check the geometries, as `Project.costs` does.
            strict: True to raise an error for a diagram with a wrong or unreadable value, as in `Project.costs`.

        Returns:
            A `CostReport`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them. For `land="inside"`, the project has no boundaries.
            NotFoundError: The project has no design of that id.
            DecodeError: A diagram has no id; with `strict=True`, a diagram is wrong.

        Examples:
            >>> totals = {team.title: team.latest().costs().total for team in project.teams()}
            >>> sorted(totals)
            ['Conservation', 'Developers', 'Mobility', 'Residents']
        """
    def diagrams(self) -> FeatureCollection:
        """Its diagrams with their features, as they were drawn: `Project.diagrams` of this design.

        Returns:
            A `FeatureCollection`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> design = project.design("Design 1 – room")
            >>> sorted({*design.diagrams().to_geopandas()["diagramid"]}) == sorted(design.diagram_ids())
            True
        """
    def to_geopandas(self) -> GeoDataFrame:
        """Its diagrams as a GeoDataFrame, in EPSG:4326: `diagrams().to_geopandas()`.

        Returns:
            A GeoDataFrame with a row for each feature, and one for each diagram without features.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.
            ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Examples:
            >>> frame = project.design("Design 1 – room").to_geopandas()
            >>> frame.crs.to_epsg()
            4326
        """
    def details(self) -> DesignDetails:
        """The description of a design, and the time at which it was saved.

        They are requested again; the attributes keep the values of the first read.

        Returns:
            A `DesignDetails` dict: `id`, `creationdate` (ISO 8601), `description`.

        Raises:
            InputError: There is no such design, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> project.design(team="Mobility").details()["description"]
            'Design 3 – what the budget carries'
        """
    def features(self, system: _System | None = None) -> FeatureCollection:
        """The features of the diagrams in a design, one for each part of a geometry.

        A diagram of several parts has one feature per part, each with all properties; `diagrams` has the features as drawn.

        Args:
            system: Only the projects of this system: the object, its id, name or tag, or the unique start of its name.

        Returns:
            A `FeatureCollection`.

        Raises:
            InputError: There is no such design or system, or several have that title; it lists them.
            NotFoundError: The project has no design of that id.

        Examples:
            >>> {feature["properties"]["sysid"] for feature in project.design("Design 1 – room").features(system=3)}
            {3}
        """
    def _repr_html_(self) -> str | None:
        """Its contents, requested from the service; None, for its plain text, if that fails."""

@final
class AsyncDesign:
    """A design of a change team, from `AsyncProject.design(…)`: the methods of `Design`, awaited. `await design` reads its fields.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def total(sandbox):
        ...     design = sandbox.async_client().project("StatenIsland2050").design("Design 1 – room")
        ...     return (await design.costs()).total
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(total(sandbox)) > 1e9
        True
    """

    @property
    def project(self) -> AsyncProject:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> str:
        """The design's id, 16 characters."""
    @property
    def title(self) -> str | None:
        """The design's title, called `description` on the wire; None if it has none."""
    @property
    def created(self) -> str | None:
        """The time of saving, by the service's clock: ISO 8601, UTC."""
    @property
    def team(self) -> AsyncTeam:
        """The team that saved the design."""
    async def comments(self) -> list[Comment]:
        """The comments on the design, oldest first. As `Design.comments`, awaited."""
    async def comment(
        self, text: str, *, review: bool = False, asked: Sequence[str | Member | AsyncMember] | None = None
    ) -> Comment:
        """Adds a comment on the design, or asks for a review of it. As `Design.comment`, awaited."""
    async def delete(self) -> None:
        """Removes a design. As `Design.delete`, awaited."""
    async def diagram_ids(self) -> list[int]:
        """The ids of the diagrams in a design. As `Design.diagram_ids`, awaited."""
    async def service_costs(self) -> CostFigures:
        """The cost of a design's diagrams, system by system. As `Design.service_costs`, awaited."""
    async def timeline(self) -> dict[int, Period]:
        """The dates on which the diagrams of a design start and end. As `Design.timeline`, awaited."""
    async def esri(self) -> list[EsriFeature]:
        """The features of the diagrams in a design, as feature-JSON. As `Design.esri`, awaited."""
    def __await__(self) -> Generator[Any, None, Self]: ...
    def __getitem__(self, name: Literal["creationdate", "cteamid", "description", "id"], /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Literal["creationdate", "cteamid", "description", "id"]]: ...
    def __len__(self) -> int: ...
    def keys(self) -> KeysView[Literal["creationdate", "cteamid", "description", "id"]]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def map(self, **options: Any) -> Coroutine[Any, Any, WebMap]:
        """An interactive map of its diagrams: `Project.map` of this design. As `Design.map`, awaited."""
    async def rename(self, title: str) -> AsyncDesign:
        """Renames the design. As `Design.rename`, awaited."""
    async def costs(
        self, *, land: Literal["all", "inside"] = "all", check: bool = False, strict: bool = False
    ) -> CostReport:
        """The cost of its diagrams, system by system: `Project.costs` of this design. As `Design.costs`, awaited."""
    async def diagrams(self) -> FeatureCollection:
        """Its diagrams with their features, as they were drawn: `Project.diagrams` of this design. As `Design.diagrams`, awaited."""
    async def to_geopandas(self) -> GeoDataFrame:
        """Its diagrams as a GeoDataFrame, in EPSG:4326: `diagrams().to_geopandas()`. As `Design.to_geopandas`, awaited."""
    async def details(self) -> DesignDetails:
        """The description of a design, and the time at which it was saved. As `Design.details`, awaited."""
    async def features(self, system: _System | None = None) -> FeatureCollection:
        """The features of the diagrams in a design, one for each part of a geometry. As `Design.features`, awaited."""

@final
class System:
    """A system of a project, from `project.system(…)` or `project.systems()`.

    `project.system(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
    `system["cost"]`, `dict(system)`. Handles to the same system are equal.

    Examples:
        >>> water = project.system("Water")
        >>> water.id, water.tag, water["target_ha"]
        (1, 'WAT', 1200.0)
    """

    @property
    def project(self) -> Project:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> int:
        """The system's id."""
    @property
    def name(self) -> str:
        """The system's name."""
    @property
    def tag(self) -> str | None:
        """The system's tag, such as `"WAT"`."""
    @property
    def color(self) -> str | None:
        """The system's colour, `#RRGGBB`."""
    @property
    def cost(self) -> float | None:
        """The cost per hectare of a project, or per kilometre of one with lines only."""
    @property
    def budget(self) -> float | None:
        """The budget of the complete system."""
    @property
    def current_ha(self) -> float | None:
        """Hectares that the system covers today."""
    @property
    def target_ha(self) -> float | None:
        """Hectares that the system should cover."""
    def delete(self) -> None:
        """Removes a system in which nothing was ever drawn. Only an administrator of the project may do this.



        Raises:
            InputError: The project has no system of that name, or several; it lists them.
            NotFoundError: The project has no system of that id.
            ApiError: The system has diagrams, or had some (409).
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.add_system("A mistake", "#2B7BBA").delete()
        """
    def diagram_ids(self) -> list[int]:
        """The ids of a system's diagrams.

        Returns:
            A list of ints.

        Raises:
            InputError: The project has no system of that name, or several; it lists them.
            NotFoundError: The project has no system of that id.

        Examples:
            >>> project.system(1).diagram_ids()[:3]
            [1001, 1002, 1003]
        """
    def evaluation(self) -> FeatureCollection:
        """The evaluation map of a system: the places where change is wanted, and where it is not.

        Returns:
            A `FeatureCollection` with the properties `areatype` (`red` where change is least wanted, `green` where it is most wanted)
            and `color`; its `metadata` has `sysid`.

        Raises:
            InputError: The project has no system of that name, or several; it lists them.
            NotFoundError: The project has no system of that id.

        Examples:
            >>> sorted({feature["properties"]["areatype"] for feature in project.system(1).evaluation()})
            ['green', 'red', 'yellow']
        """
    def impact(self) -> FeatureCollection:
        """The impact map of a system, as it was set.

        Returns:
            A `FeatureCollection` with the properties that were given; its `metadata` has `sysid`.

        Raises:
            InputError: The project has no system of that name, or several; it lists them.
            NotFoundError: The project has no system of that id.

        Examples:
            >>> project.system("Water").set_impact(project.system("Water").evaluation())
            >>> len(project.system("Water").impact()) == len(project.system("Water").evaluation())
            True
        """
    def __getitem__(
        self,
        name: Literal[
            "budget",
            "color",
            "cost",
            "current_ha",
            "id",
            "impacts",
            "name",
            "quantities",
            "tag",
            "target_ha",
            "verbose_description",
        ],
        /,
    ) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(
        self,
    ) -> Iterator[
        Literal[
            "budget",
            "color",
            "cost",
            "current_ha",
            "id",
            "impacts",
            "name",
            "quantities",
            "tag",
            "target_ha",
            "verbose_description",
        ]
    ]: ...
    def __len__(self) -> int: ...
    def keys(
        self,
    ) -> KeysView[
        Literal[
            "budget",
            "color",
            "cost",
            "current_ha",
            "id",
            "impacts",
            "name",
            "quantities",
            "tag",
            "target_ha",
            "verbose_description",
        ]
    ]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def add(self, frame: _Geometries, *, title: str, **options: Any) -> list[UploadedRow]:
        """Adds a diagram for each row of a frame or file: `Project.add_diagrams` to this system.

        Args:
            frame: A GeoDataFrame, a geometry, GeoJSON, or the path of a file, as for `Project.add_diagrams`.
            title: The column that has the titles.
            options: The other arguments of `Project.add_diagrams`.

        Returns:
            A list of `UploadedRow` dicts.

        Raises:
            InputError: A row or an option that `Project.add_diagrams` refuses; nothing was sent.

        Examples:
            >>> rows = project.system("Water").add(project.study_area.boundaries().to_geopandas(), title="bname", dry_run=True)
            >>> len(rows) > 0
            True
        """
    def edit(
        self,
        *,
        name: str | None = None,
        color: str | None = None,
        tag: str | None = None,
        description: str | None = None,
        cost: float | None = None,
        budget: float | None = None,
        current_ha: float | None = None,
        target_ha: float | None = None,
    ) -> System:
        """Changes the given values of a system: name, colour, tag, description, cost, budget, hectares. Only an administrator of the project may do this.

        Omitted arguments stay unchanged. `set_evaluation` and `set_impact` set its maps, `project.set_impacts` its
        impacts on other systems, `project.set_quantities` what its projects bring.

        Args:
            name: Its new name.
            color: `#RRGGBB`.
            tag: A short name.
            description: The system's description.
            cost: The cost per hectare of a project, or per kilometre of one with lines only.
            budget: The budget of the complete system.
            current_ha: Hectares that the system covers today.
            target_ha: Hectares that it should cover.

        Returns:
            The updated `System`.

        Raises:
            NotFoundError: The project has no system of that id.
            InputError: An empty name, no such colour, a figure below 0; nothing was sent. Or the project has no system of that name.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.system("High-density housing").edit(budget=4e9).budget
            4000000000.0
        """
    def add_external(
        self,
        url: str,
        *,
        title: str,
        layer_type: str,
        kind: Literal["project", "policy"] = "project",
        funding: Literal[
            "public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"
        ] = "public",
        feature_type: Literal["polygon", "line"] = "polygon",
        cost: int | None = None,
        cost_type: Literal["total", "unit"] | None = None,
        additional_metadata: Mapping[str, Any] | None = None,
    ) -> Diagram:
        """Adds a diagram whose geometry is in a file on another server.

        Args:
            url: The address of the file.
            title: The diagram's title.
            layer_type: `fgb-layer` (FlatGeobuf), `cogs` (Cloud Optimized GeoTIFF), or another format that the service supports.
            kind: `"project"` or `"policy"`.
            funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
            feature_type: `"polygon"`, `"line"` or `"point"`.
            cost: An integer, in the unit of `cost_type`.
            cost_type: `"total"`, or `"unit"` for a cost per hectare.
            additional_metadata: A dict with any content.

        Returns:
            The `Diagram`.

        Raises:
            InputError: An empty address, an unknown name, or a cost without `cost_type`; nothing was added.
            NotFoundError: The project has no system with that id.

        Examples:
            >>> parks = project.system(3).add_external(
            ...     "https://data.example.org/parks.fgb", title="Parks", layer_type="fgb-layer", cost=12, cost_type="unit"
            ... )
            >>> parks["cost_override_type"]
            'per hectare.'
        """
    def set_evaluation(self, features: _Geometries, username: str | Member | AsyncMember | None = None) -> None:
        """Replaces the evaluation map of a system.

        Args:
            features: Polygons, as for `Project.add_diagram`, each with an `areatype`: `green3` (feasible), `green2` (suitable),
                `green` (capable), `yellow` (not appropriate), `red2` or `red` (existing). They may also have a `color` (`#RRGGBB`).
            username: The member in whose name to set it. Default: the user.

        Raises:
            InputError: A feature without `areatype`, a geometry that cannot be sent, or no system of that name; nothing was sent.
            NotFoundError: The project has no system with that id.
            PermissionDeniedError: The user named is not a member of the project; or drawing is closed.

        Examples:
            >>> project.system(1).set_evaluation(project.system(1).evaluation().to_geopandas())
        """
    def set_impact(self, features: _Geometries, username: str | Member | AsyncMember | None = None) -> None:
        """Replaces the impact map of a system.

        Args:
            features: Polygons, as for `Project.add_diagram`, with any attributes.
            username: The member in whose name to set it. Default: the user.

        Raises:
            InputError: A geometry that cannot be sent, or no system of that name; nothing was sent.
            NotFoundError: The project has no system with that id.
            PermissionDeniedError: The user named is not a member of the project; or drawing is closed.

        Examples:
            >>> project.system(1).set_impact(project.system(1).evaluation().to_geopandas())
        """
    def _repr_html_(self) -> str | None:
        """Its contents, requested from the service; None, for its plain text, if that fails."""

@final
class AsyncSystem:
    """A system of a project, from `AsyncProject.system(…)`: the methods of `System`, awaited. `await system` reads its fields.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def tag(sandbox):
        ...     return (await sandbox.async_client().project("StatenIsland2050").system("Water")).tag
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(tag(sandbox))
        'WAT'
    """

    @property
    def project(self) -> AsyncProject:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> int:
        """The system's id."""
    @property
    def name(self) -> str:
        """The system's name."""
    @property
    def tag(self) -> str | None:
        """The system's tag, such as `"WAT"`."""
    @property
    def color(self) -> str | None:
        """The system's colour, `#RRGGBB`."""
    @property
    def cost(self) -> float | None:
        """The cost per hectare of a project, or per kilometre of one with lines only."""
    @property
    def budget(self) -> float | None:
        """The budget of the complete system."""
    @property
    def current_ha(self) -> float | None:
        """Hectares that the system covers today."""
    @property
    def target_ha(self) -> float | None:
        """Hectares that the system should cover."""
    async def delete(self) -> None:
        """Removes a system in which nothing was ever drawn. As `System.delete`, awaited."""
    async def diagram_ids(self) -> list[int]:
        """The ids of a system's diagrams. As `System.diagram_ids`, awaited."""
    async def evaluation(self) -> FeatureCollection:
        """The evaluation map of a system: the places where change is wanted, and where it is not. As `System.evaluation`, awaited."""
    async def impact(self) -> FeatureCollection:
        """The impact map of a system, as it was set. As `System.impact`, awaited."""
    def __await__(self) -> Generator[Any, None, Self]: ...
    def __getitem__(
        self,
        name: Literal[
            "budget",
            "color",
            "cost",
            "current_ha",
            "id",
            "impacts",
            "name",
            "quantities",
            "tag",
            "target_ha",
            "verbose_description",
        ],
        /,
    ) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(
        self,
    ) -> Iterator[
        Literal[
            "budget",
            "color",
            "cost",
            "current_ha",
            "id",
            "impacts",
            "name",
            "quantities",
            "tag",
            "target_ha",
            "verbose_description",
        ]
    ]: ...
    def __len__(self) -> int: ...
    def keys(
        self,
    ) -> KeysView[
        Literal[
            "budget",
            "color",
            "cost",
            "current_ha",
            "id",
            "impacts",
            "name",
            "quantities",
            "tag",
            "target_ha",
            "verbose_description",
        ]
    ]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def add(self, frame: _Geometries, *, title: str, **options: Any) -> Coroutine[Any, Any, list[UploadedRow]]:
        """Adds a diagram for each row of a frame or file: `Project.add_diagrams` to this system. As `System.add`, awaited."""
    async def edit(
        self,
        *,
        name: str | None = None,
        color: str | None = None,
        tag: str | None = None,
        description: str | None = None,
        cost: float | None = None,
        budget: float | None = None,
        current_ha: float | None = None,
        target_ha: float | None = None,
    ) -> AsyncSystem:
        """Changes the given values of a system: name, colour, tag, description, cost, budget, hectares. As `System.edit`, awaited."""
    async def add_external(
        self,
        url: str,
        *,
        title: str,
        layer_type: str,
        kind: Literal["project", "policy"] = "project",
        funding: Literal[
            "public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"
        ] = "public",
        feature_type: Literal["polygon", "line"] = "polygon",
        cost: int | None = None,
        cost_type: Literal["total", "unit"] | None = None,
        additional_metadata: Mapping[str, Any] | None = None,
    ) -> AsyncDiagram:
        """Adds a diagram whose geometry is in a file on another server. As `System.add_external`, awaited."""
    async def set_evaluation(self, features: _Geometries, username: str | Member | AsyncMember | None = None) -> None:
        """Replaces the evaluation map of a system. As `System.set_evaluation`, awaited."""
    async def set_impact(self, features: _Geometries, username: str | Member | AsyncMember | None = None) -> None:
        """Replaces the impact map of a system. As `System.set_impact`, awaited."""

@final
class Diagram:
    """A diagram of a project, from `project.diagram(…)`, or from adding one.

    `project.diagram(…)` sends nothing: the fields are read on first use. It also reads like the dict of its fields:
    `diagram["additional_metadata"]`, `dict(diagram)`. Handles to the same diagram are equal.

    Examples:
        >>> diagram = project.diagram(1001)
        >>> diagram.title, diagram.system.name, diagram["tag_codes"]
        ('Oakwood Beach tidal marsh restoration', 'Water', 'LS')
        >>> len(diagram.features()) > 0
        True
    """

    @property
    def project(self) -> Project:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> int:
        """The diagram's id."""
    @property
    def title(self) -> str | None:
        """The diagram's title, called `description` on the wire; None if it has none."""
    @property
    def system(self) -> System:
        """The system that it belongs to."""
    @property
    def kind(self) -> str | None:
        """`"project"` or `"policy"`; None if the service does not say."""
    @property
    def start_date(self) -> str | None:
        """Its first day, `YYYY-MM-DD`; None if it was never set."""
    @property
    def end_date(self) -> str | None:
        """Its last day, `YYYY-MM-DD`; None if it was never set."""
    def comments(self) -> list[Comment]:
        """The comments on the diagram, oldest first.

        Returns:
            A list of `Comment` dicts, as from `Project.comments`.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.

        Examples:
            >>> question = project.diagram(1001).comment("Who maintains it?")
            >>> [comment["text"] for comment in project.diagram(1001).comments()]
            ['Who maintains it?']
        """
    def comment(
        self, text: str, *, review: bool = False, asked: Sequence[str | Member | AsyncMember] | None = None
    ) -> Comment:
        """Adds a comment on the diagram, or asks for a review of it. `Project.reply` answers it, `Project.edit_comment` resolves it.

        Args:
            text: Plain text.
            review: True to ask for a review. It is done once the comment is resolved, by you, those asked or an administrator.
            asked: Names of the members who are asked to review; all members if left out.

        Returns:
            A `Comment` dict, as from `Project.comments`.

        Raises:
            InputError: An empty text, or `asked` without `review`; nothing was sent.
            PermissionDeniedError: The user is a guest, or commenting is closed.
            InputError: The project has no diagram of that title, or several; it lists them.
            BadRequestError: The project has no diagram of that id, or no member of a name in `asked`.

        Examples:
            >>> project.diagram(1002).comment("Why not further north?")["diagram"]
            1002
            >>> project.diagram(1002).comment("Ready. Does the path fit?", review=True, asked=["admin"])["asked"]
            ['admin']
        """
    def features(self) -> FeatureCollection:
        """A diagram with its features.

        Returns:
            A `FeatureCollection` of its features; its `metadata` holds the diagram's own fields.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1001).features().metadata["sysid"]
            1
        """
    def delete(self) -> None:
        """Removes a diagram; undoing this restores it. Members can remove their own diagrams, administrators any.

        To restore it, pass the entry in `history()` to `undo`. No other diagram ever gets its id.



        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.
            PermissionDeniedError: The user neither added the diagram nor administers the project, or drawing is closed.

        Examples:
            >>> project.diagram(1179).delete()
            >>> project.undo(project.history()[0]["id"])
            >>> project.diagram(1179).features().metadata["id"]
            1179
        """
    def notes(self) -> str:
        """The note of a diagram.

        Returns:
            The note's text; empty if there is no note.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> isinstance(project.diagram(1001).notes(), str)
            True
        """
    def change_id(self) -> str:
        """The change id of a diagram: a text that differs after each change of the diagram.

        Compare it with an earlier change id.

        Returns:
            The change id, a text.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1001).change_id() == project.diagram(1001).change_id()
            True
        """
    def tags(self) -> list[Tag]:
        """The tags of a diagram.

        Returns:
            A list of `Tag` dicts.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> all(1002 in tag["diagrams"] for tag in project.diagram(1002).tags())
            True
        """
    def set_tags(self, ids: Sequence[str]) -> None:
        """Replaces the tags of a diagram, named by their ids.

        Args:
            ids: The UUIDs of the tags.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.
            BadRequestError: A tag is not in the project; nothing was changed.

        Examples:
            >>> project.diagram(1002).set_tags([tag["id"] for tag in project.diagram(1002).tags()])
        """
    def tag_codes(self) -> list[str]:
        """The tags of a diagram, for reading their codes.

        Returns:
            The codes alone: a list of str.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1002).tag_codes() == [tag["code"] for tag in project.diagram(1002).tags()]
            True
        """
    def set_tag_codes(self, codes: Sequence[str]) -> None:
        """Replaces the tags of a diagram, named by their codes.

        Args:
            codes: The codes of the tags.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.
            BadRequestError: No tag of the project has one of the codes; nothing was changed.

        Examples:
            >>> project.diagram(1002).set_tag_codes(project.diagram(1002).tag_codes())
        """
    def withdraw_vote(self) -> None:
        """Withdraws the caller's vote on a diagram.



        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1003).vote(-1)
            >>> project.diagram(1003).withdraw_vote()
        """
    def __getitem__(
        self,
        name: Literal[
            "additional_metadata",
            "area",
            "building_data",
            "cost_override",
            "cost_override_type",
            "created_at",
            "description",
            "end_date",
            "external_geometries",
            "flat_geobuf_url",
            "fundingtype",
            "id",
            "length",
            "notes",
            "rank",
            "start_date",
            "sysid",
            "tag_codes",
            "type",
        ],
        /,
    ) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(
        self,
    ) -> Iterator[
        Literal[
            "additional_metadata",
            "area",
            "building_data",
            "cost_override",
            "cost_override_type",
            "created_at",
            "description",
            "end_date",
            "external_geometries",
            "flat_geobuf_url",
            "fundingtype",
            "id",
            "length",
            "notes",
            "rank",
            "start_date",
            "sysid",
            "tag_codes",
            "type",
        ]
    ]: ...
    def __len__(self) -> int: ...
    def keys(
        self,
    ) -> KeysView[
        Literal[
            "additional_metadata",
            "area",
            "building_data",
            "cost_override",
            "cost_override_type",
            "created_at",
            "description",
            "end_date",
            "external_geometries",
            "flat_geobuf_url",
            "fundingtype",
            "id",
            "length",
            "notes",
            "rank",
            "start_date",
            "sysid",
            "tag_codes",
            "type",
        ]
    ]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def update(
        self,
        *,
        additional_metadata: Mapping[str, Any] | None = None,
        title: str | None = None,
        tag_codes: Sequence[str] | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
    ) -> None:
        """Sets the metadata of a diagram and, if they are given, its title, tags and dates.

        Omitted arguments stay unchanged. The service replaces metadata with every update; to keep them, they are read and sent again.

        Args:
            additional_metadata: A dict with any content; it replaces the diagram's metadata. Default: they stay.
            title: The diagram's title.
            tag_codes: The codes of all its tags after the update.
            start_date: A datetime, a date (its midnight), or a string of either; without a time zone they are in UTC, like the service's
                dates. Sent to the millisecond.
            end_date: The same; not before `start_date`.

        Raises:
            InputError: A value that is not a date, an end before the start, an empty title; nothing was changed.
            BadRequestError: A tag is not in the project; nothing was changed.
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> import datetime
            >>> diagram = project.diagram(1001)
            >>> diagram.update(additional_metadata={"phase": 1}, start_date=datetime.date(2030, 1, 1))
            >>> diagram.update(end_date="2035-12-31")
            >>> project.diagram(1001)["additional_metadata"]
            {'phase': 1}
        """
    def edit(
        self,
        *,
        title: str | None = None,
        geometry: _Geometries | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        undated: bool = False,
        system: _System | None = None,
        kind: Literal["project", "policy"] | None = None,
        funding: Literal["public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"]
        | None = None,
        cost: float | None = None,
        cost_type: Literal["total", "unit"] | None = None,
        building_data: Mapping[str, Any] | None = None,
        outside: Literal["refuse", "allow"] = "refuse",
        unless_changed_since: str | None = None,
    ) -> str:
        """Changes the given fields of a diagram; all others stay unchanged. Members can change their own diagrams, administrators all.

        Undoing the entry in `Project.history()` restores the old values. Other services may not have this operation.

        Args:
            title: The diagram's title.
            geometry: A replacement for all features of the diagram, as for `Project.add_diagram`.
            start_date: The first day, as for `update`. If the diagram has no days, a single one stands for both.
            end_date: The last day.
            undated: True to remove the days.
            system: The id, name or tag of the system to move the diagram to. It gets the next free place there.
            kind: `"project"` or `"policy"`.
            funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
            cost: An amount of money instead of the system's cost; 0 for none.
            cost_type: The kind of amount: `"total"`, or `"unit"` for a cost per hectare (per kilometre of a diagram with
                lines only, for each point of one with points only).
            building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`, whole numbers from which floors are counted.
            outside: For a feature completely outside the study area, `"refuse"` or `"allow"`.
            unless_changed_since: A change id of the diagram. If the diagram has a different one, somebody changed it meanwhile, and nothing is changed.

        Returns:
            The diagram's new change id, as from `change_id`.

        Raises:
            InputError: A geometry that `Project.add_diagram` refuses too, an end before the start, an empty title, a cost without `cost_type`;
                nothing was changed. Or the project has no system of that name; it lists the systems.
            PermissionDeniedError: The user neither added the diagram nor administers the project; or drawing is closed.
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.
            ApiError: With `status_code` 412, the diagram's change id differs from `unless_changed_since`.

        Examples:
            >>> changed = project.diagram(1004).edit(title="Oyster reef", cost=2.5e6, cost_type="total")
            >>> project.costs(diagrams=[1004]).total
            2500000.0
        """
    def set_notes(self, text: str) -> None:
        """Replaces the note of a diagram.

        Args:
            text: The note.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1003).set_notes("Ask the harbour first.")
            >>> project.diagram(1003).notes()
            'Ask the harbour first.'
        """
    def vote(self, vote: int, comment: str = "") -> None:
        """Casts the caller's vote on a diagram, in place of an earlier one.

        Args:
            vote: From -2 (strongly against) to 2 (strongly for).
            comment: A short reason, which all members can read.

        Raises:
            InputError: The vote is out of range; nothing was sent.
            PermissionDeniedError: Selecting is closed.
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1001).vote(2, "It keeps cellars dry.")
        """
    def thumbnail(self) -> bytes:
        """A picture of a diagram over the study area.

        Returns:
            A PNG, as bytes. `IPython.display.Image` shows it.

        Raises:
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.

        Examples:
            >>> project.diagram(1001).thumbnail()[1:4]
            b'PNG'
        """
    def external(self, *, max_bytes: int = 100000000, allow_private: bool = False) -> GeoDataFrame:
        """Opens the FlatGeobuf file of an external diagram.

        The complete file is downloaded from its server, at the address that a member of the project entered. The token is not
        sent there, each redirect is checked like the address itself, and the client's proxy, authorities and time limits apply. A host whose
        name only the proxy knows is left to it.

        Args:
            max_bytes: The largest file that is read. Default: 100 MB.
            allow_private: True to allow a file on this machine or in a private network. Any member can enter such an address, so allow it
                only if you trust all of them.

        Returns:
            A GeoDataFrame in EPSG:4326 (reprojected from the file's CRS) with the columns of the file.

        Raises:
            ExternalFileError: The address is not https or leads to a private network; there is no response; the file is too large, a
                GeoTIFF, or not in FlatGeobuf; it has no CRS.
            InputError: The diagram is not external; `max_bytes` is 0.
            InputError: The project has no diagram of that title, or several; it lists them.
            NotFoundError: The project has no diagram of that id.
            ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Examples:
            >>> from pygeodesign import ExternalFileError
            >>> parks = project.system(3).add_external("https://127.0.0.1/parks.fgb", title="Parks", layer_type="fgb-layer")
            >>> try:
            ...     parks.external()
            ... except ExternalFileError as error:
            ...     print("private" in str(error))
            True
        """
    def _repr_html_(self) -> str | None:
        """Its contents, requested from the service; None, for its plain text, if that fails."""

@final
class AsyncDiagram:
    """A diagram of a project, from `AsyncProject.diagram(…)`: the methods of `Diagram`, awaited. `await diagram` reads its fields.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def title(sandbox):
        ...     return (await sandbox.async_client().project("StatenIsland2050").diagram(1001)).title
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(title(sandbox))
        'Oakwood Beach tidal marsh restoration'
    """

    @property
    def project(self) -> AsyncProject:
        """The project that it belongs to. As `Team.project`."""
    @property
    def id(self) -> int:
        """The diagram's id."""
    @property
    def title(self) -> str | None:
        """The diagram's title, called `description` on the wire; None if it has none."""
    @property
    def system(self) -> AsyncSystem:
        """The system that it belongs to."""
    @property
    def kind(self) -> str | None:
        """`"project"` or `"policy"`; None if the service does not say."""
    @property
    def start_date(self) -> str | None:
        """Its first day, `YYYY-MM-DD`; None if it was never set."""
    @property
    def end_date(self) -> str | None:
        """Its last day, `YYYY-MM-DD`; None if it was never set."""
    async def comments(self) -> list[Comment]:
        """The comments on the diagram, oldest first. As `Diagram.comments`, awaited."""
    async def comment(
        self, text: str, *, review: bool = False, asked: Sequence[str | Member | AsyncMember] | None = None
    ) -> Comment:
        """Adds a comment on the diagram, or asks for a review of it. As `Diagram.comment`, awaited."""
    async def features(self) -> FeatureCollection:
        """A diagram with its features. As `Diagram.features`, awaited."""
    async def delete(self) -> None:
        """Removes a diagram; undoing this restores it. As `Diagram.delete`, awaited."""
    async def notes(self) -> str:
        """The note of a diagram. As `Diagram.notes`, awaited."""
    async def change_id(self) -> str:
        """The change id of a diagram: a text that differs after each change of the diagram. As `Diagram.change_id`, awaited."""
    async def tags(self) -> list[Tag]:
        """The tags of a diagram. As `Diagram.tags`, awaited."""
    async def set_tags(self, ids: Sequence[str]) -> None:
        """Replaces the tags of a diagram, named by their ids. As `Diagram.set_tags`, awaited."""
    async def tag_codes(self) -> list[str]:
        """The tags of a diagram, for reading their codes. As `Diagram.tag_codes`, awaited."""
    async def set_tag_codes(self, codes: Sequence[str]) -> None:
        """Replaces the tags of a diagram, named by their codes. As `Diagram.set_tag_codes`, awaited."""
    async def withdraw_vote(self) -> None:
        """Withdraws the caller's vote on a diagram. As `Diagram.withdraw_vote`, awaited."""
    def __await__(self) -> Generator[Any, None, Self]: ...
    def __getitem__(
        self,
        name: Literal[
            "additional_metadata",
            "area",
            "building_data",
            "cost_override",
            "cost_override_type",
            "created_at",
            "description",
            "end_date",
            "external_geometries",
            "flat_geobuf_url",
            "fundingtype",
            "id",
            "length",
            "notes",
            "rank",
            "start_date",
            "sysid",
            "tag_codes",
            "type",
        ],
        /,
    ) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(
        self,
    ) -> Iterator[
        Literal[
            "additional_metadata",
            "area",
            "building_data",
            "cost_override",
            "cost_override_type",
            "created_at",
            "description",
            "end_date",
            "external_geometries",
            "flat_geobuf_url",
            "fundingtype",
            "id",
            "length",
            "notes",
            "rank",
            "start_date",
            "sysid",
            "tag_codes",
            "type",
        ]
    ]: ...
    def __len__(self) -> int: ...
    def keys(
        self,
    ) -> KeysView[
        Literal[
            "additional_metadata",
            "area",
            "building_data",
            "cost_override",
            "cost_override_type",
            "created_at",
            "description",
            "end_date",
            "external_geometries",
            "flat_geobuf_url",
            "fundingtype",
            "id",
            "length",
            "notes",
            "rank",
            "start_date",
            "sysid",
            "tag_codes",
            "type",
        ]
    ]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    async def update(
        self,
        *,
        additional_metadata: Mapping[str, Any] | None = None,
        title: str | None = None,
        tag_codes: Sequence[str] | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
    ) -> None:
        """Sets the metadata of a diagram and, if they are given, its title, tags and dates. As `Diagram.update`, awaited."""
    async def edit(
        self,
        *,
        title: str | None = None,
        geometry: _Geometries | None = None,
        start_date: date | str | None = None,
        end_date: date | str | None = None,
        undated: bool = False,
        system: _System | None = None,
        kind: Literal["project", "policy"] | None = None,
        funding: Literal["public", "public_private", "private", "budgeted", "pu", "pp", "pr", "bu", "o", "b", "u"]
        | None = None,
        cost: float | None = None,
        cost_type: Literal["total", "unit"] | None = None,
        building_data: Mapping[str, Any] | None = None,
        outside: Literal["refuse", "allow"] = "refuse",
        unless_changed_since: str | None = None,
    ) -> str:
        """Changes the given fields of a diagram; all others stay unchanged. As `Diagram.edit`, awaited."""
    async def set_notes(self, text: str) -> None:
        """Replaces the note of a diagram. As `Diagram.set_notes`, awaited."""
    async def vote(self, vote: int, comment: str = "") -> None:
        """Casts the caller's vote on a diagram, in place of an earlier one. As `Diagram.vote`, awaited."""
    async def thumbnail(self) -> bytes:
        """A picture of a diagram over the study area. As `Diagram.thumbnail`, awaited."""
    async def external(self, *, max_bytes: int = 100000000, allow_private: bool = False) -> GeoDataFrame:
        """Opens the FlatGeobuf file of an external diagram. As `Diagram.external`, awaited."""

@final
class Member:
    """A member of a project, from `project.member(…)` or `project.members()`.

    `project.member(…)` sends nothing until you ask the member for something. Handles to the same member are equal.

    Examples:
        >>> member = project.member("amara.okafor")
        >>> project.team("Residents").save("What Amara wants", members=[member]).costs().total == member.costs().total
        True
    """

    @property
    def project(self) -> Project:
        """The project that it belongs to. As `Team.project`."""
    @property
    def username(self) -> str:
        """The member's name."""
    def service_costs(self) -> CostFigures:
        """The cost of a member's selected diagrams, system by system.

        These are the figures of `costs(member=…)`, computed by the service.

        Returns:
            A `CostFigures` dict, see `service_costs()`.

        Raises:
            PermissionDeniedError: The user is not a member of the project.

        Examples:
            >>> project.member("amara.okafor").service_costs()["selection"]
            'Selection of amara.okafor'
        """
    def remove(self) -> None:
        """Ends a membership, with the member's selection and votes. The diagrams that the member added stay. Only an administrator of the project may do this.



        Raises:
            PermissionDeniedError: The user is not a member of the project.
            BadRequestError: The project would have no administrator.

        Examples:
            >>> member = project.add_member("jose.villanueva")
            >>> member.remove()
        """
    def tokens(self) -> list[TokenInfo]:
        """Information about the valid tokens of a member of this project alone, without the tokens themselves. Only an administrator of the project may do this.

        Returns:
            A list of `TokenInfo` dicts, see `Client.tokens`.

        Raises:
            PermissionDeniedError: The user is not a member of the project.
            PermissionDeniedError: The user is not an administrator of the project, or the member is in other projects, too.

        Examples:
            >>> card = project.member("jose.villanueva").add_token()
            >>> [token["on_card"] for token in project.member("jose.villanueva").tokens()]
            [True]
        """
    def withdraw_tokens(self) -> None:
        """Withdraws all tokens of a member of this project alone. Only an administrator of the project may do this.



        Raises:
            PermissionDeniedError: The user is not a member of the project.
            PermissionDeniedError: The user is not an administrator of the project, or the member is in other projects, too.

        Examples:
            >>> project.member("jose.villanueva").withdraw_tokens()
        """
    def __getitem__(self, name: Literal["username"], /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Literal["username"]]: ...
    def __len__(self) -> int: ...
    def keys(self) -> KeysView[Literal["username"]]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def selection(
        self, system: _System | None = None, kind: Literal["project", "policy"] | None = None
    ) -> FeatureCollection:
        """The diagrams that the member selected.

        Args:
            system: A system: the object, its id, name or tag, or the unique start of its name. Default: all systems.
            kind: `"project"` or `"policy"`, within a system. Default: both.

        Returns:
            A `FeatureCollection`.

        Raises:
            InputError: `kind` without `system` or with another value, or no system of that name.
            PermissionDeniedError: The user is not a member of the project.

        Examples:
            >>> len(project.member("amara.okafor").selection()) > 0
            True
        """
    def set_selection(self, diagrams: Iterable[_Diagram]) -> list[int]:
        """Replaces the diagrams that a member selected. Only an administrator may do this for another member.

        Args:
            diagrams: All diagrams of the new selection.

        Returns:
            The ids of these diagrams.

        Raises:
            BadRequestError: The project lacks one of the diagrams; nothing was changed.
            PermissionDeniedError: The member is not the user, or not in the project; or selecting is closed.

        Examples:
            >>> project.member("jose.villanueva").set_selection([1001, 1040])
            [1001, 1040]
        """
    def change_selection(
        self, *, add: Iterable[_Diagram] | None = None, remove: Iterable[_Diagram] | None = None
    ) -> list[int]:
        """Adds diagrams to a member's selection and removes others from it. Only an administrator may do this for another member.

        Args:
            add: Diagrams to add.
            remove: Diagrams to take out.

        Returns:
            The ids of all diagrams that the member now has selected.

        Raises:
            BadRequestError: The project lacks one of the diagrams; nothing was changed.
            PermissionDeniedError: The member is not the user, or not in the project; or selecting is closed.

        Examples:
            >>> selected = project.member("jose.villanueva").change_selection(add=[1003], remove=[1001])
            >>> 1003 in selected, 1001 in selected
            (True, False)
        """
    def costs(self, *, land: Literal["all", "inside"] = "all", check: bool = False, strict: bool = False) -> CostReport:
        """The cost of the diagrams that the member selected, system by system: `Project.costs` of this member.

        Args:
            land: `"inside"` to count only land inside the study area, as `Project.costs` does.
            check: True to check the geometries, as `Project.costs` does.
            strict: True to raise an error for a diagram with a wrong or unreadable value, as in `Project.costs`.

        Returns:
            A `CostReport`.

        Raises:
            InputError: For `land="inside"`, the project has no boundaries.
            PermissionDeniedError: The user is not a member of the project.
            DecodeError: A diagram has no id; with `strict=True`, a diagram is wrong.

        Examples:
            >>> member = project.member("amara.okafor")
            >>> member.costs().total == member.service_costs()["total"]
            True
        """
    def add_token(self, *, expires_at: date | str | None = None) -> IssuedToken:
        """Makes a token for the card of a member of this project alone, in place of the token on an earlier card. It is shown only once. Only an administrator of the project may do this.

        It also ends when the member joins another project.

        Args:
            expires_at: The time when the token expires, as for `Diagram.update`. Default: after the time set by the operator of the service, or
                after six months.

        Returns:
            An `IssuedToken` dict: `id`, `username`, `token`, `code` (for `Client.sign_in`), `expires_at` (UTC).

        Raises:
            BadRequestError: The time has passed.
            PermissionDeniedError: The user is not an administrator of the project, or the member is also in other projects, or is the
                operator of the service.

        Examples:
            >>> project.member("amara.okafor").add_token(expires_at="2999-06-01")["username"]
            'amara.okafor'
        """
    def _repr_html_(self) -> str | None:
        """Its contents, requested from the service; None, for its plain text, if that fails."""

@final
class AsyncMember:
    """A member of a project, from `AsyncProject.member(…)`: the methods of `Member`, awaited.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def total(sandbox):
        ...     member = sandbox.async_client().project("StatenIsland2050").member("amara.okafor")
        ...     return (await member.costs()).total
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(total(sandbox)) > 0
        True
    """

    @property
    def project(self) -> AsyncProject:
        """The project that it belongs to. As `Team.project`."""
    @property
    def username(self) -> str:
        """The member's name."""
    async def service_costs(self) -> CostFigures:
        """The cost of a member's selected diagrams, system by system. As `Member.service_costs`, awaited."""
    async def remove(self) -> None:
        """Ends a membership, with the member's selection and votes. As `Member.remove`, awaited."""
    async def tokens(self) -> list[TokenInfo]:
        """Information about the valid tokens of a member of this project alone, without the tokens themselves. As `Member.tokens`, awaited."""
    async def withdraw_tokens(self) -> None:
        """Withdraws all tokens of a member of this project alone. As `Member.withdraw_tokens`, awaited."""
    def __await__(self) -> Generator[Any, None, Self]: ...
    def __getitem__(self, name: Literal["username"], /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Literal["username"]]: ...
    def __len__(self) -> int: ...
    def keys(self) -> KeysView[Literal["username"]]:
        """The names of its fields, like a dict's. As `Team.keys`."""
    def values(self) -> ValuesView[Any]:
        """The values of its fields, like a dict's. As `Team.values`."""
    def items(self) -> ItemsView[str, Any]:
        """Names and values of its fields, like a dict's. As `Team.items`."""
    def get(self, name: str, default: object = None) -> Any | None:
        """A field by its name on the wire. As `Team.get`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    async def selection(
        self, system: _System | None = None, kind: Literal["project", "policy"] | None = None
    ) -> FeatureCollection:
        """The diagrams that the member selected. As `Member.selection`, awaited."""
    async def set_selection(self, diagrams: Iterable[_Diagram]) -> list[int]:
        """Replaces the diagrams that a member selected. As `Member.set_selection`, awaited."""
    async def change_selection(
        self, *, add: Iterable[_Diagram] | None = None, remove: Iterable[_Diagram] | None = None
    ) -> list[int]:
        """Adds diagrams to a member's selection and removes others from it. As `Member.change_selection`, awaited."""
    async def costs(
        self, *, land: Literal["all", "inside"] = "all", check: bool = False, strict: bool = False
    ) -> CostReport:
        """The cost of the diagrams that the member selected, system by system: `Project.costs` of this member. As `Member.costs`, awaited."""
    async def add_token(self, *, expires_at: date | str | None = None) -> IssuedToken:
        """Makes a token for the card of a member of this project alone, in place of the token on an earlier card. As `Member.add_token`, awaited."""

@final
class Workshop:
    """Participation in a project: activities open to members, guests, walk-ins, negotiations, stakeholders, plugins. It is
    `project.workshop`.

    Examples:
        >>> project.workshop.activities()["drawing"]["open"]
        True
    """

    def remove_name(self, username: str | Member | AsyncMember) -> None:
        """Removes the name of a person who is, or was, in this project alone: the membership and the account end, and `former member` with a number replaces the name wherever the service keeps it. The diagrams stay. Only an administrator of the project may do this.

        Texts that people wrote, such as titles and comments, stay as they are. So do earlier backups and archives.

        Args:
            username: A current or former member of the project.

        Raises:
            PermissionDeniedError: No current or former member of the project has that name.
            PermissionDeniedError: The user is not an administrator of the project, or the person is in other projects, too.
            BadRequestError: The project would have no administrator.

        Examples:
            >>> project.workshop.remove_name("jose.villanueva")
            >>> "jose.villanueva" in sandbox.usernames
            False
        """
    def activities(self) -> Activities:
        """The activities that are open to members: drawing, selecting, designing, commenting.

        Returns:
            A dict with `drawing` (diagrams), `selecting` (selections and votes), `designing` (designs and negotiations) and `commenting`,
            each a dict with `open`, `closes_at` (UTC, or None) and `message`.

        Examples:
            >>> project.workshop.activities()["drawing"]["open"]
            True
        """
    def links(self) -> list[GuestLink]:
        """The links with which guests read the project, without their tokens. Only an administrator of the project may do this.

        Returns:
            A list of `GuestLink` dicts: `id`, `title`, `names`, `created_at`, `expires_at`, `last_used_at` (UTC; None if it
            was not used).

        Examples:
            >>> link = project.workshop.add_link("City council", expires_at="2999-06-01")
            >>> [link["title"] for link in project.workshop.links()]
            ['City council']
        """
    def withdraw_link(self, id: str) -> None:
        """Withdraws a link. Its guests can no longer read anything. Only an administrator of the project may do this.

        Args:
            id: The `id` of one of `links()`.

        Raises:
            NotFoundError: The project has no such link.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> link = project.workshop.add_link("Press", expires_at="2999-06-01")
            >>> project.workshop.withdraw_link(link["id"])
        """
    def walk_ins(self) -> WalkIns:
        """The state of the project's joining code, and the people waiting to be admitted. Only an administrator of the project may do this.

        Returns:
            A `WalkIns` dict: `open`, `closes_at` (UTC, or None), `by_hand`, `cteamid` (or None), `admitted`, and `waiting`, a list
            of dicts with `username` and `asked_at` (UTC).

        Examples:
            >>> project.workshop.walk_ins()["waiting"]
            []
        """
    def close_walk_ins(self) -> None:
        """Closes the project to walk-ins. People who are waiting stay in the list. Only an administrator of the project may do this.

        If it is already closed, nothing happens.



        Raises:
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.workshop.close_walk_ins()
        """
    def refuse_walk_in(self, name: str | Member | AsyncMember) -> None:
        """Refuses a waiting person. Only an administrator of the project may do this.

        Args:
            name: The `username` of a waiting walk-in.

        Raises:
            NotFoundError: No walk-in of that name is waiting.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> code = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
            >>> client.walk_in(code, "Zoe")["admitted"]
            False
            >>> project.workshop.refuse_walk_in("Zoe")
        """
    def origins(self) -> list[WorkState]:
        """The states that the project began with: one for each archive that it was loaded from.

        `merge` compares with these states.

        Returns:
            A list of dicts, oldest first: `service` (its id), `changeid`, `created_at` (of the archive; UTC) and `work`, which has the
            fields of each thing by kind and id. Empty for a project that was created in this service.

        Examples:
            >>> project.workshop.origins()
            []
        """
    def stakeholders(self) -> list[Stakeholder]:
        """The people and groups whose interests the project considers.

        Returns:
            A list of dicts with `id` (a UUID) and `name`.

        Examples:
            >>> len(project.workshop.stakeholders())
            8
        """
    def plugins(self) -> list[Plugin]:
        """The plugins: extensions that the project uses.

        Returns:
            A list of dicts with `id` (a UUID) and `description`.

        Examples:
            >>> len(project.workshop.plugins())
            3
        """
    def set_plugins(self, ids: Sequence[str]) -> None:
        """Replaces the plugins that the project uses.

        Args:
            ids: Their UUIDs.

        Raises:
            InputError: One of the ids is not a UUID; nothing was sent.

        Examples:
            >>> project.workshop.set_plugins([plugin["id"] for plugin in project.workshop.plugins()])
        """
    def negotiation_logs(self) -> list[NegotiationSession]:
        """The diagrams that change teams accepted and rejected while negotiating one design out of two, session by session.

        Returns:
            A list of `NegotiationSession` dicts: `session_id`, `cteams` (team ids) and `moves`, a list of dicts with
            `diagram` (its id), `move` and `timestamp` (ISO 8601, without zone).

        Examples:
            >>> len(project.workshop.negotiation_logs())
            3
        """
    def begin_negotiation(self, teams: Sequence[_Team]) -> NegotiationSession:
        """Begins a negotiation between change teams. Members of these teams and administrators may do this.

        Args:
            teams: Two teams or more: the objects, their ids, their titles or their titles' unique starts.

        Returns:
            A `NegotiationSession` dict, with its `session_id`.

        Raises:
            InputError: Fewer than two teams; nothing was sent.
            BadRequestError: The project lacks one of the teams.
            PermissionDeniedError: The user is neither in one of the teams nor an administrator of the project; or designing is closed.

        Examples:
            >>> session = project.workshop.begin_negotiation([1, 2])
            >>> move = project.workshop.add_move(session["session_id"], 1001, "accept", "Both need it.")
            >>> project.workshop.negotiation_logs()[-1]["moves"][0]["comment"]
            'Both need it.'
        """
    def add_move(self, session: str, diagram: _Diagram, decision: str, comment: str = "") -> Move:
        """Adds a decision to a negotiation. Members of its teams and administrators may do this.

        Args:
            session: The `session_id` of the negotiation.
            diagram: The diagram of the decision: the object, its id or its title.
            decision: The decision, such as `"accept"`, `"reject"` or `"ask"`.
            comment: A short reason.

        Returns:
            A `Move` dict, with its `timestamp` (UTC).

        Raises:
            InputError: An empty decision; nothing was sent.
            BadRequestError: The project lacks the diagram.
            PermissionDeniedError: The user is neither in one of the teams nor an administrator of the project; or designing is closed.
            NotFoundError: The project has no such negotiation.

        Examples:
            >>> session = project.workshop.begin_negotiation([1, 3])
            >>> project.workshop.add_move(session["session_id"], 1002, "reject")["move"]
            'reject'
        """
    def set_activities(
        self,
        *,
        drawing: bool | None = None,
        selecting: bool | None = None,
        designing: bool | None = None,
        commenting: bool | None = None,
        votes_hidden: bool | None = None,
        drawings_shown: bool | None = None,
        closes_at: date | str | None = None,
        message: str = "",
    ) -> Activities:
        """Opens or closes activities of members, now or at a set time. Only an administrator of the project may do this.

        Omitted arguments stay unchanged. Administrators may do all of it, even while it is closed.

        Args:
            drawing: True if members may add and change diagrams.
            selecting: True if members may change selections and votes.
            designing: True if members may save designs and negotiate.
            commenting: True if members may comment.
            votes_hidden: True hides votes: members see only their own, until False shows all.
            drawings_shown: True shows members what others are drawing, from the first corner on. At first, it is False.
            closes_at: The time when the opened activities close, as for `Diagram.update`. Default: never.
            message: The text shown with each refusal.

        Returns:
            A dict as from `activities()`.

        Raises:
            InputError: No argument is given, or `closes_at` is given for a closed activity; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.workshop.set_activities(drawing=False, message="We compare now.")["drawing"]["open"]
            False
            >>> project.workshop.set_activities(drawing=True)["drawing"]["open"]
            True
            >>> project.workshop.set_activities(votes_hidden=True)["votes_hidden"]
            True
        """
    def add_link(self, title: str, expires_at: date | str, *, names: bool = False) -> NewGuest:
        """Makes a link with which guests can read the project until a set time. Its token is shown only once. Only an administrator of the project may do this.

        With the link's token, a guest can read everything that members can read in this project, and change nothing.

        Args:
            title: The person or group that the link is for.
            expires_at: The time when the link expires, as for `Diagram.update`.
            names: True to show guests the names of members and authors. Without them, `author` is empty everywhere, and members,
                selections and votes cannot be read.

        Returns:
            A `NewGuest` dict: `id`, `title`, `names`, `created_at`, `expires_at`, `last_used_at`; `token`, for `Client(token, url)`;
            and `path`, to open below the address of the service.

        Raises:
            InputError: An empty title; nothing was sent.
            BadRequestError: The time has passed, or the project has reached its limit of links.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> link = project.workshop.add_link("Newspaper", expires_at="2999-06-01")
            >>> from pygeodesign import Client
            >>> guest = Client(link["token"], client.base_url)
            >>> {row["author"] for row in guest.project(project.id).diagrams(fields="summary")}
            {''}
        """
    def open_walk_ins(self, closes_at: date | str, *, by_hand: bool = False, team: _Team | None = None) -> JoiningCode:
        """Opens the project to walk-ins until a set time, with a new joining code, which is shown only once. An earlier code ends. Only an administrator of the project may do this.

        With the code and a name, `Client.walk_in` creates an account of that name and makes it a member of the project.

        Args:
            closes_at: The time when the code expires, as for `Diagram.update`. `close_walk_ins` ends it earlier.
            by_hand: True to make walk-ins wait until an administrator admits or refuses them. By default they are admitted at once.
            team: The walk-ins' team: the object, its id, its title or its title's unique start. Default: none.

        Returns:
            A dict with `code` and `closes_at` (UTC).

        Raises:
            InputError: The project has no team of that title; it lists the teams.
            BadRequestError: The time has passed, or the project has no team of that id.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> len(project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"])
            11
        """
    def admit_walk_in(self, name: str | Member | AsyncMember, *, team: _Team | None = None) -> None:
        """Admits a waiting person as a member of the project. Only an administrator of the project may do this.

        Args:
            name: The `username` of a waiting walk-in.
            team: The user's team: the object, its id, its title or its title's unique start. Default: the joining code's team.

        Raises:
            BadRequestError: The project has no such team, or somebody got an account of that name meanwhile.
            PermissionDeniedError: The user is not an administrator of the project.
            NotFoundError: No walk-in of that name is waiting.

        Examples:
            >>> code = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
            >>> walked_in = client.walk_in(code, "Yuki")
            >>> project.workshop.admit_walk_in("Yuki", team=2)
            >>> "Yuki" in project.team(2).members()
            True
        """
    def add_stakeholders(self, names: Sequence[str]) -> None:
        """Adds stakeholders by their names. Names that the project already has are skipped.

        Args:
            names: Their names. A stakeholder that the project already has is not added again.

        Raises:
            InputError: A name is empty; nothing was sent.

        Examples:
            >>> project.workshop.add_stakeholders(["Oyster growers"])
            >>> "Oyster growers" in {stakeholder["name"] for stakeholder in project.workshop.stakeholders()}
            True
        """

@final
class AsyncWorkshop:
    """Participation in a project: `AsyncProject.workshop`, the methods of `Workshop`, awaited.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def is_open(sandbox):
        ...     workshop = sandbox.async_client().project("StatenIsland2050").workshop
        ...     return (await workshop.activities())["drawing"]["open"]
        >>> with Sandbox() as sandbox:
        ...     asyncio.run(is_open(sandbox))
        True
    """

    async def remove_name(self, username: str | Member | AsyncMember) -> None:
        """Removes the name of a person who is, or was, in this project alone: the membership and the account end, and `former member` with a number replaces the name wherever the service keeps it. As `Workshop.remove_name`, awaited."""
    async def activities(self) -> Activities:
        """The activities that are open to members: drawing, selecting, designing, commenting. As `Workshop.activities`, awaited."""
    async def links(self) -> list[GuestLink]:
        """The links with which guests read the project, without their tokens. As `Workshop.links`, awaited."""
    async def withdraw_link(self, id: str) -> None:
        """Withdraws a link. As `Workshop.withdraw_link`, awaited."""
    async def walk_ins(self) -> WalkIns:
        """The state of the project's joining code, and the people waiting to be admitted. As `Workshop.walk_ins`, awaited."""
    async def close_walk_ins(self) -> None:
        """Closes the project to walk-ins. As `Workshop.close_walk_ins`, awaited."""
    async def refuse_walk_in(self, name: str | Member | AsyncMember) -> None:
        """Refuses a waiting person. As `Workshop.refuse_walk_in`, awaited."""
    async def origins(self) -> list[WorkState]:
        """The states that the project began with: one for each archive that it was loaded from. As `Workshop.origins`, awaited."""
    async def stakeholders(self) -> list[Stakeholder]:
        """The people and groups whose interests the project considers. As `Workshop.stakeholders`, awaited."""
    async def plugins(self) -> list[Plugin]:
        """The plugins: extensions that the project uses. As `Workshop.plugins`, awaited."""
    async def set_plugins(self, ids: Sequence[str]) -> None:
        """Replaces the plugins that the project uses. As `Workshop.set_plugins`, awaited."""
    async def negotiation_logs(self) -> list[NegotiationSession]:
        """The diagrams that change teams accepted and rejected while negotiating one design out of two, session by session. As `Workshop.negotiation_logs`, awaited."""
    async def begin_negotiation(self, teams: Sequence[_Team]) -> NegotiationSession:
        """Begins a negotiation between change teams. As `Workshop.begin_negotiation`, awaited."""
    async def add_move(self, session: str, diagram: _Diagram, decision: str, comment: str = "") -> Move:
        """Adds a decision to a negotiation. As `Workshop.add_move`, awaited."""
    async def set_activities(
        self,
        *,
        drawing: bool | None = None,
        selecting: bool | None = None,
        designing: bool | None = None,
        commenting: bool | None = None,
        votes_hidden: bool | None = None,
        drawings_shown: bool | None = None,
        closes_at: date | str | None = None,
        message: str = "",
    ) -> Activities:
        """Opens or closes activities of members, now or at a set time. As `Workshop.set_activities`, awaited."""
    async def add_link(self, title: str, expires_at: date | str, *, names: bool = False) -> NewGuest:
        """Makes a link with which guests can read the project until a set time. As `Workshop.add_link`, awaited."""
    async def open_walk_ins(
        self, closes_at: date | str, *, by_hand: bool = False, team: _Team | None = None
    ) -> JoiningCode:
        """Opens the project to walk-ins until a set time, with a new joining code, which is shown only once. As `Workshop.open_walk_ins`, awaited."""
    async def admit_walk_in(self, name: str | Member | AsyncMember, *, team: _Team | None = None) -> None:
        """Admits a waiting person as a member of the project. As `Workshop.admit_walk_in`, awaited."""
    async def add_stakeholders(self, names: Sequence[str]) -> None:
        """Adds stakeholders by their names. As `Workshop.add_stakeholders`, awaited."""

@final
class StudyArea:
    """The land of a project: its bounds, boundaries, constraints, context and data layers. It is `project.study_area`.

    Examples:
        >>> project.study_area.boundaries()["features"][0]["properties"]["bname"]
        'Staten Island'
    """

    def boundaries(self) -> FeatureCollection:
        """The outline of the study area.

        Returns:
            A `FeatureCollection`; its `metadata` has `description`, with the source.

        Examples:
            >>> project.study_area.boundaries()["features"][0]["properties"]["bname"]
            'Staten Island'
        """
    def second_boundaries(self) -> FeatureCollection:
        """The second set of boundaries, such as the surroundings of the study area.

        Returns:
            A `FeatureCollection`; its `metadata` has `description`, with the source.

        Examples:
            >>> len(project.study_area.second_boundaries())
            5
        """
    def constraints(self) -> FeatureCollection:
        """The constraints: land that no system may change.

        Returns:
            A `FeatureCollection`; its `metadata` has `description` and `area` (m²).

        Examples:
            >>> len(project.study_area.constraints())
            3
        """
    def context(self) -> FeatureCollection:
        """The context: places, water, roads, railways, parks and districts that show where the project is.

        This is an addition of this service; other services may not have it.

        Returns:
            A `FeatureCollection`; each feature has its `kind`, and its `name` if it has one. Its `metadata` has `description`.

        Examples:
            >>> project.study_area.context()["features"][0]["properties"]
            {'kind': 'place', 'name': 'Annadale'}
        """
    def layers(self) -> list[Layer]:
        """The external data layers: maps of other servers that the project shows.

        Returns:
            A list of `Layer` dicts: `id`, `server_type`, `layer_type`, `url`, `layer_name`, `attribution`,
            `display_name`, `additional_metadata`.

        Examples:
            >>> [layer["layer_type"] for layer in project.study_area.layers()]
            ['WMS', 'XYZ', 'esri-featurelayer', 'WMS']
        """
    def delete_layer(self, id: int) -> None:
        """Removes an external data layer. Only an administrator of the project may do this.

        Args:
            id: The layer's id.

        Raises:
            NotFoundError: The project has no such layer.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.study_area.delete_layer(project.study_area.layers()[-1]["id"])
        """
    def bounds(self) -> tuple[float, float, float, float] | None:
        """The bounds of the study area: west, south, east and north in degrees.

        Returns:
            West, south, east, north in degrees (WGS 84). None if the service has none; pygeodesign's always has them.

        Examples:
            >>> west, south, east, north = project.study_area.bounds()
            >>> west < east and south < north
            True
        """
    def center(self) -> tuple[float, float] | None:
        """The centre of the study area: longitude and latitude in degrees.

        Returns:
            Longitude, latitude in degrees (WGS 84). None if the service has none; pygeodesign's always has them.

        Examples:
            >>> [round(degrees, 2) for degrees in project.study_area.center()]
            [-74.15, 40.57]
        """
    def add_layer(
        self,
        url: str,
        *,
        server_type: str,
        layer_type: str,
        layer_name: str,
        display_name: str | None = None,
        attribution: str = "",
        additional_metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds an external data layer. A layer whose `url` is not https is skipped, and the response says so.

        Args:
            url: The https address of the map.
            server_type: `esri`, `eorg`, `mapserver`, `geoserver`, `mapcentia-gc2` or `other`.
            layer_type: `WMS`, `XYZ`, `esri-basemap`, `esri-tilelayer`, `esri-dynamicmaplayer`, `esri-imagemaplayer` or
                `esri-featurelayer`, in upper or lower case.
            layer_name: The layer's name on that server.
            display_name: The name that users see. Default: `layer_name`.
            attribution: The source to credit.
            additional_metadata: A dict with any content.

        Raises:
            InputError: An unknown type of server or layer, or an address that is not https; nothing was sent.

        Examples:
            >>> project.study_area.add_layer(
            ...     "https://tiles.example.org/{z}/{x}/{y}.png", server_type="other", layer_type="XYZ", layer_name="Relief"
            ... )
            >>> project.study_area.layers()[-1]["display_name"]
            'Relief'
        """
    def set_boundaries(self, features: _Geometries, description: str = "", *, second: bool = False) -> None:
        """Replaces the boundaries of the project. Only an administrator of the project may do this.

        Args:
            features: Polygons, as for `Project.add_diagram`; a `bname` or `name` among their attributes names them.
            description: The name of the boundaries.
            second: True to set the second set of boundaries.

        Raises:
            InputError: Lines, or a geometry that `Project.add_diagram` refuses too; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.study_area.set_boundaries(project.study_area.boundaries().to_geopandas(), "Staten Island")
        """
    def set_constraints(self, features: _Geometries, description: str = "") -> None:
        """Replaces the constraints of the project: land that no system may change. Only an administrator of the project may do this.

        Args:
            features: Polygons or lines, as for `Project.add_diagram`.
            description: The name of the constraints.

        Raises:
            InputError: A geometry that `Project.add_diagram` refuses too; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.study_area.set_constraints(project.study_area.constraints().to_geopandas(), "Reserves")
        """
    def set_context(self, features: _Geometries, description: str = "") -> None:
        """Replaces the context of the project: places, water, roads, railways, parks and districts. Only an administrator of the project may do this.

        Args:
            features: Points, lines or polygons, in any form that `Project.add_diagram` reads. Two attributes of each feature are read. `kind` is
                `place`, `water`, `road`, `rail`, `park` or `district`; without it, a point is a place, a line a road and a polygon a
                district. `name` is text; places must have it.
            description: The name of the context.

        Raises:
            InputError: An unknown kind, a place without a name, or an invalid geometry; nothing was sent.
            PermissionDeniedError: The user is not an administrator of the project.

        Examples:
            >>> project.study_area.set_context(project.study_area.context().to_geopandas(), "Neighborhoods")
        """

@final
class AsyncStudyArea:
    """The land of a project: `AsyncProject.study_area`, the methods of `StudyArea`, awaited.

    Examples:
        >>> import asyncio
        >>> from pygeodesign import Sandbox
        >>> async def west(sandbox):
        ...     return (await sandbox.async_client().project("StatenIsland2050").study_area.bounds())[0]
        >>> with Sandbox() as sandbox:
        ...     round(asyncio.run(west(sandbox)))
        -74
    """

    async def boundaries(self) -> FeatureCollection:
        """The outline of the study area. As `StudyArea.boundaries`, awaited."""
    async def second_boundaries(self) -> FeatureCollection:
        """The second set of boundaries, such as the surroundings of the study area. As `StudyArea.second_boundaries`, awaited."""
    async def constraints(self) -> FeatureCollection:
        """The constraints: land that no system may change. As `StudyArea.constraints`, awaited."""
    async def context(self) -> FeatureCollection:
        """The context: places, water, roads, railways, parks and districts that show where the project is. As `StudyArea.context`, awaited."""
    async def layers(self) -> list[Layer]:
        """The external data layers: maps of other servers that the project shows. As `StudyArea.layers`, awaited."""
    async def delete_layer(self, id: int) -> None:
        """Removes an external data layer. As `StudyArea.delete_layer`, awaited."""
    async def bounds(self) -> tuple[float, float, float, float] | None:
        """The bounds of the study area: west, south, east and north in degrees. As `StudyArea.bounds`, awaited."""
    async def center(self) -> tuple[float, float] | None:
        """The centre of the study area: longitude and latitude in degrees. As `StudyArea.center`, awaited."""
    async def add_layer(
        self,
        url: str,
        *,
        server_type: str,
        layer_type: str,
        layer_name: str,
        display_name: str | None = None,
        attribution: str = "",
        additional_metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds an external data layer. As `StudyArea.add_layer`, awaited."""
    async def set_boundaries(self, features: _Geometries, description: str = "", *, second: bool = False) -> None:
        """Replaces the boundaries of the project. As `StudyArea.set_boundaries`, awaited."""
    async def set_constraints(self, features: _Geometries, description: str = "") -> None:
        """Replaces the constraints of the project: land that no system may change. As `StudyArea.set_constraints`, awaited."""
    async def set_context(self, features: _Geometries, description: str = "") -> None:
        """Replaces the context of the project: places, water, roads, railways, parks and districts. As `StudyArea.set_context`, awaited."""

@final
class FeatureCollection:
    """Features with their properties, in WGS 84, longitude before latitude. Immutable.

    It keeps the bytes of the response; Python objects are made on demand. GeoPandas, pyarrow, polars, DuckDB and
    lonboard read it directly, through `__geo_interface__` or `__arrow_c_stream__`.

    Tables have a column for each property, named as in the service. A diagram's `type` is called `kind`, because the `type` of a
    GeoDataFrame is the type of its geometries. Thousands of properties that only a few features have would make nearly empty columns: they
    share the column `properties`, which has a JSON object in each row.

    Examples:
        >>> diagrams = project.diagrams()
        >>> diagrams
        <FeatureCollection: 214 features, 180 diagrams>
        >>> frame = diagrams.to_geopandas()
        >>> frame.crs.to_epsg()
        4326
    """

    @property
    def metadata(self) -> dict[str, Any]:
        """The fields outside the features: a diagram's fields, or the description of boundaries. A new dict each time."""
    @property
    def bounds(self) -> tuple[float, float, float, float] | None:
        """West, south, east, north of all geometries in degrees; None without geometries."""
    @property
    def __geo_interface__(self) -> dict[str, Any]: ...
    @classmethod
    def from_esri(cls, features: Iterable[EsriFeature]) -> Self:
        """Makes a collection from feature-JSON, such as from `Project.design_esri`.

        Attributes become properties. Rings become polygons: a ring inside another is a hole, whatever its direction.

        Args:
            features: A list of dicts with `attributes` and `geometry`, in WGS 84 (wkid 4326) or Web Mercator (3857,
                102100).

        Raises:
            InputError: Another wkid, or an invalid geometry; the message names the feature.

        Warns:
            UserWarning: A ring runs in the same direction as the one around it, so it may be land.

        Examples:
            >>> design = project.designs(1)[0]["id"]
            >>> esri = FeatureCollection.from_esri(project.design(design, 1).esri())
            >>> set(esri.to_arrow()["diagramid"].to_pylist()) == set(project.design(design, 1).diagram_ids())
            True
        """
    def to_dict(self) -> dict[str, Any]:
        """The collection as a GeoJSON dict: `type` and `features`. A new one each time.

        Returns:
            A dict for `GeoDataFrame.from_features` and `json.dump`.

        Examples:
            >>> project.study_area.boundaries().to_dict()["type"]
            'FeatureCollection'
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __getitem__(self, key: str, /) -> Any: ...
    def _repr_html_(self) -> str: ...
    @staticmethod
    def _from_body(
        body: object, diagrams: bool, labels: str | None = None, problems: str | None = None
    ) -> FeatureCollection:
        """For pickling: the same collection from the same bytes, and from the labels of the systems and the errors in rows as JSON."""
    def problems(self) -> list[GeometryProblem]:
        """Errors in the rows: geometries that could not be drawn as a diagram today, and unreadable values.

        Another service may send invalid values, such as the date 2024-13-45, a position with null, features in another CRS, or a
        cost per m². The row has its readable values. A service may hold self-intersecting polygons, holes outside their exterior or
        overlapping parts. They are read and measured as they are, so their area may be wrong. The rules are those of
        `add_diagram`, and agree with `shapely.is_valid`.

        Returns:
            A dict for each fault, in the order of the rows; for an invalid geometry, only its first fault: `diagramid`, its `row` and
            `part` (counted from 0), its `position` (longitude and latitude in degrees) and the `reason`, which
            says how to repair it. Faults that are not about a geometry have neither part nor position. The list is empty if there are none.
            A missing geometry is not a fault.

        Examples:
            >>> project.diagrams().problems()
            []
        """
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _properties(self) -> _ArrowArray:
        """For GeoPandas: the columns without the geometries, as one Arrow array of structs. String columns have the type that pandas
        uses, so that nothing is converted.
        """
    def _row_ranges(self, rows: int) -> list[tuple[int, int]]:
        """For GeoPandas: the rows in ranges of at most `rows`, fewer if their geometries are large."""
    def _ragged_arrays(
        self, start: int, end: int
    ) -> tuple[list[tuple[str, int, _ArrowArray, _ArrowArray, list[_ArrowArray]]], list[tuple[int, bytes]]]:
        """For GeoPandas: the geometries of the rows from `start` to before `end`. For each kind of shape, the arguments of
        `shapely.from_ragged_array`: the name of the kind, the number of ordinates of a position, and as Arrow arrays the row
        numbers, the ordinates and the offsets of each level. Then the row number and WKB of every other geometry.
        """
    def to_file(self, path: str | PathLike[str], *, escape_formulas: bool = True) -> list[Path]:
        """Writes the collection to a file. Existing files are replaced when the new ones are complete, and stay unchanged if
        writing is interrupted or fails.

        Every format holds every row. If a format cannot hold a value unchanged, a `UserWarning` says what was done.

        Args:
            path: Its extension chooses the format.
                `.geojson`, `.json`: GeoJSON. If an `id` repeats, such as for a diagram of several features, each feature gets
                its number as `id`, as GDAL requires; the property `diagramid` identifies the diagram.
                `.gpkg`: GeoPackage, with a style in which QGIS shows each system in its colour.
                `.parquet`, `.geoparquet`: GeoParquet.
                `.fgb`: FlatGeobuf.
                `.kml`: KML. A placemark is named by the title of its diagram.
                `.shp`: Shapefiles, one for each kind of geometry: `map.shp` if there is one kind, else `map-polygons.shp`,
                `map-lines.shp` and `map-points.shp`. Their format cuts names of fields to 10 characters and texts to 254
                bytes.
                `.csv`: text in UTF-8 with the geometry as WKT in the column `WKT`; the files `.csvt` and `.prj` give GDAL the
                types and the CRS. `add_diagrams` and `pygeodesign upload` read it.
                `.xlsx`: an Excel sheet, with the geometry as in CSV. Strings stay strings, whatever they begin with.
            escape_formulas: True to write an apostrophe before CSV strings that begin with `=`, `+`, `-`, `@`, a tab or a line break, which
                spreadsheets would run as formulas. Numbers, dates and geometries never get one.

        Returns:
            The files that were written.

        Raises:
            InputError: The path has another extension.
            ImportError: GeoPandas or pyarrow is missing and the format is not GeoJSON; `pip install 'pygeodesign[geo]'`
                installs both.
            OSError: The file cannot be written.

        Warns:
            UserWarning: Geometries went to several files, or names or long strings were cut; the message says which.

        Examples:
            >>> [path.name for path in project.study_area.boundaries().to_file("boundaries.gpkg")]
            ['boundaries.gpkg']
        """
    def to_geopandas(self) -> GeoDataFrame:
        """The collection as a GeoDataFrame.

        A diagram of several features has several rows, each with all fields of the diagram. To sum a field of diagrams,
        such as their cost, use `CostReport.to_geopandas()`, which has one row per diagram.

        Returns:
            One row per feature, in EPSG:4326. Columns have the service's names, but `kind` distinguishes projects from
            policies: `frame.type` is each geometry's type. Free-form objects are JSON strings.

        Raises:
            ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Examples:
            >>> project.diagrams().to_geopandas().dtypes["start_date"]
            dtype('<M8[us]')
        """
    def to_arrow(self, *, geometry: Literal["all", "present"] = "all") -> Table:
        """The collection as a pyarrow Table.

        Args:
            geometry: `"all"`, or `"present"` to leave out rows with a null geometry, such as external
                diagrams, for tools that refuse them; the column is then not nullable.

        Returns:
            One row per feature; the column `geometry` is WKB, marked as GeoArrow with its CRS.

        Raises:
            InputError: `geometry` has another value.
            ImportError: pyarrow is missing; `pip install 'pygeodesign[geo]'` installs it.

        Examples:
            >>> project.diagrams().to_arrow().num_rows
            214
        """
    def plot(
        self, boundary: FeatureCollection | GeoDataFrame | None = None, ax: Axes | None = None, **options: Any
    ) -> Axes:
        """Draws the features as a picture, like `pygeodesign.plots.plot_map`.

        Args:
            boundary: The outline of the study area, such as the result of `StudyArea.boundaries`.
            ax: The matplotlib axes to draw on. Default: new ones.
            options: Further arguments of `plot_map`, such as `title="Staten Island"`, `units="us"` or `theme="dark"`.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

        Examples:
            >>> axes = project.diagrams().plot(project.study_area.boundaries(), title="Staten Island 2050")
        """
    def map(self, boundary: FeatureCollection | GeoDataFrame | None = None, **options: Any) -> WebMap:
        """Shows the features on an interactive map, made by `pygeodesign.maps.web_map`.

        Args:
            boundary: The outline of the study area, such as the result of `StudyArea.boundaries`.
            options: Further arguments of `web_map`, such as `title="Staten Island"`, `units="us"`, `theme="dark"` or
                `basemap="light"`.

        Returns:
            A `pygeodesign.maps.WebMap`, which a notebook shows; `to_html` writes it as one file that needs no network.

        Raises:
            ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.

        Examples:
            >>> water, area = project.system("Water").evaluation(), project.study_area.boundaries()
            >>> view = water.map(area, title="Where water needs room")
            >>> view.to_html("water.html")
        """

@final
class CostReport:
    """The cost of diagrams, system by system, with the reason for each figure. Immutable.

    It shows the project at the time of the call.

    Examples:
        >>> report = project.costs()
        >>> report.systems[0]["name"], report.systems[0]["diagrams"]
        ('Water', 20)
        >>> [row["name"] for row in report.systems if row["budget_left"] is not None and row["budget_left"] < 0]
        ['Water', 'Green infrastructure', 'Transport', 'Mixed use']
    """

    @property
    def systems(self) -> list[SystemCost]:
        """One dict per system of the project, a new list each time.

        `sysid`, `name`, `color`, the counts `diagrams`, `projects` and `policies`, `area_ha` (hectares, policies included),
        `length_km`, `pieces` (the number of points), `cost` (the sum of the known costs), `unpriced` (the number of diagrams of unknown cost),
        `without_rate` (the number of diagrams that cost nothing or have no cost because no rate is set for the system),
        `lines_at_area_rate` (the number of lines to which the rate per hectare is applied per kilometre), `points_at_area_rate` (the number
        of diagrams of points to which it is applied by the piece), `budget`, `budget_left`
        (negative: over budget; both are None if the budget is missing or 0), `budget_met` (also None if nothing is planned, or if it
        depends on an unknown cost), `current_ha`, `target_ha`, `target_left_ha` (target minus current minus `area_ha`; 0 if the target is
        met) and `target_met` (also None if it depends on an unknown area). `target_ha`, `target_left_ha` and `target_met` are None if the
        target is missing or 0.
        """
    @property
    def diagrams(self) -> list[DiagramCost]:
        """One dict per priced diagram, a new list each time.

        `diagramid`, `sysid`, `description`, `kind` (`project`, `policy`, or None if the service gives none: it is then
        priced as a project), `area_ha`, `area_source` (`geometry`, `external`, `service`, or `unknown`: then `area_ha` and `length_km` are
        None), `area_figure` (the service's own figure with its unit, if it was used; else None), `area_problem`
        (why they are unknown, such as metres; else None), `length_km`, `pieces` (the number of points), `rate` (None if there is none),
        `rate_source` (`total`, `policy`, `override`, `system`, or `unknown`: a value of the diagram is wrong or cannot be
        read), `cost` (None if it is unknown), `cost_problem` (why it is unknown; else None), `geometry_problem` (why the geometry is
        not valid, so that area and cost may be wrong; None if it is valid, or without `check=True`), `file_problem` (why the file of an
        external diagram could not be opened; None without `external=True`).

        With `land="inside"` there are four more: `outside_ha`, `outside_km` and `outside_pieces`, the sizes outside the study area, which are not in
        `area_ha`, `length_km` and `pieces` (None if they are unknown: then the diagram counts as a whole), and `outside_note` (the same in words;
        None if nothing is outside).
        """
    @property
    def total(self) -> float:
        """The cost of all systems together: the sum of the known costs. `unpriced` is the number of unknown ones."""
    @property
    def title(self) -> str:
        """The subject of the report, for titles of pictures and pages: the title of the project, then the part that was priced.
        Empty if the service gives no title.

        Examples:
            >>> project.costs().title
            'Staten Island 2050'
            >>> project.costs(member="amara.okafor").title
            'Staten Island 2050: Selection of amara.okafor'
        """
    @property
    def project_title(self) -> str | None:
        """The title of the project. None if the service gives none."""
    @property
    def currency(self) -> str | None:
        """The currency of the project, such as `"USD"`. None if it has none.

        Examples:
            >>> changed = project.edit(currency="USD")
            >>> project.costs().currency
            'USD'
        """
    @property
    def selection(self) -> str | None:
        """The diagrams that were priced, by the titles of team and design, or the name of the member. None for all diagrams.

        Examples:
            >>> design = project.designs(1)[0]
            >>> project.costs(team=1, design=design["id"]).selection == f"Conservation, {design['description']}"
            True
        """
    @property
    def land(self) -> str:
        """The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area.

        Examples:
            >>> project.costs(land="inside").land
            'inside'
        """
    @property
    def unpriced(self) -> int:
        """The number of diagrams of unknown cost, which `total` leaves out: the system whose rate they use has none, their area is unknown, or
        one of their values is wrong or unreadable. Each diagram's `cost_problem` says which.

        Examples:
            >>> project.costs().unpriced
            0
        """
    @property
    def without_rate(self) -> int:
        """The number of diagrams that use their system's rate although the system has none. They cost 0 if the service sends a rate of 0, as
        in a new project. If it sends no rate, their cost is None.

        Examples:
            >>> project.costs().without_rate
            0
        """
    @property
    def lines_at_area_rate(self) -> int:
        """The number of diagrams with lines only, to which the rate per hectare is applied per kilometre: a service has one rate for both.

        Examples:
            >>> project.costs().lines_at_area_rate
            14
        """
    @property
    def points_at_area_rate(self) -> int:
        """The number of diagrams with points only, to which the rate per hectare is applied by the piece: a service has one rate for both.

        Examples:
            >>> project.costs().points_at_area_rate
            0
        """
    @property
    def invalid(self) -> int | None:
        """The number of diagrams whose geometry is not valid, so that their area and cost may be wrong; None if the geometries were
        not checked. `Project.costs(check=True)` checks them.

        Examples:
            >>> project.costs(check=True).invalid
            0
        """
    @property
    def _title(self) -> str:
        """For `to_excel`: the subject of the report."""
    @property
    def _features(self) -> FeatureCollection:
        """For `to_geopandas`: the features of the diagrams."""
    def to_pandas(self, rows: Literal["systems", "diagrams"] = "systems") -> DataFrame:
        """The report as a pandas DataFrame.

        Args:
            rows: `"systems"` or `"diagrams"`.

        Returns:
            A DataFrame with the columns of `systems`, or those of `diagrams` with `title` in place of `description`, and a column for each
            quantity, such as `quantity_homes`.

        Raises:
            InputError: `rows` has another value.
            ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` installs it.

        Examples:
            >>> project.costs().to_pandas().shape
            (9, 22)
            >>> project.costs().to_pandas("diagrams").shape
            (180, 18)
        """
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
    ) -> str | None:
        """The report as one HTML page, which works without a network and prints on A4.

        It has the systems with their budgets and targets, each diagram with its id and the origin of its cost, and a
        glossary.

        Args:
            path: The file to write; an existing file is replaced. Default: return the page as a string.
            title: The heading of the page. Default: the titles of the project, and of team and design, or the name of the
                member.
            currency: The currency of all amounts, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"` (hectares, kilometres), or `"us"` for acres and miles, also in rates.

        Returns:
            The page, or None if it was written to `path`.

        Raises:
            InputError: The units are unknown.
            OSError: The file cannot be written.

        Examples:
            >>> project.costs().to_html("costs.html", currency="USD", units="us")
            >>> "area (acres)</th>" in project.costs().to_html(units="us")
            True
        """
    def _what_if(
        self, rates: dict[int, float | None], budgets: dict[int, float | None], targets: dict[int, float | None]
    ) -> CostReport:
        """The same report with other rates, budgets and targets, by the id of the system; for `Comparison.what_if`."""
    @staticmethod
    def _from_rows(rows: object, features: FeatureCollection) -> CostReport:
        """For pickling: the same report."""
    def _repr_html_(self) -> str: ...
    def to_geopandas(self) -> GeoDataFrame:
        """The priced diagrams as a GeoDataFrame, one row each with all fields, the cost and all shapes.

        `FeatureCollection.to_geopandas()` has a row for each feature. Costs joined to it would count a diagram of several
        features several times.

        Returns:
            One row per diagram, in the order of `diagrams` and in EPSG:4326. The geometry is a MultiPolygon,
            MultiLineString or MultiPoint of the shapes of all features, a GeometryCollection if they are of several kinds,
            or None. The columns are those of the frame of `Project.diagrams()`, with the values of the first feature where
            features differ and `title` in place of `description`, then `area_ha`, `area_source`, `area_figure`,
            `area_problem`, `length_km`, `rate`, `rate_source`, `cost`, `cost_problem`, `geometry_problem` and
            `file_problem` as in `diagrams`; in a report on land inside the study area also `outside_ha`, `outside_km` and
            `outside_note`, while geometries stay whole. The geometry of an external diagram is None; `Project.external()`
            reads it. A field of the service with one of these names is called `properties.cost`, and so on.

        Raises:
            ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Examples:
            >>> frame = project.costs().to_geopandas()
            >>> len(frame), round(frame["cost"].sum()) == round(project.costs().total)
            (180, True)
        """
    def explain(
        self, system: str | int | None = None, *, boundaries: FeatureCollection | GeoDataFrame | None = None
    ) -> DataFrame:
        """The diagrams behind a figure, such as the cost or the hectares of a system, with the share of each.

        Args:
            system: The system, by name or id. Default: all systems.
            boundaries: The study area, such as `project.boundaries()` or a GeoDataFrame. Default: `outside_ha` is
                unknown. A report on land inside the study area needs them.

        Returns:
            A DataFrame with one row per diagram, by `diagramid`, the most expensive first: `system`, `title`, `kind`,
            `cost` with its `rate` and `rate_source`, `area_ha` with its `area_source`, `length_km`, `outside_ha` (its land
            outside the study area), `overlap_ha` (its land that other diagrams of the report cover too), `overlaps` (the
            ids of these), `start_date` and `end_date`. Where diagrams overlap, `cost` and `area_ha` count both;
            `attrs["land_ha"]` is the land under all rows, each place once.

        Raises:
            InputError: No system has that name, `boundaries` is not a map, or the report needs them.
            ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

        Examples:
            >>> report = project.costs()
            >>> rows = report.explain("Transport", boundaries=project.study_area.boundaries())
            >>> bool(abs(rows["cost"].sum() - report.systems[4]["cost"]) < 0.01)
            True
            >>> rows["rate_source"].value_counts().to_dict()
            {'system': 10, 'override': 7, 'policy': 5, 'total': 4}
        """
    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws cost against budget of each system, as bars in the systems' colours.

        Args:
            ax: The matplotlib axes to draw on. Default: new ones.
            options: Further arguments of `pygeodesign.plots.plot_costs`, such as `title="Design 1"` or `currency="USD"`.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

        Examples:
            >>> axes = project.costs().plot(currency="USD")
        """
    def to_excel(self, path: str | PathLike[str], *, title: str | None = None, currency: str | None = None) -> None:
        """Writes an Excel workbook with formulas: change a rate or a budget, and costs and differences follow.

        The sheet Rates has each system's rate and budget; a rate that no diagram uses is empty. Diagrams has a
        row per diagram with a formula for its cost, Systems the sums, Notes the terms. Results are in the file,
        too, for programs that do not calculate. Sizes are in hectares and kilometres.

        Args:
            path: The file to write; an existing file is replaced.
            title: The subject of the workbook; it is printed on each page. Default: the report's subject.
            currency: The currency of all amounts, such as `"USD"`. Default: from the project, or else from
                `pygeodesign.options`.

        Raises:
            OSError: The file cannot be written.
            ImportError: XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` installs it.

        Examples:
            >>> project.costs().to_excel("costs.xlsx", title="Staten Island 2050", currency="USD")
        """

@final
class Sandbox:
    """The service itself, inside this process, with a real database. No account, no network.

    It runs until `stop()`, the end of its `with` block, or the end of the process, and at least as long as one of its clients or a
    project of such a client lives. In a forked child of the process, you can read `url`, and
    `stop()` does nothing; everything else raises `RuntimeError`.

    Args:
        path: The database file, created if it is missing. Default: a temporary one, deleted when the sandbox stops.
        project: `"demo"` puts the project "Staten Island 2050" into a new database, the same every time; None leaves it
            empty. Any other string or path is an archive. Its project is loaded, with its ids, dates and authors,
            and can be changed. The user `"admin"` administers it without being listed among its members, unless it has a
            member of that name.
        host: A loopback address, because plain http would show tokens to the network. To serve other machines, run
            `pygeodesign serve`, which has TLS.
        port: The TCP port, up to 65535. Default: a free one.
        paging: The form of lists: `"plain"` arrays cut at the page size, `"enveloped"` with `next` links, or
            `"on-request"`, also `"off"`, complete arrays that only a request with `page` or `page_size` cuts.
        limits: Limits to change: a dict from names to numbers. `Client.limits()` lists them all.
        setup: The path of a setup file, as for `pygeodesign serve --setup`, or a dict with its content: the operator's
            settings at the start, such as users, creation codes, plugins, and projects with members, teams, systems and maps. It adds and
            replaces what it names, and leaves everything else unchanged.

    Raises:
        ConfigurationError: The database cannot be opened, or the port is in use.
        InputError: There is no such archive, or no such limit; or a part of the setup is impossible, and none of it was done.
        ArchiveError: The archive cannot be loaded. An existing database is unchanged.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     sandbox.project().system(1)["name"]
        'Water'
        >>> plugins = {"0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10": "Shadow study"}
        >>> with Sandbox(setup={"users": ["noor.haddad"], "plugins": plugins}) as sandbox:
        ...     "noor.haddad" in sandbox.usernames
        True
    """

    def __new__(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        project: str | PathLike[str] | None = "demo",
        host: str = "127.0.0.1",
        port: int = 0,
        paging: Literal["plain", "enveloped", "on-request", "off"] = "plain",
        limits: Mapping[str, int] | None = None,
        setup: dict[str, Any] | str | PathLike[str] | None = None,
    ) -> Self: ...
    @property
    def url(self) -> str:
        """The API root, ending in `/api/v1/`."""
    @property
    def usernames(self) -> list[str]:
        """The names of the users, sorted."""
    @property
    def project_ids(self) -> list[str]:
        """The ids of the projects, oldest first."""
    def token(self, username: str = "admin", *, lifetime: timedelta | float | None = None) -> str:
        """A token of a user, valid for six months, and the same one each time until it is revoked. With `lifetime`, a new token.

        Args:
            username: One of `usernames`.
            lifetime: The time that a new token is valid: a timedelta, or seconds. With 0 or less, the token has expired already.

        Raises:
            InputError: There is no such user; the message lists the users.

        Examples:
            >>> sandbox.token() == sandbox.token("admin")
            True
        """
    def client(self, username: str = "admin") -> Client:
        """A client that is signed in as a user.

        Args:
            username: One of `usernames`.

        Raises:
            InputError: There is no such user.

        Examples:
            >>> sandbox.client("amara.okafor").latest_project()["projecttitle"]
            'Staten Island 2050'
        """
    def async_client(self, username: str = "admin") -> AsyncClient:
        """A client for asyncio that is signed in as a user.

        Args:
            username: One of `usernames`.

        Raises:
            InputError: There is no such user.

        Examples:
            >>> sandbox.async_client().base_url == sandbox.url
            True
        """
    def project(self, id: str | None = None, *, username: str | None = None) -> Project:
        """The handle of a project, for everything that a user may do in it.

        Args:
            id: One of `project_ids`. Default: the newest one.
            username: One of `usernames`, who reads and changes the project. Default: `"admin"`, or an administrator of the project
                if `"admin"` is not a member.

        Raises:
            InputError: There is no such project or user; the message lists the existing ones.

        Examples:
            >>> project = sandbox.project()
            >>> project.system("Water").edit(budget=4e9).budget
            4000000000.0
            >>> sandbox.project(username="amara.okafor").member("amara.okafor").set_selection([1001, 1040])
            [1001, 1040]
        """
    def add_user(self, username: str | Member | AsyncMember) -> None:
        """Adds a user. An existing user of that name stays unchanged.

        Args:
            username: 1 to 150 characters.

        Raises:
            InputError: The name is not a valid user name.

        Examples:
            >>> sandbox.add_user("noor.haddad")
            >>> "noor.haddad" in sandbox.usernames
            True
        """
    def remove_user(self, username: str | Member | AsyncMember) -> None:
        """Removes a user's account, with all tokens, memberships and selections. This takes effect at once.

        The diagrams that the user added stay, with the name of their author. A user added later under the same name gets
        the account back, without its memberships.

        Args:
            username: One of `usernames`.

        Raises:
            InputError: There is no such user.

        Examples:
            >>> sandbox.add_user("guest")
            >>> sandbox.remove_user("guest")
            >>> "guest" in sandbox.usernames
            False
        """
    def creation_code(self, code: str | None = None) -> str:
        """Issues a code with which users create projects, as often as they like.

        Args:
            code: The code. Default: a random one.

        Returns:
            The code.

        Raises:
            InputError: The code is empty.

        Examples:
            >>> sandbox.creation_code("WORKSHOP")
            'WORKSHOP'
        """
    def backup(self, path: str | PathLike[str]) -> None:
        """Copies the database into one file while the service runs. The copy holds everything written before the call. It
        is checked, and then replaces an earlier copy.

        Args:
            path: The file to write: a new one, or an earlier copy that no service uses.

        Raises:
            ConfigurationError: The file is not a database of pygeodesign, is in use, or cannot be written. It stays unchanged.

        Examples:
            >>> import os, tempfile
            >>> copy = os.path.join(tempfile.mkdtemp(), "copy.sqlite")
            >>> sandbox.backup(copy)
            >>> with Sandbox(copy) as copied:
            ...     copied.project_ids == sandbox.project_ids
            True
        """
    def stop(self) -> None:
        """Completes the requests in progress and stops the service. A temporary database is deleted. Further calls do nothing, nor
        does a call in a forked child.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    def _repr_html_(self) -> str:
        """In a forked child, which has no service, only its address is known."""
