-- A search goes by the beginnings of runs and targets, in small letters.

DROP INDEX action_log_run;
CREATE INDEX action_log_run ON action_log ((lower(run_id COLLATE "C")), step);
DROP INDEX action_log_target;
CREATE INDEX action_log_target ON action_log ((lower(target COLLATE "C")), created_at);
