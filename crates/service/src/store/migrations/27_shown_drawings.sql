-- Whether members see what others are drawing.
ALTER TABLE projects ADD COLUMN drawings_shown INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER change_drawings_shown AFTER UPDATE OF drawings_shown ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'activity', 'changed', 'drawings_shown');
END;
