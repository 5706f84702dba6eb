//! One case beside its list: the sentence first, then what it would send, then how it came to this.

use leptos::prelude::*;

use super::facts::policy;
use super::{Drift, Line, Notice, Payload, Plain, Status, Stored, Timeline, Veil, When};
use crate::address;
use crate::islands::Copy;
use crate::view::{ActionView, Tell};

/// What is known, in one sentence, before any data.
pub fn known(view: &ActionView) -> AnyView {
    view! { <p class=view.known_hue.on("known")><Line said=view.known.clone()/></p> }.into_any()
}

/// One case beside its list.
#[component]
pub fn CaseBody(
    /// The action.
    view: ActionView,
    /// Where the list is.
    list: String,
    /// What the way back to the list is called.
    list_name: String,
) -> impl IntoView {
    let drift = view.drift.clone().map(|drift| view! { <Drift drift/> });
    let masked = !view.veil.places.is_empty();
    let (payload, stored) = (address::payload(&view.key), address::result(&view.key));
    let result = view
        .result
        .clone()
        .map(|result| view! { <Stored result whole=stored masked/> });
    let lately = view.target_beside.lately.clone();
    let lately = (!lately.is_empty()).then(|| view! { <dt>"Same target"</dt><dd><Line said=lately/></dd> });
    view! {
        <div class="pane-body">
            <div class="pane-head" data-case="" data-key=view.key.clone() data-version=view.version data-agreed=view.agreed>
                <p class="pane-ways"><a href=list>{format!("← {list_name}")}</a><a href="#decide">"Decide ↓"</a></p>
                <h2 id="open-title" tabindex="-1"><Plain text=view.title.clone()/></h2>
                <p class="sub">
                    "to "<Plain text=view.target.clone()/>{format!(" · step {} of run ", view.step)}
                    <a href=address::run(&view.run_id)><Plain text=view.run_id.clone()/></a>
                    " · "<a href=address::action(&view.key)>"open on its own"</a>
                </p>
                <p class="pane-state">
                    <Status mark=view.mark.clone()/>" "<When at=view.since tell=Tell::Age/>" "
                    <span class="muted">{view.why.clone()}</span>
                </p>
            </div>
            {view.notice.clone().map(|notice| view! { <Notice notice/> })}
            {known(&view)}
            {drift}
            <Payload payload=view.payload.clone() gone=view.payload_gone.clone() whole=payload masked brief=true/>
            <Timeline timeline=view.timeline.clone()/>
            {result}
            <Veil view=view.clone()/>
            <dl class="facts">
                {lately}
                <dt>"Policy"</dt>
                <dd><a class="kind" href=address::policy(&view.kind)>{view.kind.clone()}</a>", "{policy(&view)}</dd>
                <dt>"Key"</dt>
                <dd><Copy text=view.key.clone() label="Key".to_owned()/></dd>
            </dl>
        </div>
    }
    .into_any()
}
