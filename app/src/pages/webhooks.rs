//! Webhooks, for admins: whom the server tells what waits for people, and what became of it.

use holdpoint::{DeliveryState, Event};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use crate::address::Query;
use crate::calls::{self, ChangeWebhook, RemoveWebhook};
use crate::components::{Field, Glyph, MadeOnce, Notice, Plain, Status, When, cards, none_yet, shown};
use crate::view::{DeliveryRow, HookForm, HookRow, Hue, Icon, Mark, Problem, Tell, WebhooksView};

/// What a webhook can be told of, and when that is.
const EVENTS: [(Event, &str); 6] = [
    (Event::Held, "an action begins to wait for a person"),
    (Event::Failed, "an action failed, and no person said so"),
    (Event::SuspectedDuplicate, "an effect may have happened twice"),
    (Event::SuspectedNoSend, "an effect may not have happened at all"),
    (Event::Unclaimed, "a release was claimed by nobody"),
    (Event::Paused, "a kind, or everything, was paused"),
];

/// The webhooks.
#[component]
pub fn Webhooks() -> impl IntoView {
    shown(calls::webhooks(super::query()), page)
}

fn page(view: WebhooksView) -> AnyView {
    let problem = view.problem.clone();
    let rows = view.webhooks.iter().map(|hook| row(hook, problem.as_ref()));
    let list = if view.webhooks.is_empty() {
        none_yet(
            "No webhook yet",
            "Nobody is told by this server what waits: a page has to be open.",
        )
    } else {
        let columns = ["Goes to", "Told when", "State", "Last message"];
        cards("is-tokens", "Webhooks", &columns, rows.collect())
    };
    view! {
        <Title text="Webhooks"/>
        <div class="head">
            <h1>"Webhooks"</h1>
            <p class="sub">"Whom the server tells what waits for people. Messages are signed, and carry keys and counts, never what a payload holds."</p>
        </div>
        <div class="body">
            {view.made.clone().map(made)}
            {view.notice.clone().map(|notice| view! { <Notice notice/> })}
            <div class="two">
                <div class="stack">
                    <section class="sheet">{list}</section>
                    {view.open.clone().map(messages)}
                </div>
                <div class="stack is-beside">{make(&view)}</div>
            </div>
        </div>
    }
    .into_any()
}

/// The one moment at which the secret is shown.
fn made((url, secret): (String, String)) -> AnyView {
    let what =
        view! { "The secret of the webhook to "<Plain text=url/>". Take it now: it is shown this once." }
            .into_any();
    let more = "Its receiver checks signatures with it, as Standard Webhooks say. Here it is kept encrypted, and nobody is shown it again.";
    view! { <MadeOnce what more label="Secret" secret page="/webhooks"/> }.into_any()
}

fn mark(hook: &HookRow) -> Mark {
    match (hook.enabled, &hook.because, hook.failing) {
        (false, Some(_), _) => Mark::new(Hue::Bad, Icon::Fail, "Given up"),
        (false, None, _) => Mark::new(Hue::Plain, Icon::Dot, "Off"),
        (true, _, Some(_)) => Mark::new(Hue::Hold, Icon::Warn, "Failing"),
        (true, _, None) => Mark::new(Hue::Ok, Icon::Succeed, "On"),
    }
}

fn row(hook: &HookRow, problem: Option<&Problem>) -> AnyView {
    let state = mark(hook);
    let because = hook
        .because
        .clone()
        .map(|because| view! { <span class="why"><Plain text=because/></span> });
    let failing = hook.failing.map(|at| {
        view! { <span class="why">"nothing came through for "<When at tell=Tell::Age/></span> }
    });
    let old = hook.old_secret.map(|at| {
        view! { <span class="why">"the secret before signs as well, and ends "<When at tell=Tell::Until/></span> }
    });
    let events = hook
        .form
        .events
        .iter()
        .map(|event| event.as_str().replace('_', " "));
    let events = events.collect::<Vec<_>>().join(", ");
    let kinds = (!hook.form.kinds.is_empty()).then(|| {
        view! { <span class="why">"only "<span class="kind">{hook.form.kinds.clone()}</span></span> }
    });
    let last = match hook.last.clone() {
        Some(last) => view! { {outcome(&last)}<span class="why">{last.says}</span> }.into_any(),
        None => view! { <span class="muted">"none yet"</span> }.into_any(),
    };
    let open = problem.is_some_and(|problem| problem.of == hook.id);
    let messages = Query::default().with("messages", &hook.id).at("/webhooks") + "#messages";
    view! {
        <tbody id=hook.id.clone()>
            <tr>
                <th scope="row"><span class="what"><Plain text=hook.form.url.clone()/></span>
                    <span class="why">"made "<When at=hook.created tell=Tell::Ago/>" by "<Plain text=hook.by.clone()/></span>
                </th>
                <td data-label="Told when">{events}{kinds}</td>
                <td data-label="State"><Status mark=state/>{because}{failing}{old}</td>
                <td data-label="Last message">{last}</td>
            </tr>
            <tr class="is-more">
                <td class="all" colspan="4">
                    <p><a class="button is-small" href=messages>"Messages"<span class="vh">" to "{hook.form.url.clone()}</span></a></p>
                    <details class="more" open=open>
                        <summary>"Try or change it"<span class="vh">": "{hook.form.url.clone()}</span></summary>
                        {forms(hook, problem)}
                    </details>
                </td>
            </tr>
        </tbody>
    }
    .into_any()
}

/// How a message's last try ended, and when.
fn outcome(row: &DeliveryRow) -> AnyView {
    let mark = match row.state {
        DeliveryState::Delivered => Mark::new(Hue::Ok, Icon::Succeed, "Came through"),
        DeliveryState::GivenUp => Mark::new(Hue::Bad, Icon::Fail, "Given up"),
        DeliveryState::Open if row.tries == 0 => Mark::new(Hue::Plain, Icon::Dot, "Not tried yet"),
        DeliveryState::Open => Mark::new(Hue::Hold, Icon::Warn, "Did not come through"),
    };
    let at = row.at.map(|at| view! { " "<When at tell=Tell::Ago/> });
    view! { <Status mark/>{at} }.into_any()
}

/// The newest messages of one webhook.
fn messages((id, url, rows): (String, String, Vec<DeliveryRow>)) -> AnyView {
    let list = if rows.is_empty() {
        view! { <div class="sheet-body"><p class="muted">"None was made yet."</p></div> }.into_any()
    } else {
        let rows = rows.into_iter().map(|row| {
            let next = row
                .next
                .map(|at| view! { <span class="why">"tried again "<When at tell=Tell::Until/></span> });
            view! {
                <tr>
                    <th scope="row"><span class="what">{row.says.clone()}</span>
                        <span class="why">"made "<When at=row.made tell=Tell::Ago/></span>
                    </th>
                    <td data-label="Outcome">{outcome(&row)}{next}</td>
                    <td data-label="Answer">{row.heard}</td>
                    <td data-label="Tries" class="num">{row.tries}</td>
                </tr>
            }
        });
        view! {
            <table class="table is-cards is-tokens">
                <caption class="vh">"Messages"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Message"</th>
                        <th scope="col">"Outcome"</th>
                        <th scope="col">"Answer"</th>
                        <th scope="col" class="num">"Tries"</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
        .into_any()
    };
    view! {
        <section class="sheet" id="messages" data-webhook=id>
            <div class="sheet-head"><h2>"The newest messages to "<Plain text=url class="cut"/></h2></div>
            {list}
        </section>
    }
    .into_any()
}

fn forms(hook: &HookRow, problem: Option<&Problem>) -> AnyView {
    let old = hook
        .old_secret
        .map(|at| at.time().to_string())
        .unwrap_or_default();
    let sent = [
        ("true", "sent"),
        ("false", "not sent, and those that are open are forgotten"),
    ];
    let sent = sent.map(|(word, means)| {
        view! { <option value=word selected={(word == "true") == hook.enabled}>{means}</option> }
    });
    let switch = Field::new(format!("sent-{}", hook.id), "Messages are");
    let select =
        view! { <select class="select" id=switch.id.clone() name="sent">{sent.collect_view()}</select> };
    view! {
        <div class="people-forms">
            <form method="post" action="/webhooks/test">
                <input type="hidden" name="id" value=hook.id.clone()/>
                <p><button class="button">"Send a test"</button></p>
            </form>
            <form method="post" action=ChangeWebhook::PATH class="decide">
                <input type="hidden" name="id" value=hook.id.clone()/>
                {fields(&hook.form, &hook.id, problem)}
                {switch.around(select)}
                <p><button class="button">"Save"</button></p>
            </form>
            <form method="post" action="/webhooks/secret">
                <input type="hidden" name="id" value=hook.id.clone()/>
                <input type="hidden" name="seen" value=old/>
                <p class="hint">"The secret of now signs beside a new one for 24 hours."</p>
                <p><button class="button">"Give it a new secret"</button></p>
            </form>
            <form method="post" action=RemoveWebhook::PATH>
                <input type="hidden" name="id" value=hook.id.clone()/>
                <p class="hint">"With it goes all that was told to it and was still to be told. The audit keeps that it was there."</p>
                <p><button class="button">"Take it away for good"</button></p>
            </form>
        </div>
    }
    .into_any()
}

/// What can be typed of a webhook: of one that there is, or of a new one.
fn fields(form: &HookForm, of: &str, problem: Option<&Problem>) -> AnyView {
    let url = Field::new(format!("url-{of}"), "Goes to")
        .hint(
            "It begins with https://. An address of http:// or inside your network needs the server’s leave.",
        )
        .problem(problem, of, "url");
    let kinds = Field::new(format!("kinds-{of}"), "Only these kinds")
        .hint("By commas. Empty is every kind.")
        .problem(problem, of, "kinds");
    let events = EVENTS.map(|(event, when)| {
        view! {
            <label class="check">
                <input type="checkbox" name="events[]" value=event.as_str() checked=form.events.contains(&event)/>
                " "<span>{when}</span>
            </label>
        }
    });
    let wrong = problem.filter(|problem| problem.of == of && problem.field == "events");
    let wrong =
        wrong.map(|problem| view! { <p class="error"><Glyph icon=Icon::Warn/>{problem.why.clone()}</p> });
    view! {
        {url.line("url", form.url.clone(), true)}
        <fieldset class="checks">
            <legend>"Told when"</legend>
            {events.collect_view()}
            {wrong}
        </fieldset>
        {kinds.line("kinds", form.kinds.clone(), false)}
    }
    .into_any()
}

fn make(view: &WebhooksView) -> AnyView {
    view! {
        <section class="part" id="make">
            <h2>"Make a webhook"</h2>
            <form method="post" action="/webhooks" class="decide">
                <input type="hidden" name="newest" value=view.newest.clone()/>
                {fields(&view.typed, "", view.problem.as_ref())}
                <p><button class="button is-main">"Make it"</button></p>
            </form>
        </section>
    }
    .into_any()
}
