//! RFC 8785 by its own examples: appendix B, and the sample texts of its authors.

use holdpoint::json::{self, JsonErrorKind, MAX_DEPTH};

/// Appendix B: the bits of a double and how it is written.
const NUMBERS: [(u64, &str); 24] = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

fn assert_form(text: &str, form: &str) {
    assert_eq!(json::canonical(text).as_deref(), Ok(form));
    assert_eq!(
        json::canonical(form).as_deref(),
        Ok(form),
        "a form is its own form"
    );
}

fn refused(text: &str) -> json::JsonError {
    json::canonical(text).expect_err(text)
}

#[test]
fn appendix_b() {
    for (bits, form) in NUMBERS {
        assert_form(&format!("{:e}", f64::from_bits(bits)), form);
    }
    // Its two rows without a form.
    for none in ["NaN", "Infinity", "-Infinity"] {
        assert_eq!(refused(none).kind, JsonErrorKind::Malformed, "{none}");
    }
}

#[test]
fn section_3_2_3_sorts_by_utf_16_units() {
    let text = r#"{ "\u20ac": "Euro Sign", "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis" }"#;
    let order = [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ];
    let form = json::canonical(text).expect("it is the RFC's own");
    assert!(order.map(|value| form.find(value)).is_sorted(), "{form}");
}

#[test]
fn arrays() {
    assert_form(
        "[\n  56,\n  {\n    \"d\": true,\n    \"10\": null,\n    \"1\": [ ]\n  }\n]",
        r#"[56,{"1":[],"10":null,"d":true}]"#,
    );
}

#[test]
fn french() {
    let text = r#"{ "peach": "This sorting order", "péché": "is wrong according to French",
        "pêche": "but canonicalization MUST", "sin":   "ignore locale" }"#;
    let form = concat!(
        r#"{"peach":"This sorting order","péché":"is wrong according to French","#,
        r#""pêche":"but canonicalization MUST","sin":"ignore locale"}"#,
    );
    assert_form(text, form);
}

#[test]
fn structures() {
    let text = r#"{ "1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { },
        "111": [ {"e": "yes","E": "no" } ], "A": { } }"#;
    let form = concat!(
        r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"#,
        r#""A":{},"a":{}}"#,
    );
    assert_form(text, form);
}

#[test]
fn unicode_is_not_normalised() {
    assert_form(
        r#"{ "Unnormalized Unicode":"A\u030a" }"#,
        "{\"Unnormalized Unicode\":\"A\u{30a}\"}",
    );
}

#[test]
fn values() {
    let text = r#"{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false] }"#;
    let form = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#,
    );
    assert_form(text, form);
}

#[test]
fn weird() {
    let text = r#"{ "\u20ac": "Euro Sign", "\r": "Carriage Return", "\u000a": "Newline", "1": "One",
        "\u0080": "Control\u007f", "\ud83d\ude02": "Smiley", "\u00f6": "Latin Small Letter O With Diaeresis",
        "\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge" }"#;
    let form = concat!(
        r#"{"\n":"Newline","\r":"Carriage Return","1":"One","</script>":"Browser Challenge","#,
        "\"\u{80}\":\"Control\u{7f}\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",",
        "\"😂\":\"Smiley\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
    );
    assert_form(text, form);
}

#[test]
fn every_control_character_has_its_one_escape() {
    assert_form(
        r#""\u0000\u0001\u0008\u0009\u000a\u000b\u000C\u000d\u000e\u001F\u0020\u007f\u2028""#,
        "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u000e\\u001f \u{7f}\u{2028}\"",
    );
}

#[test]
fn zero_has_one_form_and_an_exponent_may_be_absurd_where_the_number_is_not() {
    for zero in [
        "0",
        "-0",
        "0.0",
        "-0.0e5",
        "0e999999999999999999999",
        "0E-999999999999999999999",
    ] {
        assert_eq!(json::canonical(zero).as_deref(), Ok("0"), "{zero}");
    }
    for beyond in [
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "2e-324",
        "1.8e308",
    ] {
        assert_eq!(refused(beyond).kind, JsonErrorKind::Number, "{beyond}");
    }
    assert_eq!(json::canonical("3e-324").as_deref(), Ok("5e-324"));
}

#[test]
fn an_integer_is_accepted_exactly_if_its_digits_stay() {
    for same in [
        "9007199254740991",
        "9007199254740994",
        "100000000000000000000",
        "-100000000000000000000",
    ] {
        assert_eq!(json::canonical(same).as_deref(), Ok(same));
    }
    for changed in [
        "9007199254740993",
        "1000000000000000000000",
        "295147905179352825856",
        "18446744073709551616",
    ] {
        assert_eq!(refused(changed).kind, JsonErrorKind::Number, "{changed}");
    }
}

#[test]
fn nesting_has_a_limit_where_it_is_hashed_and_none_where_it_is_kept() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(json::canonical(&nested(MAX_DEPTH)), Ok(nested(MAX_DEPTH)));
    assert_eq!(refused(&nested(MAX_DEPTH + 1)).kind, JsonErrorKind::TooDeep);
    assert_eq!(json::check(&nested(1_000_000)), Ok(()));
    let open = json::check(&"[{\"a\":".repeat(500_000)).expect_err("nothing is closed");
    assert_eq!((open.kind, open.pointer), (JsonErrorKind::Malformed, None));
}

#[test]
fn what_is_kept_byte_for_byte_need_not_be_understood() {
    for kept in [
        r#"{"a":1,"a":2}"#,
        r#""\ud800""#,
        "1e400",
        "9007199254740993",
        " [1.10 , 1e2]\n",
        r#""\u0000""#,
    ] {
        assert_eq!(json::check(kept), Ok(()), "{kept}");
    }
}

#[test]
fn a_refusal_says_what_where_and_what_to_do() {
    for (text, message) in [
        (
            r#"{"id":9007199254740993}"#,
            "9007199254740993 is an integer that RFC 8785 writes as 9007199254740992: send it as a string, or hash the body as text (line 1, column 7, at /id)",
        ),
        (
            "{\"a\":[\n  1,\n  {\"b/c~\":\"\\ud800\"}]}",
            "a string holds half of a surrogate pair, which has no UTF-8: send both halves, or U+FFFD (line 3, column 11, at /a/1/b~1c~0)",
        ),
        (
            r#"{"é":1,"a":{},"é":2}"#,
            "the member \"é\" stands twice in one object: leave one of them out (line 1, column 15, at /é)",
        ),
        ("", "the text ends where a value is expected (line 1, column 1)"),
        (
            "[1 2]",
            "'2' stands where a comma or ] is expected (line 1, column 4, at /1)",
        ),
        (
            "[1,]",
            "']' stands where a value is expected (line 1, column 4, at /1)",
        ),
        (
            "{\"a\":1,}",
            "'}' stands where a member's name in double quotes is expected (line 1, column 8)",
        ),
        (
            "{'a':1}",
            "'\\'' stands where a member's name in double quotes or } is expected (line 1, column 2)",
        ),
        (
            "{\"a\" 1}",
            "a colon must follow the name \"a\" (line 1, column 6)",
        ),
        ("nul", "'n' stands where a value is expected (line 1, column 1)"),
        (
            "{} {}",
            "'{' stands where the end of the text is expected (line 1, column 4)",
        ),
        (
            "[01]",
            "a number begins with 0: leave the leading zeros out (line 1, column 3, at /0)",
        ),
        ("-", "a number lacks its digits (line 1, column 2)"),
        ("1.e5", "a fraction lacks its digits (line 1, column 3)"),
        ("1e+", "an exponent lacks its digits (line 1, column 4)"),
        (
            "\"a\tb\"",
            "a string holds the control character U+0009: write it as \\u0009 (line 1, column 3)",
        ),
        (
            "\"a",
            "the text ends within a string: close it with \" (line 1, column 3)",
        ),
    ] {
        assert_eq!(refused(text).to_string(), message, "{text}");
    }
}

#[test]
fn what_is_not_json_is_called_so_first() {
    assert_eq!(refused("[1e400").kind, JsonErrorKind::Malformed);
    assert_eq!(refused("1e400[").kind, JsonErrorKind::Malformed);
    assert_eq!(refused("[1e400]").kind, JsonErrorKind::Number);
}

#[test]
fn a_refusal_stays_short_however_long_the_text_is() {
    for text in [
        "9".repeat(300),
        format!("{{\"{0}\":1,\"{0}\":2}}", "é".repeat(5000)),
    ] {
        assert!(refused(&text).to_string().len() < 300);
    }
}
