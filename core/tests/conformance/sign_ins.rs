//! Failed sign-ins: who guesses waits, and shuts nobody else out.

use std::net::{IpAddr, Ipv4Addr};

use holdpoint::Role;
use holdpoint::ledger::SignInTry;
use sqlx::Executor as _;

use crate::harness::*;

on_both!(
    five_are_free_and_then_each_costs_more,
    case_d41_guesses_from_everywhere_meet_the_limit_of_the_name,
    case_d41_guesses_at_many_names_meet_the_limit_of_the_address,
    case_d41_forty_people_behind_one_address_sign_in,
    case_d41_fifty_guesses_at_once_count_as_fifty,
    case_d41_what_was_counted_survives_a_restart_and_holds_for_every_server,
    case_d41_answers_of_the_provider_count_by_their_address_and_under_no_name,
    case_d23_nobody_is_locked_out_where_they_are_known,
    case_d23_a_lockout_tells_nothing_of_who_exists,
    who_is_known_somewhere_is_so_for_thirty_days,
    a_right_one_forgives_what_failed_here_and_nothing_else,
    a_try_that_was_never_made_counts_for_nothing,
    strangers_who_invent_names_fill_nothing_and_shut_nobody_out,
    what_is_over_is_swept,
);

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

fn at(n: u32) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + n))
}

async fn begin(db: &Db, name: &str, from: IpAddr) -> Result<SignInTry, i64> {
    db.ledger.begin_sign_in(name, Some(from)).await.unwrap()
}

/// Tries, and is wrong.
async fn fail(db: &Db, name: &str, from: IpAddr) -> Result<(), i64> {
    begin(db, name, from).await.map(|_| ())
}

/// Tries, and is right.
async fn succeed(db: &Db, name: &str, from: IpAddr) -> Result<(), i64> {
    let attempt = begin(db, name, from).await?;
    db.ledger.sign_in_was_right(attempt).await.unwrap();
    Ok(())
}

async fn ada(db: &Db) {
    db.ledger
        .add_operator(&admin(), "ada", Role::Admin, "hash")
        .await
        .unwrap();
}

/// Stops the clock, so that what is waited for is exact.
async fn stand(db: &Db) -> holdpoint::Time {
    let now = db.now().await + 100;
    db.stand_at(now).await;
    now
}

async fn five_are_free_and_then_each_costs_more(db: Db) {
    let start = stand(&db).await;
    for _ in 0..5 {
        assert_eq!(fail(&db, "ada", HERE).await, Ok(()));
    }
    assert_eq!(fail(&db, "ada", HERE).await, Err(1));
    assert_eq!(
        fail(&db, "bob", HERE).await,
        Ok(()),
        "one name's are not another's"
    );
    let mut now = start;
    for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
        assert_eq!(fail(&db, "ada", HERE).await, Err(wait), "{wait} s to wait");
        now = now + wait;
        db.stand_at(now).await;
        assert_eq!(
            fail(&db, "ada", HERE).await,
            Ok(()),
            "a refused try costs nothing more"
        );
    }
    db.stand_at(now + 16 * 900).await;
    for _ in 0..5 {
        assert_eq!(
            fail(&db, "ada", HERE).await,
            Ok(()),
            "all is forgotten after a quiet time"
        );
    }
}

async fn case_d41_guesses_from_everywhere_meet_the_limit_of_the_name(db: Db) {
    stand(&db).await;
    let mut made = 0;
    for n in 0..100 {
        made += u32::from(fail(&db, "admin", at(n)).await.is_ok());
    }
    assert_eq!(made, 20, "each from an address of its own");
    assert_eq!(fail(&db, "other", at(1)).await, Ok(()));
}

async fn case_d41_guesses_at_many_names_meet_the_limit_of_the_address(db: Db) {
    stand(&db).await;
    let mut made = 0;
    for n in 0..500 {
        made += u32::from(fail(&db, &format!("name-{n}"), HERE).await.is_ok());
    }
    assert_eq!(made, 50);
    assert_eq!(
        fail(&db, "name-499", at(1)).await,
        Ok(()),
        "elsewhere nothing is known of it"
    );
    let network = |host: u16| IpAddr::from([0x2001, 0xdb8, 1, 2, 0, 0, 0, host]);
    let mut made = 0;
    for n in 0..100 {
        made += u32::from(fail(&db, &format!("v6-{n}"), network(n)).await.is_ok());
    }
    assert_eq!(made, 50, "an IPv6 network counts as one");
}

async fn case_d41_forty_people_behind_one_address_sign_in(db: Db) {
    for n in 0..40 {
        db.ledger
            .add_operator(&admin(), &format!("p-{n}"), Role::Viewer, "hash")
            .await
            .unwrap();
    }
    for round in 0..3 {
        for n in 0..40 {
            let name = format!("p-{n}");
            fail(&db, &name, HERE).await.unwrap();
            assert_eq!(succeed(&db, &name, HERE).await, Ok(()), "{name} in round {round}");
        }
    }
    assert_eq!(
        db.number("SELECT coalesce(max(failures), 0) FROM failed_sign_in")
            .await,
        0
    );
}

async fn case_d41_fifty_guesses_at_once_count_as_fifty(db: Db) {
    stand(&db).await;
    let twin = db.twin().await.clone();
    let guesses = (0..50).map(|n| {
        let ledger = if n % 2 == 0 {
            db.ledger.clone()
        } else {
            twin.clone()
        };
        tokio::spawn(async move { ledger.begin_sign_in("ada", Some(HERE)).await.unwrap().is_ok() })
    });
    // Where it can be arranged, many have looked before the first one counts.
    let held = if db.is_sqlite() {
        None
    } else {
        Some(hold_back(&db).await)
    };
    let guesses: Vec<_> = guesses.collect();
    if let Some(mut held) = held {
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let mut watching = beside(&db.url).await;
        while sqlx::query_scalar::<_, i64>(waiting)
            .fetch_one(&mut watching)
            .await
            .unwrap()
            < 6
        {
            soon().await;
        }
        held.execute("COMMIT").await.unwrap();
    }
    let mut made = 0;
    for guess in guesses {
        made += u32::from(guess.await.unwrap());
    }
    assert_eq!(made, 5);
}

/// Lets everybody read what failed, and nobody count, until it commits.
async fn hold_back(db: &Db) -> sqlx::PgConnection {
    let mut held = beside(&db.url).await;
    held.execute("BEGIN; LOCK TABLE failed_sign_in IN EXCLUSIVE MODE")
        .await
        .unwrap();
    held
}

async fn case_d41_what_was_counted_survives_a_restart_and_holds_for_every_server(db: Db) {
    stand(&db).await;
    for _ in 0..5 {
        fail(&db, "ada", HERE).await.unwrap();
    }
    let another = db.another().await;
    assert!(another.begin_sign_in("ada", Some(HERE)).await.unwrap().is_err());
    another.close().await;
}

async fn case_d41_answers_of_the_provider_count_by_their_address_and_under_no_name(db: Db) {
    let start = stand(&db).await;
    ada(&db).await;
    let arrive = async |from: IpAddr| db.ledger.begin_arrival(from).await.unwrap();
    for _ in 0..5 {
        assert!(arrive(HERE).await.is_ok());
    }
    assert_eq!(arrive(HERE).await.map(drop), Err(1));
    assert!(
        db.another().await.begin_arrival(HERE).await.unwrap().is_err(),
        "every server counts the same"
    );
    // However many come from elsewhere, whoever comes from a quiet place is let through.
    for n in 0..30 {
        assert!(arrive(at(n)).await.is_ok());
    }
    assert_eq!(
        succeed(&db, "ada", HERE).await,
        Ok(()),
        "a password is another way"
    );
    // What let somebody in is no failure any more.
    db.stand_at(start + 1).await;
    let right = arrive(HERE).await.unwrap();
    db.ledger.sign_in_was_right(right).await.unwrap();
    for _ in 0..5 {
        assert!(arrive(HERE).await.is_ok());
    }
}

async fn case_d23_nobody_is_locked_out_where_they_are_known(db: Db) {
    ada(&db).await;
    succeed(&db, "ada", HERE).await.unwrap();
    stand(&db).await;
    for n in 0..100 {
        let _ = fail(&db, "ada", at(n)).await;
        let _ = fail(&db, &format!("name-{n}"), HERE).await;
    }
    assert!(
        fail(&db, "ada", at(200)).await.is_err(),
        "her name is guessed at from everywhere"
    );
    assert!(
        fail(&db, "bob", HERE).await.is_err(),
        "and her address is full of guesses"
    );
    assert_eq!(succeed(&db, "ada", HERE).await, Ok(()));
    for _ in 0..5 {
        fail(&db, "ada", HERE).await.unwrap();
    }
    assert!(
        begin(&db, "ada", HERE).await.is_err(),
        "guesses at her own place are limited all the same"
    );
}

async fn case_d23_a_lockout_tells_nothing_of_who_exists(db: Db) {
    ada(&db).await;
    stand(&db).await;
    let mut said = Vec::new();
    for name in ["ada", "nobody", "Ada", "n\0", &"x".repeat(5_000)] {
        let mut answers = Vec::new();
        for n in 0..30 {
            answers.push(fail(&db, name, at(n / 6)).await);
        }
        said.push(answers);
    }
    assert!(said.windows(2).all(|pair| pair[0] == pair[1]), "{said:?}");
}

async fn who_is_known_somewhere_is_so_for_thirty_days(db: Db) {
    ada(&db).await;
    succeed(&db, "ada", HERE).await.unwrap();
    let full = async || {
        for n in 0..30 {
            let _ = fail(&db, "ada", at(n)).await;
        }
    };
    db.pass(30 * 86_400 - 60).await;
    full().await;
    let attempt = begin(&db, "ada", HERE).await.expect("known for 30 days");
    db.ledger.sign_in_was_none(attempt).await.unwrap();
    db.pass(120).await;
    full().await;
    assert!(begin(&db, "ada", HERE).await.is_err(), "and no longer");
}

async fn a_right_one_forgives_what_failed_here_and_nothing_else(db: Db) {
    ada(&db).await;
    stand(&db).await;
    for n in 0..19 {
        fail(&db, "ada", at(n / 4)).await.unwrap();
    }
    succeed(&db, "ada", HERE).await.unwrap();
    assert_eq!(fail(&db, "ada", at(100)).await, Ok(()), "the twentieth");
    assert!(
        fail(&db, "ada", at(101)).await.is_err(),
        "it was not forgotten what others failed"
    );
    for _ in 0..4 {
        fail(&db, "ada", HERE).await.unwrap();
    }
    succeed(&db, "ada", HERE).await.unwrap();
    for _ in 0..5 {
        assert_eq!(
            fail(&db, "ada", HERE).await,
            Ok(()),
            "what she mistyped is forgiven"
        );
    }
}

async fn a_try_that_was_never_made_counts_for_nothing(db: Db) {
    stand(&db).await;
    for _ in 0..100 {
        let attempt = begin(&db, "ada", HERE).await.unwrap();
        db.ledger.sign_in_was_none(attempt).await.unwrap();
    }
    for _ in 0..5 {
        assert_eq!(fail(&db, "ada", HERE).await, Ok(()));
    }
}

async fn strangers_who_invent_names_fill_nothing_and_shut_nobody_out(db: Db) {
    ada(&db).await;
    stand(&db).await;
    // What ten thousand names from as many addresses leave behind, at the most.
    let many = if db.is_sqlite() {
        "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 29999)
         INSERT INTO failed_sign_in SELECT n % 3 * 262144 + n * 97 % 262144, 1, (SELECT now FROM database_clock) FROM n
         WHERE true ON CONFLICT DO NOTHING"
    } else {
        "INSERT INTO failed_sign_in SELECT n % 3 * 262144 + n * 97 % 262144, 1, holdpoint_now()
         FROM generate_series(0, 29999) n ON CONFLICT DO NOTHING"
    };
    assert!(db.execute(many).await.unwrap() > 29_000);
    for n in 0..300 {
        fail(&db, &format!("invented-{n}"), at(n)).await.unwrap();
    }
    for n in 0..40 {
        let name = format!("honest-{n}");
        assert_eq!(fail(&db, &name, at(1_000_000 + n)).await, Ok(()), "{name}");
    }
    assert_eq!(succeed(&db, "ada", HERE).await, Ok(()));
    let beyond = "SELECT count(*) FROM failed_sign_in WHERE subject NOT BETWEEN 0 AND 786431";
    assert_eq!(
        db.number(beyond).await,
        0,
        "so many numbers there are, and no more"
    );
}

async fn what_is_over_is_swept(db: Db) {
    ada(&db).await;
    for n in 0..30 {
        let _ = fail(&db, "guessed", at(n)).await;
    }
    succeed(&db, "ada", HERE).await.unwrap();
    db.pass(60 * 900 + 1).await;
    db.ledger.sweep_sessions(3_600).await.unwrap();
    assert_eq!(db.number("SELECT count(*) FROM failed_sign_in").await, 0);
    assert_eq!(db.number("SELECT count(*) FROM known_address").await, 1);
    db.pass(30 * 86_400).await;
    db.ledger.sweep_sessions(3_600).await.unwrap();
    assert_eq!(db.number("SELECT count(*) FROM known_address").await, 0);
}
