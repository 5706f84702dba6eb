//! What belongs to an action: target, run, kind, policy, key, and the run's other actions.

use leptos::prelude::*;

use super::{KindLink, Plain, Status};
use crate::address::{self, Query};
use crate::islands::Copy;
use crate::view::{ActionView, RunRow};

/// Target, run, kind and policy.
#[component]
pub fn Facts(
    /// The action.
    view: ActionView,
) -> impl IntoView {
    let others = (view.same_target > 0).then(|| view! { <br/>{others(&view)} });
    view! {
        <section class="part">
            <h2>"Facts"</h2>
            <dl class="facts">
                <dt>"Target"</dt>
                <dd><Plain text=view.target.clone()/>{others}</dd>
                <dt>"Run"</dt>
                <dd><a href=address::run(&view.run_id)><Plain text=view.run_id.clone()/></a>{format!(", step {}", view.step)}</dd>
                <dt>"Kind"</dt>
                <dd><KindLink kind=view.kind.clone()/></dd>
                <dt>"Policy"</dt>
                <dd>{policy(&view)}</dd>
                <dt>"Version"</dt>
                <dd>{view.version}</dd>
            </dl>
        </section>
    }
    .into_any()
}

/// Which policy applies, and which was applied, where they differ.
pub(super) fn policy(view: &ActionView) -> String {
    let version = match view.policy_version {
        0 => "the defaults".to_owned(),
        n => format!("version {n}"),
    };
    let sentence = view.policy.trim_end_matches('.');
    let applied = match view.policy_applied {
        applied if applied == view.policy_version => String::new(),
        0 => ". The defaults were applied last".to_owned(),
        applied => format!(". Version {applied} was applied last"),
    };
    format!("{version}: {sentence}{applied}.")
}

/// The same target's other actions of this kind.
pub(super) fn others(view: &ActionView) -> AnyView {
    let href = Query::default()
        .with("target", &view.target)
        .with("kind", &view.kind)
        .at("/actions");
    let words = match (view.same_target, view.same_target_more) {
        (0, _) => return ().into_any(),
        (1, false) => "1 other of this kind".to_owned(),
        (n, false) => format!("{n} others of this kind"),
        (n, true) => format!("more than {n} others of this kind"),
    };
    view! { <a href=href>{words}</a> }.into_any()
}

/// The key, and how it was computed.
#[component]
pub fn KeyPart(
    /// The action.
    view: ActionView,
) -> impl IntoView {
    view! {
        <section class="part">
            <h2>"Key"</h2>
            <Copy text=view.key.clone() label="Key".to_owned()/>
            <details class="fold">
                <summary>"How it was computed"</summary>
                <p class="hint">"SHA-256 over run, step, kind, target and the payload’s hash, joined by one space:"</p>
                <p class="recipe">
                    <span><Plain text=view.run_id.clone()/></span>
                    <span>{view.step}</span>
                    <span>{view.kind.clone()}</span>
                    <span><Plain text=view.target.clone()/></span>
                    <span>{view.payload_hash.clone()}</span>
                </p>
            </details>
        </section>
    }
    .into_any()
}

/// The run's other actions.
#[component]
pub fn RunPart(
    /// The action.
    view: ActionView,
) -> impl IntoView {
    let key = view.key.clone();
    let rows = view.run.into_iter().map(move |row| {
        let here = row.key == key;
        run_row(row, here)
    });
    let more = view
        .run_more
        .then(|| view! { <p class="hint">"The run has more than these."</p> });
    view! {
        <section class="part">
            <h2>"This run"</h2>
            <div class="sheet">
                <table class="table">
                    <caption class="vh">"The run’s actions in step order"</caption>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {more}
            <p><a href=address::run(&view.run_id)>"What a resume would do"</a></p>
        </section>
    }
    .into_any()
}

fn run_row(row: RunRow, here: bool) -> AnyView {
    view! {
        <tr aria-current=here.then_some("true")>
            <td class="fix">{row.step.to_string()}</td>
            <td class="rest"><a class="quiet cut" href=address::action(&row.key)><Plain text=row.title/></a></td>
            <td class="fix"><Status mark=row.mark/></td>
        </tr>
    }
    .into_any()
}
