-- Selections: which rows, in which versions, one person saw and decides on together.

CREATE TABLE selection (
    id TEXT NOT NULL PRIMARY KEY,
    -- Who made it, and alone may decide on it.
    actor TEXT NOT NULL,
    made_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'deciding', 'decided')),
    frozen BIGINT NOT NULL,
    -- More matched than a selection holds.
    more BOOLEAN NOT NULL DEFAULT FALSE,
    decision TEXT,
    reason TEXT,
    spread_s BIGINT NOT NULL DEFAULT 0,
    -- By which means it was decided, for whoever goes on after a crash.
    token TEXT,
    address TEXT,
    decided_at TIMESTAMPTZ,
    finished_at TIMESTAMPTZ,
    -- Somebody is at work on it until then, or has died.
    busy_until TIMESTAMPTZ,
    CONSTRAINT decided_has_a_decision CHECK (
        (state = 'open') = (decision IS NULL)
        AND (state = 'open' OR (reason IS NOT NULL AND decided_at IS NOT NULL AND busy_until IS NOT NULL))
    ),
    CONSTRAINT finished_is_decided CHECK ((state = 'decided') = (finished_at IS NOT NULL))
);
CREATE INDEX selection_open ON selection (expires_at) WHERE state = 'open';
CREATE INDEX selection_unfinished ON selection (busy_until) WHERE state = 'deciding';

CREATE TABLE selection_row (
    selection TEXT NOT NULL REFERENCES selection (id) ON DELETE CASCADE,
    n BIGINT NOT NULL,
    key TEXT NOT NULL,
    -- As they were when it was made.
    version BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT,
    may_have_applied BOOLEAN NOT NULL,
    -- What the decision came to; once.
    outcome TEXT CHECK (outcome IN ('done', 'approved', 'changed', 'refused')),
    found TEXT,
    moved_by TEXT,
    detail TEXT,
    PRIMARY KEY (selection, n)
);
