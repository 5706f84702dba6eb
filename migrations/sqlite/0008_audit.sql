-- Who did what, when, why, by which means and from where: append-only, and without payloads or secrets.

CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    -- NULL: nobody who is known here
    actor TEXT,
    means TEXT NOT NULL,
    source TEXT,
    event TEXT NOT NULL,
    subject TEXT,
    reason TEXT,
    -- A JSON object.
    detail TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_event ON audit (event, id);
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_subject ON audit (subject, id);
CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

-- How often it happened within its minute what strangers can repeat at will: a line for each would fill the disk.
CREATE TABLE audit_tally (
    event TEXT NOT NULL,
    who TEXT NOT NULL,
    network TEXT NOT NULL,
    minute INTEGER NOT NULL,
    audit_id INTEGER NOT NULL UNIQUE REFERENCES audit (id),
    times INTEGER NOT NULL,
    PRIMARY KEY (minute, event, who, network)
);
CREATE TRIGGER audit_tally_counts BEFORE UPDATE ON audit_tally
    WHEN NEW.times <= OLD.times OR (NEW.event, NEW.who, NEW.network, NEW.minute, NEW.audit_id)
        <> (OLD.event, OLD.who, OLD.network, OLD.minute, OLD.audit_id)
    BEGIN SELECT RAISE(ABORT, 'a tally only rises'); END;
CREATE TRIGGER audit_tally_keeps BEFORE DELETE ON audit_tally
    BEGIN SELECT RAISE(ABORT, 'a tally only rises'); END;
