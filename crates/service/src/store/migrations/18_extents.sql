-- Where features lie, so that those within a rectangle are found without reading the others. R*Tree rounds to 32 bits, outwards. The
-- project is one more side of the boxes. `extent` is a function of the service: 0 is west, 1 south, 2 east and 3 north.
CREATE VIRTUAL TABLE feature_extents USING rtree(key, west, east, south, north, first_project, last_project, +diagram);

INSERT INTO feature_extents
SELECT key, extent(geometry, 0), extent(geometry, 2), extent(geometry, 1), extent(geometry, 3), project, project, diagram
FROM features JOIN all_diagrams ON all_diagrams.id = diagram WHERE extent(geometry, 0) IS NOT NULL;

CREATE TRIGGER extent_added AFTER INSERT ON features WHEN extent(new.geometry, 0) IS NOT NULL BEGIN
    INSERT INTO feature_extents
    SELECT new.key, extent(new.geometry, 0), extent(new.geometry, 2), extent(new.geometry, 1), extent(new.geometry, 3), project, project, id
    FROM all_diagrams WHERE id = new.diagram;
END;
CREATE TRIGGER extent_removed AFTER DELETE ON features BEGIN
    DELETE FROM feature_extents WHERE key = old.key;
END;

-- A page of the diagrams of a project, and how many there are.
CREATE INDEX diagrams_to_show ON all_diagrams (project, id) WHERE removed_by IS NULL;
