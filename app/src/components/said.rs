//! Sentences, and what others wrote.

use leptos::prelude::*;

use super::When;
use crate::payload;
use crate::view::{Piece, Said};

/// A sentence.
#[component]
pub fn Line(
    /// Its parts.
    said: Said,
) -> impl IntoView {
    said.into_iter().map(piece).collect_view()
}

fn piece(piece: Piece) -> AnyView {
    match piece {
        Piece::Text(words) => words.into_any(),
        Piece::Strong(words) => view! { <b>{words}</b> }.into_any(),
        Piece::Name(words) => view! { <Plain text=words/> }.into_any(),
        Piece::Quote(words) => view! { "“"<Plain text=words/>"”" }.into_any(),
        Piece::Kind(words) => view! { <span class="kind">{words}</span> }.into_any(),
        Piece::At(at, tell) => view! { <When at tell/> }.into_any(),
    }
}

/// What somebody else wrote: as text, in a direction of its own, with signs that nobody sees shown by their number.
#[component]
pub fn Plain(
    /// What they wrote.
    #[prop(into)]
    text: String,
    /// Classes.
    #[prop(optional, into)]
    class: Option<&'static str>,
) -> impl IntoView {
    let parts = payload::visible(&text).into_iter().map(|part| match part {
        Ok(words) => words.into_any(),
        Err(sign) => view! { <span class="ctl">{format!("U+{:04X}", u32::from(sign))}</span> }.into_any(),
    });
    view! { <bdi class=class>{parts.collect_view()}</bdi> }.into_any()
}

/// What stands inside a `<textarea>`. The framework writes that as it is: typed into an address by somebody else, it
/// would end the field and go on as markup.
pub fn inside(typed: &str) -> String {
    let written = typed
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    // A field swallows the first end of line.
    if written.starts_with(['\n', '\r']) {
        format!("\n{written}")
    } else {
        written
    }
}
