//! Settings: by flag, by environment, by file.

use super::support::Folder;

#[test]
fn the_flag_wins_over_the_environment_and_that_over_the_file() {
    let folder = Folder::empty();
    let environment = [("HOLDPOINT_DATABASE_URL", "sqlite://environment.db")];
    folder.write("holdpoint.toml", "database_url = \"sqlite://file.db\"\n");
    folder.run("migrate").ok();
    assert!(folder.has("file.db") && !folder.has("holdpoint.db"));
    folder.tell("migrate", "", &environment).ok();
    assert!(folder.has("environment.db"));
    folder
        .tell("migrate --database-url sqlite://flag.db", "", &environment)
        .ok();
    assert!(folder.has("flag.db"));
}

#[test]
fn a_setting_that_cannot_be_used_is_named() {
    let folder = Folder::empty();
    folder.run("serve --listen nonsense").refused("127.0.0.1:3000");
    folder
        .run("serve --listen 127.0.0.1:0 --public-url holdpoint.example")
        .refused("https://holdpoint.example.com");
    folder.run("serve --reap-every 0").refused("1 to 3600");
    folder.run("serve --session-idle 59").refused("60 to 2592000");
    folder
        .run("serve --session-lasts 9999999")
        .refused("--session-lasts");
    folder
        .run("serve --listen 127.0.0.1:0 --allowed-hosts http://a/b")
        .refused("allowed host");
    folder
        .run("migrate --log holdpoint=loudly")
        .refused("what to log");
    folder.write("holdpoint.toml", "databse_url = \"sqlite://x.db\"\n");
    folder.run("migrate").refused("databse_url");
    assert!(!folder.has("holdpoint.db"));
}

#[test]
fn what_is_wrong_with_the_file_is_told_without_the_secrets_that_stand_in_it() {
    let folder = Folder::empty();
    for wrong in [
        "secret_key = \"s3cr3t\n",
        "webhook_secret = [\"s3cr3t\"]\n",
        "databse_url = \"postgres://ada:s3cr3t@db.example/x\"\n",
        "[oidc]\nclient_secre = \"s3cr3t\"\n",
    ] {
        folder.write("holdpoint.toml", &format!("listen = \"127.0.0.1:0\"\n{wrong}"));
        let said = folder.run("migrate");
        assert!(!said.err.contains("s3cr3t"), "{said:?}");
        said.refused(if wrong.starts_with('[') {
            "line 3"
        } else {
            "line 2"
        });
    }
}

#[test]
fn settings_of_tls_and_of_how_much_at_once_say_what_is_wrong_with_them() {
    let folder = Folder::empty();
    folder
        .run("serve --tls-cert cert.pem")
        .refused("--tls-cert is set and --tls-key is not");
    let environment = [("HOLDPOINT_TLS_KEY", "key.pem")];
    folder
        .tell("serve", "", &environment)
        .refused("--tls-key is set and --tls-cert is not");
    folder
        .run("serve --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem")
        .refused("the TLS certificate can't be read: cert.pem");
    for setting in ["connections", "connections-per-peer", "requests", "waiting"] {
        folder
            .run(&format!("serve --max-{setting} 0"))
            .refused(&format!("--max-{setting} can't be used: give a number from 1"));
    }
    folder.write("holdpoint.toml", "max_requests = 0\n");
    folder.run("serve").refused("--max-requests");
    folder.write(
        "holdpoint.toml",
        "tls_cert = \"cert.pem\"\ntls_key = \"key.pem\"\n",
    );
    folder
        .run("serve --listen 127.0.0.1:0")
        .refused("the TLS certificate can't be read: cert.pem");
    assert!(!folder.has("holdpoint.db"));
}

#[test]
fn the_identity_provider_needs_all_that_lets_somebody_in() {
    let folder = Folder::empty();
    let serve = "serve --listen 127.0.0.1:0 --oidc-issuer https://id.example.com --oidc-client-id holdpoint";
    folder.run(serve).refused("HOLDPOINT_OIDC_CLIENT_SECRET");
    let with = |more: &str| {
        folder.tell(
            &format!("{serve} {more}"),
            "",
            &[("HOLDPOINT_OIDC_CLIENT_SECRET", "a secret of the test")],
        )
    };
    with("").refused("HOLDPOINT_OIDC_ALLOW");
    with("--oidc-allow @example.com").refused("HOLDPOINT_OIDC_ROLES");
    with("--oidc-allow *@example.com --oidc-roles a=admin").refused("no patterns");
    with("--oidc-allow @example.com --oidc-roles a=root").refused("hp-admins=admin");
    folder
        .run("serve --oidc-issuer http://id.example.com --oidc-client-id x")
        .refused("https address");
    folder.write("holdpoint.toml", "[oidc]\nallowed = [\"@example.com\"]\n");
    folder.run("migrate").refused("allowed");
    assert!(!folder.has("holdpoint.db"));
}

/// The example stands in the documentation as it can be used.
#[test]
fn the_documented_provider_is_taken_as_it_stands() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/running.md")).unwrap();
    let section = page
        .split("## Signing in by an identity provider")
        .nth(1)
        .unwrap();
    let example = section
        .split("```toml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let folder = Folder::empty();
    folder.write("holdpoint.toml", example);
    // All of it can be used: what is refused is the address to listen on, which is looked at after the file was read.
    folder
        .run("serve --listen 192.0.2.1:1")
        .refused("can't listen on 192.0.2.1:1");
    folder.write("holdpoint.toml", &example.replace("@example.com", "*"));
    folder
        .run("serve --listen 192.0.2.1:1")
        .refused("HOLDPOINT_OIDC_ALLOW");
}
