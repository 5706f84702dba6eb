-- What was held and what went stale, by when: a policy's preview looks at the last 30 days of it.

CREATE INDEX action_event_stops ON action_event (at) WHERE to_status = 'held' OR event = 'went_stale';
