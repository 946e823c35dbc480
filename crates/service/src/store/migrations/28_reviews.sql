-- A thread is a review if its first comment asks others to look at a diagram or a design. It is done when the thread is resolved.
ALTER TABLE comments ADD COLUMN review INTEGER NOT NULL DEFAULT 0;
-- The members who are asked. A review without any asks all.
CREATE TABLE reviewers (
    comment TEXT NOT NULL REFERENCES comments ON DELETE CASCADE,
    user    INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (comment, user)
) STRICT, WITHOUT ROWID;
