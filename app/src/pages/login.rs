//! Signing in. The form goes to the server's own handler; it says nothing about which part was wrong.

use leptos::prelude::*;
use leptos_meta::{Link, Title};

use crate::components::{Brand, Notice};
use crate::view::{Hue, NoticeView, text};

/// Name and password.
#[component]
pub fn Login() -> impl IntoView {
    let query = super::query();
    let next = query.get("next").unwrap_or("/").to_owned();
    let notice = query.get("failed").map(|why| {
        let said = match why {
            "busy" => ("Too many tries.", "Wait a minute, then try again."),
            _ => (
                "That did not fit.",
                "Name or password is wrong, or the account is disabled.",
            ),
        };
        let notice = NoticeView {
            hue: Hue::Bad,
            what: said.0.to_owned(),
            more: vec![text(said.1)],
            moved: Vec::new(),
            about: None,
        };
        view! { <Notice notice/> }
    });
    view! {
        <Title text="Sign in"/>
        <Link rel="icon" href="/favicon.svg"/>
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
                <button class="button is-main">"Sign in"</button>
            </form>
            <p class="door-foot">"No account yet? On the server: "<code>"holdpoint operator add NAME --role admin"</code></p>
        </main>
    }
    .into_any()
}
