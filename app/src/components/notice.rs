//! What the last request came to.

use leptos::prelude::*;

use super::{Events, Glyph, Line, Plain};
use crate::address;
use crate::view::{Hue, Icon, NoticeView};

/// What the last request came to.
#[component]
pub fn Notice(
    /// What there is to say.
    notice: NoticeView,
) -> impl IntoView {
    let icon = match notice.hue {
        Hue::Ok => Icon::Succeeded,
        Hue::Bad => Icon::Failed,
        _ => Icon::Warn,
    };
    let role = if notice.hue == Hue::Bad { "alert" } else { "status" };
    let about = notice.about.map(|(key, title)| {
        view! { " " <a href=address::action(&key)><Plain text=title/></a> }
    });
    let more =
        (!notice.more.is_empty()).then(|| view! { <p class="notice-more"><Line said=notice.more/></p> });
    let moved = (!notice.moved.is_empty()).then(|| view! { <Events events=notice.moved/> });
    view! {
        <div class=notice.hue.on("notice") role=role>
            <Glyph icon/>
            <div><p><b>{notice.what}</b>{about}</p>{more}{moved}</div>
        </div>
    }
    .into_any()
}

/// Something that should be known before anything else.
#[component]
pub fn Warning(
    /// What.
    #[prop(into)]
    what: String,
    /// More on it.
    #[prop(optional, into)]
    more: Option<String>,
) -> impl IntoView {
    view! {
        <div class="notice is-hold" role="status">
            <Glyph icon=Icon::Warn/>
            <div><p><b>{what}</b></p>{more.map(|more| view! { <p class="notice-more">{more}</p> })}</div>
        </div>
    }
    .into_any()
}
