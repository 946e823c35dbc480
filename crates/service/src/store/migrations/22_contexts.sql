-- The context of a project: places, water, roads and districts. SQLite changes a CHECK only with the table.
CREATE TABLE new_geographies (
    project  INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    role     TEXT NOT NULL CHECK (role IN ('boundaries', 'secondboundaries', 'constraints', 'context')),
    resource TEXT NOT NULL,
    geojson  TEXT NOT NULL,
    PRIMARY KEY (project, role)
) STRICT;
INSERT INTO new_geographies SELECT * FROM geographies;
DROP TABLE geographies;
ALTER TABLE new_geographies RENAME TO geographies;

CREATE TRIGGER change_map_added AFTER INSERT ON geographies BEGIN
    INSERT INTO new_changes VALUES (new.project, 'map', 'added', new.role);
END;
CREATE TRIGGER change_map AFTER UPDATE ON geographies
WHEN (old.resource, old.geojson)
    IS NOT (new.resource, new.geojson) BEGIN
    INSERT INTO new_changes VALUES (new.project, 'map', 'changed', new.role);
END;
CREATE TRIGGER change_map_removed AFTER DELETE ON geographies BEGIN
    INSERT INTO new_changes VALUES (old.project, 'map', 'removed', old.role);
END;
