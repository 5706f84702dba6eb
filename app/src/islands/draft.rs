//! What was typed and is not sent yet stays with its tab: a look at another row, or a page that is loaded anew, takes
//! nothing of it away. It belongs to one person and to one action or selection: nobody else finds it in their form.

use leptos::ev;
use leptos::prelude::*;
use web_sys::{Element, HtmlTextAreaElement};

use super::tab_storage;

/// How the names begin under which the tab keeps it. A line each follows: who, of what, which field.
const KEPT: &str = "holdpoint-draft\n";
/// The fields of the form that decides.
const FIELDS: &str = "#decide-form textarea";

/// Brings back what was typed on this page before, and keeps what is typed from now on.
pub(super) fn start() {
    if let Some(by) = super::all::<Element>("#decide-form").find_map(|form| hidden(&form, "by")) {
        forget(|name| !name.starts_with(&format!("{KEPT}{by}\n")));
    }
    for field in super::all::<HtmlTextAreaElement>(FIELDS) {
        if field.value().is_empty() {
            bring_back(&field);
        } else {
            // The server gave it back: it is as good as typed here.
            keep(&field);
        }
    }
    let typing = window_event_listener(ev::input, |event| {
        let field = super::target::<HtmlTextAreaElement>(&event);
        if let Some(field) = field.filter(|field| field.matches(FIELDS).unwrap_or(false)) {
            keep(&field);
            mark(&field, false);
        }
    });
    on_cleanup(move || typing.remove());
}

/// The form was answered, and its answer holds what is still needed of it; or whoever typed signs out.
pub(super) fn drop_of(form: &Element) {
    match place(form) {
        Some(place) => forget(|name| name.starts_with(&place)),
        None if form.get_attribute("action").as_deref() == Some("/logout") => forget(|_| true),
        None => {}
    }
}

fn hidden(form: &Element, name: &str) -> Option<String> {
    let field = form.query_selector(&format!("input[name={name}]")).ok()??;
    field.get_attribute("value")
}

/// How the names of what is typed into this form begin.
fn place(form: &Element) -> Option<String> {
    let of = hidden(form, "key").or_else(|| hidden(form, "id"))?;
    Some(format!("{KEPT}{}\n{of}\n", hidden(form, "by")?))
}

fn name_of(field: &HtmlTextAreaElement) -> Option<String> {
    Some(format!("{}{}", place(&field.form()?.into())?, field.id()))
}

fn keep(field: &HtmlTextAreaElement) {
    let Some((storage, name)) = tab_storage().zip(name_of(field)) else {
        return;
    };
    // A browser that keeps nothing for this site has the page itself still.
    let _ = match field.value() {
        empty if empty.is_empty() => storage.remove_item(&name),
        typed => storage.set_item(&name, &typed),
    };
}

fn bring_back(field: &HtmlTextAreaElement) {
    let kept = tab_storage().zip(name_of(field));
    let Some(typed) = kept.and_then(|(storage, name)| storage.get_item(&name).ok().flatten()) else {
        return;
    };
    field.set_value(&typed);
    mark(field, true);
    if let Some(folded) = field.closest("details").ok().flatten() {
        let _ = folded.set_attribute("open", "");
    }
}

/// Says beside a field that what stands in it was typed before, or no more.
fn mark(field: &HtmlTextAreaElement, is_draft: bool) {
    let around = field.closest(".field").ok().flatten();
    if let Some(said) = around.and_then(|around| around.query_selector("[data-drafted]").ok().flatten()) {
        let _ = said.toggle_attribute_with_force("hidden", !is_draft);
    }
}

/// Forgets what is kept under names of which this is true.
fn forget(which: impl Fn(&str) -> bool) {
    let Some(storage) = tab_storage() else { return };
    let names = (0..storage.length().unwrap_or(0)).filter_map(|n| storage.key(n).ok().flatten());
    let names: Vec<String> = names
        .filter(|name| name.starts_with(KEPT) && which(name))
        .collect();
    for name in names {
        let _ = storage.remove_item(&name);
    }
}
