//! `holdpoint secrets rotate`, and what `doctor` says of keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use holdpoint::ledger::NewWebhook;
use holdpoint::{Actor, Event, Ledger};
use holdpoint_server::crypt::Keyring;
use holdpoint_server::notify::sealed;

use super::support::Folder;

fn key(byte: u8) -> String {
    STANDARD.encode([byte; 32])
}

async fn hooked(folder: &Folder) {
    let ledger = Ledger::open_existing(&folder.url()).await.unwrap();
    let keys = Keyring::read(&key(1)).unwrap();
    let new = NewWebhook {
        id: "wh_1".to_owned(),
        url: "https://1.1.1.1/".to_owned(),
        events: vec![Event::Held],
        kinds: None,
        enabled: true,
        secret: sealed(&keys, "wh_1", "whsec_c2VjcmV0").unwrap(),
    };
    ledger.add_webhook(&Actor::CommandLine, new).await.unwrap();
    ledger.close().await;
}

#[tokio::test]
async fn secrets_are_encrypted_anew_under_the_first_key_and_doctor_finds_those_that_no_key_opens() {
    let folder = Folder::migrated();
    hooked(&folder).await;
    let (old, new, both) = (key(1), key(2), format!("{},{}", key(2), key(1)));
    let with = |command: &str, key: &str| folder.tell(command, "", &[("HOLDPOINT_SECRET_KEY", key)]);
    assert!(!with("doctor", &old).ok().contains("webhook_secrets"));
    let found = with("doctor", &new).ok();
    assert!(
        found.contains("webhook_secrets") && found.contains("1 of 1"),
        "{found}"
    );
    assert!(
        folder
            .run("doctor")
            .ok()
            .contains("HOLDPOINT_SECRET_KEY is not set")
    );

    folder
        .run("secrets rotate")
        .refused("HOLDPOINT_SECRET_KEY is not set");
    let closed = with("secrets rotate", &new);
    assert!(
        closed.code == Some(1) && closed.err.contains("wh_1"),
        "{closed:?}"
    );
    assert_eq!(
        with("secrets rotate", &both).ok(),
        "encrypted under the first key: 1\n"
    );
    assert!(!with("doctor", &new).ok().contains("webhook_secrets"));
    assert!(with("doctor", &old).ok().contains("webhook_secrets"));
    for said in [
        with("secrets rotate", "c2hvcnQ="),
        with("serve --listen 127.0.0.1:0", "c2hvcnQ="),
    ] {
        said.refused("HOLDPOINT_SECRET_KEY can't be used");
        assert!(!said.err.contains("c2hvcnQ="), "{said:?}");
    }
    folder.write("holdpoint.toml", &format!("secret_key = \"{new}\"\n"));
    assert!(!folder.run("doctor").ok().contains("webhook_secrets"));
}
