-- Webhooks that the server sends by itself: who is told of what, what is still to be told, and what was.

CREATE TABLE webhook (
    id TEXT NOT NULL PRIMARY KEY,
    url TEXT NOT NULL,
    -- JSON arrays; NULL is every kind.
    events TEXT NOT NULL,
    kinds TEXT,
    enabled BOOLEAN NOT NULL,
    -- Encrypted under a key that is never here.
    secret BLOB NOT NULL,
    -- The one before, which signs as well until then.
    old_secret BLOB,
    old_until INTEGER,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    -- Since when no delivery came through; NULL: the last one did.
    failing_since INTEGER,
    disabled_because TEXT,
    CONSTRAINT an_old_secret_ends CHECK ((old_secret IS NULL) = (old_until IS NULL))
);

-- Events and kinds of every webhook that is enabled; '' is every kind. Looked at by each transition that is told.
CREATE TABLE webhook_wants (
    event TEXT NOT NULL,
    kind TEXT NOT NULL,
    webhook TEXT NOT NULL,
    PRIMARY KEY (event, kind, webhook)
);

-- Written with the transition itself, gone once it stands in a message. No reference to the webhook: one that is taken
-- away at this moment must not undo a transition.
CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook TEXT NOT NULL,
    event TEXT NOT NULL,
    -- '' is everything, or no reason.
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    key TEXT,
    run_id TEXT,
    at INTEGER NOT NULL
);
CREATE INDEX notice_cause ON notice (webhook, event, kind, reason, id);

-- One cause that a webhook was told of a while ago: what follows is gathered.
CREATE TABLE outbreak (
    webhook TEXT NOT NULL,
    event TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    told INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (webhook, event, kind, reason)
);

CREATE TABLE delivery (
    -- The webhook-id of every try.
    id TEXT NOT NULL PRIMARY KEY,
    webhook TEXT NOT NULL,
    event TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    message TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'delivered', 'given_up')),
    tries INTEGER NOT NULL DEFAULT 0,
    -- When it is tried next, or may be taken from a server that fell silent.
    next_at INTEGER,
    tried_at INTEGER,
    status INTEGER,
    took_ms INTEGER,
    error TEXT,
    CONSTRAINT open_has_a_clock CHECK ((state = 'open') = (next_at IS NOT NULL))
);
CREATE INDEX delivery_due ON delivery (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX delivery_newest ON delivery (webhook, made_at, id);
CREATE INDEX delivery_oldest ON delivery (made_at) WHERE next_at IS NULL;
