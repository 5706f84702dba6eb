//! An action in a queue.

use leptos::prelude::*;

use super::{Line, Plain, Tag, When};
use crate::view::{Mark, Row, Said, Tell};

/// Why an action waits. What its worker told takes a line at most: the whole of it stands where it is opened.
#[component]
pub fn Why(
    /// The reason.
    mark: Mark,
    /// More on that.
    said: Said,
    /// What its worker told.
    error: Option<String>,
) -> impl IntoView {
    let said = (!said.is_empty()).then(|| view! { <span><Line said/></span>" " });
    let error = error.map(|error| view! { <Plain text=error class="row-error cut"/> });
    view! { <p class="row-why"><Tag mark/>" "{said}{error}</p> }.into_any()
}

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
                <Why mark=row.mark said=row.why error=row.error/>
            </div>
            <p class="row-age"><When at=row.since tell=Tell::Age/></p>
        </li>
    }
    .into_any()
}
