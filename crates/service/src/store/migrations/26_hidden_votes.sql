-- Whether members see only their own votes, until an administrator shows all.
ALTER TABLE projects ADD COLUMN votes_hidden INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER change_votes_hidden AFTER UPDATE OF votes_hidden ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'activity', 'changed', 'votes_hidden');
END;
