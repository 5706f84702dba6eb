//! What the policy in the form would do, before it is saved.

use leptos::prelude::*;

use super::{Glyph, Status, counted};
use crate::address;
use crate::view::{ChangeView, Icon, PreviewView, WouldView};

/// What the policy in the form would do.
#[component]
pub fn PolicyPreview(
    /// What it would do.
    preview: PreviewView,
) -> impl IntoView {
    let looked_at = match preview.open {
        (0, _) => "Nothing of it is open.".to_owned(),
        (n, more) if preview.changes.is_empty() => {
            format!("Of {} open nothing changes.", counted((n, more)))
        }
        (n, more) => {
            let of = if more {
                "the oldest are looked at"
            } else {
                "all are looked at"
            };
            format!("{} open, {of}.", counted((n, more)))
        }
    };
    let changes = (!preview.changes.is_empty()).then(|| {
        let lines = preview.changes.into_iter().map(change).collect_view();
        view! { <ul class="would">{lines}</ul> }
    });
    let past = (!preview.would.is_empty()).then(|| table(preview.would));
    view! {
        <section class="preview" aria-labelledby="preview">
            <h2 id="preview">"What it would do"</h2>
            <p class="preview-rule">{format!("{}.", preview.sentence)}</p>
            <h3>"Now"</h3>
            <p>{looked_at}</p>
            {changes}
            <h3>"The last 30 days"</h3>
            <p>{preview.past}</p>
            {past}
            <p class="hint">
                "Nothing is saved yet. What a provider would have answered nobody knows: \"verifying\" says that it would have been asked."
            </p>
        </section>
    }
    .into_any()
}

fn change(change: ChangeView) -> AnyView {
    let class = if change.grave { "is-grave" } else { "" };
    let icon = if change.grave { Icon::Warn } else { Icon::Info };
    let grave = change.grave.then(|| view! { <b>"Careful: "</b> });
    let some = !change.examples.is_empty();
    let examples = change.examples.into_iter().enumerate().map(|(n, key)| {
        let short: String = key.chars().take(8).collect();
        let between = if n == 0 { "Such as " } else { ", " };
        view! { {between}<a href=address::action(&key)><code>{short}</code></a> }
    });
    let examples = some.then(|| view! { <p class="why">{examples.collect_view()}</p> });
    view! {
        <li class=class>
            <Glyph icon/>
            <div><p>{grave}{change.sentence}</p>{examples}</div>
        </li>
    }
    .into_any()
}

fn table(would: Vec<WouldView>) -> AnyView {
    let row = |would: WouldView| {
        let grave = would.grave.then(|| {
            view! { <span class="why is-hold"><Glyph icon=Icon::Warn/>" careful: nobody is asked"</span> }
        });
        view! {
            <tr>
                <th scope="row"><Status mark=would.before/></th>
                <td><Status mark=would.after/>{grave}</td>
                <td class="num">{counted((would.count, false))}</td>
            </tr>
        }
    };
    view! {
        <div class="sheet">
            <table class="table is-would">
                <caption class="vh">"What became of each, and what would have"</caption>
                <thead>
                    <tr>
                        <th scope="col">"What became of it"</th>
                        <th scope="col">"What would have"</th>
                        <th scope="col" class="num">"Count"</th>
                    </tr>
                </thead>
                <tbody>{would.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
