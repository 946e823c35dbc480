-- What the operations that write need beside what is read.

ALTER TABLE projects ADD COLUMN zoom_level INTEGER NOT NULL DEFAULT 0;
-- Counts changes of the study area and of colours, which every thumbnail shows.
ALTER TABLE projects ADD COLUMN appearance INTEGER NOT NULL DEFAULT 0;
ALTER TABLE systems ADD COLUMN impact TEXT NOT NULL DEFAULT '{"type":"FeatureCollection","features":[]}';

-- Who may create a project, and from which project of the companion platform.
CREATE TABLE creation_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE linked_projects (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE diagram_groups (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    name    TEXT NOT NULL,
    diagram INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    PRIMARY KEY (project, name, diagram)
) STRICT, WITHOUT ROWID;

-- A picture of a diagram as it was; it is drawn again when diagram or project look different.
CREATE TABLE thumbnails (
    job        TEXT PRIMARY KEY,
    diagram    INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    changed_at TEXT NOT NULL,
    appearance INTEGER NOT NULL,
    png        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX thumbnails_of_diagram ON thumbnails (diagram, changed_at, appearance);

-- Spares a scan when a diagram goes or a member's selection is read.
CREATE INDEX stakeholders_of_project ON stakeholders (project);
CREATE INDEX layers_of_project ON layers (project);
CREATE INDEX tags_of_project ON tags (project);
CREATE INDEX systems_of_project ON systems (project);
CREATE INDEX teams_of_project ON teams (project);
CREATE INDEX designs_of_team ON designs (team);
