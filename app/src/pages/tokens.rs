//! The tokens of programs, for admins: made once, shown once, revoked for good.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use crate::calls::{self, RevokeToken};
use crate::components::{Field, MadeOnce, Notice, Plain, Status, When, cards, none_yet, shown};
use crate::view::{Hue, Icon, Mark, Problem, Tell, TokenRow, TokenState, TokensView};

/// A scope's word, and what it may do.
const SCOPES: [(&str, &str); 4] = [
    ("worker", "worker: claims and reports, nothing else"),
    ("read", "read: reads everything, changes nothing"),
    ("operator", "operator: decides and pauses, as a person"),
    ("admin", "admin: all but a worker’s calls, as a person"),
];

/// The tokens.
#[component]
pub fn Tokens() -> impl IntoView {
    shown(calls::tokens(super::query()), page)
}

fn page(view: TokensView) -> AnyView {
    let problem = view.problem.clone();
    let rows = view
        .tokens
        .iter()
        .cloned()
        .map(|token| row(token, problem.as_ref()));
    let list = if view.tokens.is_empty() {
        none_yet("No token yet", "A program shows one with each of its calls.")
    } else {
        let columns = ["Name", "May", "State", "Last used", "Ends"];
        cards("is-tokens", "Tokens", &columns, rows.collect())
    };
    view! {
        <Title text="Tokens"/>
        <div class="head">
            <h1>"Tokens"</h1>
            <p class="sub">"What programs show to be let in. One that decides or administers acts as a person, and can do no more than they may."</p>
        </div>
        <div class="body">
            {view.made.clone().map(made)}
            {view.notice.clone().map(|notice| view! { <Notice notice/> })}
            <div class="two">
                <section class="sheet">{list}</section>
                <div class="stack is-beside">{make(&view)}</div>
            </div>
        </div>
    }
    .into_any()
}

/// The one moment at which the secret is shown.
fn made((name, secret): (String, String)) -> AnyView {
    let what =
        view! { "The token "<Plain text=name/>" is made. Take it now: it is shown this once." }.into_any();
    let more =
        "It is kept as a hash here, and nobody can show it again. Hand it to its program, not to a chat.";
    view! { <MadeOnce what more label="Token" secret page="/tokens"/> }.into_any()
}

fn row(token: TokenRow, problem: Option<&Problem>) -> AnyView {
    let mark = match token.state {
        TokenState::Valid => Mark::new(Hue::Ok, Icon::Succeed, "Valid"),
        TokenState::Expired => Mark::new(Hue::Plain, Icon::Dot, "Expired"),
        TokenState::Revoked => Mark::new(Hue::Bad, Icon::Fail, "Revoked"),
        TokenState::OwnerDisabled => Mark::new(Hue::Hold, Icon::Warn, "Its person is disabled"),
    };
    let owner = token
        .operator
        .clone()
        .map(|owner| view! { <span class="why">"as "<Plain text=owner/></span> });
    let kinds = (!token.kinds.is_empty()).then(|| {
        view! { <span class="why">"only "<span class="kind">{token.kinds.join(", ")}</span></span> }
    });
    let moment = |at: Option<crate::view::Moment>, tell: Tell, never: &'static str| match at {
        Some(at) => view! { <When at tell/> }.into_any(),
        None => view! { <span class="muted">{never}</span> }.into_any(),
    };
    let open = problem.is_some_and(|problem| problem.of == token.name);
    let ended = matches!(token.state, TokenState::Revoked);
    let revoke = (!ended).then(|| {
        view! {
            <tr class="is-more">
                <td class="all" colspan="5">
                    <details class="more" open=open>
                        <summary>"Revoke"<span class="vh">" "{token.name.clone()}</span></summary>
                        {revoke_form(&token, problem)}
                    </details>
                </td>
            </tr>
        }
    });
    let ends = if token.state == TokenState::Expired {
        Tell::Ago
    } else {
        Tell::Until
    };
    view! {
        <tbody>
            <tr>
                <th scope="row"><span class="what"><Plain text=token.name.clone()/></span>
                    <span class="why">"made "<When at=token.created tell=Tell::Ago/></span>
                </th>
                <td data-label="May">{token.scope.to_string()}{owner}{kinds}</td>
                <td data-label="State"><Status mark/></td>
                <td data-label="Last used">{moment(token.used, Tell::Ago, "never")}</td>
                <td data-label="Ends">{moment(token.expires.filter(|_| !ended), ends, if ended { "–" } else { "never" })}</td>
            </tr>
            {revoke}
        </tbody>
    }
    .into_any()
}

fn revoke_form(token: &TokenRow, problem: Option<&Problem>) -> AnyView {
    let field = Field::new(format!("why-{}", token.name), "Why?").problem(problem, &token.name, "reason");
    let input = view! {
        <input
            class="input"
            id=field.id.clone()
            name="reason"
            required
            maxlength="2000"
            placeholder="It stays in the audit, with your name."
            aria-invalid=field.invalid()
            aria-describedby=field.described()
        />
    };
    view! {
        <form method="post" action=RevokeToken::PATH class="people-forms">
            <input type="hidden" name="name" value=token.name.clone()/>
            <p class="hint">"Its program is refused from then on, and the name is not used again."</p>
            {field.around(input)}
            <p><button class="button">"Revoke for good"</button></p>
        </form>
    }
    .into_any()
}

fn make(view: &TokensView) -> AnyView {
    let (typed, problem) = (view.typed.clone(), view.problem.as_ref());
    let name = Field::new("t-name", "Name")
        .hint("What it is for. Names are used once.")
        .problem(problem, "", "name");
    let scope = Field::new("t-scope", "What it may do").problem(problem, "", "scope");
    let scopes = SCOPES.map(|(word, means)| {
        view! { <option value=word selected={word == typed.scope}>{means}</option> }
    });
    let scope_input = view! {
        <select class="select" id="t-scope" name="scope" aria-invalid=scope.invalid() aria-describedby=scope.described()>
            {scopes.collect_view()}
        </select>
    };
    let person = Field::new("t-operator", "Acts as")
        .hint("Needed by operator and admin. It ends with that person.")
        .problem(problem, "", "operator");
    let people = view.people.iter().map(|one| {
        view! { <option value=one.clone() selected={*one == typed.operator}>{one.clone()}</option> }
    });
    let person_input = view! {
        <select class="select" id="t-operator" name="operator" aria-invalid=person.invalid() aria-describedby=person.described()>
            <option value="">"Nobody"</option>
            {people.collect_view()}
        </select>
    };
    let kinds = Field::new("t-kinds", "Only these kinds")
        .hint("For workers: by commas. Empty is every kind.")
        .problem(problem, "", "kinds");
    let days = Field::new("t-days", "Ends after")
        .hint("Days. Empty: it does not end.")
        .problem(problem, "", "days");
    let days_input = view! {
        <input
            class="input"
            type="number"
            inputmode="numeric"
            id="t-days"
            name="days"
            min="1"
            max="36500"
            value=typed.days
            aria-invalid=days.invalid()
            aria-describedby=days.described()
        />
    };
    view! {
        <section class="part" id="make">
            <h2>"Make a token"</h2>
            <form method="post" action="/tokens" class="decide">
                {name.line("name", typed.name, true)}
                {scope.around(scope_input)}
                {person.around(person_input)}
                {kinds.line("kinds", typed.kinds, false)}
                {days.around(days_input)}
                <p><button class="button is-main">"Make it"</button></p>
            </form>
        </section>
    }
    .into_any()
}
