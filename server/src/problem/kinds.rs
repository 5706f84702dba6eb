//! The problems there are: the code that `type` ends in, the status, and a title that never changes.

use axum::http::StatusCode;

/// A sort of problem.
#[derive(Debug)]
pub struct Kind {
    /// What it is answered with.
    pub status: StatusCode,
    /// What `type` ends in.
    pub code: &'static str,
    /// The same words for every problem of this kind.
    pub title: &'static str,
}

macro_rules! kinds {
    ($($name:ident = $status:ident $code:literal $title:literal;)+) => {
        $(#[doc = $title]
        pub static $name: Kind = Kind { status: StatusCode::$status, code: $code, title: $title };)+

        /// All of them.
        pub static ALL: &[&Kind] = &[$(&$name),+];
    };
}

kinds! {
    UNREADABLE = BAD_REQUEST "unreadable" "The request can't be read";
    UNAUTHORIZED = UNAUTHORIZED "unauthorized" "Nobody is known by this request";
    FORBIDDEN = FORBIDDEN "forbidden" "This caller may not do that";
    FOREIGN_ORIGIN = FORBIDDEN "foreign-origin" "The request does not come from this site's pages";
    NOT_FOUND = NOT_FOUND "not-found" "There is nothing here";
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED "method-not-allowed" "The address does not take this method";
    IN_FLIGHT = CONFLICT "in-flight" "Another worker holds the claim";
    NOT_DUE = CONFLICT "not-due" "The action may not be claimed yet";
    HELD = CONFLICT "held" "The action waits for a person";
    VERIFYING = CONFLICT "verifying" "The provider is being asked";
    FAILED = CONFLICT "failed" "The action is over and did not succeed";
    PAUSED = CONFLICT "paused" "An operator stopped this kind, or everything";
    PAYLOAD_DRIFT = CONFLICT "payload-drift" "The step was presented before with another payload";
    KEY_CONFLICT = CONFLICT "key-conflict" "The stored parts differ from those presented";
    CLAIM_LOST = CONFLICT "claim-lost" "The claim is not this caller's";
    NO_SUCH_ATTEMPT = CONFLICT "no-such-attempt" "The attempt was never granted";
    CHANGED = CONFLICT "changed" "The action changed since it was seen";
    ACCOUNT_CHANGED = CONFLICT "account-changed" "The account changed in that moment";
    NOT_HELD = CONFLICT "not-held" "The action does not wait for this decision";
    LAST_ADMIN = CONFLICT "last-admin" "Nobody would be left who may administer";
    SELECTION_DECIDED = CONFLICT "selection-decided" "The selection was decided otherwise";
    TAKEN = CONFLICT "taken" "The name is taken";
    NOT_CONFIGURED = CONFLICT "not-configured" "The server lacks a setting for this";
    PRECONDITION_FAILED = PRECONDITION_FAILED "precondition-failed" "Another version stands";
    PRECONDITION_REQUIRED = PRECONDITION_REQUIRED "precondition-required" "The request must name the version that was seen";
    TOO_LARGE = PAYLOAD_TOO_LARGE "too-large" "The body is too large";
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "The body must be JSON";
    WRONG_HOST = MISDIRECTED_REQUEST "wrong-host" "The request names a host that is not served here";
    INVALID_INTENT = UNPROCESSABLE_ENTITY "invalid-intent" "The intent breaks a rule";
    INVALID = UNPROCESSABLE_ENTITY "invalid" "A value breaks a rule";
    TOO_MANY_TRIES = TOO_MANY_REQUESTS "too-many-tries" "Too many tries failed before";
    INTERNAL = INTERNAL_SERVER_ERROR "internal" "The server failed";
    OVERLOADED = SERVICE_UNAVAILABLE "overloaded" "The server has no room for this now";
    BUSY = SERVICE_UNAVAILABLE "busy" "The database is busy";
    TOO_MANY_STREAMS = SERVICE_UNAVAILABLE "too-many-streams" "Too many streams are open";
    UNAVAILABLE = SERVICE_UNAVAILABLE "unavailable" "The database can't be used";
}

/// The kind that an error of the framework is told as.
pub fn of_status(status: StatusCode) -> &'static Kind {
    match status {
        StatusCode::UNAUTHORIZED => &UNAUTHORIZED,
        StatusCode::FORBIDDEN => &FORBIDDEN,
        StatusCode::NOT_FOUND => &NOT_FOUND,
        StatusCode::METHOD_NOT_ALLOWED => &METHOD_NOT_ALLOWED,
        StatusCode::PAYLOAD_TOO_LARGE => &TOO_LARGE,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => &UNSUPPORTED_MEDIA_TYPE,
        StatusCode::UNPROCESSABLE_ENTITY => &INVALID,
        status if status.is_client_error() => &UNREADABLE,
        _ => &INTERNAL,
    }
}
