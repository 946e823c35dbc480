-- What the room does over the wire: votes on diagrams, colours of teams, and what is open.

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

-- What an administrator opened or closed; all else is open.
CREATE TABLE activities (
    project   INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- drawing, selecting or designing
    activity  TEXT NOT NULL,
    open      INTEGER NOT NULL,
    -- UTC; NULL for never.
    closes_at TEXT,
    message   TEXT NOT NULL,
    PRIMARY KEY (project, activity)
) STRICT, WITHOUT ROWID;

-- #RRGGBB; empty for a team without a colour.
ALTER TABLE all_teams ADD COLUMN color TEXT NOT NULL DEFAULT '';
DROP VIEW teams;
CREATE VIEW teams AS SELECT id, project, title, color FROM all_teams WHERE NOT removed;

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
