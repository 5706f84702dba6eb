//! The way to the pages before and after.

use leptos::prelude::*;

use crate::address::Query;

/// The way to the pages before and after.
#[component]
pub fn Paging(
    /// What stands at its left.
    #[prop(into)]
    count: String,
    /// The page's path.
    #[prop(into)]
    path: String,
    /// The page's query, without where it begins.
    query: Query,
    /// Where the page before begins.
    prev: Option<String>,
    /// Where the page after begins.
    next: Option<String>,
    /// What the way back is called.
    back: &'static str,
    /// What the way on is called.
    on: &'static str,
) -> impl IntoView {
    let way = |cursor: Option<String>, rel: &'static str, word: String| match cursor {
        Some(cursor) => {
            let href = query.clone().with("after", &cursor).at(&path);
            view! { <a class="button is-small" rel=rel href=href>{word}</a> }.into_any()
        }
        None => view! { <span class="button is-small" aria-disabled="true">{word}</span> }.into_any(),
    };
    view! {
        <nav class="paging" aria-label="Pages">
            <span>{count}</span>
            <span class="paging-ways">
                {way(prev, "prev", format!("← {back}"))}
                {way(next, "next", format!("{on} →"))}
            </span>
        </nav>
    }
    .into_any()
}
