-- Operators and tokens. Passwords and tokens are kept as hashes only.

CREATE TABLE operator (
    name TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    password_hash TEXT NOT NULL,
    disabled BOOLEAN NOT NULL DEFAULT FALSE,
    -- Rises when every session of this person has to end: password, role, disabling.
    epoch INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
);

CREATE TABLE token (
    name TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('worker', 'read', 'operator', 'admin')),
    operator TEXT REFERENCES operator (name),
    -- A JSON array; NULL is every kind.
    kinds TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER,
    CONSTRAINT people_stand_behind_people CHECK (scope IN ('worker', 'read') OR operator IS NOT NULL)
);
