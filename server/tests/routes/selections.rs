//! `POST /api/v1/selections`, `GET /api/v1/selections/{id}`, `POST /api/v1/selections/{id}/decide`

use holdpoint::Scope;
use serde_json::{Value, json};

use super::support::{ORIGIN, Server, mail, with};

const ALL: &str = "/api/v1/selections";

/// A server with four held mails and one held invoice, and the keys of the mails.
async fn with_holds() -> (Server, Vec<String>) {
    let server = Server::start().await;
    let worker = server.worker().await;
    let mut keys = Vec::new();
    for step in 1..=4 {
        keys.push(server.held(&worker, step).await);
    }
    let invoice = worker
        .claimed(with(mail(5), "kind", json!("create_invoice")))
        .await;
    let failed = json!({"attempt": 1, "error": "connection lost"});
    worker.report(&invoice, "fail", failed).await.is(200);
    (server, keys)
}

fn totals(of: &Value) -> [u64; 5] {
    ["done", "approved", "changed", "refused", "left"].map(|name| of["decided"][name].as_u64().unwrap())
}

#[tokio::test]
async fn case_d09_a_selection_is_seen_decided_and_answered_row_by_row() {
    let (server, keys) = with_holds().await;
    let (worker, operator) = (
        server.user("second", Scope::Worker, None, None).await,
        server.operator().await,
    );
    let made = operator.post(ALL, json!({"kind": "send_email"})).await.is(201);
    let id = made["id"].as_str().unwrap();
    assert_eq!((&made["count"], &made["more"]), (&json!(4), &json!(false)));
    assert_eq!(made["by_kind"], json!({"send_email": 4}));
    assert_eq!(made["by_reason"], json!({"outcome_unknown": 4}));
    assert_eq!(
        made["by_target"],
        json!([{"target": "ada@example.com", "count": 4}])
    );
    assert_eq!((&made["state"], &made["by"]), (&json!("open"), &json!("otto")));
    assert_eq!(made.get("decided"), None);

    // One more is held, and one is settled, while a person looks at it.
    server.held(&worker, 9).await;
    worker
        .report(&keys[2], "succeed", json!({"attempt": 1, "result": 1}))
        .await
        .is(200);
    let path = format!("{ALL}/{id}");
    let body = json!({"decision": "retry", "reason": "the provider is back", "spread_s": 0});
    let decided = operator
        .post(&format!("{path}/decide"), body.clone())
        .await
        .is(200);
    assert_eq!(totals(&decided), [3, 0, 1, 0, 0]);
    assert_eq!(
        (&decided["state"], decided.get("replayed")),
        (&json!("decided"), None)
    );
    assert_eq!(
        decided["decided"]["since"],
        json!({"released": {"count": 3, "tried": 0}})
    );
    let again = operator.post(&format!("{path}/decide"), body).await.is(200);
    assert_eq!(
        (&again["replayed"], totals(&again)),
        (&json!(true), totals(&decided))
    );

    let mut rows = Vec::new();
    let mut next = String::new();
    loop {
        let page = operator.get(&format!("{path}?limit=3{next}")).await.is(200);
        rows.extend(page["rows"].as_array().unwrap().clone());
        let Some(after) = page["next"].as_str() else { break };
        next = format!("&after={after}");
    }
    let outcomes: Vec<_> = rows.iter().map(|row| row["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["done", "done", "changed", "done"]);
    assert_eq!(
        (&rows[2]["found"], &rows[2]["moved_by"], &rows[2]["key"]),
        (&json!("succeeded"), &json!("mailer-token"), &json!(keys[2]))
    );
    let changed = operator.get(&format!("{path}?outcome=changed")).await.is(200);
    assert_eq!(changed["rows"].as_array().unwrap().len(), 1);
    let history = operator
        .get(&format!("/api/v1/actions/{}", keys[0]))
        .await
        .is(200);
    let last = history["history"].as_array().unwrap().last().unwrap();
    assert_eq!(last["detail"], format!("retry, selection {id}"));
}

#[tokio::test]
async fn what_is_left_out_is_told_and_stays_held() {
    let (server, keys) = with_holds().await;
    let operator = server.operator().await;
    let made = operator.post(ALL, json!({"kind": "send_email"})).await.is(201);
    let path = format!("{ALL}/{}", made["id"].as_str().unwrap());
    let decide = async |except: Value| {
        let body = json!({"decision": "retry", "reason": "all but one", "spread_s": 3600, "except": except});
        operator.post(&format!("{path}/decide"), body).await
    };
    for except in [json!(["0".repeat(64)]), json!(keys)] {
        decide(except).await.invalid("/except");
    }
    let decided = decide(json!([keys[1]])).await.is(200);
    assert_eq!(totals(&decided), [3, 0, 0, 0, 0]);
    assert_eq!(decided["decided"]["left_out"], 1);
    assert_eq!(decide(json!([keys[1]])).await.is(200)["replayed"], true);
    decide(json!([])).await.problem(409, "selection-decided");
    let page = operator.get(&format!("{path}?outcome=left_out")).await.is(200);
    let row = &page["rows"][0];
    assert_eq!((&row["key"], &row["status"]), (&json!(keys[1]), &json!("held")));
    assert_eq!(
        (&row["attempts"], &row["error"]),
        (&json!(1), &json!("connection lost"))
    );
    // What is spread comes due one after the other.
    let page = operator.get(&format!("{path}?outcome=done")).await.is(200);
    let due: Vec<_> = page["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["since"].as_str().unwrap())
        .collect();
    assert!(due[0] < due[1] && due[1] < due[2], "{due:?}");
}

#[tokio::test]
async fn a_form_that_is_refused_leaves_out_what_it_left_out() {
    let (server, keys) = with_holds().await;
    let browser = server.anonymous();
    let otto = browser.cookie("otto").await;
    let headers = [("origin", ORIGIN), ("cookie", &*otto), ("accept", "text/html")];
    let made = browser
        .form("/_fn/select", &headers, "all=true&kind=send_email")
        .await;
    let id = made
        .header("location")
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();
    let form = format!("id={id}&decision=fail&by=otto&except%5B%5D={}", keys[2]);
    let refused = browser
        .form("/_fn/decide_selection", &headers, &format!("{form}&reason=+"))
        .await;
    assert_eq!(refused.status, 422);
    // The box of that row is ticked, and no other.
    let page = refused.text();
    let boxes: Vec<_> = page
        .split("<input")
        .filter(|input| input.contains("except[]"))
        .collect();
    let ticked = boxes
        .iter()
        .map(|one| one.split('>').next().unwrap())
        .filter(|one| one.contains("checked"));
    let ticked: Vec<_> = ticked.collect();
    assert_eq!((boxes.len(), ticked.len()), (4, 1), "{boxes:?}");
    assert!(ticked[0].contains(&keys[2]));
    let taken = browser
        .form("/_fn/decide_selection", &headers, &format!("{form}&reason=paid"))
        .await;
    assert_eq!(taken.status, 303);
    let row = server
        .operator()
        .await
        .get(&format!("/api/v1/actions/{}", keys[2]))
        .await
        .is(200);
    assert_eq!(row["status"], "held");
    // Another decision is one that leaves out others.
    let again = browser
        .form(
            "/_fn/decide_selection",
            &headers,
            &format!("id={id}&decision=fail&reason=paid"),
        )
        .await;
    assert_eq!(again.status, 409);
}

#[tokio::test]
async fn what_a_selection_refuses_says_what_to_do() {
    let (server, _) = with_holds().await;
    let operator = server.operator().await;
    for (body, field) in [
        (json!({"status": "succeeded"}), "/status"),
        (json!({"status": "failed"}), "/status"),
        (json!({"kind": "Nope"}), "/kind"),
        (json!({"target": ""}), "/target"),
        (json!({"limit": 5}), "/limit"),
        (json!({"since": "yesterday"}), "/since"),
    ] {
        operator.post(ALL, body).await.invalid(field);
    }
    let id = operator.post(ALL, json!({})).await.is(201)["id"].clone();
    let path = format!("{ALL}/{}", id.as_str().unwrap());
    let decide = format!("{path}/decide");
    for (body, field) in [
        (json!({"decision": "retry", "reason": " "}), "/reason"),
        (
            json!({"decision": "fail", "reason": "x", "spread_s": 5}),
            "/spread_s",
        ),
        (
            json!({"decision": "retry", "reason": "x", "spread_s": 604_801}),
            "/spread_s",
        ),
        (
            json!({"decision": "retry", "reason": "x", "version": 1}),
            "/version",
        ),
    ] {
        operator.post(&decide, body).await.invalid(field);
    }
    for query in ["limit=0", "limit=201"] {
        operator.get(&format!("{path}?{query}")).await.invalid("/limit");
    }
    for query in ["limit=x", "outcome=nope", "nope=1", "after=x"] {
        operator
            .get(&format!("{path}?{query}"))
            .await
            .problem(422, "invalid");
    }
    let fail = json!({"decision": "fail", "reason": "called off"});
    for unknown in ["x", &"0".repeat(32), "%00"] {
        operator
            .get(&format!("{ALL}/{unknown}"))
            .await
            .problem(404, "not-found");
        let refused = operator
            .post(&format!("{ALL}/{unknown}/decide"), fail.clone())
            .await;
        refused.problem(404, "not-found");
    }
    // Somebody else may look, and not decide.
    let ada = server.user("adas", Scope::Operator, Some("ada"), None).await;
    ada.get(&path).await.is(200);
    let refused = ada.post(&decide, fail.clone()).await.problem(403, "forbidden");
    assert!(
        refused["detail"].as_str().unwrap().contains("otto's"),
        "{refused}"
    );
    assert_eq!(
        totals(&operator.post(&decide, fail).await.is(200)),
        [5, 0, 0, 0, 0]
    );
    let other = json!({"decision": "retry", "reason": "after all"});
    let refused = operator
        .post(&decide, other)
        .await
        .problem(409, "selection-decided");
    assert_eq!(refused["selection"]["decided"]["decision"], "fail");
}

/// The forms of the pages come to the same methods, and lead back to a page that says what happened.
#[tokio::test]
async fn the_forms_that_select_and_decide_lead_on_or_back() {
    let (server, keys) = with_holds().await;
    let browser = server.anonymous();
    let signed_in = async |name: &str| {
        let form = format!("name={name}&password=correct+horse");
        let answer = browser.form("/login", &[("origin", ORIGIN)], &form).await;
        answer
            .header("set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned()
    };
    let (otto, vera) = (signed_in("otto").await, signed_in("vera").await);
    let post = async |cookie: &str, path: &str, body: &str| {
        let headers = [("origin", ORIGIN), ("cookie", cookie), ("accept", "text/html")];
        let answer = browser.form(path, &headers, body).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").unwrap().to_owned()
    };
    let ticked = format!(
        "key%5B%5D={}%3A2&key%5B%5D={}%3A2&kind=send_email",
        keys[0], keys[1]
    );
    for (cookie, body, leads) in [
        (
            &otto,
            "kind=send_email",
            "/review?kind=send_email&problem=none_selected",
        ),
        (
            &otto,
            "all=true&kind=other",
            "/review?kind=other&problem=none_match",
        ),
        (&otto, "key%5B%5D=nonsense", "/?undone=form"),
        (&otto, "all=true&kind=No+kind", "/?undone=form"),
        (
            &vera,
            ticked.as_str(),
            "/review?kind=send_email&problem=select_forbidden",
        ),
    ] {
        assert_eq!(post(cookie, "/_fn/select", body).await, leads, "{body}");
    }
    let page = post(&otto, "/_fn/select", &ticked).await;
    let id = page.strip_prefix("/review/selection/").unwrap();
    // What is refused is answered by the page itself, with what was typed: no address carries that.
    for (cookie, body, status, says) in [
        (&otto, "decision=fail&reason=+", 422, "say why"),
        (
            &vera,
            "decision=fail&reason=typed",
            403,
            "This is not for you to see",
        ),
        (
            &otto,
            "decision=retry&reason=a+%25&spread_s=604801",
            422,
            "a %</textarea>",
        ),
        // The spread goes with a retry, and stands in the form whichever button is pressed.
        (&otto, "decision=fail&reason=x&spread_s=60", 303, ""),
        (&otto, "decision=fail&reason=x&spread_s=60", 303, ""),
        (&otto, "decision=retry&reason=typed", 409, "You had typed: "),
    ] {
        let body = format!("id={id}&{body}");
        let headers = [("origin", ORIGIN), ("cookie", cookie), ("accept", "text/html")];
        let answer = browser.form("/_fn/decide_selection", &headers, &body).await;
        assert_eq!(answer.status.as_u16(), status, "{body}");
        let leads = (status == 303).then_some(page.as_str());
        assert_eq!(answer.header("location"), leads, "{body}");
        assert!(answer.text().contains(says), "{body}");
    }
    let gone = format!("id={}&decision=fail&reason=typed", "0".repeat(32));
    let headers = [("origin", ORIGIN), ("cookie", &*otto), ("accept", "text/html")];
    let answer = browser.form("/_fn/decide_selection", &headers, &gone).await;
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("What you typed:") && answer.text().contains("typed"));
    let operator = server.operator().await;
    let decided = operator.get(&format!("{ALL}/{id}")).await.is(200);
    assert_eq!(totals(&decided), [2, 0, 0, 0, 0]);
}
