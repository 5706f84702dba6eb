//! One's own account: who one is here, the password, the look, and where one is signed in.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::calls;
use crate::components::{Glyph, Notice, Plain, Themes, When, shown};
use crate::view::{AccountView, Icon, SessionView, Tell};

/// One's own account.
#[component]
pub fn Account() -> impl IntoView {
    shown(calls::account(), page)
}

fn page(view: AccountView) -> AnyView {
    let began = view
        .began_by
        .map(|how| view! { <dt>"Signed in"</dt><dd>{how}</dd> });
    view! {
        <Title text="Your account"/>
        <div class="head">
            <h1>"Your account"</h1>
            <p class="sub">"Who you are here, and where you are signed in."</p>
        </div>
        <div class="body">
            {view.notice.clone().map(|notice| view! { <Notice notice/> })}
            <div class="two">
                <div class="stack">{sessions(view.sessions.clone())}</div>
                <div class="stack is-beside">
                    <section class="part">
                        <h2>"You"</h2>
                        <dl class="facts">
                            <dt>"Name"</dt>
                            <dd><b><Plain text=view.name.clone()/></b></dd>
                            <dt>"Role"</dt>
                            <dd>{view.role.to_string()}": "{view.may}</dd>
                            {began}
                            <dt>"Account made"</dt>
                            <dd><When at=view.since tell=Tell::Ago/></dd>
                        </dl>
                    </section>
                    {password(&view)}
                    <section class="part">
                        <h2>"Theme"</h2>
                        <Themes theme=view.theme here="/account"/>
                    </section>
                </div>
            </div>
        </div>
    }
    .into_any()
}

fn sessions(sessions: Vec<SessionView>) -> AnyView {
    let others = sessions.iter().filter(|session| !session.this).count();
    let end_others = (others > 0).then(|| {
        view! {
            <form method="post" action="/account/sessions">
                <button class="button" name="end" value="others">"End all others"</button>
            </form>
        }
    });
    let sub = match others {
        0 => "You are signed in here and nowhere else.".to_owned(),
        1 => "You are signed in here and at one other place.".to_owned(),
        n => format!("You are signed in here and at {n} other places."),
    };
    let rows = sessions.into_iter().map(row).collect_view();
    view! {
        <section class="sheet">
            <div class="sheet-head is-middle">
                <div><h2>"Sessions"</h2><p>{sub}" End what you do not know, then change your password."</p></div>
                {end_others}
            </div>
            <ul class="sessions">{rows}</ul>
        </section>
    }
    .into_any()
}

fn row(session: SessionView) -> AnyView {
    let label = format!("End the session of {}, {}", session.browser, session.address);
    let (mark, end) = if session.this {
        let mark = view! { <span class="tag is-ok"><Glyph icon=Icon::Dot/>"This one"</span> }.into_any();
        (Some(mark), None)
    } else {
        let end = view! {
            <form method="post" action="/account/sessions">
                <button class="button is-small" name="end" value=session.handle aria-label=label>"End"</button>
            </form>
        };
        (None, Some(end))
    };
    view! {
        <li class="session">
            <div>
                <p class="session-what"><b title=session.agent>{session.browser}</b>{mark}</p>
                <p class="session-more">
                    "From "<Plain text=session.address/>", signed in "<When at=session.created tell=Tell::Ago/>
                    ". Last seen "<When at=session.seen tell=Tell::Ago/>"; ends "
                    <When at=session.ends tell=Tell::Until/>" at the latest."
                </p>
            </div>
            {end}
        </li>
    }
    .into_any()
}

fn password(view: &AccountView) -> AnyView {
    if !view.has_password {
        return view! {
            <section class="part">
                <h2>"Password"</h2>
                <p class="hint">"You sign in through your identity provider: there is no password of yours here."</p>
            </section>
        }
        .into_any();
    }
    let problem = view.problem;
    view! {
        <section class="part">
            <h2>"Password"</h2>
            <form method="post" action="/account/password" class="decide">
                // Managers of passwords want to know whose it is.
                <input type="text" name="name" value=view.name.clone() autocomplete="username" hidden readonly/>
                {field(problem, "present", "Present password", "current-password", None)}
                {field(
                    problem,
                    "password",
                    "New password",
                    "new-password",
                    Some("8 characters or more. A few words that only you would put together are best."),
                )}
                {field(problem, "again", "The same again", "new-password", None)}
                <p class="hint">"All of your other sessions end with it."</p>
                <p><button class="button is-main">"Change the password"</button></p>
            </form>
        </section>
    }
    .into_any()
}

fn field(
    problem: Option<(&'static str, &'static str)>,
    name: &'static str,
    label: &'static str,
    autocomplete: &'static str,
    hint: Option<&'static str>,
) -> AnyView {
    let wrong = problem.filter(|(field, _)| *field == name).map(|(_, why)| why);
    let (hint_id, error_id) = (format!("{name}-h"), format!("{name}-e"));
    let described: Vec<_> = hint
        .map(|_| hint_id.clone())
        .into_iter()
        .chain(wrong.map(|_| error_id.clone()))
        .collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    let hint = hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> });
    let error = wrong.map(|why| view! { <p class="error" id=error_id><Glyph icon=Icon::Warn/>{why}</p> });
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input
                class="input"
                type="password"
                id=name
                name=name
                autocomplete=autocomplete
                required
                aria-describedby=described
                aria-invalid=wrong.map(|_| "true")
            />
            {hint}
            {error}
        </div>
    }
    .into_any()
}
