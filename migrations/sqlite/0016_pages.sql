-- What pages count and list of a long log is found in indexes alone. The last 24 hours, kind by kind:

DROP INDEX action_log_newest;
CREATE INDEX action_log_newest ON action_log (created_at, key, kind, status);

-- What waits: by how long, by its reason, and of a kind, whose status stands first so that no index of all that a kind
-- ever did is taken instead.
DROP INDEX action_log_held;
CREATE INDEX action_log_held ON action_log (held_at, key, kind, reason, status) WHERE status = 'held';
CREATE INDEX action_log_held_reason ON action_log (reason, held_at, key, status) WHERE status = 'held';
CREATE INDEX action_log_held_kind ON action_log (status, kind, created_at, key) WHERE status = 'held';

-- What no person has looked at, told apart.
DROP INDEX action_log_unseen;
CREATE INDEX action_log_unseen ON action_log
    (created_at, key, acknowledged, status, settled_by, suspected_duplicate, suspected_no_send)
    WHERE NOT acknowledged AND ((status = 'failed' AND settled_by <> 'person') OR suspected_duplicate OR suspected_no_send);

-- One worker's actions.
CREATE INDEX action_log_worker ON action_log (worker, created_at) WHERE worker IS NOT NULL;

-- What stopped of one kind, however much stopped of others.
ALTER TABLE action_event ADD COLUMN kind TEXT;
DROP TRIGGER action_event_keeps;
UPDATE action_event SET kind = (SELECT a.kind FROM action_log a WHERE a.key = action_event.key)
    WHERE to_status = 'held' OR event = 'went_stale';
CREATE TRIGGER action_event_keeps BEFORE UPDATE ON action_event
    BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
DROP INDEX action_event_stops;
CREATE INDEX action_event_stops ON action_event (kind, at, id) WHERE to_status = 'held' OR event = 'went_stale';
