//! One's own account. Its forms go to the server's own handlers, which alone look at passwords and cookies.

use holdpoint::{BeganBy, Role};
use leptos::prelude::*;

use crate::context::SessionIdle;
use crate::say;
use crate::told::{Said, Told, wait};
use crate::view::{AccountView, Hue, NoticeView, SessionView, text};
use crate::{Theme, Trouble};

/// One's own account.
pub async fn account() -> Result<AccountView, Trouble> {
    let here = super::Here::find()?;
    let said = use_context::<Said>().unwrap_or_default();
    let theme = use_context::<Theme>().unwrap_or_default();
    let SessionIdle(idle_s) = use_context().ok_or(Trouble::Internal)?;
    let account = here.ledger.account(&here.actor, idle_s).await?;
    let began_by = account.sessions.iter().find(|session| session.this);
    let sessions = account.sessions.iter().map(|session| SessionView {
        handle: session.handle.clone(),
        browser: say::browser(session.agent.as_deref()),
        agent: session.agent.clone(),
        address: session
            .address
            .clone()
            .unwrap_or_else(|| "an unknown address".to_owned()),
        created: session.created_at.into(),
        seen: session.seen_at.into(),
        ends: session.expires_at.into(),
        this: session.this,
    });
    Ok(AccountView {
        may: may(account.role),
        began_by: began_by.map(|session| match session.began_by {
            BeganBy::Password => "with your password",
            BeganBy::Sso => "through your identity provider",
        }),
        since: account.created_at.into(),
        has_password: account.has_password,
        problem: said.told.and_then(problem),
        theme,
        sessions: sessions.collect(),
        notice: said.told.and_then(notice),
        role: account.role,
        name: account.name,
    })
}

const fn may(role: Role) -> &'static str {
    match role {
        Role::Viewer => "you may read everything",
        Role::Operator => "you may read, decide, pause and acknowledge",
        Role::Admin => "you may do all that people do here",
    }
}

/// The field that was not taken, and why.
const fn problem(told: Told) -> Option<(&'static str, &'static str)> {
    match told {
        Told::PresentWrong => Some(("present", "That is not your present password.")),
        Told::TooShort => Some(("password", "Take 8 characters or more.")),
        Told::TooLong => Some(("password", "Take 1,024 bytes or fewer.")),
        Told::TooCommon => Some((
            "password",
            "It is one of the first that anybody would guess. Take another.",
        )),
        Told::OwnName => Some(("password", "It is little more than your name. Take another.")),
        Told::Same => Some(("password", "It is the one that you have. Take another.")),
        Told::NotTwice => Some(("again", "The two are not the same.")),
        _ => None,
    }
}

fn notice(told: Told) -> Option<NoticeView> {
    let (hue, what, more) = match told {
        Told::PasswordChanged => (
            Hue::Ok,
            "Your password is changed.",
            "All of your other sessions have ended. Your tokens go on.".to_owned(),
        ),
        Told::SessionEnded => (Hue::Ok, "That session has ended.", String::new()),
        Told::OthersEnded => (Hue::Ok, "All of your other sessions have ended.", String::new()),
        Told::NoSession => (
            Hue::Hold,
            "That session had ended before.",
            "Nothing was changed.".to_owned(),
        ),
        Told::Meanwhile => (
            Hue::Bad,
            "Your password was not changed.",
            "Your account was changed by somebody else in that moment. Try it again.".to_owned(),
        ),
        Told::Wait(seconds) => (
            Hue::Bad,
            "Your password was not changed: too many tries failed.",
            format!("Wait {}, then try again.", wait(seconds)),
        ),
        Told::Full => (
            Hue::Bad,
            "Your password was not changed: too many sign in at this moment.",
            "Try it again in a few seconds.".to_owned(),
        ),
        Told::PresentWrong
        | Told::TooShort
        | Told::TooLong
        | Told::TooCommon
        | Told::OwnName
        | Told::Same
        | Told::NotTwice => (
            Hue::Bad,
            "Your password was not changed.",
            problem(told).map(|(_, why)| why.to_owned()).unwrap_or_default(),
        ),
        Told::SignInFailed
        | Told::SignedOut
        | Told::SsoRefused
        | Told::SsoNoRole
        | Told::SsoUnreachable
        | Told::SsoBusy => return None,
    };
    let more = if more.is_empty() {
        Vec::new()
    } else {
        vec![text(more)]
    };
    Some(NoticeView::new(hue, what, more))
}
