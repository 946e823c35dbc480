-- The history: who changed what and when, and how to undo it.

-- Diagrams that were removed stay, so that they can be restored and their ids are never given again. Queries read the view
-- `diagrams`, which leaves them out; changes are made to `all_diagrams`.
ALTER TABLE diagrams RENAME TO all_diagrams;
-- The number of the entry in the history that removed the diagram; NULL if it was not removed.
ALTER TABLE all_diagrams ADD COLUMN removed_by INTEGER;
CREATE INDEX removed_diagrams ON all_diagrams (project, removed_by) WHERE removed_by IS NOT NULL;
CREATE VIEW diagrams AS SELECT * FROM all_diagrams WHERE removed_by IS NULL;

-- Diagrams and entries of the history keep the name of a user who was removed.
ALTER TABLE users ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

-- Ids of change teams that were removed are not given again either.
ALTER TABLE teams RENAME TO all_teams;
ALTER TABLE all_teams ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
CREATE VIEW teams AS SELECT id, project, title FROM all_teams WHERE NOT removed;

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
    bytes_before INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX history_of_project ON history (project, number);
