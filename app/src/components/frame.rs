//! What stands around every page: the ways, who is signed in, and whether the reaper lives.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::{Glyph, Notice, Plain, Themes, When, absolute, counted};
use crate::address::Query;
use crate::islands::Live;
use crate::view::{FrameView, Hue, Icon, NoticeView, Tell, text};
use crate::{Trouble, calls, respond};

/// The mark and the name.
#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
            <path class="brand-ring" d="M6.6 1h8.8L21 6.6v8.8L15.4 21H6.6L1 15.4V6.6Z"></path>
            <path class="brand-bars" d="M8.5 7.2v7.6M13.5 7.2v7.6"></path>
        </svg>
        "Holdpoint"
    }
    .into_any()
}

/// What stands around every page.
#[component]
pub fn Frame(
    /// The page.
    children: Children,
) -> impl IntoView {
    let location = use_location();
    let path = location.pathname.get_untracked();
    let here = path.clone() + &Query::parse(&location.search.get_untracked()).to_string();
    let class = if path == "/review" {
        "main is-split"
    } else {
        "main"
    };
    let undone = Query::parse(&location.search.get_untracked())
        .get("undone")
        .map(undone);
    let side = Suspend::new(async move {
        match calls::frame().await {
            Ok(frame) => view! { <Side frame path here/> }.into_any(),
            Err(trouble) => nobody(&trouble, &here),
        }
    });
    view! {
        <a class="skip" href="#main">"Skip to the page"</a>
        <div class="shell">
            <header class="side">
                <a class="brand" href="/"><Brand/></a>
                {side}
            </header>
            <main class=class id="main" tabindex="-1">{undone}{children()}</main>
            {zone()}
        </div>
    }
    .into_any()
}

/// By which clock the page tells its times. The browser puts the reader's own zone here, once it tells them by it.
fn zone() -> AnyView {
    view! { <footer class="times" data-times="">"Times in UTC."</footer> }.into_any()
}

/// A form was not taken at all, and the browser is back on the page that it came from.
fn undone(code: &str) -> AnyView {
    let more = match code {
        "form" => "The form could not be read: a field is missing, or holds what it cannot.",
        "gone" => "There is nothing of that name or key any more.",
        "forbidden" => "Your role does not allow it.",
        "unavailable" => "The database did not answer. Try it again.",
        _ => "Something broke, and is written to the log.",
    };
    let notice = NoticeView::new(Hue::Bad, "Nothing was changed.", vec![text(more)]);
    view! { <div class="notices is-in undone"><Notice notice/></div> }.into_any()
}

/// Nobody is signed in, or the database does not answer: the page itself says so.
fn nobody(trouble: &Trouble, here: &str) -> AnyView {
    let login = Query::default().with("next", here).at("/login");
    if *trouble == Trouble::SignedOut {
        respond::send_to(&login);
    }
    view! {
        <link rel="icon" href="/favicon.svg"/>
        <nav class="ways" aria-label="Main"><a class="way" rel="external" href=login>"Sign in"</a></nav>
    }
    .into_any()
}

/// The ways and the foot, once as a menu for narrow screens and once as a side for wide ones.
#[component]
fn Side(frame: FrameView, path: String, here: String) -> impl IntoView {
    let icon = if frame.held > 0 {
        "/favicon-alert.svg"
    } else {
        "/favicon.svg"
    };
    let count = if frame.held > 0 { "count is-hot" } else { "count" };
    let held = counted((frame.held, frame.held_more));
    let live = live(&frame, &path, &here);
    let made = frame.now.millis();
    let (menu, side) = (frame.clone(), frame);
    view! {
        // In its place: what is known only after a wait reaches the head by leptos_meta where the same thread renders
        // on, and is lost where another does.
        <link rel="icon" href=icon/>
        <a class="bar-review" href="/review">"Review "<span class=count><span data-held="">{held}</span></span></a>
        <details class="menu">
            <summary>"Menu"</summary>
            <div class="menu-body">{ways(&menu, &path)}{foot(menu, here.clone())}</div>
        </details>
        <div class="side-body" data-made=made>{ways(&side, &path)}{foot(side, here)}</div>
        {live}
    }
    .into_any()
}

/// The line that says whether the page is live; which actions besides those on the page are news to it.
fn live(frame: &FrameView, path: &str, here: &str) -> AnyView {
    const OUTCOME: &[&str] = &["done", "was", "problem", "seen", "undone"];
    let query = Query::parse(here.split_once('?').map_or("", |(_, query)| query));
    let others = match path {
        "/" => "number",
        "/review" if query.get("reason").is_some() => "number",
        "/review" => "waiting",
        "/actions" if query.get("after").is_none() => "all",
        _ => "none",
    };
    let kind = query.get("kind").map(str::to_owned);
    let here = OUTCOME
        .iter()
        .fold(query, |query, name| query.with(name, ""))
        .at(path);
    let (made, made_on) = (frame.now.millis(), frame.now.time().to_string());
    let made_at = absolute(frame.now, Tell::Clock);
    view! {
        <Live mark=frame.since.clone() others=others.to_owned() kind waiting=frame.held here made made_on made_at/>
    }
    .into_any()
}

fn ways(frame: &FrameView, path: &str) -> AnyView {
    let current = |href: &str| {
        let on = path == href
            || (href != "/" && path.strip_prefix(href).is_some_and(|rest| rest.starts_with('/')));
        on.then_some("page")
    };
    let class = if frame.held > 0 { "count is-hot" } else { "count" };
    let held = counted((frame.held, frame.held_more));
    view! {
        <nav class="ways" aria-label="Main">
            <a class="way" href="/" aria-current=current("/")>"Overview"</a>
            <a class="way" href="/review" aria-current=current("/review")>
                "Review"<span class=class><span data-held="">{held}</span><span class="vh">" waiting"</span></span>
            </a>
            <a class="way" href="/actions" aria-current=current("/actions")>"Log"</a>
            <a class="way" href="/stale" aria-current=current("/stale")>"Stale"</a>
            <a class="way" href="/policies" aria-current=current("/policies")>"Policies"</a>
            <a class="way" href="/audit" aria-current=current("/audit")>"Audit"</a>
            {(frame.role == Some(holdpoint::Role::Admin)).then(|| view! {
                <a class="way" href="/operators" aria-current=current("/operators")>"Operators"</a>
                <a class="way" href="/tokens" aria-current=current("/tokens")>"Tokens"</a>
                <a class="way" href="/webhooks" aria-current=current("/webhooks")>"Webhooks"</a>
            })}
        </nav>
    }
    .into_any()
}

fn foot(frame: FrameView, here: String) -> AnyView {
    let (alive, ever) = (frame.reaper_alive, frame.reaper_passed_at.is_some());
    // Where none has passed, the time is there for the one that may: nobody sees it before.
    let passed = frame.reaper_passed_at.unwrap_or(frame.now);
    let role = frame.role.map(|role| format!(" · {role}"));
    let theme = frame.theme;
    view! {
        <div class="side-foot">
            <div class="vitals" role="status">
                // All that may come to be true while the page is read stands here, and what is not is hidden.
                <p class="vital is-hold" data-paused="" hidden=!frame.everything_paused>
                    <Glyph icon=Icon::Warn/><a href="/policies#pause">"Everything is paused"</a>
                </p>
                <p class="vital" data-reaper="">
                    <span class="is-ok" data-alive="" hidden=!alive><Glyph icon=Icon::Dot/></span>
                    <span class="is-hold" data-silent="" hidden=alive><Glyph icon=Icon::Warn/></span>
                    <span data-passed="" hidden=!ever>"Reaper passed "<When at=passed tell=Tell::Ago/></span>
                    <span data-never="" hidden=ever>"No reaper has passed yet"</span>
                </p>
            </div>
            <details class="user">
                <summary><span><Plain text=frame.name/>{role}</span><span aria-hidden="true">"⋯"</span></summary>
                <div class="user-body">
                    <a class="button is-small" href="/account">"Your account"</a>
                    <Themes theme here/>
                    <form method="post" action="/logout"><button class="button is-small">"Sign out"</button></form>
                </div>
            </details>
        </div>
    }
    .into_any()
}
