-- What the limits of the service need: indexes, and how much projects and users have.

-- Whether a project has a tag, a code or a stakeholder already.
CREATE INDEX tags_by_name ON tags (project, tag, code);
CREATE INDEX tags_by_code ON tags (project, code);
CREATE INDEX stakeholders_by_name ON stakeholders (project, name);
-- Their first column is the project, too.
DROP INDEX tags_of_project;
DROP INDEX stakeholders_of_project;
-- The highest rank in a system, without a look at all of its diagrams.
CREATE INDEX diagrams_by_rank ON diagrams (system, rank);
DROP INDEX diagrams_of_system;
CREATE INDEX projects_of_plugin ON project_plugins (plugin);
CREATE INDEX projects_of_user ON members (user);

-- The bytes of the geometries of a diagram's features.
ALTER TABLE diagrams ADD COLUMN geometry_bytes INTEGER NOT NULL DEFAULT 0;
-- How many diagrams a project has, and the bytes of these and of the maps of its systems.
ALTER TABLE projects ADD COLUMN diagrams INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
-- The bytes of the diagrams that a user has added.
ALTER TABLE users ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

-- Diagrams with all their bytes.
CREATE VIEW diagram_sizes AS
SELECT id, project, author,
       geometry_bytes + octet_length(description) + octet_length(notes) + octet_length(additional_metadata)
       + octet_length(building_data) + octet_length(flat_geobuf_url) + octet_length(external_geometries) AS bytes
FROM diagrams;

UPDATE diagrams SET geometry_bytes = total
FROM (SELECT diagram, sum(octet_length(geometry)) AS total FROM features GROUP BY diagram) WHERE diagram = id;
UPDATE projects SET
    diagrams = (SELECT count(*) FROM diagrams WHERE project = projects.key),
    bytes = (SELECT coalesce(sum(bytes), 0) FROM diagram_sizes WHERE project = projects.key)
          + (SELECT coalesce(sum(octet_length(evaluation) + octet_length(impact)), 0) FROM systems WHERE project = projects.key);
UPDATE users SET bytes = total
FROM (SELECT author, sum(diagram_sizes.bytes) AS total FROM diagram_sizes GROUP BY author) WHERE author = key;

CREATE TRIGGER count_added_diagram AFTER INSERT ON diagrams BEGIN
    UPDATE projects SET diagrams = diagrams + 1, bytes = bytes + (SELECT bytes FROM diagram_sizes WHERE id = new.id)
    WHERE key = new.project;
    UPDATE users SET bytes = bytes + (SELECT bytes FROM diagram_sizes WHERE id = new.id) WHERE key = new.author;
END;

CREATE TRIGGER count_removed_diagram BEFORE DELETE ON diagrams BEGIN
    UPDATE projects SET diagrams = diagrams - 1, bytes = bytes - (SELECT bytes FROM diagram_sizes WHERE id = old.id)
    WHERE key = old.project;
    UPDATE users SET bytes = bytes - (SELECT bytes FROM diagram_sizes WHERE id = old.id) WHERE key = old.author;
END;

CREATE TRIGGER count_changed_diagram
AFTER UPDATE OF geometry_bytes, description, notes, additional_metadata, building_data ON diagrams BEGIN
    UPDATE projects SET bytes = bytes
        + new.geometry_bytes + octet_length(new.description) + octet_length(new.notes)
        + octet_length(new.additional_metadata) + octet_length(new.building_data)
        - old.geometry_bytes - octet_length(old.description) - octet_length(old.notes)
        - octet_length(old.additional_metadata) - octet_length(old.building_data)
    WHERE key = new.project;
    UPDATE users SET bytes = bytes
        + new.geometry_bytes + octet_length(new.description) + octet_length(new.notes)
        + octet_length(new.additional_metadata) + octet_length(new.building_data)
        - old.geometry_bytes - octet_length(old.description) - octet_length(old.notes)
        - octet_length(old.additional_metadata) - octet_length(old.building_data)
    WHERE key = new.author;
END;

CREATE TRIGGER count_added_system AFTER INSERT ON systems BEGIN
    UPDATE projects SET bytes = bytes + octet_length(new.evaluation) + octet_length(new.impact) WHERE key = new.project;
END;

CREATE TRIGGER count_removed_system AFTER DELETE ON systems BEGIN
    UPDATE projects SET bytes = bytes - octet_length(old.evaluation) - octet_length(old.impact) WHERE key = old.project;
END;

CREATE TRIGGER count_changed_maps AFTER UPDATE OF evaluation, impact ON systems BEGIN
    UPDATE projects SET bytes = bytes + octet_length(new.evaluation) + octet_length(new.impact)
        - octet_length(old.evaluation) - octet_length(old.impact)
    WHERE key = new.project;
END;
