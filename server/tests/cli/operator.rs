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
    folder.run("operator set-role ada --role viewer").ok();
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
