-- What changed in each project, for programs that keep a copy of it or watch it. Triggers write it, so that no write can forget to.

-- Counts the changes of the project: the id of the last one.
ALTER TABLE projects ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
-- Another random text after each change. Unlike the version it is never the same again, also where a copy of the database
-- takes the place of a newer one.
ALTER TABLE projects ADD COLUMN changeid TEXT NOT NULL DEFAULT '';
UPDATE projects SET changeid = lower(hex(randomblob(8)));

-- The last changes of each project, in the order of commits.
CREATE TABLE changes (
    key      INTEGER PRIMARY KEY,
    project  INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Counts the changes of the project from 1, without gaps.
    id       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    action   TEXT NOT NULL CHECK (action IN ('added', 'changed', 'removed')),
    resource TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX changes_of_project ON changes (project, id);

-- One row: the key of the last change that was committed.
CREATE TABLE committed_changes (key INTEGER NOT NULL) STRICT;
INSERT INTO committed_changes VALUES (0);

-- To record a change, insert it here. What one transaction does to one thing without a pause is one change.
CREATE VIEW new_changes AS SELECT project, kind, action, resource FROM changes;
CREATE TRIGGER record_change INSTEAD OF INSERT ON new_changes
WHEN NOT EXISTS (
    SELECT 1 FROM changes
    WHERE key = (SELECT max(key) FROM changes) AND key > (SELECT key FROM committed_changes)
        AND project = new.project AND kind = new.kind AND resource = new.resource
        AND (action = new.action OR (action = 'added' AND new.action = 'changed'))
)
BEGIN
    UPDATE projects SET version = version + 1, changeid = lower(hex(randomblob(8))) WHERE key = new.project;
    INSERT INTO changes (project, id, kind, action, resource)
    SELECT key, version, new.kind, new.action, new.resource FROM projects WHERE key = new.project;
END;

CREATE TRIGGER change_project_added AFTER INSERT ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'project', 'added', new.id);
END;
CREATE TRIGGER change_project AFTER UPDATE OF id, title, description, start_date, type, external_connection, bounds, center,
    zoom_level, appearance ON projects BEGIN
    INSERT INTO new_changes VALUES (new.key, 'project', 'changed', new.id);
END;

CREATE TRIGGER change_diagram_added AFTER INSERT ON all_diagrams BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'added', new.id);
END;
CREATE TRIGGER change_diagram AFTER UPDATE ON all_diagrams WHEN old.removed_by IS NULL AND new.removed_by IS NULL BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'changed', new.id);
END;
CREATE TRIGGER change_diagram_removed AFTER UPDATE OF removed_by ON all_diagrams
WHEN old.removed_by IS NULL AND new.removed_by IS NOT NULL BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'removed', new.id);
END;
CREATE TRIGGER change_diagram_restored AFTER UPDATE OF removed_by ON all_diagrams
WHEN old.removed_by IS NOT NULL AND new.removed_by IS NULL BEGIN
    INSERT INTO new_changes VALUES (new.project, 'diagram', 'added', new.id);
END;
CREATE TRIGGER change_diagram_tag_added AFTER INSERT ON diagram_tags BEGIN
    INSERT INTO new_changes SELECT project, 'diagram', 'changed', id FROM diagrams WHERE id = new.diagram;
END;
CREATE TRIGGER change_diagram_tag_removed AFTER DELETE ON diagram_tags BEGIN
    INSERT INTO new_changes SELECT project, 'diagram', 'changed', id FROM diagrams WHERE id = old.diagram;
END;

CREATE TRIGGER change_tag_added AFTER INSERT ON tags BEGIN
    INSERT INTO new_changes VALUES (new.project, 'tag', 'added', new.id);
END;
CREATE TRIGGER change_tag AFTER UPDATE ON tags BEGIN
    INSERT INTO new_changes VALUES (new.project, 'tag', 'changed', new.id);
END;
CREATE TRIGGER change_tag_removed AFTER DELETE ON tags BEGIN
    INSERT INTO new_changes VALUES (old.project, 'tag', 'removed', old.id);
END;

CREATE TRIGGER change_system_added AFTER INSERT ON systems BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'added', new.id);
END;
CREATE TRIGGER change_system AFTER UPDATE ON systems
WHEN (old.name, old.color, old.tag, old.verbose_description, old.cost, old.budget, old.current_ha, old.target_ha, old.evaluation, old.impact)
    IS NOT (new.name, new.color, new.tag, new.verbose_description, new.cost, new.budget, new.current_ha, new.target_ha, new.evaluation, new.impact) BEGIN
    INSERT INTO new_changes VALUES (new.project, 'system', 'changed', new.id);
END;
CREATE TRIGGER change_system_removed AFTER DELETE ON systems BEGIN
    INSERT INTO new_changes VALUES (old.project, 'system', 'removed', old.id);
END;

CREATE TRIGGER change_layer_added AFTER INSERT ON layers BEGIN
    INSERT INTO new_changes VALUES (new.project, 'layer', 'added', new.id);
END;
CREATE TRIGGER change_layer AFTER UPDATE ON layers BEGIN
    INSERT INTO new_changes VALUES (new.project, 'layer', 'changed', new.id);
END;
CREATE TRIGGER change_layer_removed AFTER DELETE ON layers BEGIN
    INSERT INTO new_changes VALUES (old.project, 'layer', 'removed', old.id);
END;

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

CREATE TRIGGER change_stakeholder_added AFTER INSERT ON stakeholders BEGIN
    INSERT INTO new_changes VALUES (new.project, 'stakeholder', 'added', new.id);
END;
CREATE TRIGGER change_stakeholder AFTER UPDATE ON stakeholders BEGIN
    INSERT INTO new_changes VALUES (new.project, 'stakeholder', 'changed', new.id);
END;
CREATE TRIGGER change_stakeholder_removed AFTER DELETE ON stakeholders BEGIN
    INSERT INTO new_changes VALUES (old.project, 'stakeholder', 'removed', old.id);
END;

CREATE TRIGGER change_plugin_added AFTER INSERT ON project_plugins BEGIN
    INSERT INTO new_changes VALUES (new.project, 'plugin', 'added', new.plugin);
END;
CREATE TRIGGER change_plugin_removed AFTER DELETE ON project_plugins BEGIN
    INSERT INTO new_changes VALUES (old.project, 'plugin', 'removed', old.plugin);
END;
-- A plugin belongs to the service; its description is shown by every project that uses it.
CREATE TRIGGER change_plugin AFTER UPDATE ON plugins
WHEN old.description IS NOT new.description BEGIN
    INSERT INTO new_changes SELECT project, 'plugin', 'changed', new.id FROM project_plugins WHERE plugin = new.id;
END;

CREATE TRIGGER change_group_grown AFTER INSERT ON diagram_groups BEGIN
    INSERT INTO new_changes VALUES (new.project, 'group', 'changed', new.name);
END;
CREATE TRIGGER change_group_shrunk AFTER DELETE ON diagram_groups BEGIN
    INSERT INTO new_changes VALUES (old.project, 'group', 'changed', old.name);
END;

CREATE TRIGGER change_member_added AFTER INSERT ON members BEGIN
    INSERT INTO new_changes SELECT new.project, 'member', 'added', username FROM users WHERE key = new.user;
END;
CREATE TRIGGER change_member AFTER UPDATE ON members
WHEN (old.administrator, old.listed)
    IS NOT (new.administrator, new.listed) BEGIN
    INSERT INTO new_changes SELECT new.project, 'member', 'changed', username FROM users WHERE key = new.user;
END;
CREATE TRIGGER change_member_removed AFTER DELETE ON members BEGIN
    INSERT INTO new_changes SELECT old.project, 'member', 'removed', username FROM users WHERE key = old.user;
END;

-- A selection has the name of the member whose it is.
CREATE TRIGGER change_selection_grown AFTER INSERT ON selections BEGIN
    INSERT INTO new_changes SELECT project, 'selection', 'changed', username FROM all_diagrams, users
    WHERE id = new.diagram AND users.key = new.user;
END;
CREATE TRIGGER change_selection_shrunk AFTER DELETE ON selections BEGIN
    INSERT INTO new_changes SELECT project, 'selection', 'changed', username FROM all_diagrams, users
    WHERE id = old.diagram AND users.key = old.user;
END;

CREATE TRIGGER change_team_added AFTER INSERT ON all_teams BEGIN
    INSERT INTO new_changes VALUES (new.project, 'team', 'added', new.id);
END;
CREATE TRIGGER change_team AFTER UPDATE ON all_teams BEGIN
    INSERT INTO new_changes
    VALUES (new.project, 'team', CASE WHEN new.removed AND NOT old.removed THEN 'removed' ELSE 'changed' END, new.id);
END;
CREATE TRIGGER change_team_grown AFTER INSERT ON team_members BEGIN
    INSERT INTO new_changes SELECT project, 'team', 'changed', id FROM teams WHERE id = new.team;
END;
CREATE TRIGGER change_team_shrunk AFTER DELETE ON team_members BEGIN
    INSERT INTO new_changes SELECT project, 'team', 'changed', id FROM teams WHERE id = old.team;
END;

CREATE TRIGGER change_design_added AFTER INSERT ON designs BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'added', new.id FROM all_teams WHERE id = new.team;
END;
CREATE TRIGGER change_design AFTER UPDATE ON designs BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'changed', new.id FROM all_teams WHERE id = new.team;
END;
CREATE TRIGGER change_design_removed AFTER DELETE ON designs BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'removed', old.id FROM all_teams WHERE id = old.team;
END;
CREATE TRIGGER change_design_grown AFTER INSERT ON design_diagrams BEGIN
    INSERT INTO new_changes SELECT project, 'design', 'changed', designs.id FROM designs JOIN all_teams ON all_teams.id = team
    WHERE designs.id = new.design;
END;

CREATE TRIGGER change_negotiation_added AFTER INSERT ON negotiations BEGIN
    INSERT INTO new_changes VALUES (new.project, 'negotiation', 'added', new.session_id);
END;
CREATE TRIGGER change_negotiation AFTER UPDATE ON negotiations
WHEN old.log IS NOT new.log BEGIN
    INSERT INTO new_changes VALUES (new.project, 'negotiation', 'changed', new.session_id);
END;

CREATE TRIGGER change_origin_answer_added AFTER INSERT ON origin_answers BEGIN
    INSERT INTO new_changes SELECT key, 'project', 'changed', id FROM projects WHERE key = new.project;
END;
CREATE TRIGGER change_origin_answer AFTER UPDATE ON origin_answers BEGIN
    INSERT INTO new_changes SELECT key, 'project', 'changed', id FROM projects WHERE key = new.project;
END;
CREATE TRIGGER change_origin_answer_removed AFTER DELETE ON origin_answers BEGIN
    INSERT INTO new_changes SELECT key, 'project', 'changed', id FROM projects WHERE key = old.project;
END;
