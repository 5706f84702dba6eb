//! What is masked of an action, and the way behind the mask.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::{Glyph, Plain, When};
use crate::address;
use crate::calls::Reveal;
use crate::view::{ActionView, Icon, Tell};

/// Of many places, these many are named.
const NAMED: usize = 6;

/// Says what is masked; on the action's own page, operators may look.
#[component]
pub fn Veil(
    /// The action.
    view: ActionView,
    /// Whether this is the action's own page.
    #[prop(optional)]
    own: bool,
) -> impl IntoView {
    let veil = view.veil;
    if let Some(until) = veil.shown_until {
        let hide = address::action(&view.key);
        return view! {
            <div class="notice is-hold" role="status">
                <Glyph icon=Icon::Warn/>
                <div>
                    <p><b>"You see what is masked."</b>" The history says so, with your name."</p>
                    <p class="notice-more">"It is shown to you until "<When at=until tell=Tell::Clock/>". "<a href=hide>"Mask it again"</a></p>
                </div>
            </div>
        }
        .into_any();
    }
    if veil.places.is_empty() {
        return ().into_any();
    }
    let more = veil.places.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!(" and {more} more"));
    let places = veil.places.into_iter().take(NAMED).enumerate().map(|(n, place)| {
        let comma = if n > 0 { ", " } else { "" };
        view! { {comma}<code><Plain text=place/></code> }
    });
    let way = match (veil.may_look, own) {
        (true, true) => view! {
            <form method="post" action=Reveal::PATH class="veil-form">
                <input type="hidden" name="key" value=view.key/>
                <button class="button">"Show what is masked"</button>
                <p class="hint">"It stays in the history, with your name."</p>
            </form>
        }
        .into_any(),
        (true, false) => {
            view! { <p class="hint"><a href=address::action(&view.key)>"Open it on its own page to see them."</a></p> }
                .into_any()
        }
        (false, _) => ().into_any(),
    };
    view! {
        <div class="veil">
            <p class="muted">"Masked by policy: "{places.collect_view()}{more}"."</p>
            {way}
        </div>
    }
    .into_any()
}
