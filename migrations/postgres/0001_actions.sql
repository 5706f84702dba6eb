-- Actions and their append-only history. Times are timestamptz: whole microseconds, compared exactly.

-- The one clock. Everything that compares times asks it.
CREATE FUNCTION holdpoint_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';


CREATE TABLE action_log (
    key TEXT NOT NULL PRIMARY KEY CHECK (length(key) = 64),
    run_id TEXT NOT NULL,
    step BIGINT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    summary TEXT,
    status TEXT NOT NULL CHECK (status IN ('in_flight', 'verifying', 'released', 'held', 'succeeded', 'failed')),
    reason TEXT,
    attempt BIGINT NOT NULL,
    version BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    attempted_at TIMESTAMPTZ,
    stale_at TIMESTAMPTZ,
    due_at TIMESTAMPTZ,
    held_at TIMESTAMPTZ,
    verifying_since TIMESTAMPTZ,
    completed_at TIMESTAMPTZ,
    wake_at TIMESTAMPTZ,
    -- of the newest attempt; the earlier ones are in `earlier`
    recovery TEXT,
    outcome TEXT,
    worker TEXT,
    claim_id TEXT,
    begin_before TIMESTAMPTZ,
    reported TEXT,
    attempt_policy BIGINT NOT NULL DEFAULT 0,
    earlier TEXT NOT NULL DEFAULT '[]',
    error TEXT,
    result TEXT,
    result_kept BOOLEAN NOT NULL DEFAULT TRUE,
    succeeded_attempt BIGINT,
    approvals TEXT NOT NULL DEFAULT '[]',
    approvals_needed BIGINT NOT NULL DEFAULT 1,
    decisions TEXT NOT NULL DEFAULT '[]',
    released_by_person BOOLEAN NOT NULL DEFAULT FALSE,
    verification TEXT,
    settled_by TEXT,
    suspected_duplicate BOOLEAN NOT NULL DEFAULT FALSE,
    suspected_no_send BOOLEAN NOT NULL DEFAULT FALSE,
    acknowledged BOOLEAN NOT NULL DEFAULT FALSE,
    policy_version BIGINT NOT NULL DEFAULT 0,
    drift_of TEXT,
    slot TEXT,
    -- No row can be out of the reaper's reach: what runs, waits or is asked has its clock.
    CONSTRAINT in_flight_has_a_clock CHECK (status <> 'in_flight' OR (stale_at IS NOT NULL AND wake_at IS NOT NULL)),
    CONSTRAINT verifying_has_a_clock CHECK (status <> 'verifying' OR due_at IS NOT NULL),
    CONSTRAINT released_has_a_time CHECK (status <> 'released' OR due_at IS NOT NULL),
    CONSTRAINT held_has_a_reason CHECK (status <> 'held' OR (held_at IS NOT NULL AND reason IS NOT NULL)),
    CONSTRAINT finished_is_settled
        CHECK (status NOT IN ('succeeded', 'failed') OR (completed_at IS NOT NULL AND settled_by IS NOT NULL))
);
CREATE UNIQUE INDEX action_log_slot ON action_log (slot) WHERE slot IS NOT NULL;
CREATE UNIQUE INDEX action_log_claim_id ON action_log (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX action_log_wake ON action_log (wake_at, key) WHERE wake_at IS NOT NULL;
CREATE INDEX action_log_newest ON action_log (created_at, key);
CREATE INDEX action_log_kind ON action_log (kind, created_at, key);
CREATE INDEX action_log_run ON action_log (run_id, step);
CREATE INDEX action_log_target ON action_log (target, created_at);
CREATE INDEX action_log_held ON action_log (held_at, key) WHERE status = 'held';
CREATE INDEX action_log_open ON action_log (status, due_at, key) WHERE status IN ('in_flight', 'verifying', 'released');
CREATE INDEX action_log_failed ON action_log (created_at, key) WHERE status = 'failed';
CREATE INDEX action_log_suspected ON action_log (created_at, key) WHERE suspected_duplicate OR suspected_no_send;

-- Every claim_id that won an attempt which is not the newest any more.
CREATE TABLE spent_claim (
    claim_id TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL REFERENCES action_log (key)
);

CREATE TABLE action_payload (
    key TEXT NOT NULL PRIMARY KEY REFERENCES action_log (key) DEFERRABLE INITIALLY DEFERRED,
    form TEXT NOT NULL CHECK (form IN ('json', 'text')),
    body BYTEA,
    erased_at TIMESTAMPTZ,
    CONSTRAINT kept_or_erased CHECK ((body IS NULL) <> (erased_at IS NULL))
);

CREATE TABLE action_event (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key TEXT NOT NULL REFERENCES action_log (key) DEFERRABLE INITIALLY DEFERRED,
    at TIMESTAMPTZ NOT NULL,
    event TEXT NOT NULL,
    actor TEXT,
    attempt BIGINT,
    from_status TEXT,
    to_status TEXT,
    reason TEXT,
    detail TEXT,
    policy_version BIGINT
);
CREATE INDEX action_event_key ON action_event (key, id);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''%'', TG_ARGV[0] USING ERRCODE = ''integrity_constraint_violation''; END';
CREATE TRIGGER action_event_keeps BEFORE UPDATE OR DELETE ON action_event
    FOR EACH ROW EXECUTE FUNCTION refuse_change('the history is append-only');
CREATE TRIGGER action_event_stays BEFORE TRUNCATE ON action_event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the history is append-only');
CREATE TRIGGER action_log_stays BEFORE DELETE ON action_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change('a key is for ever');
CREATE TRIGGER action_log_remains BEFORE TRUNCATE ON action_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a key is for ever');
CREATE TRIGGER action_log_parts
    BEFORE UPDATE OF key, run_id, step, kind, target, payload_hash, created_at ON action_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change('a key is for ever, and so are its parts');

-- When the reaper passed last, by whichever process.
CREATE TABLE reaper (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    passed_at TIMESTAMPTZ
);
INSERT INTO reaper (id) VALUES (1);
