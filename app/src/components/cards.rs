//! Tables of what an admin keeps, and the moment at which a secret is shown.

use leptos::prelude::*;

use super::Glyph;
use crate::islands::Copy;
use crate::view::Icon;

/// A table whose rows are cards where columns find no room. Each row is a body of its own, with what can be done to it.
pub fn cards(
    class: &'static str,
    caption: &'static str,
    columns: &[&'static str],
    rows: Vec<AnyView>,
) -> AnyView {
    let columns = columns
        .iter()
        .map(|column| view! { <th scope="col">{*column}</th> })
        .collect_view();
    view! {
        <table class=format!("table is-cards {class}")>
            <caption class="vh">{caption}</caption>
            <thead>
                <tr>{columns}</tr>
            </thead>
            {rows}
        </table>
    }
    .into_any()
}

/// What stands in a table's place where it would have no rows.
pub fn none_yet(what: &'static str, more: &'static str) -> AnyView {
    view! { <div class="empty"><h2>{what}</h2><p>{more}</p></div> }.into_any()
}

/// The one moment at which a secret is shown.
#[component]
pub fn MadeOnce(
    /// What it is the secret of.
    what: AnyView,
    /// Who it is for, and how it is kept here.
    more: &'static str,
    /// What it is called.
    label: &'static str,
    /// The secret.
    secret: String,
    /// The page without it.
    page: &'static str,
) -> impl IntoView {
    view! {
        <section class="notice is-ok token-made" role="status">
            <Glyph icon=Icon::Succeeded/>
            <div>
                <p><b>{what}</b></p>
                <p class="notice-more">{more}</p>
                <Copy text=secret label=label.to_owned()/>
                <p class="notice-more"><a href=page>"I have taken it"</a></p>
            </div>
        </section>
    }
    .into_any()
}
