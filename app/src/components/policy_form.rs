//! The form of a policy: each choice by what it means, each number with what it comes to.

use holdpoint::policy::RANGES;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::{Glyph, Plain, Warning, inside};
use crate::address;
use crate::calls::{MASK_CHARS, PutPolicy};
use crate::islands::Means;
use crate::moment;
use crate::view::{Icon, PolicyView};

/// A choice: its word, its name, and what it means.
type Choice = (&'static str, &'static str, &'static str);

const RECOVERY: &[Choice] = &[
    (
        "idempotent",
        "Run it again: the provider absorbs duplicates",
        "It recognises our key, so a second run does nothing twice. True for Stripe and the like, false for mail.",
    ),
    (
        "verifiable",
        "Ask the provider first",
        "It can be asked whether the first one landed. Runs again only when it surely did not.",
    ),
    (
        "unverifiable",
        "Stop and ask a person",
        "Neither is possible. Nothing is run again until somebody says so.",
    ),
];

const ON_UNKNOWN: &[Choice] = &[
    ("hold", "Wait for a person", "It is held, and shown in Review."),
    (
        "fail",
        "Mark it failed, outcome unknown",
        "Nobody is asked first; a person can look at it afterwards.",
    ),
];

const ON_DRIFT: &[Choice] = &[
    (
        "hold",
        "Hold the new one",
        "A person sees both bodies side by side.",
    ),
    ("allow", "Let both run", "The new body is an action of its own."),
    (
        "reject",
        "Refuse the new one",
        "Its worker is told, and nothing of it is kept but a line of history.",
    ),
];

/// The form, or the same values to read where this person may not change them.
#[component]
pub fn PolicyEdit(
    /// The policy.
    view: PolicyView,
) -> impl IntoView {
    let v = view;
    let warnings = v
        .warnings
        .iter()
        .map(|warning| view! { <Warning what=warning.clone()/> })
        .collect_view();
    let save = match v.version {
        0 => "Save as version 1".to_owned(),
        n => format!("Save as version {}", n + 1),
    };
    let end = v.may_change.then(|| {
        view! {
            <div class="policy-end">
                <div class="field">
                    <label for="p-reason">"Why this change?"</label>
                    <input
                        class="input"
                        id="p-reason"
                        name="reason"
                        required
                        maxlength="2000"
                        placeholder="Shown in the history of this policy."
                        value=v.form.member("reason").to_owned()
                    />
                </div>
                <div class="buttons">
                    <button class="button is-main">{save}</button>
                    // The same form by its address: what it would do is looked at before a reason is found.
                    <button
                        class="button"
                        formmethod="get"
                        formaction=address::policy(&v.kind)
                        formnovalidate
                        name="preview"
                        value="1"
                    >
                        "See what it would do"
                    </button>
                    <a class="button" href="/policies">"Leave it"</a>
                </div>
            </div>
        }
    });
    view! {
        <Means/>
        <form method="post" action=PutPolicy::PATH class="policy-form">
            <input type="hidden" name="kind" value=v.kind.clone()/>
            <input type="hidden" name="version" value=v.version.to_string()/>
            {ask(
                "When a worker falls silent",
                "What may be done about an action whose outcome is not known.",
                view! {
                    {choices(&v, "recovery", "Recovery", RECOVERY, v.form.member("recovery"))}
                    <div class="only is-unverifiable">{choices(&v, "on_unknown", "When the outcome is not known", ON_UNKNOWN, v.form.member("on_unknown"))}</div>
                },
            )}
            {ask(
                "How long things may take",
                "In seconds; what it comes to stands beside it.",
                view! {
                    {number(&v, "stale_after_s", "Silent for so long, a claim counts as stale", "seconds", "The longest that one attempt can plausibly take. A heartbeat starts it anew.")}
                    <div class="only is-idempotent">{number(&v, "provider_window_s", "The provider remembers our key for", "seconds", "After that, running again could do it twice, so it is held.")}</div>
                    <div class="only is-verifiable">
                        {asked_address(&v)}
                        {number(&v, "verify_after_s", "Let the provider settle before each question", "seconds", "Asked too early, it may not know yet.")}
                        {number(&v, "verify_confirmations", "\"Not landed\" is believed after", "in a row", "One answer may come before the provider has seen it.")}
                        {number(&v, "verify_max_tries", "Without a clear answer a person is asked after", "tries", "Tries that nobody took count as well.")}
                        {number(&v, "verify_patience_s", "A question unanswered for so long counts as unknown", "seconds", "Taken by no verifier, or taken and not answered.")}
                    </div>
                    {number(&v, "max_attempts", "Attempts in all", "attempts", "The first included. Only a person may go beyond.")}
                    {number(&v, "backoff_s", "Wait before another attempt, at first", "seconds", "It doubles with each attempt, and is drawn at random below that.")}
                    {number(&v, "backoff_max_s", "… and at most", "seconds", "No wait is longer.")}
                    {number(&v, "claim_within_s", "Released and claimed by nobody for so long, it is held", "seconds", "So that nothing waits unseen for a worker that never comes.")}
                    <div class="only is-idempotent is-verifiable">
                        {check(&v, "lazy_completion", "A worker may be told that it is done before that is on disk; who asks again waits until it is")}
                    </div>
                },
            )}
            {ask(
                "When a person has to decide",
                "Who must agree, and what happens if nobody answers.",
                view! {
                    {check(&v, "approve_first", "A person agrees before the first attempt: a gate for what cannot be undone")}
                    {number(&v, "approvals_needed", "People who must agree to run it once more", "people", "Any one can give it up or record it as done.")}
                    {number(&v, "hold_deadline_s", "Unanswered for so long, it fails", "seconds", "Leave empty to wait for ever. It never runs again by itself.")}
                },
            )}
            {ask(
                "When a run changes its mind",
                "The same step of a run comes with another body.",
                view! { {choices(&v, "on_drift", "Another body", ON_DRIFT, v.form.member("on_drift"))} },
            )}
            {ask(
                "How long things are kept",
                "What is erased is gone; that a key was used is kept for ever.",
                view! {
                    {number(&v, "payload_retention_s", "Payloads, once it is over", "seconds", "Leave empty to keep them for ever.")}
                    {number(&v, "result_retention_s", "Results, once it is over", "seconds", "Leave empty to keep them for ever. Without it a repeat is told that it succeeded, and no more.")}
                },
            )}
            {ask(
                "What is not shown",
                "Of payloads and results, in lists, on pages and over the API. Workers are given all of it.",
                view! { {mask(&v)} },
            )}
            {warnings}
            {end}
        </form>
    }
    .into_any()
}

fn ask(head: &'static str, sub: &'static str, body: impl IntoView + 'static) -> AnyView {
    view! {
        <section class="ask">
            <div class="ask-head"><h2>{head}</h2><p>{sub}</p></div>
            <div class="ask-body">{body}</div>
        </section>
    }
    .into_any()
}

fn choices(
    v: &PolicyView,
    name: &'static str,
    legend: &'static str,
    all: &'static [Choice],
    on: &str,
) -> AnyView {
    let disabled = !v.may_change;
    let on = on.to_owned();
    let all = all.iter().map(move |(word, title, text)| {
        view! {
            <label class="choice">
                <input type="radio" name=name value=*word checked=on == *word disabled=disabled/>
                <span class="choice-name">{*title}</span>
                <span class="choice-text">{*text}</span>
            </label>
        }
    });
    view! { <fieldset class="choices"><legend class="vh">{legend}</legend>{all.collect_view()}</fieldset> }
        .into_any()
}

fn check(v: &PolicyView, name: &'static str, says: &'static str) -> AnyView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                name=name
                value="true"
                checked=v.form.member(name) == "true"
                disabled=!v.may_change
            />
            " "<span>{says}</span>
        </label>
    }
    .into_any()
}

/// The webhook that is asked; without one, workers that verify are.
fn asked_address(v: &PolicyView) -> AnyView {
    let problem =
        v.problem.clone().filter(|(field, _)| field == "verify_url").map(
            |(_, detail)| view! { <p class="error" id="verify_url-e"><Glyph icon=Icon::Warn/>{detail}</p> },
        );
    view! {
        <div class="field">
            <label for="verify_url">"Ask this address"</label>
            <input
                class="input"
                type="url"
                id="verify_url"
                name="verify_url"
                value=v.form.member("verify_url").to_owned()
                maxlength="2000"
                aria-describedby="verify_url-h"
                aria-invalid=problem.is_some().then_some("true")
                disabled=!v.may_change
            />
            <p class="hint" id="verify_url-h">
                "It gets a signed POST and answers with a verdict. Leave empty where a worker asks the provider."
            </p>
            {problem}
        </div>
    }
    .into_any()
}

/// What is masked, one pattern a line.
fn mask(v: &PolicyView) -> AnyView {
    let problem = v.problem.clone().filter(|(field, _)| field == "mask");
    let described = if problem.is_some() {
        "mask-h mask-e"
    } else {
        "mask-h"
    };
    let invalid = problem.is_some().then_some("true");
    let problem = problem.map(|(_, detail)| {
        view! { <p class="error" id="mask-e"><Glyph icon=Icon::Warn/><Plain text=detail/></p> }
    });
    view! {
        <div class="field">
            <label for="mask">"Mask, one a line"</label>
            <textarea
                class="textarea"
                id="mask"
                name="mask"
                rows="3"
                spellcheck="false"
                maxlength=MASK_CHARS.to_string()
                aria-describedby=described
                aria-invalid=invalid
                disabled=!v.may_change
            >
                {inside(v.form.member("mask"))}
            </textarea>
            <p class="hint" id="mask-h">
                "A JSON Pointer such as "<code>"/headers/*"</code>", a name such as "<code>"*_pin"</code>
                " at any depth, "<code>"subject"</code>" or "<code>"body"</code>" of a mail, or "<code>"/"</code>
                " for everything. Passwords, tokens and keys are masked in any case. Operators can look behind it; the history says who did."
            </p>
            {problem}
        </div>
    }
    .into_any()
}

fn number(
    v: &PolicyView,
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    hint: &'static str,
) -> AnyView {
    let range = RANGES.iter().find(|range| range.field == name);
    let (min, max) = range.map_or((0, u32::MAX), |range| (range.min, range.max));
    let typed = v.form.member(name).to_owned();
    let problem = v
        .problem
        .clone()
        .filter(|(field, _)| field == name)
        .map(|(_, detail)| detail);
    let (hint_id, error_id) = (format!("{name}-h"), format!("{name}-e"));
    let described = match problem {
        Some(_) => format!("{hint_id} {error_id}"),
        None => hint_id.clone(),
    };
    let means = (unit == "seconds").then(|| {
        view! { <span class="unit-means" id=format!("{name}-m")>{moment::means(&typed)}</span> }
    });
    let invalid = problem.is_some().then_some("true");
    let error =
        problem.map(|detail| view! { <p class="error" id=error_id><Glyph icon=Icon::Warn/>{detail}</p> });
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <div class="unit">
                <input
                    class="input"
                    type="number"
                    inputmode="numeric"
                    id=name
                    name=name
                    value=typed.clone()
                    min=min.to_string()
                    max=max.to_string()
                    step="1"
                    aria-describedby=described
                    aria-invalid=invalid
                    disabled=!v.may_change
                />
                <span class="unit-name">{unit}</span>
                {means}
            </div>
            <p class="hint" id=hint_id>{hint}</p>
            {error}
        </div>
    }
    .into_any()
}
