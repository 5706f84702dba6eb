//! Icons, statuses and tags.

use leptos::prelude::*;

use crate::view::{Icon, Mark};

/// What is drawn in the box of twelve by twelve.
const fn drawing(icon: Icon) -> &'static str {
    match icon {
        Icon::InFlight => r#"<circle cx="6" cy="6" r="5"/><path class="solid" d="M6 1a5 5 0 0 1 0 10Z"/>"#,
        Icon::Verifying => r#"<circle cx="5" cy="5" r="3.75"/><path d="m8 8 3 3"/>"#,
        Icon::Released => r#"<path d="M3 1.5 10 6l-7 4.5Z"/>"#,
        Icon::Held => {
            r#"<path class="solid" d="M3.7.5h4.6L11.5 3.7v4.6L8.3 11.5H3.7L.5 8.3V3.7Z"/><path class="on" d="M4.5 4v4M7.5 4v4"/>"#
        }
        Icon::Succeeded => {
            r#"<circle class="solid" cx="6" cy="6" r="5.5"/><path class="on" d="m3.5 6.2 1.8 1.8 3.2-3.7"/>"#
        }
        Icon::Failed => {
            r#"<path class="solid" d="M6 0 12 6 6 12 0 6Z"/><path class="on" d="m4.3 4.3 3.4 3.4M7.7 4.3 4.3 7.7"/>"#
        }
        Icon::Duplicate => r#"<rect x="1" y="1" width="7" height="7" rx="1"/><path d="M10.5 4.5v6h-6"/>"#,
        Icon::NoSend => r#"<circle cx="6" cy="6" r="5" stroke-dasharray="2.2 2"/><path d="m3 9 6-6"/>"#,
        Icon::Dot => r#"<circle class="solid" cx="6" cy="6" r="4.5"/>"#,
        Icon::Warn => r#"<path d="M6 1 11.3 10.8H.7Z"/><path d="M6 4.6v2.8M6 9.2v.1"/>"#,
        Icon::Info => r#"<circle cx="6" cy="6" r="5"/><path d="M6 5.6v3M6 3.2v.1"/>"#,
        Icon::Retry => r#"<path d="M10.5 6A4.5 4.5 0 1 1 9 2.6"/><path d="M9.2.4v2.5H6.7"/>"#,
        Icon::Fail => r#"<path d="m2 2 8 8M10 2l-8 8"/>"#,
        Icon::Succeed => r#"<path d="m1.5 6.5 3 3 6-7"/>"#,
        Icon::Claimed => r#"<circle cx="6" cy="6" r="3.5"/>"#,
        Icon::Person => r#"<circle cx="6" cy="3.5" r="2.5"/><path d="M1.5 11.5a4.5 4.5 0 0 1 9 0"/>"#,
    }
}

/// A shape beside words; it says nothing that the words do not.
#[component]
pub fn Glyph(
    /// The shape.
    icon: Icon,
    /// Classes besides its own.
    #[prop(optional, into)]
    class: String,
) -> impl IntoView {
    let class = if class.is_empty() {
        "icon".to_owned()
    } else {
        format!("icon {class}")
    };
    view! { <svg class=class viewBox="0 0 12 12" aria-hidden="true" inner_html=drawing(icon)></svg> }
        .into_any()
}

/// A status in a line of text.
#[component]
pub fn Status(
    /// Shape, word and hue.
    mark: Mark,
) -> impl IntoView {
    view! { <span class=mark.hue.on("status")><Glyph icon=mark.icon/><span>{mark.word}</span></span> }
        .into_any()
}

/// A tag: why something waits.
#[component]
pub fn Tag(
    /// Shape, word and hue.
    mark: Mark,
) -> impl IntoView {
    view! { <span class=mark.hue.on("tag")><Glyph icon=mark.icon/>{mark.word}</span> }.into_any()
}

/// A kind as a link to its policy.
#[component]
pub fn KindLink(
    /// The kind.
    kind: String,
) -> impl IntoView {
    view! { <a class="kind" href=crate::address::policy(&kind)>{kind.clone()}</a> }.into_any()
}
