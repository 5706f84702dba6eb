-- Policies of kinds, with every version there was, and the switch that pauses everything.

CREATE TABLE policy (
    kind TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    -- What a first claim needs, out of the body.
    recovery TEXT NOT NULL,
    stale_after_s INTEGER NOT NULL,
    approve_first BOOLEAN NOT NULL,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    paused_at INTEGER,
    updated_at INTEGER NOT NULL
);

CREATE TABLE policy_version (
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    -- NULL: the policy was taken away, the defaults apply.
    body TEXT,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (kind, version)
);
CREATE TRIGGER policy_version_keeps BEFORE UPDATE ON policy_version
    BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
CREATE TRIGGER policy_version_stays BEFORE DELETE ON policy_version
    BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;

CREATE TABLE switch (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    at INTEGER,
    actor TEXT,
    reason TEXT
);
INSERT INTO switch (id) VALUES (1);
