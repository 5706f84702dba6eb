//! The one place where what people are given loses what their kind's policy masks. Operators and admins look behind
//! it by [`Ledger::reveal`] alone; workers, and whoever is asked about an effect, are given the exact bytes.

use std::collections::HashMap;

use super::{Detail, Error, Ledger};
use crate::action::{Action, HistoryEvent};
use crate::intent::{Key, StoredPayload};
use crate::json::MAX_DEPTH;
use crate::mask::{Hidden, MARK, Mask, Masked};
use crate::policy::Policy;
use crate::store::StoreError;
use crate::transition::ANOTHER_RESULT;

/// How many payloads are read at once.
const AT_ONCE: usize = 200;

/// Where something of a payload and a result is masked, as JSON Pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaskedParts {
    /// In the payload; in a text, `/subject` and the like, and `/body`.
    pub payload: Vec<String>,
    /// In the result.
    pub result: Vec<String>,
}

impl MaskedParts {
    /// Whether nothing is masked.
    pub const fn is_empty(&self) -> bool {
        self.payload.is_empty() && self.result.is_empty()
    }
}

impl Ledger {
    /// An action as people are given it.
    pub(super) async fn veiled(&self, mut action: Action) -> Action {
        // What was decided stays decided: where the mask cannot be read, everything is masked.
        let mask = match self.store.load(&action.key, "").await {
            Ok(loaded) => of(&loaded.policy),
            Err(error) => {
                tracing::warn!(%error, "a policy can't be read: everything it may mask is masked");
                Mask::everything()
            }
        };
        match self.quotable(std::slice::from_ref(&action)).await {
            Ok(payloads) => {
                let payload = payloads.get(&action.key);
                action_by(&mask, &mut action, payload);
            }
            Err(error) => {
                tracing::warn!(%error, "a payload can't be read: what may quote it is masked");
                action.error = action.error.map(|_| MARK.to_owned());
                action_by(&Mask::everything(), &mut action, None);
            }
        }
        action
    }

    /// The error of a decision, with its action as people are given it.
    pub(super) async fn veiled_error(&self, error: Error) -> Error {
        match error {
            Error::Changed(action) => Error::Changed(Box::new(self.veiled(*action).await)),
            Error::NotHeld(action) => Error::NotHeld(Box::new(self.veiled(*action).await)),
            other => other,
        }
    }

    /// A page of actions as people are given them.
    pub(super) async fn veiled_page(&self, mut actions: Vec<Action>) -> Result<Vec<Action>, Error> {
        let masks = match self.store.policies().await {
            Ok(records) => Some(
                records
                    .into_iter()
                    .map(|r| (r.kind, of(&r.policy)))
                    .collect::<HashMap<_, _>>(),
            ),
            // The pages stay readable where one policy is damaged; which kinds it masks, nobody can tell.
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(%error, "a policy is damaged: payloads and results of every kind are masked");
                None
            }
            Err(error) => return Err(error.into()),
        };
        let (usual, everything) = (Mask::of(&[]), Mask::everything());
        for page in actions.chunks_mut(AT_ONCE) {
            let payloads = self.quotable(page).await?;
            for action in page {
                let mask = match &masks {
                    Some(masks) => masks.get(&action.kind).unwrap_or(&usual),
                    None => &everything,
                };
                let payload = payloads.get(&action.key);
                action_by(mask, action, payload);
                // A page of long results is worked off between other requests.
                tokio::task::yield_now().await;
            }
        }
        Ok(actions)
    }

    /// What a person said of an action, as the audit keeps it for ever: without what it quotes of what is masked.
    pub(super) async fn unquoted(
        &self,
        reason: &str,
        action: &Action,
        policy: &Policy,
    ) -> Result<String, StoreError> {
        let (payload, _) = self.store.payload(&action.key).await?;
        let mask = of(policy);
        let mut hidden = payload_by(&mask, payload.as_ref()).1.hidden;
        if let Some(result) = &action.result {
            hidden.extend(mask.json(result).hidden);
        }
        Ok(hidden.clear(reason))
    }

    /// The payloads of those actions that say something which may quote them.
    async fn quotable(&self, actions: &[Action]) -> Result<HashMap<Key, StoredPayload>, StoreError> {
        let says = |action: &&Action| {
            action.error.is_some() || action.result.is_some() || !action.approvals.is_empty()
        };
        let keys: Vec<_> = actions
            .iter()
            .filter(says)
            .map(|action| action.key.clone())
            .collect();
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        Ok(self.store.payloads(&keys).await?.into_iter().collect())
    }
}

/// What a policy masks.
fn of(policy: &Policy) -> Mask {
    Mask::of(&policy.mask)
}

/// One action with all that belongs to it, as people are given it.
pub(super) fn detail(detail: Detail) -> Detail {
    let mask = of(&detail.policy);
    let Detail {
        mut action,
        payload,
        mut history,
        ..
    } = detail;
    let (
        payload,
        Masked {
            pointers, mut hidden, ..
        },
    ) = payload_by(&mask, payload.as_ref());
    let result = result_by(&mask, &mut action, &hidden);
    let mut differing = Hidden::default();
    for event in &mut history {
        differing.extend(differing_result(&mask, event, &hidden));
    }
    hidden.extend(result.hidden);
    hidden.extend(differing);
    clear_action(&mut action, &hidden);
    for event in &mut history {
        clear_event(event, &hidden);
    }
    Detail {
        action,
        payload,
        history,
        masked: MaskedParts {
            payload: pointers,
            result: result.pointers,
        },
        ..detail
    }
}

fn action_by(mask: &Mask, action: &mut Action, payload: Option<&StoredPayload>) {
    let mut hidden = payload_by(mask, payload).1.hidden;
    let result = result_by(mask, action, &hidden);
    hidden.extend(result.hidden);
    clear_action(action, &hidden);
}

fn payload_by(mask: &Mask, payload: Option<&StoredPayload>) -> (Option<StoredPayload>, Masked) {
    let (make, mut masked): (fn(String) -> StoredPayload, _) = match payload {
        None => return (None, Masked::default()),
        Some(StoredPayload::Json(text)) => (StoredPayload::Json, mask.json(text)),
        Some(StoredPayload::Text(text)) => (StoredPayload::Text, mask.text(text)),
    };
    let text = std::mem::take(&mut masked.text);
    (Some(make(text)), masked)
}

/// A result may quote the payload that it is the answer to.
fn result_by(mask: &Mask, action: &mut Action, payload: &Hidden) -> Masked {
    let Some(result) = &action.result else {
        return Masked::default();
    };
    let mut masked = mask.json_beside(result, payload);
    action.result = Some(readable(std::mem::take(&mut masked.text)));
    masked
}

/// What is nested so deeply that the usual readers of JSON give up, or fall over, is given as the text that it is.
fn readable(json: String) -> String {
    if crate::json::is_deeper_than(MAX_DEPTH, &json) {
        serde_json::Value::String(json).to_string()
    } else {
        json
    }
}

/// A result that came after another one stands in the history, whole.
fn differing_result(mask: &Mask, event: &mut HistoryEvent, payload: &Hidden) -> Hidden {
    let Some(result) = event
        .detail
        .as_deref()
        .and_then(|detail| detail.strip_prefix(ANOTHER_RESULT))
    else {
        return Hidden::default();
    };
    let masked = mask.json_beside(result, payload);
    event.detail = Some(format!("{ANOTHER_RESULT}{}", masked.text));
    masked.hidden
}

fn clear_action(action: &mut Action, hidden: &Hidden) {
    action.error = action.error.as_deref().map(|error| hidden.clear(error));
    for approval in &mut action.approvals {
        approval.reason = hidden.clear(&approval.reason);
    }
}

/// What workers, providers and people said; not the words that the history itself is made of.
fn clear_event(event: &mut HistoryEvent, hidden: &Hidden) {
    let own = event.detail.take();
    event.detail = own.map(|detail| match event.event.as_str() {
        "decided" | "approved" | "asked" => detail,
        // What comes first says what its worker knew of the effect.
        "attempt_failed" | "failed_permanently" => match detail.split_once(": ") {
            Some((effect, error)) => format!("{effect}: {}", hidden.clear(error)),
            None => hidden.clear(&detail),
        },
        _ => hidden.clear(&detail),
    });
    if matches!(event.event.as_str(), "decided" | "approved" | "revealed") {
        event.reason = event.reason.as_deref().map(|reason| hidden.clear(reason));
    }
}
