//! Signing in. The form goes to the server's own handler; it says nothing about which part was wrong.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::address::Query;
use crate::components::{Brand, Kept, Notice};
use crate::context::SsoName;
use crate::respond::status;
use crate::told::{Said, Told, wait};
use crate::typed::Typed;
use crate::view::{Hue, NoticeView, text};

/// Name and password.
#[component]
pub fn Login() -> impl IntoView {
    let query = super::query();
    let next = query.get("next").unwrap_or("/").to_owned();
    let Said { told, typed } = use_context().unwrap_or_default();
    let kept = Typed::here().is_some();
    let notice = told
        .and_then(|told| notice(told, kept))
        .map(|notice| view! { <Notice notice/> });
    let sso = use_context::<SsoName>().map(|SsoName(provider)| {
        let way = Query::default().with("next", &next).at("/login/sso");
        view! {
            <p class="door-or"><span>"or"</span></p>
            <a class="button door-sso" rel="external nofollow" href=way>"Sign in with "{provider}</a>
            {kept.then(|| view! { <p class="hint">"That way takes nothing along: copy what you typed first."</p> })}
        }
    });
    view! {
        <Title text="Sign in"/>
        <link rel="icon" href="/favicon.svg"/>
        <main class="door" id="main">
            <p class="brand"><Brand/></p>
            <h1>"Sign in"</h1>
            {notice}
            <form class="door-form" method="post" action="/login">
                <input type="hidden" name="next" value=next/>
                <div class="field">
                    <label for="name">"Name"</label>
                    <input
                        class="input"
                        id="name"
                        name="name"
                        autocomplete="username"
                        autocapitalize="none"
                        spellcheck="false"
                        value=typed
                        required
                    />
                </div>
                <div class="field">
                    <label for="password">"Password"</label>
                    <input
                        class="input"
                        id="password"
                        name="password"
                        type="password"
                        autocomplete="current-password"
                        required
                    />
                </div>
                <Kept/>
                <button class="button is-main">"Sign in"</button>
            </form>
            {sso}
            <p class="door-foot">"No account yet? On the server: "<code>"holdpoint operator add NAME --role admin"</code></p>
        </main>
    }
    .into_any()
}

/// What everyone may know; of the identity provider's answers the log says why.
fn notice(told: Told, kept: bool) -> Option<NoticeView> {
    let (code, what, more) = match told {
        Told::SignedOut if kept => (
            401,
            "Nothing was decided: your session had ended.",
            "Sign in, and you come back to the same case with what you typed.".to_owned(),
        ),
        Told::SignedOut => (
            200,
            "Nothing was changed: your session had ended.",
            "Sign in, then send the form again.".to_owned(),
        ),
        Told::SignInFailed => (
            200,
            "That did not fit.",
            "Name or password is wrong, or the account is disabled.".to_owned(),
        ),
        Told::Wait(seconds) => (
            429,
            "Too many tries failed.",
            format!(
                "Wait {}, then try again. Until then even the right password is not looked at.",
                wait(seconds)
            ),
        ),
        Told::Full => (
            503,
            "Too many people are signing in at this moment.",
            "Try again in a few seconds.".to_owned(),
        ),
        Told::SsoRefused => (
            403,
            "The identity provider did not let you in.",
            "Try once more; if it stays so, ask whoever runs this server, whose log says why.".to_owned(),
        ),
        Told::SsoNoRole => (
            403,
            "You have no access here.",
            "The identity provider knows you, and none of your groups has a role. Ask for one there."
                .to_owned(),
        ),
        Told::SsoUnreachable => (
            503,
            "The identity provider can't be reached.",
            "Try again in a minute. Who has a password here can sign in with it.".to_owned(),
        ),
        Told::SsoBusy => (
            429,
            "Too many tries.",
            "Wait a few minutes, then try again: a quarter of an hour at most.".to_owned(),
        ),
        _ => return None,
    };
    status(code);
    Some(NoticeView::new(Hue::Bad, what, vec![text(more)]))
}
