//! `holdpoint token …`

use super::support::Folder;

#[test]
fn a_token_is_printed_once_alone_and_on_standard_output() {
    let folder = Folder::migrated();
    let made = folder
        .run("token create mailer --scope worker --kinds send_email,make_invoice --expires 90d")
        .ok();
    let secret = made.trim_end();
    assert!(
        secret.starts_with("hp_") && secret.len() > 40 && !secret.contains(char::is_whitespace),
        "{made}"
    );
    let list = folder.run("token list").ok();
    let line = list
        .lines()
        .find(|line| line.starts_with("mailer"))
        .unwrap_or_default();
    assert!(
        line.contains("send_email,make_invoice") && line.contains("valid") && !list.contains(secret),
        "{list}"
    );
    folder
        .run("token create mailer --scope read")
        .refused("there was a token mailer before");
    folder.run("token revoke mailer --reason=").refused("say why");
    folder.run("token revoke mailer --reason lost").ok();
    folder.run("token revoke mailer").refused("no token mailer");
    assert!(folder.run("token list").ok().contains("revoked"));
}

#[test]
fn a_token_that_acts_as_a_person_names_one() {
    let folder = Folder::migrated();
    folder
        .run("token create a --scope admin")
        .refused("--as OPERATOR");
    folder
        .run("token create a --scope admin --as zoe")
        .refused("no operator zoe");
    folder
        .run("token create a --scope read --kinds send_email")
        .refused("--kinds goes with --scope worker");
    folder
        .run("token create a --scope worker --kinds Send")
        .refused("kind");
    for usage in [
        "--scope everything",
        "--scope worker --expires soon",
        "--scope worker --expires 0d",
        "",
    ] {
        assert_eq!(
            folder.run(&format!("token create a {usage}")).code,
            Some(2),
            "{usage}"
        );
    }
}
