-- Who may come beside members: guests by a link, walk-ins by a joining code; and what is told of tokens. Of tokens and codes, only the
-- SHA-256 is stored.

-- UTC; NULL for never, or before this version.
ALTER TABLE tokens ADD COLUMN last_used_at TEXT;
-- The project whose administrator made the token: it ends when its user becomes a member of another one. NULL for all others.
ALTER TABLE tokens ADD COLUMN project INTEGER REFERENCES projects ON DELETE CASCADE;

-- Guests have no account.
CREATE TABLE links (
    key          INTEGER PRIMARY KEY AUTOINCREMENT,
    digest       BLOB NOT NULL UNIQUE,
    project      INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    title        TEXT NOT NULL,
    -- Whether guests are told the names of members and authors.
    names        INTEGER NOT NULL,
    created_at   TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    last_used_at TEXT
) STRICT;
CREATE INDEX links_of_project ON links (project);

CREATE TABLE joining_codes (
    project   INTEGER PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    digest    BLOB NOT NULL UNIQUE,
    closes_at TEXT NOT NULL,
    by_hand   INTEGER NOT NULL,
    team      INTEGER REFERENCES all_teams ON DELETE SET NULL,
    -- How many were admitted with this code.
    admitted  INTEGER NOT NULL
) STRICT;

-- Who has come with a joining code, and has no account before an administrator admits them.
CREATE TABLE walk_ins (
    key        INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    username   TEXT NOT NULL UNIQUE,
    asked_at   TEXT NOT NULL,
    -- Of the token, which is valid once they are admitted.
    digest     BLOB NOT NULL UNIQUE,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX walk_ins_of_project ON walk_ins (project);
