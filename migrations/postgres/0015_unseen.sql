-- What no person has looked at is found among however many that somebody has.

CREATE INDEX action_log_unseen ON action_log (created_at, key)
    WHERE NOT acknowledged AND ((status = 'failed' AND settled_by <> 'person') OR suspected_duplicate OR suspected_no_send);
