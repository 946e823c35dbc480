-- Effects of a system's projects on other systems: a JSON object from the ids of these to whole numbers from -2 to 2.
ALTER TABLE systems ADD COLUMN impacts TEXT NOT NULL DEFAULT '{}';
CREATE TRIGGER change_impacts AFTER UPDATE ON systems WHEN old.impacts IS NOT new.impacts BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'changed', new.id);
END;
