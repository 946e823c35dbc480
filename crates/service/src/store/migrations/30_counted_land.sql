-- The land that counts in the room: 'inside' for land inside the study area only; NULL if all land counts.
ALTER TABLE projects ADD COLUMN counted_land TEXT;
-- 'refuse' if drawings on the constraints are refused; NULL if their authors are warned.
ALTER TABLE projects ADD COLUMN drawings_on_constraints TEXT;
CREATE TRIGGER change_land_settings AFTER UPDATE OF counted_land, drawings_on_constraints ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'project', 'changed', new.id);
END;
