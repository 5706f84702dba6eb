-- Every change of the switch that pauses everything, with who and why.

ALTER TABLE switch ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

CREATE TABLE switch_version (
    version INTEGER NOT NULL PRIMARY KEY,
    paused BOOLEAN NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE TRIGGER switch_version_keeps BEFORE UPDATE ON switch_version
    BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
CREATE TRIGGER switch_version_stays BEFORE DELETE ON switch_version
    BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
