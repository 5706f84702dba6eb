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
    assert_eq!(mail.heads, [("Cc", "c@x".to_owned())]);
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
