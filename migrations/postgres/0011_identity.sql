-- Who an identity provider vouches for. The person is known by the issuer and its subject, never by an address.

CREATE TABLE identity (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    operator TEXT NOT NULL UNIQUE REFERENCES operator (name),
    -- As the provider gave it last. NULL until the first sign-in of an identity that was linked by hand.
    email TEXT,
    last_sign_in_at TIMESTAMPTZ,
    -- Disabled since the provider gives them no role: the operator's epoch at that moment. Once it rises, somebody
    -- here disabled or enabled them, and the provider has no say in that.
    withheld_epoch BIGINT,
    PRIMARY KEY (issuer, subject)
);

-- The states of sign-ins that came back: each is good for one answer.
CREATE TABLE sign_in_state (
    hash TEXT NOT NULL PRIMARY KEY,
    used_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX sign_in_state_used ON sign_in_state (used_at);
