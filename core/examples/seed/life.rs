//! One action's life, worked out by the transition function.

use std::error::Error;

use holdpoint::intent::StoredPayload;
use holdpoint::transition::{self, Claim, Context, Failure, Step, Success};
use holdpoint::{Action, Effect, HistoryEvent, Intent, Policy, Recovery, Status, Time};
use serde_json::json;

const DAY_US: u64 = 86_400_000_000;
/// How far the past goes back.
const DAYS: u64 = 30;
const HOUR_S: i64 = 3600;
const DAY_S: i64 = 24 * HOUR_S;

/// What all lives share.
pub struct World {
    /// When this is.
    pub now: Time,
    /// How many there are.
    pub actions: u64,
    /// How many of them wait for a person.
    pub held: u64,
    /// What every run's name begins with.
    pub run: String,
}

/// An action with what belongs to it.
pub struct Life {
    /// The row.
    pub action: Action,
    /// What was asked for.
    pub payload: StoredPayload,
    /// What the row can't tell.
    pub events: Vec<HistoryEvent>,
}

/// The kinds and their policies; the last one is nobody's.
const KINDS: [(&str, Recovery); 5] = [
    ("send_email", Recovery::Unverifiable),
    ("charge_card", Recovery::Idempotent),
    ("create_invoice", Recovery::Verifiable),
    ("post_message", Recovery::Idempotent),
    ("sync_contact", Recovery::Unverifiable),
];

/// A policy for all kinds but one.
pub fn policies() -> Vec<(&'static str, Policy)> {
    KINDS[..4]
        .iter()
        .map(|(kind, recovery)| (*kind, policy(*recovery, 0)))
        .collect()
}

fn policy(recovery: Recovery, version: i64) -> Policy {
    Policy {
        recovery,
        version,
        max_attempts: 2,
        ..Policy::default()
    }
}

/// How a life ends, out of a thousand.
enum Ending {
    Held,
    Failed,
    Running,
    Waiting,
    Late,
    Done,
}

fn ending(n: u64, chance: u64, world: &World) -> Ending {
    // Those that wait are spread over all of them.
    if n * world.held / world.actions != (n + 1) * world.held / world.actions {
        return Ending::Held;
    }
    // So few run at once, however many there have been.
    match chance % 10_000 {
        0..100 => Ending::Failed,
        100 if n.is_multiple_of(7) => Ending::Running,
        101 if n.is_multiple_of(7) => Ending::Waiting,
        102 | 103 => Ending::Late,
        _ => Ending::Done,
    }
}

/// The n-th life.
pub fn life(n: u64, world: &World) -> Result<Life, Box<dyn Error>> {
    let chance = mix(n);
    let (kind, recovery) = KINDS[(chance >> 20) as usize % KINDS.len()];
    let who = (chance >> 32) % 50_000;
    let target = format!("person-{who}@example.com");
    let summary = format!("{} {} for person {who}", words(kind), chance % 97);
    let body = format!("Dear person {who},\n\nthis is number {n}.");
    let payload = json!({"to": target, "subject": summary, "body": body});
    let run = format!("{}-{}", world.run, n / 8);
    let intent = Intent::json(run, n % 8, kind, target, &payload)?;
    let ending = ending(n, chance, world);
    let ago_us = match ending {
        Ending::Running => chance % 600_000_000,
        _ => 1_200_000_000 + (world.actions - n) * (DAYS * DAY_US / world.actions),
    };
    let begun = Time::from_micros(world.now.micros() - ago_us as i64);
    let configured = i64::from(kind != KINDS[4].0);
    let policy = policy(recovery, configured);
    let at = |s: i64| Context {
        now: begun + s,
        policy: &policy,
        everything_paused: false,
        jitter: 0.5,
    };
    let claim = Claim {
        worker: Some(format!("worker-{}", chance % 12)),
        claim_id: Some(format!("{}-{n}", world.run)),
        summary: Some(summary),
    };
    let first = transition::first(&intent, &claim, None, &at(0));
    let mut lived = Lived {
        action: first.action.ok_or("nothing is paused here")?,
        events: first.events,
    };
    let worker = claim.worker.as_deref();
    let took = 1 + (chance % 9) as i64;
    let fails = |effect, permanent| Failure {
        attempt: 1,
        error: "the connection was lost after the final dot".to_owned(),
        effect,
        permanent,
    };
    let succeeds = |attempt| Success {
        attempt,
        result: Some(json!({"id": format!("msg-{n}"), "accepted": true}).to_string()),
        result_kept: true,
    };
    match ending {
        Ending::Running => {}
        Ending::Done => lived.silently(transition::succeed(
            &lived.action,
            &succeeds(1),
            worker,
            &at(took),
        )),
        Ending::Failed => lived.on(transition::fail(
            &lived.action,
            &fails(Effect::None, true),
            worker,
            &at(took),
        )),
        Ending::Waiting => lived.on(transition::fail(
            &lived.action,
            &fails(Effect::None, false),
            worker,
            &at(took),
        )),
        Ending::Held | Ending::Late => lived.held(&claim, &intent, &at),
    }
    if matches!(ending, Ending::Late) {
        lived.on(transition::succeed(
            &lived.action,
            &succeeds(1),
            worker,
            &at(2 * DAY_S),
        ));
    }
    Ok(Life {
        action: lived.action,
        payload: intent.payload().ok_or("its payload is kept")?.clone(),
        events: lived.events,
    })
}

/// An action on its way.
struct Lived {
    action: Action,
    events: Vec<HistoryEvent>,
}

impl Lived {
    fn on<A>(&mut self, step: Step<A>) {
        self.events.extend(step.events);
        self.action = Action {
            revision: self.action.revision + 1,
            ..step.action
        };
    }

    /// A first success in time is told by the row.
    fn silently<A>(&mut self, step: Step<A>) {
        self.on(Step {
            events: Vec::new(),
            ..step
        });
    }

    /// Its worker falls silent, time and again, until only a person can go on.
    fn held<'a>(&mut self, claim: &Claim, intent: &Intent, at: &impl Fn(i64) -> Context<'a>) {
        for hour in 1..24 {
            let cx = at(hour * HOUR_S);
            match self.action.status {
                Status::Held => return,
                Status::Released => {
                    let again = Claim {
                        claim_id: claim.claim_id.as_ref().map(|id| format!("{id}-{hour}")),
                        ..claim.clone()
                    };
                    self.on(transition::claim(&self.action, intent, &again, &cx));
                }
                _ => self.on(transition::wake(&self.action, &cx)),
            }
        }
    }
}

const fn words(kind: &str) -> &'static str {
    match kind.as_bytes() {
        b"send_email" => "Reminder",
        b"charge_card" => "Charge",
        b"create_invoice" => "Invoice",
        b"post_message" => "Message",
        _ => "Contact",
    }
}

/// Chance that is the same each time: the finaliser of SplitMix64.
const fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
