-- Policies of kinds, with every version there was, and the switch that pauses everything.

CREATE TABLE policy (
    kind TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    -- What a first claim needs, out of the body.
    recovery TEXT NOT NULL,
    stale_after_s BIGINT NOT NULL,
    approve_first BOOLEAN NOT NULL,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    paused_at TIMESTAMPTZ,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE policy_version (
    kind TEXT NOT NULL,
    version BIGINT NOT NULL,
    -- NULL: the policy was taken away, the defaults apply.
    body TEXT,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (kind, version)
);
CREATE TRIGGER policy_version_keeps BEFORE UPDATE OR DELETE ON policy_version
    FOR EACH ROW EXECUTE FUNCTION refuse_change('the history is append-only');
CREATE TRIGGER policy_version_stays BEFORE TRUNCATE ON policy_version
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the history is append-only');

CREATE TABLE switch (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    at TIMESTAMPTZ,
    actor TEXT,
    reason TEXT
);
INSERT INTO switch (id) VALUES (1);
