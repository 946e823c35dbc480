-- What an external diagram shows: `polygon` or `line`. Its geometries are in a file elsewhere.
ALTER TABLE diagrams ADD COLUMN featuretype TEXT NOT NULL DEFAULT 'polygon';

-- One job for the thumbnails of several diagrams, each of which also has a job of its own.
CREATE TABLE thumbnail_batches (
    job       TEXT NOT NULL,
    diagram   INTEGER NOT NULL REFERENCES diagrams ON DELETE CASCADE,
    thumbnail TEXT NOT NULL REFERENCES thumbnails ON DELETE CASCADE,
    PRIMARY KEY (job, diagram)
) STRICT, WITHOUT ROWID;
CREATE INDEX batches_of_diagram ON thumbnail_batches (diagram);
CREATE INDEX batches_of_thumbnail ON thumbnail_batches (thumbnail);

-- Constraints have whole areas and lengths as integers, such as 0 instead of 0.0.
UPDATE geographies SET resource = json_set(resource, '$.area', CAST(resource ->> '$.area' AS INTEGER))
    WHERE role = 'constraints' AND resource ->> '$.area' = CAST(resource ->> '$.area' AS INTEGER);
UPDATE geographies SET resource = json_set(resource, '$.length', CAST(resource ->> '$.length' AS INTEGER))
    WHERE role = 'constraints' AND resource ->> '$.length' = CAST(resource ->> '$.length' AS INTEGER);
