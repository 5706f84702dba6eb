-- Who did what, when, why, by which means and from where: append-only, and without payloads or secrets.

CREATE TABLE audit (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL,
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
CREATE TRIGGER audit_keeps BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_change('the audit is append-only');
CREATE TRIGGER audit_stays BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the audit is append-only');

-- How often it happened within its minute what strangers can repeat at will: a line for each would fill the disk.
CREATE TABLE audit_tally (
    event TEXT NOT NULL,
    who TEXT NOT NULL,
    network TEXT NOT NULL,
    minute BIGINT NOT NULL,
    audit_id BIGINT NOT NULL UNIQUE REFERENCES audit (id),
    times BIGINT NOT NULL,
    PRIMARY KEY (minute, event, who, network)
);
CREATE TRIGGER audit_tally_counts BEFORE UPDATE ON audit_tally
    FOR EACH ROW WHEN (NEW.times <= OLD.times OR (NEW.event, NEW.who, NEW.network, NEW.minute, NEW.audit_id)
        IS DISTINCT FROM (OLD.event, OLD.who, OLD.network, OLD.minute, OLD.audit_id))
    EXECUTE FUNCTION refuse_change('a tally only rises');
CREATE TRIGGER audit_tally_keeps BEFORE DELETE ON audit_tally
    FOR EACH ROW EXECUTE FUNCTION refuse_change('a tally only rises');
CREATE TRIGGER audit_tally_stays BEFORE TRUNCATE ON audit_tally
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a tally only rises');
