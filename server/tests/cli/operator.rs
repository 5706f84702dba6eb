//! `holdpoint operator …`

use super::support::Folder;

const PASSWORD: &str = "correct horse\n";

#[test]
fn an_operator_is_added_changed_and_disabled() {
    let folder = Folder::migrated();
    let add = |name: &str| {
        folder.tell(
            &format!("operator add {name} --role admin --password-stdin"),
            PASSWORD,
            &[],
        )
    };
    add("ada").ok();
    add("ada").refused("there is an operator ada already");
    add("a/da").refused("letters, digits");
    let listed = |what: &str| {
        let list = folder.run("operator list").ok();
        let line = list
            .lines()
            .find(|line| line.starts_with("ada"))
            .unwrap_or_default();
        assert!(line.contains(what) && !list.contains("argon2"), "{list}");
    };
    listed("admin");
    listed("enabled");
    for last in ["set-role ada --role viewer", "disable ada"] {
        folder
            .run(&format!("operator {last}"))
            .refused("ada is the last admin");
    }
    listed("admin");
    folder.run("operator set-role ada --role viewer --force").ok();
    listed("viewer");
    folder.run("operator disable ada").ok();
    listed("disabled");
    folder.run("operator enable ada").ok();
    listed("enabled");
    folder
        .tell(
            "operator reset-password ada --password-stdin",
            "another horse\r\n",
            &[],
        )
        .ok();
    for command in ["disable", "enable", "reset-password"] {
        folder
            .run(&format!("operator {command} bob"))
            .refused("there is no operator bob");
    }
    assert_eq!(folder.run("operator set-role ada --role king").code, Some(2));
}

#[test]
fn a_password_has_to_be_one() {
    let folder = Folder::migrated();
    let add = |input: &str| folder.tell("operator add ada --password-stdin", input, &[]);
    add("").refused("too short");
    add("short\n").refused("too short");
    add(&"x".repeat(2000)).refused("too long");
    folder.run("operator add ada").refused("--password-stdin");
    assert!(!folder.run("operator list").ok().contains("ada"));
}

#[test]
fn an_operator_is_linked_to_a_provider_and_unlinked() {
    let folder = Folder::migrated();
    for name in ["ada", "bob"] {
        folder
            .tell(&format!("operator add {name} --password-stdin"), PASSWORD, &[])
            .ok();
    }
    let link = |name: &str, subject: &str| {
        folder.run(&format!(
            "operator link {name} --issuer https://id.example.com --subject {subject}"
        ))
    };
    link("ada", "sub-1").ok();
    link("bob", "sub-1").refused("is an operator already");
    link("eve", "sub-2").refused("there is no operator eve");
    let list = folder.run("operator list").ok();
    let row = |name: &str| {
        list.lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_default()
    };
    assert!(row("ada").ends_with("https://id.example.com"), "{list}");
    assert!(row("bob").ends_with("password"), "{list}");
    folder
        .run("operator set-role ada --role admin")
        .refused("signs in by the identity provider");
    folder
        .tell("operator reset-password ada --password-stdin", PASSWORD, &[])
        .refused("signs in by the identity provider");
    folder.run("operator unlink ada").ok();
    folder
        .run("operator unlink ada")
        .refused("no identity provider vouches for ada");
    folder
        .run("operator unlink eve")
        .refused("there is no operator eve");
    folder.run("operator set-role ada --role admin").ok();
    folder
        .tell("operator reset-password ada --password-stdin", PASSWORD, &[])
        .ok();
}
