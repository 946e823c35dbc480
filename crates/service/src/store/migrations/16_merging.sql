-- Merging archives of copies into a project.

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
