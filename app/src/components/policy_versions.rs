//! The versions of a policy, each with what it changed.

use leptos::prelude::*;

use super::{Glyph, Plain, Warning, When};
use crate::view::{Icon, MemberChange, Tell, VersionView};

/// The versions of a policy, newest first; nothing where there is none.
#[component]
pub fn PolicyVersions(
    /// The versions.
    versions: Vec<VersionView>,
) -> impl IntoView {
    (!versions.is_empty()).then(|| {
        let lines = versions.into_iter().map(version).collect_view();
        view! { <section class="part"><h2>"Versions"</h2><ol class="history is-plain">{lines}</ol></section> }
    })
}

fn version(version: VersionView) -> AnyView {
    let turned = version.turned.map(|what| format!(": {what}"));
    let caption = format!("What version {} changed", version.version);
    let changes = (!version.changes.is_empty()).then(|| changes(caption, version.changes));
    view! {
        <li class="event" id=format!("version-{}", version.version)>
            <When at=version.at tell=Tell::Ago/>
            <Glyph icon=Icon::Claimed/>
            <div>
                <p class="event-what"><b>{version.version}</b>", "<Plain text=version.by/>{turned}</p>
                <p class="event-why quote"><Plain text=version.reason/></p>
                {changes}
            </div>
        </li>
    }
    .into_any()
}

/// What the form holds that does not stand: whoever is sent here by a link sees what saving would change.
#[component]
pub fn Unsaved(
    /// What would change.
    changes: Vec<MemberChange>,
) -> impl IntoView {
    (!changes.is_empty()).then(|| {
        let table = self::changes("What saving the form would change".to_owned(), changes);
        view! {
            <section class="unsaved">
                <Warning
                    what="These values are not saved."
                    more="They came with the address of this page. Saving the form would change this:"
                />
                {table}
            </section>
        }
    })
}

fn changes(caption: String, changes: Vec<MemberChange>) -> AnyView {
    let row = |change: MemberChange| {
        view! {
            <tr>
                <th scope="row">{change.name}</th>
                <td><del><Plain text=change.before/></del></td>
                <td><ins><Plain text=change.after/></ins></td>
            </tr>
        }
    };
    view! {
        <table class="changes">
            <caption class="vh">{caption}</caption>
            <thead><tr><th scope="col">"Changed"</th><th scope="col">"Old"</th><th scope="col">"New"</th></tr></thead>
            <tbody>{changes.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}
