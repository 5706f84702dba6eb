-- Every change of the switch that pauses everything, with who and why.

ALTER TABLE switch ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

CREATE TABLE switch_version (
    version BIGINT NOT NULL PRIMARY KEY,
    paused BOOLEAN NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE TRIGGER switch_version_keeps BEFORE UPDATE OR DELETE ON switch_version
    FOR EACH ROW EXECUTE FUNCTION refuse_change('the history is append-only');
CREATE TRIGGER switch_version_stays BEFORE TRUNCATE ON switch_version
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the history is append-only');
