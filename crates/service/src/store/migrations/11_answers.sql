-- The answers to requests that added something and had an `Idempotency-Key`: who sends such a request again gets the same answer.
CREATE TABLE answers (
    key             INTEGER PRIMARY KEY,
    user            INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    -- NULL for a request that creates a project.
    project         INTEGER REFERENCES projects ON DELETE CASCADE,
    -- Counts the answers to the user in the project from 1.
    number          INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    -- The SHA-256 of the method, the path and the body.
    request         BLOB NOT NULL,
    answer          BLOB NOT NULL
) STRICT;
-- No project has the key 0; two NULLs would be different from each other.
CREATE UNIQUE INDEX answers_by_idempotency_key ON answers (user, coalesce(project, 0), idempotency_key);
CREATE UNIQUE INDEX answers_by_number ON answers (user, coalesce(project, 0), number);
CREATE INDEX answers_of_project ON answers (project);
