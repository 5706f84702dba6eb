//! A selection in its parts: the form that decides on all of it, what is in it, its rows.

use holdpoint::Decision;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::decide::drafted;
use super::{Glyph, Line, Plain, Status, Tag, When, Why, inside};
use crate::address::{self, Query};
use crate::calls::DecideSelection as Call;
use crate::islands::LeftOut;
use crate::view::{Answer, Icon, SelectedView, SelectionView, Tell};

/// Why, how fast, and three answers of which none is the first choice.
#[component]
pub fn DecideSelection(
    /// The selection.
    view: SelectionView,
) -> impl IntoView {
    let mixed = view.mixed.clone().map(|said| not_alike(&view, said));
    let known = view
        .known
        .clone()
        .into_iter()
        .map(|said| view! { <p class="known is-hold"><Line said/></p> });
    let known = known.collect_view();
    if view.answers.is_empty() {
        let by = view.by.clone();
        return view! {
            <p class="known">
                "This selection is "<Plain text=by/>"’s, who alone decides on it. "
                <a href="/review">"Make your own"</a>" from what you see."
            </p>
            {mixed}{known}
        }
        .into_any();
    }
    let spreads = view
        .spreads
        .clone()
        .into_iter()
        .map(|(seconds, words, suggested)| {
            view! { <option value=seconds.to_string() selected=suggested>{words}</option> }
        });
    let left_out = if view.leaves_out {
        view! {
            <LeftOut by=view.by.clone() id=view.id.clone() count=view.count/>
        }
        .into_any()
    } else {
        view! { <p class="hint">"To leave some out, narrow the list first, or select 200 at most."</p> }
            .into_any()
    };
    view! {
        {mixed}
        {known}
        <form method="post" action=Call::PATH class="decide" id="decide-form">
            <input type="hidden" name="id" value=view.id/>
            <input type="hidden" name="by" value=view.by/>
            <div class="field">
                <label for="reason">"Why? "<span class="hint">"It stays in the history of each, with your name."</span></label>
                <textarea
                    class="textarea"
                    id="reason"
                    name="reason"
                    required
                    rows="2"
                    placeholder="What did you check?"
                >
                    {inside(&view.typed)}
                </textarea>
                {drafted()}
            </div>
            <div class="field">
                <label for="spread_s">
                    "If they run once more: "
                    <span class="hint">"Spread out, they do not all reach a provider at once that has just come back."</span>
                </label>
                <select class="select" id="spread_s" name="spread_s">{spreads.collect_view()}</select>
            </div>
            <p class="moved-count" role="status" data-moved-count=""></p>
            {left_out}
            <div class="answers" role="group" aria-label="Decide">
                {view.answers.into_iter().map(answer).collect_view()}
            </div>
            <div>
                <p class="sending" role="status" data-sending=""></p>
                <p class="otherwise">
                    <b>"If nobody does anything: "</b>
                    "nothing is decided, and the selection ends "<When at=view.expires_at tell=Tell::Until/>"."
                </p>
            </div>
        </form>
    }
    .into_any()
}

fn answer(answer: Answer) -> AnyView {
    let icon = match answer.decision {
        Decision::Retry => Icon::Retry,
        Decision::Fail => Icon::Fail,
        Decision::Succeed => Icon::Succeed,
    };
    view! {
        <button class="answer" name="decision" value=answer.decision.as_str()>
            <Glyph icon/>
            <span class="answer-name">{answer.name}</span>
            <span class="answer-cost"><Line said=answer.cost/></span>
        </button>
    }
    .into_any()
}

/// That they are not alike, and the ways to those that are.
fn not_alike(view: &SelectionView, said: crate::view::Said) -> AnyView {
    let way = |name: &str, value: &str, words: String| {
        let href = Query::default().with(name, value).at("/review");
        view! { <a class="chip" href=href>{words}</a> }
    };
    let several = view.kinds.len() > 1;
    let kinds = view.kinds.iter().filter(|_| several);
    let kinds = kinds.map(|(kind, n)| way("kind", kind, format!("{kind} {n}")));
    let several = view.reasons.len() > 1;
    let reasons = view.reasons.iter().filter(|_| several);
    let reasons =
        reasons.filter_map(|(mark, word, n)| Some(way("reason", (*word)?, format!("{} {n}", mark.word))));
    view! {
        <div class="notice is-hold" role="status">
            <Glyph icon=Icon::Warn/>
            <div>
                <p><Line said/></p>
                <nav class="chips" aria-label="Narrow">{kinds.collect_view()}{reasons.collect_view()}</nav>
            </div>
        </div>
    }
    .into_any()
}

/// How many of which kind, for which reason, to whom.
#[component]
pub fn InSelection(
    /// The selection.
    view: SelectionView,
) -> impl IntoView {
    let kinds = view.kinds.into_iter().map(|(kind, n)| {
        view! { <li><a class="kind" href=address::policy(&kind)>{kind.clone()}</a>" "<b>{n}</b></li> }
    });
    let reasons = view
        .reasons
        .into_iter()
        .map(|(mark, _, n)| view! { <li><Tag mark/>" "<b>{n}</b></li> });
    let targets = view
        .targets
        .into_iter()
        .map(|(target, n)| view! { <li><Plain text=target class="cut"/>" "<b>{n}</b></li> });
    let others = (view.other_targets > 0)
        .then(|| view! { <li class="muted">{format!("and {} more", view.other_targets)}</li> });
    view! {
        <section class="part">
            <h2>{format!("What is in it: {}", view.count)}</h2>
            <dl class="facts">
                <dt>"Kinds"</dt>
                <dd><ul class="tally">{kinds.collect_view()}</ul></dd>
                <dt>"Reasons"</dt>
                <dd><ul class="tally">{reasons.collect_view()}</ul></dd>
                <dt>"Targets"</dt>
                <dd><ul class="tally">{targets.collect_view()}{others}</ul></dd>
                <dt>"Selected"</dt>
                <dd>"by "<Plain text=view.by/>" "<When at=view.at tell=Tell::Ago/></dd>
            </dl>
        </section>
    }
    .into_any()
}

/// The rows, in the order in which they were selected.
#[component]
pub fn SelectedRows(
    /// The rows.
    rows: Vec<SelectedView>,
    /// It waits for its decision: what moves now is not decided on.
    open: bool,
    /// Single rows can be left out.
    leaves_out: bool,
) -> impl IntoView {
    let row = |row: SelectedView| {
        let leave = leaves_out.then(|| leave(&row));
        let now = row.now.map(|mark| view! { <Status mark/> });
        let age = row.since.map(|since| view! { <When at=since tell=Tell::Age/> });
        let again = (row.attempts > 1)
            .then(|| view! { " "<span class="row-try">{format!("attempt {}", row.attempts)}</span> });
        view! {
            <li
                class="row"
                data-key=open.then(|| row.key.clone())
                data-version=open.then_some(row.version)
                data-agreed=row.agreed.filter(|_| open)
                data-chosen=open.then_some("")
            >
                <div class="row-main">
                    <a class="row-title" href=address::action(&row.key)><Plain text=row.title/></a>
                    <p class="row-meta"><Plain text=row.target class="cut"/>" "<span class="kind cut">{row.kind}</span>{again}</p>
                    <Why mark=row.mark said=row.why error=row.error/>
                </div>
                <div class="row-age">{age}" "{now}{leave}</div>
            </li>
        }
    };
    view! { <ol class="rows">{rows.into_iter().map(row).collect_view()}</ol> }.into_any()
}

/// The box that leaves a row out. It belongs to the form of the decision, wherever that stands.
fn leave(row: &SelectedView) -> AnyView {
    let label = format!("Leave out: {}", super::title(&row.title));
    view! {
        <label class="row-leave">
            <input
                type="checkbox"
                name="except[]"
                value=row.key.clone()
                form="decide-form"
                checked=row.left_out
                aria-label=label
            />
            " Leave out"
        </label>
    }
    .into_any()
}
