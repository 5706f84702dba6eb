//! Whatever strangers write into addresses and forms: no reader panics, and what is printed reads back as it was.

use holdpoint::Policy;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::address::{self, Query, decode, encode};
use crate::payload;
use crate::view::PolicyForm;

/// Names and values that an address can carry: an empty one is as good as absent.
fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    vec(("[a-z_&=+%#?]{1,6}", ".{1,12}"), 0..5)
}

proptest! {
    #[test]
    fn hostile_queries_are_read_and_read_back(search in prop_oneof![any::<String>(), "[?&=%+a-f0-9;#]{0,40}"]) {
        let query = Query::parse(&search);
        let printed = query.to_string();
        prop_assert!(printed.is_ascii() && !printed.contains(['"', '<', '>', '\'', ' ', '\n']), "{}", printed);
        prop_assert_eq!(Query::parse(&printed), query);
    }

    #[test]
    fn what_is_put_into_a_query_is_what_is_found_in_it(pairs in pairs()) {
        let mut query = Query::default();
        for (name, value) in &pairs {
            query = query.with(name, value);
        }
        let address = query.at("/actions");
        let read = Query::parse(address.strip_prefix("/actions").unwrap());
        for (n, (name, value)) in pairs.iter().enumerate() {
            let later = pairs[n + 1..].iter().any(|(other, _)| other == name);
            if !later {
                prop_assert_eq!(read.get(name), Some(value.as_str()));
            }
        }
    }

    #[test]
    fn any_text_is_one_part_of_an_address(text in any::<String>()) {
        prop_assert_eq!(decode(&encode(&text), false), text.clone());
        prop_assert_eq!(decode(&encode(&text), true), text.clone());
        for address in [address::run(&text), address::action(&text), address::policy(&text)] {
            prop_assert_eq!(address.matches('/').count(), 2, "{}", address);
        }
        let _ = decode(&text, true);
    }

    #[test]
    fn hostile_policy_forms_are_refused_or_in_range(pairs in vec((member(), typed()), 0..24)) {
        let mut query = PolicyForm::of(&Policy::default()).into_query(Query::default());
        for (name, value) in &pairs {
            query = query.with(name, value);
        }
        let form = PolicyForm::from_query(&query);
        match form.policy(&Policy::default()) {
            Ok(policy) => {
                prop_assert_eq!(policy.validate(), Ok(()));
                prop_assert_eq!(PolicyForm::of(&policy).policy(&policy), Ok(policy));
            }
            Err((field, detail)) => prop_assert!(!field.is_empty() && !detail.is_empty()),
        }
        // What was typed comes back with the page, cut where no member could hold it.
        let again = PolicyForm::from_query(&Query::parse(&form.into_query(Query::default()).to_string()));
        prop_assert_eq!(again.into_query(Query::default()), form.into_query(Query::default()));
    }
}

proptest! {
    /// Payloads are others' words, shown as they are.
    #[test]
    fn hostile_payloads_are_shown(text in any::<String>(), near in "[\\[\\]{}:,\"\\\\a-z0-9.e \n-]{0,60}", most in 0..80_usize) {
        for text in [&text, &near] {
            let _ = (payload::shown(text, true), payload::shown(text, false));
            let (first, rest) = payload::folded(text, most);
            prop_assert_eq!(&format!("{first}{rest}"), text);
            let _ = payload::visible(text);
        }
        let _ = (payload::compare((&text, false), (&near, false)), payload::compare((&text, true), (&near, true)));
    }
}

fn member() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "recovery",
            "stale_after_s",
            "max_attempts",
            "verify_url",
            "approve_first",
            "hold_deadline_s",
            "on_drift",
            "approvals_needed",
            "reason",
            "mask",
        ])
        .prop_map(str::to_owned),
        "[a-z_]{1,12}",
    ]
}

fn typed() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "-?[0-9]{1,12}",
        "https?://[a-z.]{1,9}",
        "[a-z]{4,12}",
        ".{1990,2010}"
    ]
}

/// The framework writes what stands in a `<textarea>` as it is: whatever is put there goes through `inside`.
#[test]
fn what_was_typed_never_ends_its_field() {
    fn look(folder: &std::path::Path, fields: &mut usize) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, fields);
                continue;
            }
            if path.ends_with("hostile.rs") || path.ends_with("said.rs") {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            for field in source.split("<textarea").skip(1) {
                let (field, _) = field.split_once("</textarea>").unwrap();
                let (_, typed) = field.split_once('>').unwrap();
                assert!(
                    typed.trim().starts_with("{inside("),
                    "{}: {typed}",
                    path.display()
                );
                *fields += 1;
            }
        }
    }
    let mut fields = 0;
    look(
        &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut fields,
    );
    assert!(fields > 0);
    assert_eq!(
        crate::components::inside("\n</textarea>&"),
        "\n\n&lt;/textarea&gt;&amp;"
    );
}
