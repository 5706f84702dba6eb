-- While the last write of a report failed, a claim first writes as much here, to see whether a report would fit.
CREATE TABLE report_probe (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    body BLOB NOT NULL
);
