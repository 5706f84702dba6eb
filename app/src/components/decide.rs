//! The decision: why, what was seen, and three answers of which none is the first choice.

use holdpoint::Decision;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::{Glyph, Line, inside};
use crate::calls::{Acknowledge, Decide};
use crate::view::{ActionView, Answer, Icon, Moment, Said};

/// What a person may do with an action, and what happens if nobody does.
#[component]
pub fn DecideForm(
    /// The action.
    view: ActionView,
    /// The page to return to: a path with its query.
    back: String,
    /// It stands beside a queue in which several may be ticked.
    #[prop(optional)]
    beside: bool,
) -> impl IntoView {
    let seen = view
        .deciding
        .as_ref()
        .map_or(Moment(0), |deciding| deciding.seen_at);
    let look = view.look.then(|| look(&view, seen, back.clone()));
    let needed = view.agreed_needed;
    let agreed = (needed > 1 && view.deciding.is_some())
        .then(|| agreement(view.agreed, needed, view.agreed_said.clone()));
    let not_allowed = view.not_allowed.then(|| {
        view! { <p class="muted">"Your role reads. An operator or an admin decides."</p> }
    });
    let otherwise = view! { <p class="otherwise"><b>"If nobody does anything: "</b><Line said=view.outlook.clone()/></p> };
    match view.deciding.clone() {
        None => view! { <div class="decide">{look}{not_allowed}{otherwise}</div> }.into_any(),
        Some(deciding) => {
            let evidence = deciding
                .answers
                .iter()
                .any(|answer| answer.decision == Decision::Succeed);
            let evidence = evidence.then(|| evidence_field(deciding.typed_result));
            view! {
                {look}
                <form method="post" action=Decide::PATH class="decide" id="decide-form">
                    <input type="hidden" name="key" value=view.key/>
                    <input type="hidden" name="version" value=view.version.to_string()/>
                    <input type="hidden" name="seen" value=seen.0.to_string()/>
                    <input type="hidden" name="back" value=back/>
                    <input type="hidden" name="by" value=deciding.by/>
                    {agreed}
                    <div class="field">
                        <label for="reason">"Why? "<span class="hint">"It stays in the history, with your name."</span></label>
                        <textarea
                            class="textarea"
                            id="reason"
                            name="reason"
                            required
                            rows="2"
                            autocomplete="off"
                            placeholder="What did you check?"
                        >
                            {inside(&deciding.typed)}
                        </textarea>
                        {drafted()}
                    </div>
                    {evidence}
                    {beside.then(alone)}
                    <div class="answers" role="group" aria-label="Decide">
                        {each_in_its_place(&deciding.answers)}
                    </div>
                    <div><p class="sending" role="status" data-sending=""></p>{otherwise}</div>
                </form>
            }
            .into_any()
        }
    }
}

/// That the answers are for the open action, said as long as others are ticked: the script that counts them shows it.
fn alone() -> AnyView {
    view! {
        <p class="alone" role="status" hidden data-picked="">
            "These answers are for this action alone. "
            <button class="link-button" form="pick"></button>
        </p>
    }
    .into_any()
}

/// What was typed before and not sent is told from what was typed just now.
pub(super) fn drafted() -> AnyView {
    view! { <p class="hint" data-drafted="" hidden>"You typed this here before, and did not send it."</p> }
        .into_any()
}

/// Each answer has a place of its own: where one is not open any more, no other comes under the pointer that was there.
fn each_in_its_place(answers: &[Answer]) -> AnyView {
    let places = Decision::ALL.iter().map(|decision| {
        let found = answers.iter().find(|answer| answer.decision == *decision);
        found.map_or_else(|| gone(*decision), |found| answer(found.clone()))
    });
    places.collect_view().into_any()
}

fn gone(decision: Decision) -> AnyView {
    let already = match decision {
        Decision::Retry => "Agreed to, or released already.",
        Decision::Fail => "Given up already.",
        Decision::Succeed => "Recorded already.",
    };
    view! { <p class="answer-gone" aria-hidden="true">{already}</p> }.into_any()
}

fn answer(answer: Answer) -> AnyView {
    let key = answer.key().to_string();
    let icon = match answer.decision {
        Decision::Retry => Icon::Retry,
        Decision::Fail => Icon::Fail,
        Decision::Succeed => Icon::Succeed,
    };
    view! {
        <button class="answer" name="decision" value=answer.decision.as_str()>
            <Glyph icon/>
            <span class="answer-name">{answer.name}</span>
            <kbd aria-hidden="true">{key}</kbd>
            <span class="answer-cost"><Line said=answer.cost/></span>
        </button>
    }
    .into_any()
}

fn evidence_field(typed: String) -> AnyView {
    let open = !typed.is_empty();
    view! {
        <details class="more" open=open>
            <summary>"It happened, and you have the provider’s answer? Add it."</summary>
            <div class="field">
                <label for="result">"What was seen"</label>
                <textarea
                    class="textarea"
                    id="result"
                    name="result"
                    rows="2"
                    autocomplete="off"
                    placeholder="The provider’s id, or its answer as JSON. It becomes the result."
                >
                    {inside(&typed)}
                </textarea>
            </div>
        </details>
    }
    .into_any()
}

/// Who agreed so far, of how many.
fn agreement(so_far: u32, needed: u32, said: Said) -> AnyView {
    let marks = (0..needed.min(5)).map(|n| {
        let (class, r) = if n < so_far {
            ("agreed-yes", "5")
        } else {
            ("agreed-open", "4.25")
        };
        view! { <circle class=class cx=(6 + n * 14).to_string() cy="6" r=r></circle> }
    });
    let width = format!("0 0 {} 12", 12 + needed.min(5).saturating_sub(1) * 14);
    view! {
        <p class="agreed">
            <svg class="agreed-marks" viewBox=width aria-hidden="true">{marks.collect_view()}</svg>
            <span><Line said/></span>
        </p>
    }
    .into_any()
}

/// It ended in a way that somebody should look at.
fn look(view: &ActionView, seen: Moment, back: String) -> AnyView {
    let (key, version) = (view.key.clone(), view.version.to_string());
    view! {
        <form method="post" action=Acknowledge::PATH class="decide">
            <input type="hidden" name="key" value=key/>
            <input type="hidden" name="version" value=version/>
            <input type="hidden" name="seen" value=seen.0.to_string()/>
            <input type="hidden" name="back" value=back/>
            <p>"Nobody has looked at how this ended."</p>
            <p><button class="button">"I have looked at it"</button></p>
        </form>
    }
    .into_any()
}
