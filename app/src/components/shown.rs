//! From a server function's answer to a page: what is shown while it comes, when it came, and when it did not.

use leptos::prelude::*;
use leptos_meta::Title;

use super::TroublePage;
use crate::Trouble;

/// What was read, or why it could not be, or that it is still coming.
pub fn shown<T, V>(
    data: Resource<Result<T, Trouble>>,
    heading: &'static str,
    show: impl Fn(T) -> V + Clone + Send + Sync + 'static,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    view! {
        <Transition fallback=move || coming(heading)>
            {move || {
                let show = show.clone();
                Suspend::new(async move {
                    match data.await {
                        Ok(read) => show(read).into_any(),
                        Err(trouble) => view! { <TroublePage trouble/> }.into_any(),
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}

/// Bars where the words will be.
fn coming(heading: &'static str) -> AnyView {
    let lines =
        (0..6).map(|_| view! { <p><span class="ghost"></span><span class="ghost is-half"></span></p> });
    view! {
        <Title text=heading/>
        <div class="head"><h1>{heading}</h1></div>
        <div class="body">
            <section class="sheet" aria-busy="true">
                <p class="vh" role="status">"Loading"</p>
                <div class="sheet-body">{lines.collect_view()}</div>
            </section>
        </div>
    }
    .into_any()
}

/// The title of a page that shows what somebody else named: its signs that nobody sees are left out.
pub fn title(text: &str) -> String {
    text.chars()
        .filter(|sign| !crate::payload::is_invisible(*sign))
        .collect()
}

/// A number with thousands set apart, and a plus where there are more.
pub fn counted((n, more): (u32, bool)) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if more {
        out.push('+');
    }
    out
}
