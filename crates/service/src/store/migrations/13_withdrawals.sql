-- Who left, and how long tokens are valid.

-- Members of a project who were removed from it. A setup file that still names them does not bring them back.
CREATE TABLE withdrawn_members (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    user    INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;

-- Whether the token is on a printed card, which the next card of the same user replaces.
ALTER TABLE tokens ADD COLUMN on_card INTEGER NOT NULL DEFAULT 0;

-- One row where the operator has decided how long tokens are valid: an ISO 8601 duration.
CREATE TABLE token_lifetime (lifetime TEXT NOT NULL) STRICT;
