//! The switch between light, dark and the system's choice.

use leptos::prelude::*;

use crate::context::Theme;

/// A button for each.
#[component]
pub fn Themes(
    /// The one that is on.
    theme: Theme,
    /// The page to come back to.
    #[prop(into)]
    here: String,
) -> impl IntoView {
    let buttons = Theme::ALL.map(|one| {
        view! {
            <button name="theme" value=one.as_str() aria-pressed=(one == theme).to_string()>{one.label()}</button>
        }
    });
    view! {
        <form method="post" action="/theme">
            <input type="hidden" name="next" value=here/>
            <fieldset class="seg"><legend class="vh">"Theme"</legend>{buttons.collect_view()}</fieldset>
        </form>
    }
    .into_any()
}
