//! Actions as a table: the log's, and a run's.

use leptos::prelude::*;

use super::{Line, Plain, Status, Tag, When};
use crate::address;
use crate::view::{Row, Tell};

/// Actions as a table; `fourth` names the column that is the run's, or what stands in its place.
pub fn log_table(
    caption: &'static str,
    fourth: &'static str,
    rows: impl Iterator<Item = (Row, Option<AnyView>)>,
) -> AnyView {
    view! {
        <table class="table is-cards is-log">
            <caption class="vh">{caption}</caption>
            <thead>
                <tr>
                    <th scope="col">"Status"</th>
                    <th scope="col">"Action and target"</th>
                    <th scope="col">"Kind"</th>
                    <th scope="col">{fourth}</th>
                    <th scope="col" class="num">"Attempts"</th>
                    <th scope="col" class="num">"Made, changed"</th>
                </tr>
            </thead>
            <tbody>{rows.map(|(action, instead)| row(action, instead)).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// An action in the log; in a run, what a resume would do with it stands in the run's place.
fn row(row: Row, on_resume: Option<AnyView>) -> AnyView {
    let run = address::run(&row.run_id);
    let of = on_resume.unwrap_or_else(|| {
        view! {
            <td class="wide is-of">
                <a class="quiet cut" href=run><Plain text=row.run_id.clone()/></a>
                <span class="why">{format!("step {}", row.step)}</span>
            </td>
        }
        .into_any()
    });
    let why = (!row.why.is_empty()).then(|| view! { <span class="why"><Line said=row.why.clone()/></span> });
    let flag = row
        .flag
        .clone()
        .map(|mark| view! { <span class="why"><Tag mark/></span> });
    // Where nothing came after it was made there is nothing more to say.
    let changed = (row.since != row.made)
        .then(|| view! { <span class="why"><span class="vh">"changed "</span><When at=row.since tell=Tell::Ago/></span> });
    view! {
        <tr data-key=row.key.clone() data-version=row.version data-agreed=row.agreed>
            <td class="fix is-state"><Status mark=row.mark/>{why}{flag}</td>
            <th scope="row" class="all wide">
                <a class="what quiet cut" href=address::action(&row.key)><Plain text=row.title/></a>
                <Plain text=row.target class="why cut"/>
            </th>
            <td class="fix is-kind"><span class="kind">{row.kind}</span></td>
            {of}
            <td data-label="Attempts" class="num is-tries">{row.attempts.to_string()}</td>
            <td class="num is-when"><When at=row.made tell=Tell::Ago/>{changed}</td>
        </tr>
    }
    .into_any()
}
