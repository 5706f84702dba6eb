//! JSON by its members: in the order in which they came, folded where they are long.

use leptos::prelude::*;

use super::mail::rest;
use super::{Plain, counted};
use crate::view::{Branch, Group, Value};

/// A JSON value with all that is in it.
pub fn tree(branch: Branch) -> AnyView {
    view! { <div class="json" role="group" aria-label="JSON">{member(branch, true)}</div> }.into_any()
}

fn member(branch: Branch, top: bool) -> AnyView {
    let name = branch
        .name
        .map(|name| view! { <span class="json-name"><Plain text=name/></span>": " });
    match branch.value {
        Value::Text(text) => {
            view! { <div class="json-line">{name}<span class="json-text"><Plain text/></span></div> }
                .into_any()
        }
        Value::Plain(text) => {
            view! { <div class="json-line">{name}<span class="json-other"><Plain text/></span></div> }
                .into_any()
        }
        Value::Words(words) => {
            let rest = rest(&words, "json-words");
            view! { <div class="json-line">{name}<div class="json-words"><Plain text=words.now/></div>{rest}</div> }
                .into_any()
        }
        Value::Group(group) if group.members == 0 => {
            let empty = if group.list { "[ ]" } else { "{ }" };
            view! { <div class="json-line">{name}{empty}</div> }.into_any()
        }
        Value::Group(group) if top => members(group),
        Value::Group(group) => {
            let (open, count) = (!group.folded, size(&group));
            view! {
                <details class="json-group" open=open>
                    <summary>{name}<span class="json-size">{count}</span></summary>
                    {members(group)}
                </details>
            }
            .into_any()
        }
    }
}

fn size(group: &Group) -> String {
    let n = counted((group.members, false));
    match (group.list, group.members) {
        (true, 1) => "[1 item]".to_owned(),
        (true, _) => format!("[{n} items]"),
        (false, 1) => "{1 member}".to_owned(),
        (false, _) => format!("{{{n} members}}"),
    }
}

fn members(group: Group) -> AnyView {
    let left = group.members - group.shown.len() as u32;
    let left = (left > 0).then(|| {
        let what = if group.list { "items" } else { "members" };
        view! { <p class="hint">{format!("… and {} more {what}, in the file.", counted((left, false)))}</p> }
    });
    let class = if group.list { "json-in is-list" } else { "json-in" };
    let shown = group.shown.into_iter().map(|one| member(one, false));
    view! { <div class=class>{shown.collect_view()}{left}</div> }.into_any()
}
