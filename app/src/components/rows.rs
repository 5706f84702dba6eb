//! An action in a queue.

use leptos::prelude::*;

use super::{Line, Plain, Tag, When};
use crate::view::{Row, Tell};

/// An action in the queue: the whole row opens it.
#[component]
pub fn QueueRow(
    /// The action.
    row: Row,
    /// Where the row leads.
    href: String,
    /// Whether it is the one that is open.
    open: bool,
    /// Whether it can be selected, together with others.
    #[prop(optional)]
    pick: bool,
) -> impl IntoView {
    let open_class = if open { " is-open" } else { "" };
    let check_class = if pick { " has-check" } else { "" };
    let check = pick.then(|| {
        let ticked = format!("{}:{}", row.key, row.version);
        let label = format!("Select: {}", super::title(&row.title));
        view! { <div class="row-check"><input type="checkbox" name="key[]" value=ticked autocomplete="off" aria-label=label/></div> }
    });
    let again = (row.attempts > 1)
        .then(|| view! { " "<span class="row-try">{format!("attempt {}", row.attempts)}</span> });
    view! {
        <li class=format!("row{open_class}{check_class}") data-key=row.key.clone() data-version=row.version data-agreed=row.agreed>
            {check}
            <div class="row-main">
                <a class="row-title" href=href aria-current=open.then_some("true")><Plain text=row.title/></a>
                <p class="row-meta"><Plain text=row.target class="cut"/>" "<span class="kind cut">{row.kind}</span>{again}</p>
                <p class="row-why"><Tag mark=row.mark/>" "<span><Line said=row.why/></span></p>
            </div>
            <p class="row-age"><When at=row.since tell=Tell::Age/></p>
        </li>
    }
    .into_any()
}
