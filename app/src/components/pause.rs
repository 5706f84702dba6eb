//! The switch that stops the claims of a kind, or of everything.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::{Plain, When};
use crate::calls::Pause;
use crate::view::{SwitchView, Tell};

/// The switch: how it stands, since when and why, and the form that turns it.
#[component]
pub fn PauseForm(
    /// How it stands.
    switch: SwitchView,
) -> impl IntoView {
    let (what, heading) = match &switch.kind {
        Some(_) => ("this kind", "Claims of this kind"),
        None => ("everything", "Claims of every kind"),
    };
    let (button, explained) = if switch.paused {
        (format!("Resume {what}"), "Claims are granted again from then on.")
    } else {
        (
            format!("Pause {what}"),
            "No claim is granted until somebody resumes it. What runs may end: reports, verdicts and decisions go on.",
        )
    };
    let since = switch
        .turned
        .clone()
        .filter(|_| switch.paused)
        .map(|(by, at, why)| {
            view! {
                <p>"Paused by "<Plain text=by/>" "<When at tell=Tell::Ago/>"."</p>
                <p class="quote"><Plain text=why/></p>
            }
        });
    let form = view! {
        <form method="post" action=Pause::PATH class="decide">
            <input type="hidden" name="kind" value=switch.kind.clone().unwrap_or_default()/>
            <input type="hidden" name="paused" value=(!switch.paused).to_string()/>
            <p class="hint">{explained}</p>
            <div class="field">
                <label for="pause-reason">"Why?"</label>
                <input
                    class="input"
                    id="pause-reason"
                    name="reason"
                    required
                    maxlength="2000"
                    placeholder="It stays in the history, with your name."
                />
            </div>
            <p><button class="button">{button.clone()}</button></p>
        </form>
    };
    let turn = match (switch.may, switch.paused) {
        (false, _) => view! { <p class="hint">"Only an operator or an admin may pause."</p> }.into_any(),
        (true, true) => form.into_any(),
        // What stops everybody's work is not one slip of the hand away.
        (true, false) => {
            view! { <details class="more"><summary>{button}</summary>{form}</details> }.into_any()
        }
    };
    view! {
        <section class="part" id="pause">
            <h2>{heading}</h2>
            {since}
            {turn}
        </section>
    }
    .into_any()
}
