//! Pages that could not be, and lists with nothing in them.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

use crate::address::Query;
use crate::trouble::whose;
use crate::{Trouble, respond};

/// The sign in the ring of an empty page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyArt {
    /// A tick: nothing to do is good news.
    AllClear,
    /// A plus: nothing yet.
    Nothing,
    /// A stroke: not there.
    Missing,
    /// A lock: not for you.
    Locked,
    /// A mark of exclamation: it broke.
    Broken,
}

impl EmptyArt {
    const fn sign(self) -> (&'static str, &'static str) {
        match self {
            Self::AllClear => ("empty-art", "m14 22.5 5.5 5.5L30.5 16"),
            Self::Nothing => ("empty-art is-plain", "M22 14v16M14 22h16"),
            Self::Missing => ("empty-art is-plain", "M16 22h12"),
            Self::Locked => ("empty-art is-plain", "M16 21v-4a6 6 0 0 1 12 0v4M14 21h16v10H14Z"),
            Self::Broken => ("empty-art is-bad", "M22 13v11M22 30v.2"),
        }
    }
}

/// A picture, and what there is to say in place of data.
#[component]
pub fn Empty(
    /// The picture.
    art: EmptyArt,
    /// What there is to say.
    children: Children,
) -> impl IntoView {
    let (class, sign) = art.sign();
    view! {
        <div class="empty">
            <svg class=class viewBox="0 0 44 44" aria-hidden="true">
                <path class="ring" d="M13.2 2h17.6L42 13.2v17.6L30.8 42H13.2L2 30.8V13.2Z"></path>
                <path class="sign" d=sign></path>
            </svg>
            {children()}
        </div>
    }
    .into_any()
}

/// A page that could not be: why, and the way on.
#[component]
pub fn TroublePage(
    /// Why.
    trouble: Trouble,
) -> impl IntoView {
    if trouble != Trouble::SignedOut {
        respond::status(trouble.status());
    }
    let location = use_location();
    let again =
        location.pathname.get_untracked() + &Query::parse(&location.search.get_untracked()).to_string();
    let (art, title, text) = match &trouble {
        Trouble::SignedOut => (
            EmptyArt::Locked,
            "You are signed out",
            "Your session has ended. Nothing that you typed was sent.".to_owned(),
        ),
        Trouble::Forbidden { needs } => (
            EmptyArt::Locked,
            "This is not for you to see",
            format!(
                "Only {} may see it. An admin can give you that role.",
                whose(*needs)
            ),
        ),
        Trouble::NotFound { what } if what == "action" => (
            EmptyArt::Missing,
            "There is no such action",
            "The address may be cut off. A key has 64 signs, 0 to 9 and a to f.".to_owned(),
        ),
        Trouble::NotFound { what } if what == "run" => (
            EmptyArt::Missing,
            "There is no such run",
            "Nothing was ever claimed under this name. Runs are spelled exactly as their workers spell them."
                .to_owned(),
        ),
        Trouble::NotFound { .. } => (
            EmptyArt::Missing,
            "There is no such page",
            "The address may be cut off.".to_owned(),
        ),
        Trouble::Invalid { .. } => (
            EmptyArt::Missing,
            "This address cannot be read",
            "A part of it is cut off, or belongs to another list. Begin the list anew.".to_owned(),
        ),
        Trouble::Unavailable => (
            EmptyArt::Broken,
            "The database did not answer",
            "Nothing was changed, and nothing is lost. Workers that report are asked to come again."
                .to_owned(),
        ),
        Trouble::TooBroad => (
            EmptyArt::Missing,
            "This asks for too much at once",
            "Finding it would have taken longer than a page may. Narrow it: a status, a kind, a time."
                .to_owned(),
        ),
        Trouble::Offline => (
            EmptyArt::Broken,
            "The server did not answer",
            "It may be starting again, or the network is gone. Nothing was changed.".to_owned(),
        ),
        Trouble::Internal => (
            EmptyArt::Broken,
            "Something broke",
            "A fault of this program, written to its log. Nothing was changed.".to_owned(),
        ),
    };
    let retry = matches!(
        trouble,
        Trouble::Unavailable | Trouble::Offline | Trouble::Internal
    );
    let anew = matches!(trouble, Trouble::Invalid { .. } | Trouble::TooBroad);
    let sign_in = trouble == Trouble::SignedOut;
    let path = location.pathname.get_untracked();
    let login = Query::default().with("next", &again).at("/login");
    view! {
        <Title text=title/>
        <Empty art>
            <h1>{title}</h1>
            <p>{text}</p>
            <p class="hint">{trouble.status().to_string()}</p>
            <div class="buttons">
                {sign_in.then(|| view! { <a class="button is-main" rel="external" href=login>"Sign in"</a> })}
                {retry.then(|| view! { <a class="button is-main" rel="external" href=again>"Try again"</a> })}
                {anew.then(|| view! { <a class="button is-main" href=path>"Begin anew"</a> })}
                {(!sign_in).then(|| view! { <a class="button" href="/">"Overview"</a> <a class="button" href="/actions">"Search the log"</a> })}
            </div>
        </Empty>
    }
    .into_any()
}
