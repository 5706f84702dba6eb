-- What the stream of events reads: each row's newest change, and the marks that say how far somebody has read.

-- 0: changed before there was a stream.
ALTER TABLE action_log ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX action_log_changed ON action_log (changed_at, key);
CREATE INDEX policy_version_at ON policy_version (at);

-- Tells this database's marks from those of every other.
CREATE TABLE stream (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tag TEXT NOT NULL
);
INSERT INTO stream (id, tag) VALUES (1, lower(hex(randomblob(8))));
