//! The closed vocabularies of the protocol, each with one spelling for columns, JSON and pages.

/// Declares an enum whose variants have one spelling everywhere.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every word of this vocabulary, in the protocol's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as columns, JSON and pages spell it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;
            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(UnknownWord { expected: &[$($text),+] }),
                }
            }
        }
    };
}

/// A word that is not in the vocabulary that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one of: {}", .expected.join(", "))]
pub struct UnknownWord {
    /// The words that would have been right.
    pub expected: &'static [&'static str],
}

words!(
    /// Where an action stands.
    Status {
        /// A worker holds attempt n.
        InFlight = "in_flight",
        /// The provider is being asked.
        Verifying = "verifying",
        /// May be claimed again from `due_at`.
        Released = "released",
        /// Waits for a person.
        Held = "held",
        /// Finished: it happened.
        Succeeded = "succeeded",
        /// Finished: it did not happen, as far as the evidence goes.
        Failed = "failed",
    }
);

words!(
    /// Why an action waits for a person.
    HoldReason {
        /// The effect may or may not have happened and nobody can be asked.
        OutcomeUnknown = "outcome_unknown",
        /// The kind wants a person's word before the first attempt.
        ApprovalRequired = "approval_required",
        /// The same step was presented before with another payload.
        PayloadDrift = "payload_drift",
        /// The provider may have forgotten the key.
        WindowExpired = "window_expired",
        /// `max_attempts` are used up with an outcome unknown.
        AttemptsExhausted = "attempts_exhausted",
        /// The provider gave no clear answer.
        VerificationInconclusive = "verification_inconclusive",
        /// It was released and nobody claimed it.
        Unclaimed = "unclaimed",
    }
);

words!(
    /// Newest or oldest first.
    #[derive(Default)]
    Order {
        /// Newest first.
        #[default]
        Newest = "newest",
        /// Oldest first.
        Oldest = "oldest",
    }
);

words!(
    /// What a list may be narrowed to besides its columns.
    Flag {
        /// It may have happened more than once.
        SuspectedDuplicate = "suspected_duplicate",
        /// It is recorded as done and may never have happened.
        SuspectedNoSend = "suspected_no_send",
        /// It ended in a way that no person has looked at.
        Unacknowledged = "unacknowledged",
    }
);

words!(
    /// What recovery may do for a kind.
    Recovery {
        /// The provider absorbs duplicates under our key: retry.
        Idempotent = "idempotent",
        /// The provider can be asked: verify, then decide.
        Verifiable = "verifiable",
        /// Neither: stop and ask a person.
        Unverifiable = "unverifiable",
    }
);

words!(
    /// What is known of one attempt's effect.
    Outcome {
        /// Not known: the attempt is unresolved.
        Unknown = "unknown",
        /// It surely did nothing.
        None = "none",
        /// It took effect.
        Applied = "applied",
    }
);

words!(
    /// Who settled a finished action.
    SettledBy {
        /// A worker's report.
        Worker = "worker",
        /// The provider's answer.
        Verdict = "verdict",
        /// A person's decision.
        Person = "person",
        /// The kind's policy.
        Policy = "policy",
    }
);

words!(
    /// What a failing worker knows of the effect.
    Effect {
        /// It surely did nothing.
        None = "none",
        /// It may have happened; what an error without a class means.
        Unknown = "unknown",
    }
);

words!(
    /// What the provider says when asked.
    Verdict {
        /// The effect happened.
        Landed = "landed",
        /// The effect did not happen.
        NotLanded = "not_landed",
        /// The provider cannot tell.
        Unknown = "unknown",
    }
);

words!(
    /// What a person says.
    Decision {
        /// Allow one more attempt.
        Retry = "retry",
        /// Do not run it.
        Fail = "fail",
        /// It happened: record it as done.
        Succeed = "succeed",
    }
);

words!(
    /// What happens to an unverifiable action whose outcome is unknown.
    OnUnknown {
        /// Wait for a person.
        Hold = "hold",
        /// Mark it failed, outcome unknown, and let a person look.
        Fail = "fail",
    }
);

words!(
    /// What happens when one step is presented with another payload.
    OnDrift {
        /// Let the newcomer run.
        Allow = "allow",
        /// Hold the newcomer for a person.
        Hold = "hold",
        /// Refuse the newcomer.
        Reject = "reject",
    }
);

words!(
    /// How bad it is what was found about a database.
    Severity {
        /// A claim that was granted could be forgotten.
        ClaimCouldBeLost = "claim_could_be_lost",
        /// No claim could be lost by it.
        WorthKnowing = "worth_knowing",
    }
);

words!(
    /// What the audit tells of.
    AuditEvent {
        /// A person decided on an action.
        Decision = "decision",
        /// A person looked at how an action ended.
        Acknowledged = "acknowledged",
        /// A policy was made or changed.
        PolicyChanged = "policy_changed",
        /// A policy was taken away.
        PolicyDeleted = "policy_deleted",
        /// Claims were stopped.
        Paused = "paused",
        /// Claims were let go on.
        Resumed = "resumed",
        /// Somebody asked for a pass of the reaper.
        ReaperRun = "reaper_run",
        /// Somebody signed in.
        SignedIn = "signed_in",
        /// Somebody could not sign in.
        SignInFailed = "sign_in_failed",
        /// Somebody signed out.
        SignedOut = "signed_out",
        /// A session was ended by its owner or an admin.
        SessionEnded = "session_ended",
        /// A password was set anew.
        PasswordChanged = "password_changed",
        /// An operator was added.
        OperatorAdded = "operator_added",
        /// What an operator may do was changed.
        OperatorChanged = "operator_changed",
        /// An operator may sign in no more.
        OperatorDisabled = "operator_disabled",
        /// An operator may sign in again.
        OperatorEnabled = "operator_enabled",
        /// A token was made.
        TokenCreated = "token_created",
        /// A token was ended.
        TokenRevoked = "token_revoked",
        /// A webhook was added.
        WebhookAdded = "webhook_added",
        /// A webhook was changed.
        WebhookChanged = "webhook_changed",
        /// A webhook was taken away.
        WebhookRemoved = "webhook_removed",
        /// Actions, or the audit, were taken out as a file.
        Exported = "exported",
        /// Somebody looked behind a mask.
        Revealed = "revealed",
        /// A request that another site made a browser send was refused.
        Refused = "refused",
    }
);

words!(
    /// What a person may do.
    Role {
        /// Reads.
        Viewer = "viewer",
        /// Reads, decides, pauses, acknowledges.
        Operator = "operator",
        /// All that people do.
        Admin = "admin",
    }
);

words!(
    /// How a session began.
    BeganBy {
        /// With a name and a password.
        Password = "password",
        /// Through an identity provider.
        Sso = "sso",
    }
);

words!(
    /// What a token may do.
    Scope {
        /// Claims, reports and verdicts; nothing else.
        Worker = "worker",
        /// Reads.
        Read = "read",
        /// Reads, decides, pauses, acknowledges, as its operator.
        Operator = "operator",
        /// All but a worker's calls, as its operator.
        Admin = "admin",
    }
);

impl AuditEvent {
    /// Whether admins alone see it: who signs in from where, and who may what, is not for everyone who reads.
    pub const fn is_for_admins(self) -> bool {
        !matches!(
            self,
            Self::Decision
                | Self::Acknowledged
                | Self::PolicyChanged
                | Self::PolicyDeleted
                | Self::Paused
                | Self::Resumed
                | Self::ReaperRun
        )
    }
}
words!(
    /// What a webhook can be told of.
    Event {
        /// An action began to wait for a person.
        Held = "held",
        /// An action failed, and no person said so.
        Failed = "failed",
        /// It may have happened twice.
        SuspectedDuplicate = "suspected_duplicate",
        /// It may not have happened at all.
        SuspectedNoSend = "suspected_no_send",
        /// It was released and nobody claimed it.
        Unclaimed = "unclaimed",
        /// A kind, or everything, was paused.
        Paused = "paused",
    }
);

words!(
    /// What became of a message to a webhook.
    DeliveryState {
        /// It is tried until it comes through.
        Open = "open",
        /// It came through.
        Delivered = "delivered",
        /// It was tried long enough.
        GivenUp = "given_up",
    }
);

words!(
    /// How far a selection is.
    SelectionState {
        /// It waits for its maker's decision.
        Open = "open",
        /// It is being decided, row by row.
        Deciding = "deciding",
        /// Each of its rows has its outcome.
        Decided = "decided",
    }
);

words!(
    /// What a decision on a selection came to for one of its rows.
    SelectedOutcome {
        /// It was decided.
        Done = "done",
        /// The retry counts as one person's word, and more are needed.
        Approved = "approved",
        /// It had moved since it was seen: nothing was decided.
        Changed = "changed",
        /// It does not take this decision, or could not be written.
        Refused = "refused",
        /// Whoever decided left it out: nothing was decided.
        LeftOut = "left_out",
    }
);
