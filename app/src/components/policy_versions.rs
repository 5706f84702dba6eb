//! The versions of a policy, each with what it changed.

use leptos::prelude::*;

use super::{Glyph, Plain, When};
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
    let changes = (!version.changes.is_empty()).then(|| changes(version.version, version.changes));
    view! {
        <li class="event">
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

fn changes(version: i64, changes: Vec<MemberChange>) -> AnyView {
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
            <caption class="vh">{format!("What version {version} changed")}</caption>
            <thead><tr><th scope="col">"Changed"</th><th scope="col">"Old"</th><th scope="col">"New"</th></tr></thead>
            <tbody>{changes.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}
