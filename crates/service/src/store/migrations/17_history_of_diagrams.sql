-- The history of a diagram, without reading the texts of all entries.

-- NULL for a change of anything else.
ALTER TABLE history ADD COLUMN diagram INTEGER;
UPDATE history SET diagram = CAST(substr(subject, 9) AS INTEGER)
WHERE subject GLOB 'diagram [0-9]*' AND substr(subject, 9) NOT GLOB '*[^0-9]*' AND length(subject) < 27;
CREATE INDEX history_of_diagram ON history (project, diagram, number) WHERE diagram IS NOT NULL;
