-- The tables of version 18 of the schema. What changed since is in `migrations/`, a file for each version.
--
-- Dates and date-times are ISO 8601 text in UTC, without a time zone. Geometries and objects with any fields are JSON text,
-- which is checked before it is written and sent as it is.

-- The service as a whole.

-- One row: an id that no other database has. It tells this service from others, whatever its address.
CREATE TABLE service (id TEXT NOT NULL) STRICT;
INSERT INTO service VALUES (lower(hex(randomblob(16))));

-- Codes with which a user may create projects, and projects of the companion platform that a user may link one to.
CREATE TABLE creation_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE linked_projects (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- One row where the operator has decided how long tokens are valid: an ISO 8601 duration.
CREATE TABLE token_lifetime (lifetime TEXT NOT NULL) STRICT;

-- People: users with their tokens, guests by a link, and walk-ins by a joining code. Of tokens, links and codes, only the SHA-256 is
-- stored.

CREATE TABLE users (
    key      INTEGER PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    -- The bytes of the diagrams that the user has added.
    bytes    INTEGER NOT NULL DEFAULT 0,
    -- Diagrams and entries of the history keep the name of a user who was removed.
    removed  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tokens (
    digest       BLOB PRIMARY KEY,
    user         INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    issued_at    TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    -- Whether the token is on a printed card, which the next card of the same user replaces.
    on_card      INTEGER NOT NULL DEFAULT 0,
    -- NULL for never.
    last_used_at TEXT,
    -- The project whose administrator made the token: it ends when its user becomes a member of another one. NULL for all others.
    project      INTEGER REFERENCES projects ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Guests have no account.
CREATE TABLE links (
    key          INTEGER PRIMARY KEY AUTOINCREMENT,
    digest       BLOB NOT NULL UNIQUE,
    project      INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    title        TEXT NOT NULL,
    -- Whether guests are told the names of members and authors.
    names        INTEGER NOT NULL,
    created_at   TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    last_used_at TEXT
) STRICT;
CREATE INDEX links_of_project ON links (project);

CREATE TABLE joining_codes (
    project   INTEGER PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    digest    BLOB NOT NULL UNIQUE,
    closes_at TEXT NOT NULL,
    by_hand   INTEGER NOT NULL,
    team      INTEGER REFERENCES all_teams ON DELETE SET NULL,
    -- How many were admitted with this code.
    admitted  INTEGER NOT NULL
) STRICT;

-- Who has come with a joining code, and has no account before an administrator admits them.
CREATE TABLE walk_ins (
    key        INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    username   TEXT NOT NULL UNIQUE,
    asked_at   TEXT NOT NULL,
    -- Of the token, which is valid once they are admitted.
    digest     BLOB NOT NULL UNIQUE,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX walk_ins_of_project ON walk_ins (project);

-- Projects, and what belongs to one as a whole.

CREATE TABLE projects (
    key                 INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,
    title               TEXT NOT NULL,
    description         TEXT NOT NULL,
    start_date          TEXT NOT NULL,
    type                TEXT NOT NULL,
    external_connection TEXT NOT NULL,
    bounds              TEXT NOT NULL,
    center              TEXT NOT NULL,
    zoom_level          INTEGER NOT NULL DEFAULT 0,
    -- Counts the changes of the study area, which every thumbnail shows.
    appearance          INTEGER NOT NULL DEFAULT 0,
    -- How many diagrams the project has, and the bytes of these and of the maps of its systems.
    diagrams            INTEGER NOT NULL DEFAULT 0,
    bytes               INTEGER NOT NULL DEFAULT 0,
    -- Whether it was loaded from an archive.
    is_loaded           INTEGER NOT NULL DEFAULT 0,
    -- Counts the changes of the project: the id of the last one.
    version             INTEGER NOT NULL DEFAULT 0,
    -- Another random text after each change. Unlike the version it is never the same again, also where a copy of the database
    -- takes the place of a newer one.
    changeid            TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE members (
    project       INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    user          INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    administrator INTEGER NOT NULL DEFAULT 0,
    -- The operator of the service reads and writes a loaded project without being listed among its members.
    listed        INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_of_user ON members (user);

-- Members of a project who were removed from it. A setup file that still names them does not bring them back.
CREATE TABLE withdrawn_members (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    user    INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;

-- What an administrator opened or closed; all else is open.
CREATE TABLE activities (
    project   INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- drawing, selecting or designing
    activity  TEXT NOT NULL,
    open      INTEGER NOT NULL,
    -- NULL for never.
    closes_at TEXT,
    message   TEXT NOT NULL,
    PRIMARY KEY (project, activity)
) STRICT, WITHOUT ROWID;

CREATE TABLE stakeholders (
    id      TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    name    TEXT NOT NULL
) STRICT;
-- Whether a project has a stakeholder already.
CREATE INDEX stakeholders_by_name ON stakeholders (project, name);

CREATE TABLE plugins (
    id          TEXT PRIMARY KEY,
    description TEXT NOT NULL
) STRICT;

CREATE TABLE project_plugins (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    plugin  TEXT NOT NULL REFERENCES plugins ON DELETE CASCADE,
    PRIMARY KEY (project, plugin)
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_of_plugin ON project_plugins (plugin);

CREATE TABLE layers (
    id                  INTEGER PRIMARY KEY,
    project             INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    server_type         TEXT NOT NULL,
    layer_type          TEXT NOT NULL,
    url                 TEXT NOT NULL,
    layer_name          TEXT NOT NULL,
    attribution         TEXT NOT NULL,
    display_name        TEXT NOT NULL,
    additional_metadata TEXT NOT NULL
) STRICT;
CREATE INDEX layers_of_project ON layers (project);

-- Boundaries, second boundaries and constraints: a GeoJSON FeatureCollection, and the other fields of the response.
CREATE TABLE geographies (
    project  INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    role     TEXT NOT NULL CHECK (role IN ('boundaries', 'secondboundaries', 'constraints')),
    resource TEXT NOT NULL,
    geojson  TEXT NOT NULL,
    PRIMARY KEY (project, role)
) STRICT;

CREATE TABLE tags (
    id      TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    tag     TEXT NOT NULL,
    slug    TEXT NOT NULL,
    code    TEXT NOT NULL
) STRICT;
-- Whether a project has a tag or a code already.
CREATE INDEX tags_by_name ON tags (project, tag, code);
CREATE INDEX tags_by_code ON tags (project, code);

CREATE TABLE systems (
    id                  INTEGER PRIMARY KEY,
    project             INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    name                TEXT NOT NULL,
    color               TEXT NOT NULL,
    tag                 TEXT NOT NULL,
    verbose_description TEXT NOT NULL,
    cost                REAL NOT NULL,
    budget              REAL NOT NULL,
    current_ha          REAL NOT NULL,
    target_ha           REAL NOT NULL,
    evaluation          TEXT NOT NULL,
    impact              TEXT NOT NULL DEFAULT '{"type":"FeatureCollection","features":[]}'
) STRICT;
CREATE INDEX systems_of_project ON systems (project);

-- Diagrams, and what people do with them.

-- Diagrams that were removed stay, so that they can be restored and their ids are never given again. Queries read the view
-- `diagrams`, which leaves them out; changes are made to `all_diagrams`.
CREATE TABLE all_diagrams (
    id                  INTEGER PRIMARY KEY,
    project             INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    system              INTEGER NOT NULL REFERENCES systems ON DELETE CASCADE,
    author              INTEGER NOT NULL REFERENCES users,
    rank                INTEGER NOT NULL,
    grid_location       TEXT NOT NULL,
    description         TEXT NOT NULL,
    type                TEXT NOT NULL CHECK (type IN ('project', 'policy')),
    fundingtype         TEXT NOT NULL,
    area                REAL NOT NULL,
    length              REAL NOT NULL,
    cost_override       REAL NOT NULL,
    cost_override_type  TEXT NOT NULL,
    building_data       TEXT NOT NULL,
    notes               TEXT NOT NULL,
    created_at          TEXT NOT NULL,
    changed_at          TEXT NOT NULL,
    start_date          TEXT,
    end_date            TEXT,
    additional_metadata TEXT NOT NULL,
    flat_geobuf_url     TEXT NOT NULL,
    external_geometries TEXT NOT NULL,
    -- What an external diagram shows: `polygon` or `line`. Its geometries are in a file elsewhere.
    featuretype         TEXT NOT NULL DEFAULT 'polygon',
    -- The bytes of the geometries of its features.
    geometry_bytes      INTEGER NOT NULL DEFAULT 0,
    -- The number of the entry in the history that removed the diagram; NULL if it was not removed.
    removed_by          INTEGER,
    -- Whether nobody gave the dates: responses then show the day of its creation, since they have no null for dates. NULL where
    -- nothing but the dates tells, as in archives of other services.
    undated             INTEGER
) STRICT;
CREATE INDEX diagrams_of_project ON all_diagrams (project);
-- The highest rank in a system, without a look at all of its diagrams.
CREATE INDEX diagrams_by_rank ON all_diagrams (system, rank);
CREATE INDEX removed_diagrams ON all_diagrams (project, removed_by) WHERE removed_by IS NOT NULL;
-- A page of the diagrams of a project, and how many there are.
CREATE INDEX diagrams_to_show ON all_diagrams (project, id) WHERE removed_by IS NULL;

CREATE VIEW diagrams AS SELECT * FROM all_diagrams WHERE removed_by IS NULL;

CREATE TABLE features (
    key           INTEGER PRIMARY KEY,
    diagram       INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    min_height    REAL NOT NULL,
    max_height    REAL NOT NULL,
    geometry      TEXT NOT NULL,
    -- The properties that this service does not know, as a JSON object; NULL if there are none.
    extra         TEXT,
    -- The area and length, so that costs need not read the geometry. NULL where only the geometry tells: for points, positions
    -- that are no degrees, and shapes without a size or around the whole Earth.
    square_metres REAL,
    metres        REAL
) STRICT;
CREATE INDEX features_of_diagram ON features (diagram);

-- Where features lie, so that those within a rectangle are found without reading the others. R*Tree rounds to 32 bits, outwards. The
-- project is one more side of the boxes.
CREATE VIRTUAL TABLE feature_extents USING rtree(key, west, east, south, north, first_project, last_project, +diagram);

-- Version 19 has no such trigger, and no function `extent`.
CREATE TRIGGER extent_added AFTER INSERT ON features WHEN extent(new.geometry, 0) IS NOT NULL BEGIN
    INSERT INTO feature_extents
    SELECT new.key, extent(new.geometry, 0), extent(new.geometry, 2), extent(new.geometry, 1), extent(new.geometry, 3), project, project, id
    FROM all_diagrams WHERE id = new.diagram;
END;
CREATE TRIGGER extent_removed AFTER DELETE ON features BEGIN
    DELETE FROM feature_extents WHERE key = old.key;
END;

CREATE TABLE diagram_tags (
    diagram INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    tag     TEXT NOT NULL REFERENCES tags ON DELETE CASCADE,
    PRIMARY KEY (diagram, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX diagrams_of_tag ON diagram_tags (tag);

CREATE TABLE diagram_groups (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    name    TEXT NOT NULL,
    diagram INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    PRIMARY KEY (project, name, diagram)
) STRICT, WITHOUT ROWID;

CREATE TABLE selections (
    user     INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    diagram  INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    -- Where the diagram stood in the list of the origin; NULL for others, which follow.
    position INTEGER,
    PRIMARY KEY (user, diagram)
) STRICT, WITHOUT ROWID;

CREATE TABLE votes (
    diagram  INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    user     INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    -- From -2 to 2.
    vote     INTEGER NOT NULL,
    comment  TEXT NOT NULL,
    voted_at TEXT NOT NULL,
    PRIMARY KEY (diagram, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX votes_of_user ON votes (user);

-- A picture of a diagram as it was at `changed_at`, over the study area as it was at `appearance`.
CREATE TABLE thumbnails (
    job        TEXT PRIMARY KEY,
    diagram    INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    changed_at TEXT NOT NULL,
    appearance INTEGER NOT NULL,
    png        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX thumbnails_of_diagram ON thumbnails (diagram, changed_at, appearance);

-- One job for the thumbnails of several diagrams, each of which also has a job of its own.
CREATE TABLE thumbnail_batches (
    job       TEXT NOT NULL,
    diagram   INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    thumbnail TEXT NOT NULL REFERENCES thumbnails ON DELETE CASCADE,
    PRIMARY KEY (job, diagram)
) STRICT, WITHOUT ROWID;
CREATE INDEX batches_of_diagram ON thumbnail_batches (diagram);
CREATE INDEX batches_of_thumbnail ON thumbnail_batches (thumbnail);

-- Change teams, their designs, and negotiations between them.

-- Ids of change teams that were removed are not given again either. Queries read the view `teams`.
CREATE TABLE all_teams (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    title   TEXT NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    -- #RRGGBB; empty for a team without a colour.
    color   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX teams_of_project ON all_teams (project);

CREATE VIEW teams AS SELECT id, project, title, color FROM all_teams WHERE NOT removed;

CREATE TABLE team_members (
    team     INTEGER NOT NULL REFERENCES all_teams ON DELETE CASCADE,
    user     INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    -- Where the member stood in the list of the origin; NULL for others, who follow.
    position INTEGER,
    PRIMARY KEY (team, user)
) STRICT, WITHOUT ROWID;

CREATE TABLE designs (
    id           TEXT PRIMARY KEY,
    team         INTEGER NOT NULL REFERENCES all_teams ON DELETE CASCADE,
    creationdate TEXT NOT NULL,
    description  TEXT NOT NULL
) STRICT;
CREATE INDEX designs_of_team ON designs (team);

CREATE TABLE design_diagrams (
    design   TEXT NOT NULL REFERENCES designs ON DELETE CASCADE,
    diagram  INTEGER NOT NULL REFERENCES all_diagrams ON DELETE CASCADE,
    -- Where the diagram stood in the list of the origin; NULL for others, which follow.
    position INTEGER,
    PRIMARY KEY (design, diagram)
) STRICT, WITHOUT ROWID;

CREATE TABLE negotiations (
    session_id TEXT PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    log        TEXT NOT NULL
) STRICT;

-- How much projects and users have, for the limits of the service. Triggers count it.

-- Diagrams with all their bytes.
CREATE VIEW diagram_sizes AS
SELECT id, project, author,
       geometry_bytes + octet_length(description) + octet_length(notes) + octet_length(additional_metadata)
       + octet_length(building_data) + octet_length(flat_geobuf_url) + octet_length(external_geometries) AS bytes
FROM all_diagrams;

CREATE TRIGGER count_added_diagram AFTER INSERT ON all_diagrams BEGIN
    UPDATE projects SET diagrams = diagrams + 1, bytes = bytes + (SELECT bytes FROM diagram_sizes WHERE id = new.id)
    WHERE key = new.project;
    UPDATE users SET bytes = bytes + (SELECT bytes FROM diagram_sizes WHERE id = new.id) WHERE key = new.author;
END;
CREATE TRIGGER count_removed_diagram BEFORE DELETE ON all_diagrams BEGIN
    UPDATE projects SET diagrams = diagrams - 1, bytes = bytes - (SELECT bytes FROM diagram_sizes WHERE id = old.id)
    WHERE key = old.project;
    UPDATE users SET bytes = bytes - (SELECT bytes FROM diagram_sizes WHERE id = old.id) WHERE key = old.author;
END;
CREATE TRIGGER count_changed_diagram
AFTER UPDATE OF geometry_bytes, description, notes, additional_metadata, building_data ON all_diagrams BEGIN
    UPDATE projects SET bytes = bytes
        + new.geometry_bytes + octet_length(new.description) + octet_length(new.notes)
        + octet_length(new.additional_metadata) + octet_length(new.building_data)
        - old.geometry_bytes - octet_length(old.description) - octet_length(old.notes)
        - octet_length(old.additional_metadata) - octet_length(old.building_data)
    WHERE key = new.project;
    UPDATE users SET bytes = bytes
        + new.geometry_bytes + octet_length(new.description) + octet_length(new.notes)
        + octet_length(new.additional_metadata) + octet_length(new.building_data)
        - old.geometry_bytes - octet_length(old.description) - octet_length(old.notes)
        - octet_length(old.additional_metadata) - octet_length(old.building_data)
    WHERE key = new.author;
END;

CREATE TRIGGER count_added_system AFTER INSERT ON systems BEGIN
    UPDATE projects SET bytes = bytes + octet_length(new.evaluation) + octet_length(new.impact) WHERE key = new.project;
END;
CREATE TRIGGER count_removed_system AFTER DELETE ON systems BEGIN
    UPDATE projects SET bytes = bytes - octet_length(old.evaluation) - octet_length(old.impact) WHERE key = old.project;
END;
CREATE TRIGGER count_changed_maps AFTER UPDATE OF evaluation, impact ON systems BEGIN
    UPDATE projects SET bytes = bytes + octet_length(new.evaluation) + octet_length(new.impact)
        - octet_length(old.evaluation) - octet_length(old.impact)
    WHERE key = new.project;
END;

-- The history: who changed what and when, and how to undo it.

CREATE TABLE history (
    key          INTEGER PRIMARY KEY,
    -- NULL for a change of the service as a whole.
    project      INTEGER REFERENCES projects ON DELETE CASCADE,
    -- Counts the entries of the project from 1.
    number       INTEGER NOT NULL,
    changed_at   TEXT NOT NULL,
    -- NULL for the operator of the service.
    user         INTEGER REFERENCES users,
    operation    TEXT NOT NULL,
    subject      TEXT,
    before       TEXT,
    after        TEXT,
    -- What restores the state before the change, as JSON; NULL for a change that cannot be undone.
    undo         TEXT,
    bytes        INTEGER NOT NULL,
    -- The bytes of all earlier entries of the project, with those that were deleted.
    bytes_before INTEGER NOT NULL,
    -- NULL for a change of anything else.
    diagram      INTEGER
) STRICT;
CREATE UNIQUE INDEX history_of_project ON history (project, number);
-- The history of a diagram, without reading the texts of all entries.
CREATE INDEX history_of_diagram ON history (project, diagram, number) WHERE diagram IS NOT NULL;

-- The answers to requests that added something and had an `Idempotency-Key`: who sends such a request again gets the same answer.
CREATE TABLE answers (
    key             INTEGER PRIMARY KEY,
    user            INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    -- NULL for a request that creates a project.
    project         INTEGER REFERENCES projects ON DELETE CASCADE,
    -- Counts the answers to the user in the project from 1.
    number          INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    -- The SHA-256 of the method, the path and the body.
    request         BLOB NOT NULL,
    answer          BLOB NOT NULL
) STRICT;
-- No project has the key 0; two NULLs would be different from each other.
CREATE UNIQUE INDEX answers_by_idempotency_key ON answers (user, coalesce(project, 0), idempotency_key);
CREATE UNIQUE INDEX answers_by_number ON answers (user, coalesce(project, 0), number);
CREATE INDEX answers_of_project ON answers (project);

-- What changed in each project, for programs that keep a copy of it or watch it. Triggers write it, so that no write can forget to.

-- The last changes of each project, in the order of commits.
CREATE TABLE changes (
    key      INTEGER PRIMARY KEY,
    project  INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Counts the changes of the project from 1, without gaps.
    id       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    action   TEXT NOT NULL CHECK (action IN ('added', 'changed', 'removed')),
    resource TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX changes_of_project ON changes (project, id);

-- One row: the key of the last change that was committed.
CREATE TABLE committed_changes (key INTEGER NOT NULL) STRICT;
INSERT INTO committed_changes VALUES (0);

-- To record a change, insert it here. What one transaction does to one thing without a pause is one change.
CREATE VIEW new_changes AS SELECT project, kind, action, resource FROM changes;
CREATE TRIGGER record_change INSTEAD OF INSERT ON new_changes
WHEN NOT EXISTS (
    SELECT 1 FROM changes
    WHERE key = (SELECT max(key) FROM changes) AND key > (SELECT key FROM committed_changes)
        AND project = new.project AND kind = new.kind AND resource = new.resource
        AND (action = new.action OR (action = 'added' AND new.action = 'changed'))
)
BEGIN
    UPDATE projects SET version = version + 1, changeid = lower(hex(randomblob(8))) WHERE key = new.project;
    INSERT INTO changes (project, id, kind, action, resource)
    SELECT key, version, new.kind, new.action, new.resource FROM projects WHERE key = new.project;
END;

CREATE TRIGGER change_project_added AFTER INSERT ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'project', 'added', new.id);
END;
CREATE TRIGGER change_project AFTER UPDATE OF id, title, description, start_date, type, external_connection, bounds, center,
    zoom_level, appearance ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'project', 'changed', new.id);
END;

CREATE TRIGGER change_diagram_added AFTER INSERT ON all_diagrams BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'added', new.id);
END;
CREATE TRIGGER change_diagram AFTER UPDATE ON all_diagrams WHEN old.removed_by IS NULL AND new.removed_by IS NULL BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'changed', new.id);
END;
CREATE TRIGGER change_diagram_removed AFTER UPDATE OF removed_by ON all_diagrams
WHEN old.removed_by IS NULL AND new.removed_by IS NOT NULL BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'removed', new.id);
END;
CREATE TRIGGER change_diagram_restored AFTER UPDATE OF removed_by ON all_diagrams
WHEN old.removed_by IS NOT NULL AND new.removed_by IS NULL BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'added', new.id);
END;
CREATE TRIGGER change_diagram_tag_added AFTER INSERT ON diagram_tags BEGIN
    INSERT INTO new_changes SELECT project, 'diagram', 'changed', id FROM diagrams WHERE id = new.diagram;
END;
CREATE TRIGGER change_diagram_tag_removed AFTER DELETE ON diagram_tags BEGIN
    INSERT INTO new_changes SELECT project, 'diagram', 'changed', id FROM diagrams WHERE id = old.diagram;
END;

CREATE TRIGGER change_tag_added AFTER INSERT ON tags BEGIN
    INSERT INTO new_changes VALUES (new.project, 'tag', 'added', new.id);
END;
CREATE TRIGGER change_tag AFTER UPDATE ON tags BEGIN
    INSERT INTO new_changes VALUES (new.project, 'tag', 'changed', new.id);
END;
CREATE TRIGGER change_tag_removed AFTER DELETE ON tags BEGIN
    INSERT INTO new_changes VALUES (old.project, 'tag', 'removed', old.id);
END;

CREATE TRIGGER change_system_added AFTER INSERT ON systems BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'added', new.id);
END;
CREATE TRIGGER change_system AFTER UPDATE ON systems
WHEN (old.name, old.color, old.tag, old.verbose_description, old.cost, old.budget, old.current_ha, old.target_ha, old.evaluation, old.impact)
    IS NOT (new.name, new.color, new.tag, new.verbose_description, new.cost, new.budget, new.current_ha, new.target_ha, new.evaluation, new.impact) BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'changed', new.id);
END;
CREATE TRIGGER change_system_removed AFTER DELETE ON systems BEGIN
    INSERT INTO new_changes VALUES (old.project, 'system', 'removed', old.id);
END;

CREATE TRIGGER change_layer_added AFTER INSERT ON layers BEGIN
    INSERT INTO new_changes VALUES (new.project, 'layer', 'added', new.id);
END;
CREATE TRIGGER change_layer AFTER UPDATE ON layers BEGIN
    INSERT INTO new_changes VALUES (new.project, 'layer', 'changed', new.id);
END;
CREATE TRIGGER change_layer_removed AFTER DELETE ON layers BEGIN
    INSERT INTO new_changes VALUES (old.project, 'layer', 'removed', old.id);
END;

CREATE TRIGGER change_map_added AFTER INSERT ON geographies BEGIN
    INSERT INTO new_changes VALUES (new.project, 'map', 'added', new.role);
END;
CREATE TRIGGER change_map AFTER UPDATE ON geographies
WHEN (old.resource, old.geojson)
    IS NOT (new.resource, new.geojson) BEGIN
    INSERT INTO new_changes VALUES (new.project, 'map', 'changed', new.role);
END;
CREATE TRIGGER change_map_removed AFTER DELETE ON geographies BEGIN
    INSERT INTO new_changes VALUES (old.project, 'map', 'removed', old.role);
END;

CREATE TRIGGER change_stakeholder_added AFTER INSERT ON stakeholders BEGIN
    INSERT INTO new_changes VALUES (new.project, 'stakeholder', 'added', new.id);
END;
CREATE TRIGGER change_stakeholder AFTER UPDATE ON stakeholders BEGIN
    INSERT INTO new_changes VALUES (new.project, 'stakeholder', 'changed', new.id);
END;
CREATE TRIGGER change_stakeholder_removed AFTER DELETE ON stakeholders BEGIN
    INSERT INTO new_changes VALUES (old.project, 'stakeholder', 'removed', old.id);
END;

CREATE TRIGGER change_plugin_added AFTER INSERT ON project_plugins BEGIN
    INSERT INTO new_changes VALUES (new.project, 'plugin', 'added', new.plugin);
END;
CREATE TRIGGER change_plugin_removed AFTER DELETE ON project_plugins BEGIN
    INSERT INTO new_changes VALUES (old.project, 'plugin', 'removed', old.plugin);
END;
-- A plugin belongs to the service; its description is shown by every project that uses it.
CREATE TRIGGER change_plugin AFTER UPDATE ON plugins
WHEN old.description IS NOT new.description BEGIN
    INSERT INTO new_changes SELECT project, 'plugin', 'changed', new.id FROM project_plugins WHERE plugin = new.id;
END;

CREATE TRIGGER change_group_grown AFTER INSERT ON diagram_groups BEGIN
    INSERT INTO new_changes VALUES (new.project, 'group', 'changed', new.name);
END;
CREATE TRIGGER change_group_shrunk AFTER DELETE ON diagram_groups BEGIN
    INSERT INTO new_changes VALUES (old.project, 'group', 'changed', old.name);
END;

CREATE TRIGGER change_member_added AFTER INSERT ON members BEGIN
    INSERT INTO new_changes SELECT new.project, 'member', 'added', username FROM users WHERE key = new.user;
END;
CREATE TRIGGER change_member AFTER UPDATE ON members
WHEN (old.administrator, old.listed)
    IS NOT (new.administrator, new.listed) BEGIN
    INSERT INTO new_changes SELECT new.project, 'member', 'changed', username FROM users WHERE key = new.user;
END;
CREATE TRIGGER change_member_removed AFTER DELETE ON members BEGIN
    INSERT INTO new_changes SELECT old.project, 'member', 'removed', username FROM users WHERE key = old.user;
END;

-- A selection has the name of the member whose it is.
CREATE TRIGGER change_selection_grown AFTER INSERT ON selections BEGIN
    INSERT INTO new_changes SELECT project, 'selection', 'changed', username FROM all_diagrams, users
    WHERE id = new.diagram AND users.key = new.user;
END;
CREATE TRIGGER change_selection_shrunk AFTER DELETE ON selections BEGIN
    INSERT INTO new_changes SELECT project, 'selection', 'changed', username FROM all_diagrams, users
    WHERE id = old.diagram AND users.key = old.user;
END;

CREATE TRIGGER change_team_added AFTER INSERT ON all_teams BEGIN
    INSERT INTO new_changes VALUES (new.project, 'team', 'added', new.id);
END;
CREATE TRIGGER change_team AFTER UPDATE ON all_teams BEGIN
    INSERT INTO new_changes
    VALUES (new.project, 'team', CASE WHEN new.removed AND NOT old.removed THEN 'removed' ELSE 'changed' END, new.id);
END;
CREATE TRIGGER change_team_grown AFTER INSERT ON team_members BEGIN
    INSERT INTO new_changes SELECT project, 'team', 'changed', id FROM teams WHERE id = new.team;
END;
CREATE TRIGGER change_team_shrunk AFTER DELETE ON team_members BEGIN
    INSERT INTO new_changes SELECT project, 'team', 'changed', id FROM teams WHERE id = old.team;
END;

CREATE TRIGGER change_design_added AFTER INSERT ON designs BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'added', new.id FROM all_teams WHERE id = new.team;
END;
CREATE TRIGGER change_design AFTER UPDATE ON designs BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'changed', new.id FROM all_teams WHERE id = new.team;
END;
CREATE TRIGGER change_design_removed AFTER DELETE ON designs BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'removed', old.id FROM all_teams WHERE id = old.team;
END;
CREATE TRIGGER change_design_grown AFTER INSERT ON design_diagrams BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'changed', designs.id FROM designs JOIN all_teams ON all_teams.id = team
    WHERE designs.id = new.design;
END;

CREATE TRIGGER change_negotiation_added AFTER INSERT ON negotiations BEGIN
    INSERT INTO new_changes VALUES (new.project, 'negotiation', 'added', new.session_id);
END;
CREATE TRIGGER change_negotiation AFTER UPDATE ON negotiations
WHEN old.log IS NOT new.log BEGIN
    INSERT INTO new_changes VALUES (new.project, 'negotiation', 'changed', new.session_id);
END;

CREATE TRIGGER change_vote_added AFTER INSERT ON votes BEGIN
    INSERT INTO new_changes SELECT project, 'vote', 'changed', new.diagram FROM all_diagrams WHERE id = new.diagram;
END;
CREATE TRIGGER change_vote AFTER UPDATE ON votes BEGIN
    INSERT INTO new_changes SELECT project, 'vote', 'changed', new.diagram FROM all_diagrams WHERE id = new.diagram;
END;
CREATE TRIGGER change_vote_removed AFTER DELETE ON votes BEGIN
    INSERT INTO new_changes SELECT project, 'vote', 'changed', old.diagram FROM all_diagrams WHERE id = old.diagram;
END;

CREATE TRIGGER change_activity_added AFTER INSERT ON activities BEGIN
    INSERT INTO new_changes VALUES (new.project, 'activity', 'changed', new.activity);
END;
CREATE TRIGGER change_activity AFTER UPDATE ON activities BEGIN
    INSERT INTO new_changes VALUES (new.project, 'activity', 'changed', new.activity);
END;

-- Archives: where loaded projects come from, and what was merged into them.

CREATE TABLE loaded_projects (
    project         INTEGER PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    -- The id and the API root of the service that the archive was read from. NULL if it had no id, or is not known.
    service         TEXT,
    source          TEXT NOT NULL,
    -- When the archive was finished.
    created_at      TEXT NOT NULL,
    -- The change id of the project in the archive.
    origin_changeid TEXT,
    -- The change id that the project had here when it was loaded: with another one, it has been changed.
    changeid        TEXT NOT NULL
) STRICT;

-- What the archive of a loaded project told of each thing, beyond the columns of this service.
CREATE TABLE loaded_things (
    project  INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- What it is, such as `system`.
    kind     TEXT NOT NULL,
    -- Its id at the origin, which it has here too.
    id       TEXT NOT NULL,
    -- Where it stood in the list of the origin, from 0.
    position INTEGER NOT NULL,
    -- The fields that this service does not know, as a JSON object.
    extra    TEXT NOT NULL,
    -- The fields of which a column cannot hold what the archive tells, such as a cost that is null: as a JSON object, each with
    -- what the row has since the thing was loaded, and what was told. NULL if there are none.
    told     TEXT,
    -- Its change id at the origin, if it had one, and the SHA-256 of what the archive told of it: the base of a later merge.
    changeid TEXT,
    digest   BLOB NOT NULL,
    PRIMARY KEY (project, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER change_told_system AFTER UPDATE OF told ON loaded_things
WHEN old.told IS NOT new.told AND new.kind = 'system' BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'changed', new.id);
END;

-- A later thing may get the id.
CREATE TRIGGER forget_loaded_layer AFTER DELETE ON layers BEGIN
    DELETE FROM loaded_things WHERE project = old.project AND kind = 'layer' AND id = CAST(old.id AS TEXT);
END;
CREATE TRIGGER forget_loaded_system AFTER DELETE ON systems BEGIN
    DELETE FROM loaded_things WHERE project = old.project AND kind IN ('system', 'listed system') AND id = CAST(old.id AS TEXT);
END;

-- What a project began with: its state in each archive that it was loaded from in turn, oldest first, as JSON.
CREATE TABLE origins (
    project INTEGER PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    states  TEXT NOT NULL
) STRICT;

-- What was merged last from each copy of a project.
CREATE TABLE merges (
    project    INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- The id of the service of the copy.
    service    TEXT NOT NULL,
    -- When the archive was finished.
    created_at TEXT NOT NULL,
    -- Whether nothing of it is missing here.
    complete   INTEGER NOT NULL,
    -- JSON: the ids here of things that have another one in the archive, and the state of each thing that was merged or decided.
    ids        TEXT NOT NULL,
    work       TEXT NOT NULL,
    PRIMARY KEY (project, service)
) STRICT, WITHOUT ROWID;

-- `changeid/` tells what was merged.
CREATE TRIGGER change_merge_added AFTER INSERT ON merges BEGIN
    INSERT INTO new_changes SELECT key, 'project', 'changed', id FROM projects WHERE key = new.project;
END;
CREATE TRIGGER change_merge AFTER UPDATE ON merges BEGIN
    INSERT INTO new_changes SELECT key, 'project', 'changed', id FROM projects WHERE key = new.project;
END;
