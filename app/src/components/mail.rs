//! Payloads and results, as text and nothing else.

use leptos::prelude::*;

use super::{Line, Plain, Status, counted};
use crate::address;
use crate::payload::{Token, folded, tokens};
use crate::view::{DiffLine, Difference, Mail, Said, Shown};

/// As much as is shown before the rest is folded, in characters.
const AT_ONCE: usize = 3_000;

/// What was to be done.
#[component]
pub fn Payload(
    /// The payload, where it is kept.
    payload: Option<Shown>,
    /// What to say where it is not.
    gone: Said,
    /// Whether the mail alone is enough.
    #[prop(optional)]
    brief: bool,
) -> impl IntoView {
    let Some(shown) = payload else {
        return view! { <p class="muted"><Line said=gone/></p> }.into_any();
    };
    let size = format!("{} bytes", counted((shown.bytes, false)));
    match shown.mail {
        Some(mail) => {
            let as_json = (!brief || mail.more).then(|| {
                view! {
                    <details class="fold">
                        <summary>{format!("As JSON, {size}")}</summary>
                        {json(&shown.text)}
                    </details>
                }
            });
            view! { {letter(mail)}{as_json} }.into_any()
        }
        None if shown.json => json(&shown.text).into_any(),
        None => code(&shown.text).into_any(),
    }
}

fn letter(mail: Mail) -> AnyView {
    let (now, rest) = folded(&mail.body, AT_ONCE);
    let rest = (!rest.is_empty()).then(|| {
        let left = format!(
            "The rest, {} more characters",
            counted((rest.chars().count() as u32, false))
        );
        view! {
            <details class="fold">
                <summary>{left}</summary>
                <div class="mail-text"><Plain text=rest.to_owned()/></div>
            </details>
        }
    });
    let subject = match mail.subject.trim() {
        "" => view! { <span class="none">"(no subject)"</span> }.into_any(),
        _ => view! { <Plain text=mail.subject.clone()/> }.into_any(),
    };
    view! {
        <section class="mail" aria-label="The mail">
            <dl class="mail-head">
                <dt>"To"</dt>
                <dd><Plain text=mail.to/></dd>
                <dt>"Subject"</dt>
                <dd>{subject}</dd>
            </dl>
            <div class="mail-text"><Plain text=now.to_owned()/></div>
            {rest}
        </section>
    }
    .into_any()
}

fn json(text: &str) -> AnyView {
    let (now, rest) = folded(text, AT_ONCE);
    let rest = (!rest.is_empty()).then(|| the_rest(rest));
    // A text cut in two is no JSON any more: its colours would be guesses.
    let inner = if rest.is_some() {
        view! { <Plain text=now.to_owned()/> }.into_any()
    } else {
        coloured(now)
    };
    view! { <pre class="code" tabindex="0"><code>{inner}</code></pre>{rest} }.into_any()
}

fn code(text: &str) -> AnyView {
    let (now, rest) = folded(text, AT_ONCE);
    let rest = (!rest.is_empty()).then(|| the_rest(rest));
    view! { <pre class="code" tabindex="0"><code><Plain text=now.to_owned()/></code></pre>{rest} }.into_any()
}

fn the_rest(rest: &str) -> AnyView {
    let left = format!(
        "The rest, {} more characters",
        counted((rest.chars().count() as u32, false))
    );
    view! {
        <details class="fold">
            <summary>{left}</summary>
            <pre class="code" tabindex="0"><code><Plain text=rest.to_owned()/></code></pre>
        </details>
    }
    .into_any()
}

fn coloured(json: &str) -> AnyView {
    let parts = tokens(json).into_iter().map(|(token, part)| {
        let class = match token {
            Token::Name => "json-name",
            Token::Text => "json-text",
            Token::Other => "json-other",
            Token::Between => return part.to_owned().into_any(),
        };
        view! { <span class=class><Plain text=part.to_owned()/></span> }.into_any()
    });
    parts.collect_view().into_any()
}

/// A stored result, as it came.
#[component]
pub fn Stored(
    /// The result.
    result: String,
) -> impl IntoView {
    view! { <section class="part"><h2>"Result, as it was stored"</h2>{code(&result)}</section> }.into_any()
}

/// What differs from the body that the same step had first.
#[component]
pub fn Drift(
    /// The two bodies.
    drift: Difference,
) -> impl IntoView {
    let first = address::action(&drift.first);
    let lines = if drift.lines.is_empty() {
        view! { <p class="muted">"One of the two bodies is not kept, or they are too long to compare."</p> }
            .into_any()
    } else {
        view! {
            <div class="diff" role="group" aria-label="First body against the new one">
                {drift.lines.into_iter().map(diff_line).collect_view()}
            </div>
        }
        .into_any()
    };
    view! {
        <section class="part">
            <h2>"What differs from the first body"</h2>
            <p class="sub"><a href=first>"The action that presented this step first"</a>": "<Status mark=drift.first_mark/></p>
            {lines}
        </section>
    }
    .into_any()
}

fn diff_line(line: DiffLine) -> AnyView {
    match line {
        DiffLine::Same(text) => view! { <div class="diff-line"><span></span><Plain text/></div> }.into_any(),
        DiffLine::Gone(text) => {
            view! { <div class="diff-line is-gone"><del>"−"<span class="vh">" gone"</span></del><Plain text/></div> }.into_any()
        }
        DiffLine::Come(text) => {
            view! { <div class="diff-line is-come"><ins>"+"<span class="vh">" new"</span></ins><Plain text/></div> }.into_any()
        }
    }
}
