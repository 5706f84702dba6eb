//! The people who may sign in, for admins.

use holdpoint::Role;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use crate::address::Query;
use crate::calls::{self, AddOperator, ChangeOperator};
use crate::components::{Field, Notice, Plain, Status, When, cards, shown};
use crate::view::{Hue, Icon, Mark, OperatorsView, PersonView, Problem, Tell};

/// The operators.
#[component]
pub fn Operators() -> impl IntoView {
    shown(calls::operators(super::query()), page)
}

fn page(view: OperatorsView) -> AnyView {
    let problem = view.problem.clone();
    let rows = view
        .people
        .iter()
        .cloned()
        .map(|person| row(person, problem.as_ref()));
    let columns = ["Name", "Role", "State", "Account made"];
    view! {
        <Title text="Operators"/>
        <div class="head">
            <h1>"Operators"</h1>
            <p class="sub">"Who may sign in, and what they may do. Nobody is deleted: a name stands in histories."</p>
        </div>
        <div class="body">
            {view.notice.clone().map(|notice| view! { <Notice notice/> })}
            <div class="two">
                <section class="sheet">{cards("is-people", "Operators", &columns, rows.collect())}</section>
                <div class="stack is-beside">{add(&view)}</div>
            </div>
        </div>
    }
    .into_any()
}

fn row(person: PersonView, problem: Option<&Problem>) -> AnyView {
    let mark = if person.disabled {
        Mark::new(Hue::Bad, Icon::Fail, "Disabled")
    } else {
        Mark::new(Hue::Ok, Icon::Succeed, "May sign in")
    };
    let open = problem.is_some_and(|problem| problem.of == person.name);
    let own = person
        .own
        .then(|| view! { <span class="why">"This is you."</span> });
    let history = Query::default().with("subject", &person.name).at("/audit");
    let name = person.name.clone();
    view! {
        <tbody>
            <tr>
                <th scope="row"><span class="what"><Plain text=person.name.clone()/></span>{own}</th>
                <td data-label="Role">{person.role.to_string()}</td>
                <td data-label="State"><Status mark/></td>
                <td data-label="Account made" class="fix"><When at=person.since tell=Tell::Ago/></td>
            </tr>
            <tr class="is-more">
                <td class="all" colspan="4">
                    <details class="more" open=open>
                        <summary>"Change"<span class="vh">" "{name}</span></summary>
                        <div class="people-forms">
                            {role_form(&person, problem)}
                            {password_form(&person, problem)}
                            {gate_form(&person)}
                            <p><a href=history>"What was done to this account"</a></p>
                        </div>
                    </details>
                </td>
            </tr>
        </tbody>
    }
    .into_any()
}

fn role_form(person: &PersonView, problem: Option<&Problem>) -> AnyView {
    let field = Field::new(format!("role-{}", person.name), "Role").problem(problem, &person.name, "role");
    let select = select(&field, person.role, person.last);
    view! {
        <form method="post" action=ChangeOperator::PATH class="people-line">
            <input type="hidden" name="name" value=person.name.clone()/>
            <input type="hidden" name="what" value="role"/>
            {field.around(select)}
            <button class="button" disabled=person.last>"Set role"</button>
        </form>
    }
    .into_any()
}

fn password_form(person: &PersonView, problem: Option<&Problem>) -> AnyView {
    let field = Field::new(format!("password-{}", person.name), "New password").problem(
        problem,
        &person.name,
        "password",
    );
    let input = password(&field);
    view! {
        <form method="post" action=ChangeOperator::PATH class="people-line">
            <input type="hidden" name="name" value=person.name.clone()/>
            <input type="hidden" name="what" value="password"/>
            {field.around(input)}
            <button class="button">"Set password"</button>
        </form>
    }
    .into_any()
}

/// Whether they may sign in at all. Each change ends their sessions, which stands beside it.
fn gate_form(person: &PersonView) -> AnyView {
    if person.last {
        return view! {
            <p class="hint">"The last admin who may sign in: make another one before this one is disabled or given another role."</p>
        }
        .into_any();
    }
    let (what, button, hint) = if person.disabled {
        (
            "enable",
            "Let them sign in again",
            "Their tokens are taken again too.",
        )
    } else {
        (
            "disable",
            "Disable",
            "Every change ends their sessions. Disabled, they cannot sign in, and their tokens are refused.",
        )
    };
    view! {
        <form method="post" action=ChangeOperator::PATH class="people-line">
            <input type="hidden" name="name" value=person.name.clone()/>
            <input type="hidden" name="what" value=what/>
            <p class="hint">{hint}</p>
            <button class="button">{button}</button>
        </form>
    }
    .into_any()
}

fn add(view: &OperatorsView) -> AnyView {
    let problem = view.problem.as_ref();
    let name = Field::new("new-name", "Name")
        .hint("Letters, digits and . - _ @ +. It stands in every history.")
        .problem(problem, "", "name");
    let name_input = view! {
        <input
            class="input"
            id="new-name"
            name="name"
            required
            maxlength="64"
            autocapitalize="none"
            autocomplete="off"
            spellcheck="false"
            value=view.typed.0.clone()
            aria-invalid=name.invalid()
            aria-describedby=name.described()
        />
    };
    let role = Field::new("new-role", "Role")
        .hint("Viewers read. Operators decide and pause. Admins do all that people do.");
    let role_input = select(&role, view.typed.1, false);
    let secret = Field::new("new-password", "Password")
        .hint("8 characters or more. They can change it once they are in.")
        .problem(problem, "", "password");
    let secret_input = password(&secret);
    view! {
        <section class="part" id="add">
            <h2>"Add somebody"</h2>
            <form method="post" action=AddOperator::PATH class="decide">
                {name.around(name_input)}
                {role.around(role_input)}
                {secret.around(secret_input)}
                <p><button class="button is-main">"Add"</button></p>
            </form>
        </section>
    }
    .into_any()
}

fn select(field: &Field, chosen: Role, disabled: bool) -> AnyView {
    let options = Role::ALL.iter().map(|role| {
        view! { <option value=role.as_str() selected={*role == chosen}>{role.as_str()}</option> }
    });
    view! {
        <select
            class="select"
            id=field.id.clone()
            name="role"
            disabled=disabled
            aria-invalid=field.invalid()
            aria-describedby=field.described()
        >
            {options.collect_view()}
        </select>
    }
    .into_any()
}

fn password(field: &Field) -> AnyView {
    view! {
        <input
            class="input"
            type="password"
            id=field.id.clone()
            name="password"
            autocomplete="new-password"
            required
            minlength="8"
            maxlength="1024"
            aria-invalid=field.invalid()
            aria-describedby=field.described()
        />
    }
    .into_any()
}
