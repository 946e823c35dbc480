-- Accounts that an administrator of a project made members of it, although somebody used them before: its
-- administrators neither make cards for them nor end them. Kept when the membership ends, so that adding the member again changes nothing.
CREATE TABLE accounts_of_others (
    project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
    user    INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;
