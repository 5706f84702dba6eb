//! Hostile results by every way in: the hot path, a later attempt, a late report, the provider's word, a person's.

use holdpoint::ledger::{Error, MAX_RESULT_BYTES};
use holdpoint::transition::{Answer, ClaimAnswer};
use holdpoint::{Decision, Effect, Intent, Recovery, Status, Verdict};

use crate::harness::*;

on_both!(
    hostile_results_are_kept_byte_for_byte_by_every_way_in,
    what_is_beyond_a_mebibyte_is_recorded_without_it_by_every_way_in,
    a_hostile_result_that_differs_goes_to_the_history_whole,
);

#[derive(Clone, Copy, Debug)]
enum Way {
    Holder,
    SecondAttempt,
    Late,
    Provider,
    Person,
}

const WAYS: [Way; 5] = [
    Way::Holder,
    Way::SecondAttempt,
    Way::Late,
    Way::Provider,
    Way::Person,
];

/// Brings an action to where this way in is open, and takes it.
async fn report(db: &Db, way: Way, intent: &Intent, result: &str) -> Result<(), Error> {
    let (mailer, key) = (worker(), intent.key());
    let attempt = match way {
        Way::Holder => {
            db.granted(intent, 1).await;
            1
        }
        Way::SecondAttempt => {
            db.set(intent.kind(), swift(Recovery::Idempotent)).await;
            db.granted(intent, 1).await;
            db.fail(intent, 1, Effect::None).await.unwrap();
            db.granted(intent, 2).await;
            2
        }
        Way::Late | Way::Person => {
            db.held(intent).await;
            1
        }
        Way::Provider => {
            db.stale(intent, swift(Recovery::Verifiable)).await;
            let kinds = [intent.kind().to_owned()];
            db.ledger
                .next_question(&mailer, &kinds, None)
                .await
                .unwrap()
                .unwrap();
            1
        }
    };
    let text = Some(result.to_owned());
    match way {
        Way::Provider => {
            let said = Answer {
                result: text,
                ..answer(1, 1, Verdict::Landed)
            };
            db.ledger.verdict(&mailer, &key, said).await.map(drop)
        }
        Way::Person => {
            let version = db.action(intent).await.version;
            let (ada, decision) = (person("ada"), Decision::Succeed);
            db.ledger
                .decide(&ada, &key, decision, "seen", version, text)
                .await
                .map(drop)
        }
        _ => db
            .ledger
            .succeed(&mailer, &key, success(attempt, result))
            .await
            .map(drop),
    }
}

/// What a claim of each kind is answered, read by another process.
async fn replayed(db: &Db, intent: &Intent) -> Vec<(Option<String>, bool)> {
    let other = db.another().await;
    let alone = claim_through(&other, intent, "alone").await;
    let batch = other
        .claim_batch(&worker(), vec![(intent.clone(), under("batch"))])
        .await
        .unwrap();
    other.close().await;
    std::iter::once(alone)
        .chain(batch)
        .map(|claimed| {
            assert_eq!(claimed.answer, ClaimAnswer::Succeeded);
            let action = claimed.action.unwrap();
            (action.result, action.result_kept)
        })
        .collect()
}

async fn hostile_results_are_kept_byte_for_byte_by_every_way_in(db: Db) {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let full = format!("\"{}\"", "\u{1f600}".repeat((MAX_RESULT_BYTES - 2) / 4));
    let hostile = [
        r#"{"a":"\u0000","b":"\u0000\u0000"}"#,
        r#"["\ud800","\udc00\ud800","\uDFFF"]"#,
        r#"{"n":9007199254740993,"m":-18446744073709551617}"#,
        "[1e400,-1e400,1e-400,123456789012345678901234567890.10]",
        &deep,
        &full,
        "\t[ 1.0 ,\r\n1.10 ]  \n",
        r#"{"b":1,"a":2,"b":3}"#,
        "\"\u{7f}\u{80}\u{2028}\u{feff}\u{ffff}\u{10ffff}\"",
    ];
    for way in WAYS {
        for (n, result) in hostile.into_iter().enumerate() {
            let intent = mail(&format!("run-{way:?}-{n}"));
            report(&db, way, &intent, result).await.unwrap();
            for (stored, kept) in replayed(&db, &intent).await {
                let same = stored.as_deref() == Some(result);
                assert!(kept && same, "{way:?}, result {n}: not the bytes that came");
            }
        }
    }
}

async fn what_is_beyond_a_mebibyte_is_recorded_without_it_by_every_way_in(db: Db) {
    // Its characters would fit, its bytes do not.
    let larger = format!("\"{}\"", "é".repeat(MAX_RESULT_BYTES / 2));
    for way in WAYS {
        let intent = mail(&format!("run-{way:?}"));
        let reported = report(&db, way, &intent, &larger).await;
        if let Way::Person = way {
            // A person can say it again, and shorter.
            assert!(
                matches!(reported, Err(Error::Invalid { field: "result", .. })),
                "{reported:?}"
            );
            assert_eq!(db.action(&intent).await.status, Status::Held);
            continue;
        }
        reported.unwrap();
        assert_eq!(db.action(&intent).await.status, Status::Succeeded, "{way:?}");
        for answered in replayed(&db, &intent).await {
            assert_eq!(answered, (None, false), "{way:?}: that it is not kept is said");
        }
    }
}

async fn a_hostile_result_that_differs_goes_to_the_history_whole(db: Db) {
    for (n, result) in [r#"{"a":"\u0000\ud800"}"#, "1e400", "9007199254740993"]
        .into_iter()
        .enumerate()
    {
        let intent = mail(&format!("run-{n}"));
        db.granted(&intent, 1).await;
        db.succeed(&intent, 1, "1").await;
        let again = db.succeed(&intent, 1, result).await;
        assert_eq!(again.action.result.as_deref(), Some("1"), "the stored one counts");
        let history = db.read(&intent).await.history;
        let noted = history.iter().find(|e| e.event == "late_success").unwrap();
        assert!(noted.detail.as_deref().unwrap().ends_with(result), "{noted:?}");
    }
}
