-- What the archive of a loaded project told of each thing, beyond the columns of this service.

DROP TABLE origin_answers;

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

-- Where the diagrams and members stood in the lists of the origin; NULL for others, which follow.
ALTER TABLE design_diagrams ADD COLUMN position INTEGER;
ALTER TABLE selections ADD COLUMN position INTEGER;
ALTER TABLE team_members ADD COLUMN position INTEGER;
-- The properties of a feature that this service does not know, as a JSON object; NULL if there are none.
ALTER TABLE features ADD COLUMN extra TEXT;

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
