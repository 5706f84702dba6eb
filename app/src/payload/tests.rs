use super::*;
use crate::view::{Body, Branch, DiffLine, Value};

fn json(text: &str) -> Branch {
    match shown(text, true).body {
        Body::Json(branch) => branch,
        other @ Body::Text(_) => panic!("{other:?}"),
    }
}

/// The names and short values of a group, in order.
fn members(branch: &Branch) -> Vec<(String, String)> {
    let Value::Group(group) = &branch.value else {
        panic!("{branch:?}")
    };
    let value = |value: &Value| match value {
        Value::Text(text) | Value::Plain(text) => text.clone(),
        Value::Words(words) => format!("{}|{}", words.now, words.rest),
        Value::Group(group) => format!("{} in it", group.members),
    };
    let name = |branch: &Branch| branch.name.clone().unwrap_or_default();
    group
        .shown
        .iter()
        .map(|one| (name(one), value(&one.value)))
        .collect()
}

#[test]
fn json_by_its_members_keeps_every_digit_and_the_order() {
    let laid = json(r#"{"b":1.10,"a":[1,{}, [ ]],"c":"x\"{,}:y","n":12345678901234567890,"t":"two\nlines"}"#);
    let told = members(&laid);
    let told: Vec<_> = told.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(
        told,
        [
            ("b", "1.10"),
            ("a", "3 in it"),
            ("c", r#""x\"{,}:y""#),
            ("n", "12345678901234567890"),
            ("t", "two\nlines|"),
        ]
    );
}

#[test]
fn what_is_no_json_is_shown_all_the_same() {
    for text in ["", "\"", "\"\\", "{{{", "ä\u{202e}\"ü", "]]"] {
        let Body::Text(words) = shown(text, true).body else {
            panic!("{text}")
        };
        assert_eq!(format!("{}{}", words.now, words.rest), text);
    }
}

#[test]
fn a_page_carries_no_more_than_it_can_and_says_what_is_left_out() {
    let long = "x".repeat(256 * 1024 - 40);
    let one = shown(&format!(r#"{{"data":"{long}","to":"ada"}}"#), true);
    assert!(one.cut);
    let Body::Json(branch) = one.body else { panic!() };
    let told = members(&branch);
    assert!(told[0].1.len() < PAGE);
    assert_eq!(
        told[1],
        ("to".to_owned(), "\"ada\"".to_owned()),
        "what follows is seen"
    );

    let many = format!("[{}1]", "1,".repeat(100_000));
    let one = shown(&many, true);
    let Body::Json(Branch {
        value: Value::Group(group),
        ..
    }) = one.body
    else {
        panic!()
    };
    assert!(one.cut && group.members == 100_001 && group.shown.len() < 1_000);

    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    shown(&deep, true);
    let whole = shown(&"\u{202e}".repeat(80_000), false);
    let Body::Text(words) = whole.body else { panic!() };
    assert!(
        whole.cut && words.left_out > 79_000,
        "each is shown by its number"
    );
}

#[test]
fn a_mail_is_told_from_other_json() {
    let text = r#"{"to":["a@x",{"name":"B","email":"b@x"}],"subject":"S","body":"B","cc":"c@x","x":1,
        "attachments":[{"filename":"invoice.pdf","data":"aGk="},"terms.pdf",7]}"#;
    let mail = shown(text, true).mail.unwrap();
    assert_eq!(mail.to, "a@x, B <b@x>");
    assert_eq!(mail.heads, [("Cc".to_owned(), "c@x".to_owned())]);
    assert_eq!(mail.attachments, ["invoice.pdf", "terms.pdf", "attachment 3"]);
    assert_eq!(mail.more, ["x"]);
    for other in [
        r#"{"to":1,"subject":"S","body":"B"}"#,
        r#"{"to":[],"subject":"S","body":"B"}"#,
        "[1]",
        "7",
    ] {
        assert_eq!(shown(other, true).mail, None, "{other}");
    }
}

#[test]
fn a_text_that_begins_as_a_mail_does_is_laid_out_as_one() {
    let text = "From: Ada <ada@x>\r\nTo: lin@x,\r\n otto@x\r\nTO: eve@x\r\nSubject: Your <invoice>\r\nX-Run: 7\r\n\r\nDear Lin,\n\nTo: pay\n";
    let json = serde_json::Value::from(text).to_string();
    let beside = format!(r#"{{"tries":2,"message":{json}}}"#);
    for (told, is_json) in [(text, false), (&json, true), (&beside, true)] {
        let mail = shown(told, is_json).mail.unwrap();
        assert_eq!(mail.to, "lin@x, otto@x, eve@x", "nobody is left out");
        assert_eq!(mail.subject, "Your <invoice>");
        let heads: Vec<_> = mail.heads.iter().map(|(name, said)| (&**name, &**said)).collect();
        assert_eq!(heads, [("From", "Ada <ada@x>"), ("X-Run", "7")]);
        assert_eq!(mail.body.now, "Dear Lin,\n\nTo: pay\n");
        assert_eq!(mail.more.is_empty(), told != beside);
    }
    for other in [
        "To: lin@x\n\nno subject, and from nobody",
        "Subject: S\nFrom: a@x\n\nto nobody",
        "To: lin@x\nSubject: S\nno line of a head\n\nB",
        "To: lin@x\nSubject: S",
        "Dear Lin,\nTo: x\nSubject: y\n\nB",
        "",
    ] {
        assert_eq!(shown(other, false).mail, None, "{other}");
    }
    let html = shown("To: a@x\nSubject: S\nContent-Type: text/html\n\n<b>B", false);
    assert!(html.mail.unwrap().html);
    let many = "X: y\n".repeat(150);
    let long = shown(&format!("To: a@x\nSubject: S\n{many}\nB"), false)
        .mail
        .unwrap();
    let last = long.heads.last().unwrap();
    assert_eq!((&*last.0, &*last.1), ("And", "138 more lines of its head"));
}

#[test]
fn a_mail_s_members_are_known_however_they_are_spelt() {
    let mail = |text: &str| shown(text, true).mail.unwrap();
    let one = mail(r#"{"To":"a@x","Subject":"S","Text":"B","Reply-To":"r@x","BCC":["b@x"],"html":"<p>"}"#);
    assert_eq!((&*one.to, &*one.body.now, one.html), ("a@x", "B", false));
    let heads: Vec<_> = one.heads.iter().map(|(name, said)| (&**name, &**said)).collect();
    assert_eq!(heads, [("Reply to", "r@x"), ("Bcc", "b@x")]);
    assert_eq!(one.more, ["html"]);
    for recipient in [
        r#"{"recipient":"a@x","subject":"S","html":"B"}"#,
        r#"{"recipients":["a@x"],"subject":"S","body":"B"}"#,
    ] {
        assert_eq!(mail(recipient).to, "a@x");
    }
    let twice = mail(r#"{"to":"a@x","To":"eve@x","recipients":"mallory@x","subject":"S","body":"B"}"#);
    assert_eq!(
        (&*twice.to, twice.more),
        ("a@x", vec!["To".to_owned(), "recipients".to_owned()])
    );
}

#[test]
fn nobody_is_taken_for_the_only_recipient() {
    let many = (0..40)
        .map(|n| format!("\"p{n}@x\""))
        .collect::<Vec<_>>()
        .join(",");
    let mail = shown(&format!(r#"{{"to":[{many}],"subject":"S","html":"<b>B"}}"#), true)
        .mail
        .unwrap();
    assert!(
        mail.to.starts_with("p0@x, p1@x") && mail.to.ends_with("p11@x and 28 more"),
        "{}",
        mail.to
    );
    assert!(mail.html);
}

fn bits(line: &DiffLine) -> (char, String) {
    let marked = |bits: &[(bool, String)]| {
        let one = |(new, text): &(bool, String)| if *new { format!("[{text}]") } else { text.clone() };
        bits.iter().map(one).collect()
    };
    match line {
        DiffLine::Same(text) => (' ', text.clone()),
        DiffLine::Skipped(n) => ('.', n.to_string()),
        DiffLine::Gone(parts) => ('-', marked(parts)),
        DiffLine::Come(parts) => ('+', marked(parts)),
    }
}

fn told(first: &str, second: &str, is_json: bool) -> Vec<(String, Vec<(char, String)>)> {
    let compared = compare((first, is_json), (second, is_json));
    let part = |part: crate::view::Differing| (part.place, part.lines.iter().map(bits).collect());
    compared.parts.into_iter().map(part).collect()
}

#[test]
fn the_difference_of_two_texts_is_told_word_by_word() {
    let first = "Dear Lin,\n1\n2\n3\n380 EUR are due\nBye";
    let parts = told(first, &first.replace("380", "830"), false);
    let line = |sign, text: &str| (sign, text.to_owned());
    assert_eq!(
        parts,
        [(
            String::new(),
            vec![
                line('.', "2"),
                line(' ', "2"),
                line(' ', "3"),
                line('-', "[380] EUR are due"),
                line('+', "[830] EUR are due"),
                line(' ', "Bye"),
            ]
        )]
    );
}

#[test]
fn the_difference_of_two_objects_is_told_member_by_member() {
    let first = r#"{"to":"lin","body":"a\nb","amounts":[1,2,3],"old":true}"#;
    let second = r#"{"body":"a\nc","to":"lin","amounts":[1,3],"new":{"x":1}}"#;
    let compared = compare((first, true), (second, true));
    assert_eq!(compared.same, ["to"], "the order of members is no difference");
    let parts = told(first, second, true);
    let places: Vec<_> = parts.iter().map(|(place, _)| &**place).collect();
    assert_eq!(places, ["/body", "/amounts/1", "/old", "/new"]);
    assert_eq!(parts[1].1, [('-', "[2]".to_owned())]);
    assert_eq!(parts[3].1, [('+', r#"[{"x":1}]"#.to_owned())]);
}

#[test]
fn an_end_of_line_that_differs_is_seen() {
    let parts = told("a\r\nb\n", "a\nb", false);
    let said: Vec<_> = parts[0].1.iter().map(|(_, text)| text.clone()).collect();
    assert!(said.iter().any(|text| text.contains('␍')), "{said:?}");
    assert!(
        said.iter().any(|text| text.contains("no end of line")),
        "{said:?}"
    );
}

#[test]
fn a_long_difference_is_cut_and_ends_in_time() {
    let lines = |by: u32, of: u32| {
        let line = |n: u32| (n.wrapping_mul(by) % of).to_string();
        (0..40_000).map(line).collect::<Vec<_>>().join("\n")
    };
    let (a, b) = (lines(2_654_435_761, 997), lines(40_503, 991));
    let compared = compare((&a, false), (&b, false));
    assert!(compared.cut);
    let line = "x".repeat(200_000);
    assert!(compare((&line, false), (&line.replacen('x', "y", 1), false)).cut);
}

#[test]
fn signs_that_turn_text_around_are_shown_by_their_number() {
    assert_eq!(
        visible("a\u{202e}b\n"),
        [Ok("a".to_owned()), Err('\u{202e}'), Ok("b\n".to_owned())]
    );
    assert_eq!(folded("ab\ncd\nef", 7), ("ab\ncd\n", "ef"));
    assert_eq!(folded("äöü", 3), ("äöü", ""));
}
