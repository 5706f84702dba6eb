//! A selection: what is in it, the form that decides on all of it, then what that came to, row by row.

use holdpoint::SelectionState;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::address;
use crate::calls;
use crate::components::{
    DecideSelection, Empty, EmptyArt, InSelection, Line, Notice, Paging, Plain, SelectedRows, When, counted,
    shown,
};
use crate::respond;
use crate::view::{SelectionPage, SelectionView, Tell};

/// A selection.
#[component]
pub fn Selection() -> impl IntoView {
    let query = super::query();
    let id = super::named("/review/selection/");
    shown(calls::selection(id, query.clone()), move |page| match page {
        SelectionPage::Here(view) => here(*view, &query),
        SelectionPage::Gone(typed) => gone(typed),
    })
}

fn here(view: SelectionView, query: &address::Query) -> AnyView {
    let path = address::selection(&view.id);
    let notice = view.notice.clone().map(|notice| view! { <Notice notice/> });
    let deciding = (view.state == SelectionState::Deciding).then(|| {
        view! { <p><a class="button" href=path.clone()>"Look again"</a></p> }
    });
    let ruled = view.ruling.clone().map(|(said, at, why)| {
        let why = match why {
            Some(why) => view! { <p class="quote"><Plain text=why/></p> }.into_any(),
            None => view! { <p class="hint">"Why stands in the history of each action."</p> }.into_any(),
        };
        view! {
            <section class="part">
                <h2>"What was decided"</h2>
                <p><Line said/>" "<When at tell=Tell::Ago/>"."</p>
                {why}
            </section>
        }
    });
    let next = view.waiting.map(|(waiting, more)| {
        let words = match (waiting, more) {
            (0, _) => "Back to the queue: nothing waits".to_owned(),
            (1, false) => "Back to the queue: 1 waits".to_owned(),
            all => format!("Back to the queue: {} wait", counted(all)),
        };
        view! { <p><a class="button" href="/review">{words}</a></p> }
    });
    let decide = (view.state == SelectionState::Open).then(|| view! { <DecideSelection view=view.clone()/> });
    let outcome = query.get("outcome").unwrap_or_default().to_owned();
    let narrowed = query.clone().only(&["outcome"]);
    let chips = (view.outcomes.len() > 1 || !outcome.is_empty()).then(|| chips(&view, &outcome, &path));
    let begins = query.get("after").is_some();
    let paged = begins || view.next.is_some();
    let count = format!("{} on this page", view.rows.len());
    let paging = paged.then(|| {
        view! {
            <Paging
                count
                path=path.clone()
                query=narrowed.clone()
                prev=begins.then(String::new)
                next=view.next.clone()
                back="From the first"
                on="More"
            />
        }
    });
    view! {
        <Title text=view.title.clone()/>
        <div class="head">
            <p class="crumbs"><a href="/review">"Review"</a>" "<span aria-hidden="true">"/"</span>" selection"</p>
            <h1>{view.title.clone()}</h1>
            <p class="sub"><Line said=view.lead.clone()/></p>
        </div>
        <div class="body">
            <div class="two">
                <div class="stack">{notice}{deciding}{next}{ruled}{decide}</div>
                <aside class="stack is-beside" aria-label="What is in it"><InSelection view=view.clone()/></aside>
                <section class="stack is-selection" aria-label="Row by row">
                    {chips}
                    <SelectedRows
                        rows=view.rows.clone()
                        open=view.state == SelectionState::Open
                        leaves_out=view.leaves_out
                    />
                    {paging}
                </section>
            </div>
        </div>
    }
    .into_any()
}

/// What it came to, each a way to see those alone.
fn chips(view: &SelectionView, outcome: &str, path: &str) -> AnyView {
    let chip = |word: &str, named: String, n: u32| {
        let href = address::Query::default().with("outcome", word).at(path);
        let current = (word == outcome).then_some("true");
        view! { <a class="chip" href=href aria-current=current>{format!("{named} {n}")}</a> }
    };
    view! {
        <nav class="chips" aria-label="Outcomes">
            {chip("", "All".to_owned(), view.count)}
            {view.outcomes.iter().map(|(word, named, n)| chip(word, named.clone(), *n)).collect_view()}
        </nav>
    }
    .into_any()
}

fn gone(typed: String) -> AnyView {
    respond::status(404);
    let typed = (!typed.is_empty()).then(|| {
        view! { <p>"What you typed:"</p><p class="quote"><Plain text=typed/></p> }
    });
    view! {
        <Title text="No such selection"/>
        <Empty art=EmptyArt::Missing>
            <h1>"There is no such selection"</h1>
            <p>"A selection waits an hour for its decision. Nothing was decided by it: select them anew."</p>
            {typed}
            <div class="buttons"><a class="button is-main" href="/review">"All that wait"</a></div>
        </Empty>
    }
    .into_any()
}
