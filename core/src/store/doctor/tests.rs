use super::*;

fn set(value: &str, source: &str) -> Setting {
    Setting {
        value: value.to_owned(),
        source: source.to_owned(),
    }
}

fn sound_sqlite() -> SqliteSettings {
    SqliteSettings {
        journal_mode: "wal".to_owned(),
        synchronous: 2,
        file_system: Some("ext4".to_owned()),
    }
}

fn sound_postgres() -> PostgresSettings {
    PostgresSettings {
        version: 150_004,
        fsync: set("on", "default"),
        full_page_writes: set("on", "default"),
        synchronous_commit: set("on", "default"),
        synchronous_standby_names: set("", "default"),
        replicas: 0,
        pooled: false,
    }
}

fn codes(settings: Settings) -> Vec<(&'static str, bool)> {
    let reading = Reading {
        settings,
        migrations: Migrations::UpToDate,
        clock_ahead_ms: Some(0),
        nobody_administers: false,
    };
    judge(&reading)
        .into_iter()
        .map(|f| (f.code, f.severity == Severity::ClaimCouldBeLost))
        .collect()
}

fn of_sqlite(change: impl FnOnce(&mut SqliteSettings)) -> Vec<(&'static str, bool)> {
    let mut settings = sound_sqlite();
    change(&mut settings);
    codes(Settings::Sqlite(settings))
}

fn of_postgres(change: impl FnOnce(&mut PostgresSettings)) -> Vec<(&'static str, bool)> {
    let mut settings = sound_postgres();
    change(&mut settings);
    codes(Settings::Postgres(settings))
}

#[test]
fn what_the_protocol_asks_for_is_sound() {
    assert_eq!(of_sqlite(|_| {}), []);
    assert_eq!(of_sqlite(|s| s.synchronous = 3), [], "more than full is full");
    assert_eq!(
        of_sqlite(|s| s.file_system = None),
        [],
        "a host that does not say is not accused"
    );
    for local in ["xfs", "btrfs", "zfs", "apfs", "f2fs"] {
        assert_eq!(of_sqlite(|s| s.file_system = Some(local.to_owned())), []);
    }
    assert_eq!(of_postgres(|_| {}), []);
    assert_eq!(
        of_postgres(|s| s.synchronous_commit = set("remote_apply", "database")),
        []
    );
    let followed = of_postgres(|s| {
        s.replicas = 2;
        s.synchronous_standby_names = set("ANY 1 (*)", "configuration file");
    });
    assert_eq!(followed, []);
}

#[test]
fn a_file_that_can_forget_a_commit_loses_claims() {
    for mode in ["delete", "truncate", "memory", "off"] {
        let found = of_sqlite(|s| s.journal_mode = mode.to_owned());
        assert_eq!(found, [("sqlite_journal_mode", true)], "{mode}");
    }
    for level in [0, 1] {
        assert_eq!(
            of_sqlite(|s| s.synchronous = level),
            [("sqlite_synchronous", true)]
        );
    }
    for kind in [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "9p",
        "fuse.sshfs",
        "fuse",
        "fuse.rclone",
        "virtiofs",
    ] {
        let found = of_sqlite(|s| s.file_system = Some(kind.to_owned()));
        assert_eq!(found, [("network_file_system", true)], "{kind}");
    }
    let memory = of_sqlite(|s| s.file_system = Some("tmpfs".to_owned()));
    assert_eq!(memory, [("volatile_file_system", true)]);
    let container = of_sqlite(|s| s.file_system = Some("overlay".to_owned()));
    assert_eq!(container, [("container_file_system", false)]);
}

#[test]
fn a_server_that_can_forget_a_commit_loses_claims() {
    let off = || set("off", "configuration file");
    assert_eq!(of_postgres(|s| s.fsync = off()), [("postgres_fsync", true)]);
    assert_eq!(
        of_postgres(|s| s.full_page_writes = off()),
        [("postgres_full_page_writes", true)]
    );
    assert_eq!(
        of_postgres(|s| s.synchronous_commit = off()),
        [("postgres_synchronous_commit", true)]
    );
    for weak in ["local", "remote_write"] {
        let alone = of_postgres(|s| s.synchronous_commit = set(weak, "database"));
        assert_eq!(
            alone,
            [("postgres_synchronous_commit", false)],
            "nobody takes over"
        );
        let followed = of_postgres(|s| {
            s.synchronous_commit = set(weak, "database");
            s.synchronous_standby_names = set("*", "configuration file");
        });
        assert_eq!(followed, [("postgres_synchronous_commit", true)]);
    }
}

#[test]
fn case_a24_a_standby_that_no_commit_waits_for_loses_claims() {
    let followed = of_postgres(|s| s.replicas = 1);
    assert_eq!(followed, [("postgres_asynchronous_replicas", true)]);
    let waited_for = of_postgres(|s| {
        s.replicas = 1;
        s.synchronous_standby_names = set("*", "configuration file");
    });
    assert_eq!(waited_for, []);
}

#[test]
fn what_loses_no_claim_is_worth_knowing() {
    assert_eq!(
        of_postgres(|s| s.version = 120_015),
        [("postgres_version", false)]
    );
    assert_eq!(of_postgres(|s| s.version = 130_000), []);
    assert_eq!(of_postgres(|s| s.pooled = true), [("transaction_pooler", false)]);
    let read = |migrations, clock_ahead_ms| {
        let settings = Settings::Sqlite(sound_sqlite());
        judge(&Reading {
            settings,
            migrations,
            clock_ahead_ms,
            nobody_administers: false,
        })
    };
    assert_eq!(read(Migrations::UpToDate, None), []);
    assert_eq!(
        read(Migrations::Pending, Some(1000))[0].code,
        "migrations_pending"
    );
    assert_eq!(
        read(Migrations::Newer(99), Some(-1000))[0].code,
        "migrations_newer"
    );
    for (apart, said) in [(1_001, "1.0 s ahead of"), (-90_000, "90.0 s behind")] {
        let found = read(Migrations::UpToDate, Some(apart));
        assert_eq!(
            (found[0].code, found[0].severity),
            ("clocks_apart", Severity::WorthKnowing)
        );
        assert!(found[0].found.contains(said), "{}", found[0].found);
    }
}

#[test]
fn who_set_it_and_how_to_mend_it_is_said() {
    for (source, whom, mend) in [
        ("client", "address", "take synchronous_commit out"),
        ("database", "this database", "ALTER DATABASE"),
        ("user", "this role", "ALTER ROLE … RESET"),
        ("database user", "this role in this database", "IN DATABASE"),
        ("configuration file", "configuration", "reload"),
        ("override", "override", "reload"),
    ] {
        let mut settings = sound_postgres();
        settings.synchronous_commit = set("off", source);
        let found = postgres(&settings);
        assert!(found[0].found.contains(whom), "{}", found[0].found);
        assert!(found[0].mend.contains(mend), "{}", found[0].mend);
    }
}
