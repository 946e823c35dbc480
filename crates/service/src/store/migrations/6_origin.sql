-- Projects that were loaded from an archive: what they answered at their origin.

ALTER TABLE projects ADD COLUMN is_loaded INTEGER NOT NULL DEFAULT 0;

-- The operator of the service reads and writes a loaded project without being listed among its members.
ALTER TABLE members ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;

-- Answers in which the origin differs from this service.
CREATE TABLE origin_answers (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- The name of the answer in the archive, such as `systems/1.json`.
    name    TEXT NOT NULL,
    -- What this service answered when the project was loaded, as JSON; NULL where it answered 404.
    loaded  TEXT,
    -- The status at the origin: 200, 403 or 404.
    status  INTEGER NOT NULL,
    -- What the origin answered with status 200, as JSON.
    origin  TEXT
) STRICT;
CREATE UNIQUE INDEX origin_answers_by_name ON origin_answers (project, name);
