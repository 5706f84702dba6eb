-- What retention erases: found by when it finished, and never looked for twice.

CREATE INDEX action_log_finished ON action_log (kind, completed_at, key) WHERE completed_at IS NOT NULL;

-- Everything of this kind that finished up to then has been erased.
CREATE TABLE erasure (
    kind TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('payload', 'result')),
    until INTEGER NOT NULL,
    PRIMARY KEY (kind, what)
);
