-- Columns and tables for the operations that write.

ALTER TABLE projects ADD COLUMN zoom_level INTEGER NOT NULL DEFAULT 0;
-- Counts the changes of the study area, which every thumbnail shows.
ALTER TABLE projects ADD COLUMN appearance INTEGER NOT NULL DEFAULT 0;
ALTER TABLE systems ADD COLUMN impact TEXT NOT NULL DEFAULT '{"type":"FeatureCollection","features":[]}';

-- Codes with which a user may create projects, and projects of the companion platform that a user may link one to.
CREATE TABLE creation_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE linked_projects (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE diagram_groups (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    name    TEXT NOT NULL,
    diagram INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    PRIMARY KEY (project, name, diagram)
) STRICT, WITHOUT ROWID;

-- A picture of a diagram as it was at `changed_at`, over the study area as it was at `appearance`.
CREATE TABLE thumbnails (
    job        TEXT PRIMARY KEY,
    diagram    INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    changed_at TEXT NOT NULL,
    appearance INTEGER NOT NULL,
    png        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX thumbnails_of_diagram ON thumbnails (diagram, changed_at, appearance);

-- For queries by project, and for deleting a diagram with all that refers to it.
CREATE INDEX stakeholders_of_project ON stakeholders (project);
CREATE INDEX layers_of_project ON layers (project);
CREATE INDEX tags_of_project ON tags (project);
CREATE INDEX systems_of_project ON systems (project);
CREATE INDEX teams_of_project ON teams (project);
CREATE INDEX designs_of_team ON designs (team);
