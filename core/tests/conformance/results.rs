//! Results come back as they were stored, to the byte, from everywhere.

use holdpoint::ledger::{Error, Filter};
use holdpoint::transition::{ClaimAnswer, Success};
use holdpoint::{Decision, Effect, Intent, Status};

use crate::harness::*;

mod ways;

on_both!(
    case_a05_a_nul_in_a_provider_s_answer_is_stored,
    case_a21_a_replay_is_told_from_a_fresh_run,
    case_a22_integers_keep_their_digits,
    case_a49_a_result_is_no_jsonb,
    what_is_deep_or_long_is_kept_up_to_a_mebibyte,
    what_is_no_json_is_refused_and_nothing_is_lost,
    a_payload_is_kept_as_it_came,
);

/// Records this result and reads it back through every door.
async fn everywhere(db: &Db, run: &str, result: &str) {
    by_workers_and_readers(db, run, result, result).await;
}

/// Records this result; workers read it back as it was, and who looks as `seen`.
async fn by_workers_and_readers(db: &Db, run: &str, result: &str, seen: &str) {
    let intent = mail(run);
    db.granted(&intent, 1).await;
    let done = db.succeed(&intent, 1, result).await;
    let again = db.succeed(&intent, 1, result).await;
    let replay = db.claim(&intent).await;
    assert_eq!(replay.answer, ClaimAnswer::Succeeded);
    let filter = Filter {
        run_id: Some(run.to_owned()),
        ..Filter::default()
    };
    let listed = db.ledger.list(&admin(), &filter).await.unwrap().items.remove(0);
    let in_run = db.ledger.run(&admin(), run).await.unwrap().items.remove(0).action;
    let another = db.another().await;
    let elsewhere = another.read(&admin(), &intent.key()).await.unwrap().action;
    another.close().await;
    let by_workers = [done.action, again.action, replay.action.unwrap()].map(|action| (action, result));
    let by_readers = [listed, in_run, elsewhere, db.action(&intent).await].map(|action| (action, seen));
    for (action, bytes) in by_workers.into_iter().chain(by_readers) {
        assert_eq!(action.status, Status::Succeeded);
        assert!(action.result_kept);
        assert!(
            action.result.as_deref() == Some(bytes),
            "not the bytes that were stored: {}",
            cut(bytes)
        );
    }
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

async fn case_a05_a_nul_in_a_provider_s_answer_is_stored(db: Db) {
    everywhere(&db, "run-1", r#"{"body":"ok\u0000tail","s":"\ud800"}"#).await;
    everywhere(&db, "run-2", r#""\udc00\ud83d""#).await;
    // Words for people lose what no database keeps in a text, and nothing else.
    let intent = mail("run-3");
    db.granted(&intent, 1).await;
    let report = holdpoint::transition::Failure {
        error: "half\0way".to_owned(),
        ..failure(1, Effect::None)
    };
    let action = db.ledger.fail(&worker(), &intent.key(), report).await.unwrap();
    assert_eq!(action.error.as_deref(), Some("half\u{fffd}way"));
}

async fn case_a21_a_replay_is_told_from_a_fresh_run(db: Db) {
    let results = [
        r#"{"id":1,"status":"pending"}"#,
        r#""plain text""#,
        "null",
        r#""""#,
        "  [ 1,2 ]\n",
    ];
    for (n, result) in results.into_iter().enumerate() {
        let intent = mail(&format!("run-{n}"));
        let grant = db.granted(&intent, 1).await;
        assert!(!grant.replayed);
        let first = db.succeed(&intent, 1, result).await.action;
        for _ in 0..3 {
            let replay = db.claim(&intent).await;
            assert_eq!(replay.answer, ClaimAnswer::Succeeded, "a replay is no grant");
            assert_eq!(
                replay.action.unwrap(),
                first,
                "the result and when it was finished are those of the first run"
            );
        }
    }
    // No result at all is not a result of null.
    let empty = mail("run-empty");
    db.granted(&empty, 1).await;
    let report = Success {
        attempt: 1,
        result: None,
        result_kept: true,
    };
    db.ledger.succeed(&worker(), &empty.key(), report).await.unwrap();
    assert_eq!(db.claim(&empty).await.action.unwrap().result, None);

    let failed = mail("run-failed");
    db.granted(&failed, 1).await;
    let first = db
        .ledger
        .fail(&worker(), &failed.key(), permanent(1))
        .await
        .unwrap();
    for _ in 0..3 {
        let replay = db.claim(&failed).await;
        assert_eq!(
            (replay.answer, replay.action),
            (ClaimAnswer::Failed, Some(first.clone()))
        );
    }
}

async fn case_a22_integers_keep_their_digits(db: Db) {
    for (n, result) in [
        r#"{"charge":9007199254740993}"#,
        r#"{"id":18446744073709551616,"sum":0.30000000000000004}"#,
        "1e400",
        "-0.0",
        "1.10",
    ]
    .into_iter()
    .enumerate()
    {
        everywhere(&db, &format!("run-{n}"), result).await;
    }
    let payload = |text: &str| holdpoint::intent::Payload::json_text(text);
    for refused in [
        r#"{"id":2512292042121000001}"#,
        r#"{"n":9007199254740993}"#,
        r#"{"n":1e400}"#,
    ] {
        let error = Intent::new("run-1", 1, "send_email", "a", payload(refused)).unwrap_err();
        assert_eq!(
            error.field, "payload",
            "{refused}: a double would round it, and two actions would be one"
        );
    }
    // As text they are two keys, and both come back digit for digit.
    for id in ["2512292042121000001", "2512292042121000000"] {
        let text = format!(r#"{{"id":{id}}}"#);
        let intent = Intent::text("run-t", 1, "create_invoice", id, &text).unwrap();
        db.granted(&intent, 1).await;
        assert_eq!(db.read(&intent).await.payload.unwrap().as_str(), text);
    }
}

async fn case_a49_a_result_is_no_jsonb(db: Db) {
    everywhere(&db, "run-1", r#"{"b":1.10,"a":[1e2],"b2":"x"}"#).await;
    everywhere(
        &db,
        "run-2",
        "{ \"twice\" : 1,\t\"twice\":2 ,\r\n\"z\":{},\"a\":\"\\u00e9é\" }",
    )
    .await;
}

async fn what_is_deep_or_long_is_kept_up_to_a_mebibyte(db: Db) {
    let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    everywhere(&db, "run-deep", &nested(holdpoint::json::MAX_DEPTH)).await;
    // What the usual readers of JSON would fall over is a text to them, of the same bytes.
    let deep = nested(10_000);
    by_workers_and_readers(&db, "run-deeper", &deep, &format!("\"{deep}\"")).await;
    let most = holdpoint::ledger::MAX_RESULT_BYTES;
    assert_eq!(most, 1024 * 1024);
    let full = format!("\"{}\"", "x".repeat(most - 2));
    everywhere(&db, "run-full", &full).await;

    let larger = format!("\"{}\"", "x".repeat(most - 1));
    let intent = mail("run-larger");
    db.granted(&intent, 1).await;
    let done = db.succeed(&intent, 1, &larger).await;
    assert_eq!(
        done.action.status,
        Status::Succeeded,
        "that it happened is recorded all the same"
    );
    assert_eq!((done.action.result, done.action.result_kept), (None, false));
    let again = db.succeed(&intent, 1, &larger).await;
    assert!(again.answer.replayed);
    assert_eq!(db.claim(&intent).await.answer, ClaimAnswer::Succeeded);
}

async fn what_is_no_json_is_refused_and_nothing_is_lost(db: Db) {
    let intent = mail("run-1");
    db.granted(&intent, 1).await;
    for bad in ["", "{", "{'a':1}", "NaN", "\"a\0b\"", "1 2", "\u{feff}1"] {
        let refused = db
            .ledger
            .succeed(&worker(), &intent.key(), success(1, bad))
            .await
            .unwrap_err();
        assert!(
            matches!(refused, Error::Invalid { field: "result", .. }),
            "{bad:?}"
        );
    }
    assert_eq!(db.action(&intent).await.status, Status::InFlight);
    db.succeed(&intent, 1, "1").await;

    let held = mail("run-2");
    let version = db.held(&held).await.version;
    for (decision, result) in [
        (Decision::Succeed, "{"),
        (Decision::Fail, "1"),
        (Decision::Retry, "1"),
    ] {
        let result = Some(result.to_owned());
        let refused = db
            .ledger
            .decide(&person("ada"), &held.key(), decision, "why", version, result)
            .await
            .unwrap_err();
        assert!(matches!(refused, Error::Invalid { field: "result", .. }));
    }
    let result = Some(r#"{"seen":"\u0000"}"#.to_owned());
    let decided = db
        .ledger
        .decide(
            &person("ada"),
            &held.key(),
            Decision::Succeed,
            "why",
            version,
            result,
        )
        .await
        .unwrap();
    assert_eq!(decided.action.result.as_deref(), Some(r#"{"seen":"\u0000"}"#));
    assert_eq!(
        db.claim(&held).await.action.unwrap().result,
        decided.action.result
    );
}

async fn a_payload_is_kept_as_it_came(db: Db) {
    let json = r#"{ "b" : 1.0, "a" : "\u00e9" }"#;
    let payload = holdpoint::intent::Payload::json_text(json);
    let intent = Intent::new("run-1", 1, "send_email", "ada@example.com", payload).unwrap();
    db.granted(&intent, 1).await;
    assert_eq!(
        db.read(&intent).await.payload.unwrap(),
        holdpoint::intent::StoredPayload::Json(json.to_owned())
    );

    // The hash alone: nothing to keep, and the same key.
    let hash = holdpoint::intent::Payload::hash(intent.payload_hash().clone());
    let bare = Intent::new("run-1", 1, "send_email", "ada@example.com", hash.clone()).unwrap();
    assert_eq!(db.claim(&bare).await.answer, ClaimAnswer::InFlight);
    let other = Intent::new("run-2", 1, "send_email", "ada@example.com", hash).unwrap();
    db.granted(&other, 1).await;
    let detail = db.read(&other).await;
    assert_eq!((detail.payload, detail.payload_erased_at), (None, None));

    let largest = "é".repeat(holdpoint::intent::MAX_PAYLOAD_BYTES / 2);
    let intent = mail_saying("run-3", &largest);
    db.granted(&intent, 1).await;
    assert!(db.read(&intent).await.payload.unwrap().as_str() == largest);
}
