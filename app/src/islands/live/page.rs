//! Marks on the page. Nothing is moved and nothing is taken away: whoever aims at a row hits it.

use js_sys::Reflect;
use leptos::prelude::document;
use wasm_bindgen::JsValue;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement};

use super::news::{Change, Since};
use crate::islands::{all, clock};

/// Which actions that are not on the page are news to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// Those that come to wait for a person.
    Waiting,
    /// None by itself, only how many wait.
    Number,
    /// All of them.
    All,
    /// None: the page is of what it shows.
    None,
}

impl From<&str> for Others {
    fn from(word: &str) -> Self {
        match word {
            "waiting" => Self::Waiting,
            "number" => Self::Number,
            "all" => Self::All,
            _ => Self::None,
        }
    }
}

/// Whether a row stands on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Not,
    AsItIs,
    Moved,
}

/// Where an action stands on the page.
pub(super) struct Marked {
    pub row: On,
    /// What happened to it, where it is the one that the page is of.
    pub case: Option<Since>,
}

pub(super) fn member(data: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(data, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// Whether the page's own decision is on its way: what moves now moves by it.
fn is_deciding() -> bool {
    all::<Element>("#decide-form[data-sent]").next().is_some()
}

/// How many of what was selected moved since, beside the answers; its place is kept free.
fn count_moved() {
    let Some(line) = all::<Element>("[data-moved-count]").next() else {
        return;
    };
    let words = match all::<Element>("[data-chosen].is-moved").count() {
        0 => return,
        1 => "1 below moved meanwhile: it will be told as changed, and not decided on.".to_owned(),
        n => format!("{n} below moved meanwhile: they will be told as changed, and not decided on."),
    };
    if line.text_content().as_ref() != Some(&words) {
        line.set_text_content(Some(&words));
    }
}

/// Marks an action wherever it stands on the page in an older version, or with fewer who agreed.
pub(super) fn mark(change: &Change) -> Marked {
    let mut marked = Marked {
        row: On::Not,
        case: None,
    };
    for element in all::<Element>("[data-key]") {
        if element.get_attribute("data-key").as_ref() != Some(&change.key) {
            continue;
        }
        let chosen = element.has_attribute("data-chosen");
        if chosen && is_deciding() {
            marked.row = On::AsItIs;
            continue;
        }
        let shown = element
            .get_attribute("data-version")
            .and_then(|shown| shown.parse().ok());
        let agreed = element
            .get_attribute("data-agreed")
            .and_then(|agreed| agreed.parse().ok());
        let since = shown.and_then(|shown| change.since(shown, agreed));
        match &since {
            Some(Since::Moved(_)) => {
                let _ = element.class_list().add_1("is-moved");
            }
            Some(Since::Agreed(_)) => {
                let _ = element.class_list().add_1("is-agreed");
            }
            None => {}
        }
        match (element.has_attribute("data-case"), since) {
            (true, None) => {}
            (true, since) => marked.case = since,
            (false, Some(since)) => {
                let end = match &since {
                    Since::Moved(_) if chosen => "; not decided on",
                    _ => "",
                };
                over_its_end(&element, &format!("Changed: {}{end}", since.words()));
                marked.row = On::Moved;
            }
            (false, None) if marked.row == On::Not => marked.row = On::AsItIs,
            (false, None) => {}
        }
    }
    if marked.row == On::Moved {
        count_moved();
    }
    marked
}

/// The words lie over the row's end, so that it keeps its height.
fn over_its_end(row: &Element, words: &str) {
    let found = row.query_selector(".moved-mark").ok().flatten();
    let mark = found.or_else(|| {
        let mark = document().create_element("span").ok()?;
        mark.set_class_name("moved-mark");
        // In a table only a cell may hold it.
        let holder = match row.tag_name().as_str() {
            "TR" => row.first_element_child()?,
            _ => row.clone(),
        };
        holder.append_child(&mark).ok()?;
        Some(mark)
    });
    if let Some(mark) = mark {
        mark.set_text_content(Some(words));
    }
}

/// Whether all that wait stand on the page.
pub(super) fn is_whole() -> bool {
    all::<Element>("main a[rel=prev], main a[rel=next]")
        .next()
        .is_none()
}

/// How many wait, wherever the frame says so.
pub(super) fn show_waiting(count: &str, some: bool, title: &str) {
    for number in all::<Element>("[data-held]") {
        number.set_text_content(Some(count));
        if let Some(around) = number.parent_element() {
            let _ = around.class_list().toggle_with_force("is-hot", some);
        }
    }
    document().set_title(&if some {
        format!("({count}) {title}")
    } else {
        title.to_owned()
    });
    let icon = if some {
        "/favicon-alert.svg"
    } else {
        "/favicon.svg"
    };
    if let Some(link) = icon_link().filter(|link| link.get_attribute("href").as_deref() != Some(icon)) {
        let _ = link.set_attribute("href", icon);
    }
}

/// The link to the tab's icon; a page that came without one is given it.
fn icon_link() -> Option<Element> {
    if let Some(link) = all::<Element>("link[rel=icon]").next() {
        return Some(link);
    }
    let link = document().create_element("link").ok()?;
    link.set_attribute("rel", "icon").ok()?;
    document().head()?.append_child(&link).ok()?;
    Some(link)
}

/// A reaper passes every few seconds; silent for longer than this, in milliseconds, something is wrong with it.
const REAPER_SILENT: i64 = 60_000;

/// When the reaper passed, in milliseconds since 1970, and whether that is long ago by the server's clock.
pub(super) fn show_reaper(at: i64, now: i64) {
    for time in all::<Element>("[data-reaper] time") {
        clock::set(&time, at);
    }
    let silent = now - at >= REAPER_SILENT;
    for (what, shown) in [
        ("[data-alive]", !silent),
        ("[data-silent]", silent),
        ("[data-passed]", true),
        ("[data-never]", false),
    ] {
        show(&format!("[data-reaper] {what}"), shown);
    }
}

/// Whether everything is paused. The line stands above the rest of the foot, which grows upwards: nothing below moves.
pub(super) fn show_paused(paused: bool) {
    show("[data-paused]", paused);
}

fn show(what: &str, shown: bool) {
    for element in all::<Element>(what) {
        let _ = element.toggle_attribute_with_force("hidden", !shown);
    }
}

/// What a person typed into a field and has not sent.
pub(super) fn typed(id: &str) -> Option<String> {
    let field: HtmlTextAreaElement = all(&format!("textarea#{id}")).next()?;
    Some(field.value()).filter(|typed| !typed.trim().is_empty())
}

/// The action that the page's form decides on.
pub(super) fn deciding_on() -> Option<String> {
    let field: HtmlInputElement = all("#decide-form input[name=key]").next()?;
    Some(field.value())
}

/// Takes away what nobody who is signed out may see. What they typed is theirs.
pub(super) fn drop_data() {
    document().set_title("Signed out · Holdpoint");
    let typed = typed("reason");
    let Some(main) = all::<Element>("main").next() else {
        return;
    };
    main.set_text_content(None);
    let kept = typed.zip(document().create_element("p").ok());
    if let Some((typed, kept)) = kept {
        kept.set_class_name("live-typed");
        kept.set_text_content(Some(&format!("What you typed: {typed}")));
        let _ = main.append_child(&kept);
    }
}
