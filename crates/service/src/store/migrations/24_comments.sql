-- Comments: a first comment and its replies are a thread. A reply repeats what its thread is about: a diagram, a design or a place.
CREATE TABLE comments (
    id          TEXT PRIMARY KEY,
    project     INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    author      INTEGER NOT NULL REFERENCES users,
    text        TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    -- NULL for a text that was never changed.
    edited_at   TEXT,
    diagram     INTEGER REFERENCES all_diagrams ON DELETE CASCADE,
    design      TEXT REFERENCES designs ON DELETE CASCADE,
    -- Longitude and latitude, as a JSON array.
    place       TEXT,
    -- NULL for the first comment of a thread.
    reply_to    TEXT REFERENCES comments ON DELETE CASCADE,
    -- The member who resolved the thread; NULL for an open one.
    resolved_by INTEGER REFERENCES users
) STRICT;
CREATE INDEX comments_of_project ON comments (project);
CREATE INDEX comments_on_diagram ON comments (diagram);
CREATE INDEX comments_on_design ON comments (design);
CREATE INDEX replies ON comments (reply_to);

CREATE TRIGGER change_comment_added AFTER INSERT ON comments BEGIN
    INSERT INTO new_changes VALUES (new.project, 'comment', 'added', new.id);
END;
CREATE TRIGGER change_comment AFTER UPDATE ON comments
WHEN (old.text, old.resolved_by) IS NOT (new.text, new.resolved_by) BEGIN
    INSERT INTO new_changes VALUES (new.project, 'comment', 'changed', new.id);
END;
CREATE TRIGGER change_comment_removed AFTER DELETE ON comments BEGIN
    INSERT INTO new_changes VALUES (old.project, 'comment', 'removed', old.id);
END;
