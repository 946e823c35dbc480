"""The dicts that operations return or take, as `TypedDict` classes.

The names of the fields are the service's. If the service sends more fields than are listed here, a dict has them too. A
field is None where the service leaves it out. Money is in the project's currency.
"""

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from pygeodesign._core import FeatureCollection


class ProjectInfo(TypedDict):
    """A project. `startdate` is `YYYY-MM-DD`."""

    id: str
    projecttitle: str | None
    projectdesc: str | None
    startdate: str | None
    projecttype: str | None
    external_connection: str | None
    currency: NotRequired[str]
    language: NotRequired[str]
    counted_land: NotRequired[str]
    drawings_on_constraints: NotRequired[str]


class MemberFields(TypedDict):
    """A member of a project."""

    username: str


class Stakeholder(TypedDict):
    """A person or group whose interests the project considers. `id` is a UUID."""

    id: str
    name: str | None


class Plugin(TypedDict):
    """An extension that a project uses. `id` is a UUID."""

    id: str
    description: str | None


class Layer(TypedDict):
    """An external data layer: a map of another server."""

    id: int
    server_type: str | None
    layer_type: str | None
    url: str | None
    layer_name: str | None
    attribution: str | None
    display_name: str | None
    additional_metadata: dict[str, Any] | None


class ProjectChange(TypedDict):
    """Something in a project that was added, changed or removed.

    `kind` is `"diagram"`, `"tag"`, `"design"`, `"selection"`, `"system"`, `"project"` or another word of the service.
    `id` is an int for a diagram or a system. `diagram` is the current state of an added or changed diagram; None if it
    is gone again, and for other kinds.
    """

    kind: str
    action: Literal["added", "changed", "removed"]
    id: int | str
    diagram: "FeatureCollection | None"


class SyncReport(TypedDict):
    """Changes since an archive was written.

    `added`, `changed` and `removed` are ids of diagrams, `downloaded` counts the responses of the service, `kept` the
    members of the archive that it did not have to send, and `bytes` the bytes of the responses.
    """

    added: list[int]
    changed: list[int]
    removed: list[int]
    downloaded: int
    kept: int
    bytes: int


class MergedThing(TypedDict):
    """Something that merging added, changed or removed, with its id in the archive and its id `here`: a different one
    if both sides used the same id, None before it is added. `fields` are the names of the changed ones.
    """

    kind: Literal["project", "system", "team", "tag", "diagram", "selection", "group", "design", "map"]
    id: int | str
    here: int | str | None
    title: str
    fields: list[str]


class ConflictingValues(TypedDict):
    """A field's value before both sides changed it, and each side's value. Long texts and maps are digests."""

    before: Any
    here: Any
    archive: Any


class MergeConflict(TypedDict):
    """Something that both sides changed in different ways, by the name of each field; `removed` is everything that one
    side removed. `preferred` is the side that counted, None if it was left unchanged.
    """

    kind: Literal["project", "system", "team", "tag", "diagram", "selection", "group", "design", "map"]
    id: int | str
    here: int | str | None
    title: str
    fields: dict[str, ConflictingValues]
    preferred: Literal["here", "archive"] | None


class LeftThing(TypedDict):
    """Something in an archive that is not merged, and the reason."""

    kind: Literal["project", "system", "team", "tag", "diagram", "selection", "group", "design", "map"]
    id: int | str
    title: str
    reason: str


class MergeReport(TypedDict):
    """The result of merging an archive.

    `complete` is True if everything in it is here, or was decided by `prefer`. `superseded_by` is the date of a later
    archive of the same copy that was merged before, so that nothing in this one is new; otherwise None.
    """

    added: list[MergedThing]
    changed: list[MergedThing]
    removed: list[MergedThing]
    conflicts: list[MergeConflict]
    left: list[LeftThing]
    complete: bool
    dry_run: bool
    superseded_by: str | None


class WorkState(TypedDict):
    """A project's state in a service when it was archived: `work` has the fields of each thing by kind and id."""

    service: str | None
    changeid: str | None
    created_at: str
    work: dict[str, dict[str, dict[str, Any]]]


class ArchiveAllReport(TypedDict):
    """The outcome for each project in an archive of many, by id.

    `archived` were new or had changed, `unchanged` were checked and not read, and `kept` are in the archive and were
    not checked. `failures` has the error of each project that could not be read; in the archive, it is unchanged.
    """

    archived: list[str]
    unchanged: list[str]
    kept: list[str]
    failures: dict[str, Exception]


class Limit(TypedDict):
    """A limit of the service: at most `value` in `unit`, such as bytes or seconds."""

    name: str
    value: int
    unit: str
    description: str


class HistoryEntry(TypedDict):
    """A change of a project. `time` is ISO 8601 in UTC, without zone; `username` is None for the operator of the
    service, `diagram` if no diagram was changed.
    """

    id: int
    time: str
    username: str | None
    operation: str
    subject: str | None
    diagram: int | None
    before: str | None
    after: str | None
    can_be_undone: bool


class Tag(TypedDict):
    """A label that diagrams share across systems. `id` is a UUID, `diagrams` are diagram ids."""

    id: str
    tag: str | None
    slug: str | None
    code: str | None
    diagrams: list[int]


class Quantity(TypedDict):
    """An amount that projects of a system bring for each hectare, square metre of floor, or piece, and a target."""

    amount: float
    per: Literal["hectare", "floor_m2", "piece"]
    target: NotRequired[float | None]


class SystemDetail(TypedDict):
    """A system with its figures: `cost` per hectare (or kilometre of line), `current_ha` and `target_ha`.

    `impacts` are whole numbers from -2 (much worse) to 2 (much better) by the id of the system that it acts on, and
    `quantities` what its projects bring, by name; absent without any.
    """

    id: int
    name: str
    color: str | None
    verbose_description: str | None
    tag: str | None
    cost: float | None
    budget: float | None
    current_ha: float | None
    target_ha: float | None
    impacts: NotRequired[dict[int, int]]
    quantities: NotRequired[dict[str, Quantity]]


class DiagramSummary(TypedDict):
    """The main fields of a diagram. `created_at` is an ISO 8601 date-time without time zone."""

    id: int
    worlddescription: str | None
    author: str | None
    created_at: str | None
    rank: int | None
    sysid: int


class DiagramDetails(TypedDict):
    """All fields of a diagram, without its geometry: `area` in m², `length` in km, dates as `YYYY-MM-DD`."""

    sysid: int
    rank: int | None
    id: int
    description: str | None
    type: str | None
    length: float | None
    area: float | None
    fundingtype: str | None
    cost_override: float | None
    cost_override_type: str | None
    building_data: dict[str, Any] | None
    notes: str | None
    created_at: str | None
    start_date: str | None
    end_date: str | None
    additional_metadata: dict[str, Any] | None
    tag_codes: str | None
    flat_geobuf_url: str | None
    external_geometries: str | None


class ChangeTeam(TypedDict):
    """A team that negotiates diagrams into designs. `color` is `#RRGGBB`, absent if it was never set."""

    id: int
    title: str | None
    color: NotRequired[str]


class DesignDetails(TypedDict):
    """A design's description and the time when it was saved. `id` has 16 characters, `creationdate` is ISO 8601."""

    id: str
    creationdate: str | None
    description: str | None


class TeamDesign(DesignDetails):
    """The fields of a design, as in the list of a team's designs."""

    cteamid: int


class OnConstraints(TypedDict):
    """The part of a drawing on constraints, land where nothing can change: each place once, its share from 0 to 1."""

    area_ha: float
    length_km: float
    pieces: int
    share: float


class UploadedRow(TypedDict):
    """The outcome of adding the diagram of one row of a frame.

    `position` counts the rows from 0, `row` is the row's label in the index. If the diagram was added, `error` is None;
    if not, `diagram_id` and `grid_location` are None. After a dry run, all three are None. For a row that was skipped
    because its diagram is there already, `diagram_id` is that diagram's. `title` is empty if the row could not be read.
    `constraints` is the part on constraints; None if no diagram was added, or the project has none.
    """

    position: int
    row: Any
    title: str
    diagram_id: int | None
    grid_location: str | None
    error: str | None
    constraints: OnConstraints | None


class NewTag(TypedDict):
    """A tag to create. No two tags of a project have the same code."""

    tag: str
    code: NotRequired[str]


class NewMember(TypedDict):
    """A person to add to a project: `team` is the title of a change team."""

    username: str
    team: NotRequired[str | None]
    administrator: NotRequired[bool]


class AddedMembers(TypedDict):
    """The names that are new in a project, and those that had no account."""

    added: list[str]
    accounts: list[str]


class NewSystem(TypedDict):
    """A system to create: `color` is `#RRGGBB`, `cost` an integer per hectare (or kilometre of line)."""

    name: str
    color: str
    tag: NotRequired[str]
    description: NotRequired[str]
    cost: NotRequired[int]


class Period(TypedDict):
    """The start and end of a diagram of a design, as `YYYY-MM-DD`."""

    start: str | None
    end: str | None


class Move(TypedDict):
    """One move of a negotiation. `diagram` is a diagram id, `timestamp` an ISO 8601 date-time without time zone (UTC).

    `comment` gives the reason, if any.
    """

    diagram: int
    move: str | None
    timestamp: str | None
    comment: NotRequired[str]


class NegotiationSession(TypedDict):
    """The changes that change teams accepted and rejected while they negotiated one design from two."""

    session_id: str
    cteams: list[int] | None
    moves: list[Move]


class Vote(TypedDict):
    """A member's vote on a diagram, from -2 (strongly against) to 2 (strongly for). `voted_at` is ISO 8601 in UTC."""

    diagram: int
    username: str
    vote: int
    comment: str
    voted_at: str


class Comment(TypedDict):
    """A comment of a thread on a diagram, a design or a place (longitude, latitude). Times are ISO 8601 in UTC.

    `reply_to` is the id of the thread's first comment, or None for that comment itself, which may be `resolved`.
    If that comment has `review`, it asks for a review: of the members in `asked`, or of all if the list is empty.
    """

    id: str
    author: str
    text: str
    created_at: str
    edited_at: str | None
    diagram: int | None
    design: str | None
    place: list[float] | None
    reply_to: str | None
    resolved: bool
    resolved_by: str | None
    review: bool
    asked: list[str]


class Identity(TypedDict):
    """The service, the saved login and the user of a client's token.

    `profile` is None if the token was given or comes from the environment; `username` is None for a guest, and if the
    service does not say.
    """

    service: str
    profile: str | None
    username: str | None


class UserAccount(TypedDict):
    """An account of the service. `projects` and `administers` are ids of projects."""

    username: str
    projects: list[str]
    administers: list[str]
    withdrawn: bool


class TokenInfo(TypedDict):
    """Details of a token. Times are ISO 8601 in UTC; `last_used_at` is None for a token that was not used."""

    id: str
    username: str
    issued_at: str
    expires_at: str
    last_used_at: str | None
    on_card: bool


class IssuedToken(TypedDict):
    """A new token, shown only now, and the time when it expires (ISO 8601 in UTC). Only cards have a `code`."""

    id: str
    username: str
    token: str
    code: NotRequired[str]
    expires_at: str


class CardHolder(TypedDict):
    """The member whose card has a code, with the card's token and the time when both expire (ISO 8601 in UTC)."""

    username: str
    token: str
    expires_at: str


class GuestLink(TypedDict):
    """A link with which guests read a project, with or without names of members. Times are ISO 8601 in UTC."""

    id: str
    title: str
    names: bool
    created_at: str
    expires_at: str
    last_used_at: str | None


class NewGuest(GuestLink):
    """A new link for guests, with its token, which is shown only now, and its path below the service's address."""

    token: str
    path: str


class WaitingWalkIn(TypedDict):
    """A person waiting to be admitted to a project, since `asked_at` (ISO 8601 in UTC)."""

    username: str
    asked_at: str


class WalkIns(TypedDict):
    """The state of walk-ins: open until `closes_at` (ISO 8601 in UTC, or None) or not, and the people waiting."""

    open: bool
    closes_at: str | None
    by_hand: bool
    cteamid: int | None
    admitted: int
    waiting: list[WaitingWalkIn]


class JoiningCode(TypedDict):
    """The joining code of a project, which is shown only now, and the time when it expires (ISO 8601 in UTC)."""

    code: str
    closes_at: str


class WalkedIn(TypedDict):
    """A walk-in's account. The token is shown only now, and works once the user is `admitted`."""

    username: str
    projectid: str
    token: str
    expires_at: str
    admitted: bool


class DiagramGroup(TypedDict):
    """A named group of diagrams, which are ids."""

    group_name: str
    diagrams: list[int]


class ActivityState(TypedDict):
    """The state of an activity: open or not, when it closes (ISO 8601 in UTC, or None), and the text of refusals."""

    open: bool
    closes_at: str | None
    message: str


class Activities(TypedDict):
    """The members' activities: `drawing` (diagrams), `selecting` (selections, votes), `designing` (designs, moves).

    `commenting` is for comments. `votes_hidden` is true while members see only their own votes, `drawings_shown`
    while they see what others are drawing.
    """

    drawing: ActivityState
    selecting: ActivityState
    designing: ActivityState
    commenting: ActivityState
    votes_hidden: bool
    drawings_shown: bool


class PresentMember(TypedDict):
    """A member who is here, from `Project.presence()`."""

    username: str
    cteams: list[int]
    since: str


class EsriFeature(TypedDict):
    """A feature as feature-JSON: `geometry` has `rings` or `paths`, and `spatialReference` with `wkid`."""

    attributes: dict[str, Any]
    geometry: dict[str, Any] | None


class GeometryProblem(TypedDict):
    """A fault of a row: for an invalid geometry its part, counted from 0, its longitude and latitude, and the reason.

    Values that could not be read or are wrong have neither part nor position.
    """

    diagramid: int | None
    row: int
    part: int | None
    position: list[float] | None
    reason: str


class SystemAmount(TypedDict):
    """A quantity of a system: the sum of known amounts, and the number of diagrams whose amount is unknown.

    `target` is None if there is none; `target_met` also if unknown amounts may decide.
    """

    amount: float
    unknown: int
    target: float | None
    target_met: bool | None


class SystemCost(TypedDict):
    """A system in a cost report.

    `area_ha` counts policies too. `cost` is the sum of the known costs; `unpriced` diagrams have none.
    `without_rate` diagrams cost nothing or have no cost because no rate is set for the system.
    `pieces` is the number of points. `lines_at_area_rate` are lines to which the rate per hectare is applied per
    kilometre, `points_at_area_rate` diagrams of points to which it is applied by the piece. `budget_left` may be
    negative. Fields about a budget or a target are None if there is none; `budget_met` and `target_met` also if they
    depend on unknown values, and `budget_met` if nothing is planned. `floor_m2` is the floor of projects whose storeys
    are known; `quantities` are there if the system has some.
    """

    sysid: int
    name: str
    color: str | None
    diagrams: int
    projects: int
    policies: int
    area_ha: float
    length_km: float
    pieces: int
    cost: float
    unpriced: int
    without_rate: int
    lines_at_area_rate: int
    points_at_area_rate: int
    budget: float | None
    budget_left: float | None
    budget_met: bool | None
    current_ha: float | None
    target_ha: float | None
    target_left_ha: float | None
    target_met: bool | None
    floor_m2: float
    quantities: NotRequired[dict[str, SystemAmount]]


class FieldChange(TypedDict):
    """A field of a diagram or a system in two archives: its old and its new value."""

    field: str
    before: Any
    after: Any


class DiagramChange(TypedDict):
    """A diagram that was added, removed or changed between two archives, with the titles of the later one.

    A cost is None if the archive has no such diagram, or the cost is unknown. `reasons` explain a different cost,
    and `why` has them in words. `users` changed it in between.
    """

    diagramid: int
    title: str | None
    sysid: int | None
    system: str | None
    author: str | None
    change: Literal["added", "removed", "changed"]
    fields: list[FieldChange]
    cost_before: float | None
    cost_after: float | None
    reasons: list[str]
    why: str
    users: list[str]


class SystemChange(TypedDict):
    """A system in two archives. Rate and cost are None where the archive has no such system."""

    sysid: int
    name: str
    fields: list[FieldChange]
    rate_before: float | None
    rate_after: float | None
    cost_before: float | None
    cost_after: float | None


class DiagramCost(TypedDict):
    """A diagram in a cost report: the sources of its area and its rate, and its cost.

    `area_figure` is the service's own figure with its unit, if it was used; `area_problem` says why area and length
    are unknown, `cost_problem` why the cost is. `rate_source` is `unknown` if one of its values is wrong
    or cannot be read. `pieces` is the number of points. `geometry_problem` says why its geometry is not valid, if
    `costs(check=True)` found it so; `file_problem` why its external file could not be opened by
    `costs(external=True)`. Floors are None if the storeys are unknown; `quantities` are amounts by name, None if
    unknown, and there if the system has some. The last four are there with `land="inside"`: the sizes outside the
    study area, which do not count, and a note that says so.
    """

    diagramid: int
    sysid: int | None
    description: str | None
    kind: Literal["project", "policy"] | None
    area_ha: float | None
    area_source: Literal["geometry", "external", "service", "unknown"]
    area_figure: str | None
    area_problem: str | None
    length_km: float | None
    pieces: int | None
    rate: float | None
    rate_source: Literal["total", "policy", "override", "system", "unknown"]
    cost: float | None
    cost_problem: str | None
    geometry_problem: str | None
    file_problem: str | None
    floor_above_m2: float | None
    floor_below_m2: float | None
    quantities: NotRequired[dict[str, float | None]]
    outside_ha: NotRequired[float | None]
    outside_km: NotRequired[float | None]
    outside_pieces: NotRequired[int | None]
    outside_note: NotRequired[str | None]


class CostFigures(TypedDict):
    """The cost report as the service computes it: the sums of `costs()`, a row for each system and for each diagram.

    `project` is the title of the project, `selection` the part of it that was priced, None for all.
    """

    project: str | None
    selection: str | None
    land: NotRequired[Literal["inside"]]
    total: float
    unpriced: int
    without_rate: int
    lines_at_area_rate: int
    points_at_area_rate: int
    systems: list[SystemCost]
    diagrams: list[DiagramCost]


class DrawingFault(TypedDict):
    """The reason why a drawing cannot be added: the feature, counted from 0, and the longitude and latitude, if any.

    `code` is `"crosses_itself"` if the outline of an area crosses or touches itself, `"on_constraints"` if the project
    refuses drawings on its constraints, and None for any other reason.
    """

    feature: int | None
    reason: str
    code: str | None
    position: list[float] | None


class EvaluatedPart(TypedDict):
    """The part of a drawing that lies in a class of an evaluation map, such as `"green"`."""

    areatype: str
    area_ha: float
    length_km: float
    pieces: int


class LandInClass(TypedDict):
    """Land in a class of an evaluation map, such as `"green"`, in hectares."""

    areatype: str
    area_ha: float


class ClassedLand(TypedDict):
    """The land of a diagram in hectares: in each class of the evaluation map, in none, and outside the study area."""

    diagramid: int
    area_ha: float
    evaluation: list[LandInClass] | None
    outside_ha: float | None
    outside_study_area_ha: float | None


class LandOfDiagrams(TypedDict):
    """The hectares that pairs of diagrams have in common, in their order, and the land of diagrams in classes."""

    shared_ha: list[float]
    classes: list[ClassedLand]


class LandConflict(TypedDict):
    """A project that claims land of a drawing."""

    diagramid: int
    sysid: int
    description: str | None
    area_ha: float


class GoodLand(TypedDict):
    """Another system's good land under a drawing, and the drawing's impact on that system, from -2 to 2."""

    sysid: int
    area_ha: float
    impact: int


class Preview(TypedDict):
    """The effects of adding a drawing to a system. If there are `faults`, all else is None or empty.

    The fault `on_constraints` leaves all else as it is. `conflicts_ha` is the land of the drawing that projects also
    claim, each place once. `constraints` is None if the project has none. If only land inside the study area counts,
    `outside_ha` and `outside_km` are the sizes that do not count, and `outside_note` says so in words.
    """

    faults: list[DrawingFault]
    area_ha: float | None
    length_km: float | None
    pieces: int | None
    rate: float | None
    cost: float | None
    share_outside: float | None
    evaluation: list[EvaluatedPart]
    conflicts_ha: float | None
    conflicts: list[LandConflict]
    good_land: list[GoodLand] | None
    floor_m2: float | None
    quantities: NotRequired[dict[str, float | None]]
    constraints: OnConstraints | None
    outside_ha: NotRequired[float | None]
    outside_km: NotRequired[float | None]
    outside_pieces: NotRequired[int | None]
    outside_note: NotRequired[str | None]
