-- What tells this service from others, whatever its address, and which archive each loaded project comes from.

-- One row: an id that no other database has.
CREATE TABLE service (id TEXT NOT NULL) STRICT;
INSERT INTO service VALUES (lower(hex(randomblob(16))));

CREATE TABLE loaded_projects (
    project        INTEGER PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    -- The id and the API root of the service that the archive was read from. NULL if it had no id, or is not known.
    service        TEXT,
    source         TEXT NOT NULL,
    -- When the archive was finished.
    created_at     TEXT NOT NULL,
    -- The change id of the project in the archive.
    origin_changeid TEXT,
    -- The change id that the project had here when it was loaded: with another one, it has been changed.
    changeid       TEXT NOT NULL
) STRICT;
-- Of projects that an earlier version loaded, it is not known whether they have been changed.
INSERT INTO loaded_projects SELECT DISTINCT project, NULL, '', '', NULL, '' FROM loaded_things;
