-- What a system's projects bring, such as homes: a JSON object from names to amounts, their units and targets.
ALTER TABLE systems ADD COLUMN quantities TEXT NOT NULL DEFAULT '{}';
CREATE TRIGGER change_quantities AFTER UPDATE ON systems WHEN old.quantities IS NOT new.quantities BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'changed', new.id);
END;
