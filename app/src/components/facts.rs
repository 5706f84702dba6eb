//! What belongs to an action: target, run, kind, policy, key, and the run's and the target's other actions.

use leptos::prelude::*;

use super::{KindLink, Line, Plain, Status, When};
use crate::address::{self, Query};
use crate::islands::Copy;
use crate::view::{ActionView, RunRow, TargetRow, Tell};

/// Target, run, kind, policy, and who settled it.
#[component]
pub fn Facts(
    /// The action.
    view: ActionView,
) -> impl IntoView {
    let settled = view
        .settled
        .clone()
        .map(|said| view! { <dt>"Settled"</dt><dd><Line said/></dd> });
    view! {
        <section class="part">
            <h2>"Facts"</h2>
            <dl class="facts">
                {settled}
                <dt>"Target"</dt>
                <dd><Plain text=view.target.clone()/></dd>
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
pub(super) fn policy(view: &ActionView) -> AnyView {
    let named = |version| match version {
        0 => "the defaults".to_owned(),
        n => format!("version {n}"),
    };
    let version = |n| format!("{}#version-{n}", address::policy(&view.kind));
    let sentence = view.policy.trim_end_matches('.').to_owned();
    if view.policy_applied == view.policy_version {
        let href = version(view.policy_version);
        return view! { <a href=href>{named(view.policy_version)}</a>{format!(": {sentence}.")} }.into_any();
    }
    let now = format!(" applied last. Now {}: {sentence}.", named(view.policy_version));
    view! { <a href=version(view.policy_applied)>{named(view.policy_applied)}</a>{now} }.into_any()
}

/// The same target's other actions.
#[component]
pub fn TargetPart(
    /// The action.
    view: ActionView,
) -> impl IntoView {
    let beside = view.target_beside;
    let all = Query::default().with("target", &view.target).at("/actions");
    let more = beside
        .more
        .then(|| view! { <p><a href=all>"All for this target"</a></p> });
    let rows = (!beside.rows.is_empty()).then(|| {
        view! {
            <div class="sheet">
                <table class="table">
                    <caption class="vh">"Other actions for the same target, the newest first"</caption>
                    <tbody>{beside.rows.into_iter().map(target_row).collect_view()}</tbody>
                </table>
            </div>
        }
    });
    view! {
        <section class="part">
            <h2>"Same target"</h2>
            <p><Line said=beside.lately/></p>
            {rows}
            {more}
        </section>
    }
    .into_any()
}

fn target_row(row: TargetRow) -> AnyView {
    let same = row
        .same_payload
        .then(|| view! { <span class="same-body">"the very same body"</span> });
    view! {
        <tr>
            <td class="rest"><a class="quiet cut" href=address::action(&row.key)><Plain text=row.title/></a>{same}</td>
            <td class="fix"><Status mark=row.mark/></td>
            <td class="fix muted"><When at=row.since tell=Tell::Ago/></td>
        </tr>
    }
    .into_any()
}

/// The key, and how it was computed.
#[component]
pub fn KeyPart(
    /// The action.
    view: ActionView,
) -> impl IntoView {
    let parts = [
        ("run_id", view.run_id),
        ("step", view.step.to_string()),
        ("kind", view.kind),
        ("target", view.target),
        ("payload_hash", view.payload_hash),
    ];
    let joined = parts.each_ref().map(|(_, part)| part.as_str()).join(" ");
    let parts = parts
        .into_iter()
        .map(|(name, part)| view! { <dt>{name}</dt><dd><Plain text=part/></dd> });
    view! {
        <section class="part">
            <h2>"Key"</h2>
            <Copy text=view.key label="Key".to_owned()/>
            <details class="fold">
                <summary>"How it was computed"</summary>
                <p class="hint">"SHA-256 over these five, joined by one space:"</p>
                <dl class="recipe">{parts.collect_view()}</dl>
                <p class="hint">"Joined, as they are hashed:"</p>
                <Copy text=joined label="The five parts, joined".to_owned()/>
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
