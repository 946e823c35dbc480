-- Dates and date-times are ISO 8601 text in UTC, without a time zone. Geometries and objects with any fields are JSON text,
-- which is checked before it is written and sent as it is.

CREATE TABLE users (
    key      INTEGER PRIMARY KEY,
    username TEXT NOT NULL UNIQUE
) STRICT;

-- The digest of a token (SHA-256). The token itself is not stored.
CREATE TABLE tokens (
    digest     BLOB PRIMARY KEY,
    user       INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    issued_at  TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    key                 INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,
    title               TEXT NOT NULL,
    description         TEXT NOT NULL,
    start_date          TEXT NOT NULL,
    type                TEXT NOT NULL,
    external_connection TEXT NOT NULL,
    bounds              TEXT NOT NULL,
    center              TEXT NOT NULL
) STRICT;

CREATE TABLE members (
    project       INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    user          INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    administrator INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;

CREATE TABLE stakeholders (
    id      TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    name    TEXT NOT NULL
) STRICT;

CREATE TABLE plugins (
    id          TEXT PRIMARY KEY,
    description TEXT NOT NULL
) STRICT;

CREATE TABLE project_plugins (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    plugin  TEXT NOT NULL REFERENCES plugins ON DELETE CASCADE,
    PRIMARY KEY (project, plugin)
) STRICT, WITHOUT ROWID;

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
    evaluation          TEXT NOT NULL
) STRICT;

CREATE TABLE diagrams (
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
    external_geometries TEXT NOT NULL
) STRICT;
CREATE INDEX diagrams_of_project ON diagrams (project);
CREATE INDEX diagrams_of_system ON diagrams (system);

CREATE TABLE features (
    key        INTEGER PRIMARY KEY,
    diagram    INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    min_height REAL NOT NULL,
    max_height REAL NOT NULL,
    geometry   TEXT NOT NULL
) STRICT;
CREATE INDEX features_of_diagram ON features (diagram);

CREATE TABLE diagram_tags (
    diagram INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    tag     TEXT NOT NULL REFERENCES tags ON DELETE CASCADE,
    PRIMARY KEY (diagram, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX diagrams_of_tag ON diagram_tags (tag);

CREATE TABLE selections (
    user    INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    diagram INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    PRIMARY KEY (user, diagram)
) STRICT, WITHOUT ROWID;

CREATE TABLE teams (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    title   TEXT NOT NULL
) STRICT;

CREATE TABLE team_members (
    team INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
    user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (team, user)
) STRICT, WITHOUT ROWID;

CREATE TABLE designs (
    id           TEXT PRIMARY KEY,
    team         INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
    creationdate TEXT NOT NULL,
    description  TEXT NOT NULL
) STRICT;

CREATE TABLE design_diagrams (
    design  TEXT NOT NULL REFERENCES designs ON DELETE CASCADE,
    diagram INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    PRIMARY KEY (design, diagram)
) STRICT, WITHOUT ROWID;

CREATE TABLE negotiations (
    session_id TEXT PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    log        TEXT NOT NULL
) STRICT;
