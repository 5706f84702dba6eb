//! Payloads and results, as text and nothing else.

use leptos::prelude::*;

use super::{Line, Plain, counted, tree};
use crate::view::{Body, Mail, Said, Shown, Words};

/// What was to be done.
#[component]
pub fn Payload(
    /// The payload, where it is kept.
    payload: Option<Shown>,
    /// What to say where it is not.
    gone: Said,
    /// Where the whole of it is.
    whole: String,
    /// Whether something of it is masked.
    #[prop(optional)]
    masked: bool,
    /// Whether the mail alone is enough.
    #[prop(optional)]
    brief: bool,
    /// Whether what lies below the mail is open at once: somebody asked to see it.
    #[prop(optional)]
    unfolded: bool,
) -> impl IntoView {
    let Some(shown) = payload else {
        return view! { <p class="muted"><Line said=gone/></p> }.into_any();
    };
    let foot = foot(&shown, whole, masked);
    let body = match shown.mail {
        Some(mail) => {
            let more = !mail.more.is_empty();
            let came = match shown.body {
                Body::Json(_) => "As JSON",
                Body::Text(_) => "As it came",
            };
            let as_json = (!brief || more).then(|| {
                let size = format!("{came}, {} bytes", counted((shown.bytes, false)));
                view! { <details class="fold" open=unfolded><summary>{size}</summary>{body(shown.body)}</details> }
            });
            view! { {letter(mail)}{as_json} }.into_any()
        }
        None => body(shown.body),
    };
    view! { {body}{foot} }.into_any()
}

fn body(body: Body) -> AnyView {
    match body {
        Body::Json(branch) => tree(branch),
        Body::Text(words) => code(words),
    }
}

/// Where the whole is, and whether this is all of it.
fn foot(shown: &Shown, whole: String, masked: bool) -> AnyView {
    let size = counted((shown.file, false));
    let masked = if masked { ", masked" } else { "" };
    let cut = shown
        .cut
        .then(|| view! { <b>"Not all of it is shown here. "</b> });
    view! {
        <p class="hint">{cut}<a href=whole>"The whole as a file"</a>{format!("{masked}, {size} bytes")}</p>
    }
    .into_any()
}

fn letter(mail: Mail) -> AnyView {
    let subject = match mail.subject.trim() {
        "" => view! { <span class="none">"(no subject)"</span> }.into_any(),
        _ => view! { <Plain text=mail.subject.clone()/> }.into_any(),
    };
    let to = match mail.to.trim() {
        "" => view! { <span class="none">"(nobody)"</span> }.into_any(),
        _ => view! { <Plain text=mail.to.clone()/> }.into_any(),
    };
    let heads = mail
        .heads
        .into_iter()
        .map(|(name, who)| view! { <dt>{name}</dt><dd class="is-plain"><Plain text=who/></dd> })
        .collect_view();
    let html = mail
        .html
        .then(|| view! { <p class="mail-foot">"The words are HTML. This is their source: nothing of it is run or fetched."</p> });
    let attached = (!mail.attachments.is_empty()).then(|| {
        let names = mail.attachments.into_iter().map(|name| view! { <li><Plain text=name/></li> });
        view! {
            <div class="mail-foot"><span>"Attached:"</span><ul class="mail-files">{names.collect_view()}</ul></div>
        }
    });
    let more = (!mail.more.is_empty()).then(|| {
        let names = mail.more.into_iter().enumerate().map(|(n, name)| {
            let comma = if n > 0 { ", " } else { "" };
            view! { {comma}<code><Plain text=name/></code> }
        });
        view! { <p class="mail-foot">"Besides, in the JSON: "{names.collect_view()}</p> }
    });
    view! {
        <section class="mail" aria-label="The mail">
            <dl class="mail-head">
                <dt>"To"</dt>
                <dd>{to}</dd>
                {heads}
                <dt>"Subject"</dt>
                <dd>{subject}</dd>
            </dl>
            {html}
            <div class="mail-text"><Plain text=mail.body.now.clone()/></div>
            {rest(&mail.body, "mail-text")}
            {attached}
            {more}
        </section>
    }
    .into_any()
}

/// A text as it came.
fn code(words: Words) -> AnyView {
    let rest = rest(&words, "code");
    view! { <pre class="code" tabindex="0"><code><Plain text=words.now/></code></pre>{rest} }.into_any()
}

/// What of a text is folded, and what is not on the page at all.
pub(super) fn rest(words: &Words, class: &'static str) -> AnyView {
    let folded = words.rest.chars().count() as u32;
    let left_out = words.left_out;
    let summary = match (folded, left_out) {
        (0, 0) => return ().into_any(),
        (0, left) => {
            return view! { <p class="hint">{format!("… and {} more characters.", counted((left, false)))}</p> }
                .into_any();
        }
        (folded, 0) => format!("Show all, {} more characters", counted((folded, false))),
        (folded, _) => format!("Show {} more characters", counted((folded, false))),
    };
    let left = (left_out > 0).then(|| {
        view! { <p class="hint">{format!("… and {} more characters, in the file.", counted((left_out, false)))}</p> }
    });
    view! {
        <details class="fold">
            <summary>{summary}</summary>
            <div class=class><Plain text=words.rest.clone()/></div>
            {left}
        </details>
    }
    .into_any()
}

/// A stored result.
#[component]
pub fn Stored(
    /// The result.
    result: Shown,
    /// Where the whole of it is.
    whole: String,
    /// Whether something of it is masked.
    #[prop(optional)]
    masked: bool,
) -> impl IntoView {
    let foot = foot(&result, whole, masked);
    view! { <section class="part"><h2>"Result, as it was stored"</h2>{body(result.body)}{foot}</section> }
        .into_any()
}
