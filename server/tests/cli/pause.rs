//! `holdpoint pause` and `holdpoint resume`.

use super::support::Folder;

#[test]
fn a_kind_and_everything_are_paused_and_resumed() {
    let folder = Folder::migrated();
    let said = folder.run("pause --kind send_email --reason moving").ok();
    assert!(said.contains("the kind send_email is paused"), "{said}");
    let said = folder.run("pause --reason restored").ok();
    assert!(said.contains("everything is paused"), "{said}");
    let said = folder.run("resume --reason reconciled").ok();
    assert!(said.contains("everything is resumed"), "{said}");
    folder.run("resume --kind send_email --reason moved").ok();
}

#[test]
fn a_pause_without_a_reason_or_of_no_kind_is_refused() {
    let folder = Folder::migrated();
    assert_eq!(folder.run("pause").code, Some(2));
    folder
        .tell("pause --kind Nonsense --reason x", "", &[])
        .refused("kind");
    folder
        .run("resume --kind unknown --reason x")
        .refused("never paused");
}
