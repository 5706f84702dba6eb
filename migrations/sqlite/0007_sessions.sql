-- Sessions of people, and what keeps passwords from being guessed.

-- Whoever reads this table can sign in with nothing of it: it knows the hash of what the browser holds.
CREATE TABLE session (
    hash TEXT NOT NULL PRIMARY KEY CHECK (length(hash) = 64),
    -- What people call it by, to end it.
    handle TEXT NOT NULL UNIQUE,
    operator TEXT NOT NULL REFERENCES operator (name) ON DELETE CASCADE,
    -- The operator's when it began: it ends when theirs rises.
    epoch INTEGER NOT NULL,
    began_by TEXT NOT NULL CHECK (began_by IN ('password', 'sso')),
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    address TEXT,
    agent TEXT,
    data TEXT NOT NULL
);
CREATE INDEX session_operator ON session (operator, seen_at);

-- Failed sign-ins. What is counted, a name, an address or both, stands here as one of so many numbers that the table
-- cannot grow beyond them, whatever strangers invent; a salt of this database's own keeps anybody from choosing a
-- name that falls on somebody else's number.
CREATE TABLE failed_sign_in (
    subject INTEGER NOT NULL PRIMARY KEY,
    failures INTEGER NOT NULL,
    last_at INTEGER NOT NULL
);
CREATE TABLE sign_in_salt (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    salt TEXT NOT NULL
);
INSERT INTO sign_in_salt (id, salt) VALUES (1, lower(hex(randomblob(32))));

-- From where somebody signed in lately: what others fail under their name does not shut them out there.
CREATE TABLE known_address (
    operator TEXT NOT NULL REFERENCES operator (name) ON DELETE CASCADE,
    address TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (operator, address)
);

-- Where sessions stood before, with their ids in the clear.
DROP TABLE IF EXISTS tower_sessions;
