//! What holds for every operation, said once: who may call, and what is answered where something is wrong.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use holdpoint::Scope;
use serde_json::{Map, Value, json};

use super::{BEARER, Needs, SESSION, needs_of};
use crate::problem::Kind;
use crate::problem::kind::{
    self, FOREIGN_ORIGIN, INVALID, NOT_FOUND, TOO_LARGE, UNREADABLE, UNSUPPORTED_MEDIA_TYPE,
};

/// Under this name a handler lists the codes of its own problems; it becomes answers and is taken away.
const PROBLEMS: &str = "x-problems";

const ABOUT: &str = "Claims for external effects: an agent's mail is sent once, or a person is asked.\n\n\
    JSON in and out, times in RFC 3339 with `Z`. Every call carries `Authorization: Bearer hp_…`; make tokens with \
    `holdpoint token create NAME --scope SCOPE`. In a browser a signed-in person may call what their role allows.\n\n\
    Unknown and doubled members are refused, so that a typo never loses a field. Errors are \
    `application/problem+json` (RFC 9457): `type` ends in a code, `detail` says what to do, `field` is the JSON \
    Pointer of what is wrong, and `request_id` finds the line in the log. Who calls is looked at before what they \
    sent. An address that does not take a method answers 405 with `Allow`.";

const TAGS: [(&str, &str); 8] = [
    ("Workers", "Claim before an effect, report after it."),
    ("People", "Look at actions, and decide what no machine may."),
    (
        "Policies",
        "What recovery may do for a kind, and how long things may take.",
    ),
    (
        "Watching",
        "Counts, what changes, what was done by whom, and the reaper.",
    ),
    (
        "Account",
        "A person's own: where they are signed in, and their password.",
    ),
    ("Administration", "Who may sign in, and the tokens of programs."),
    ("Webhooks", "Whom the server tells what waits for people."),
    ("Description", "The API itself."),
];

/// The description with everything that its operations have in common.
pub fn finish(mut whole: Value) -> Value {
    whole["info"] = json!({
        "title": "Holdpoint",
        "version": env!("CARGO_PKG_VERSION"),
        "description": ABOUT,
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    });
    whole["servers"] = json!([{"url": "/", "description": "This server."}]);
    whole["tags"] = TAGS
        .iter()
        .map(|(name, says)| json!({"name": name, "description": says}))
        .collect();
    let mut shared = Map::new();
    let paths = whole["paths"].as_object_mut().into_iter().flatten();
    for (_, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            operation_of(method, operation, &mut shared);
        }
    }
    let components = &mut whole["components"];
    components["responses"] = shared.into();
    components["securitySchemes"][BEARER] = json!({
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "hp_…",
        "description": "A token with one scope: `worker`, `read`, `operator` or `admin`.",
    });
    components["securitySchemes"][SESSION] = json!({
        "type": "apiKey",
        "in": "cookie",
        "name": "__Host-holdpoint",
        "description": "The session of a browser in which a person signed in. Over plain http the cookie is called `holdpoint-` and the port.",
    });
    plain_numbers(&mut whole);
    whole
}

fn operation_of(method: &str, operation: &mut Value, shared: &mut Map<String, Value>) {
    let mut answers: BTreeMap<u16, Vec<&'static Kind>> = BTreeMap::new();
    for kind in problems_of(method, operation) {
        let kinds = answers.entry(kind.status.as_u16()).or_default();
        if !kinds.iter().any(|known| known.code == kind.code) {
            kinds.push(kind);
        }
    }
    for (status, kinds) in answers {
        operation["responses"][status.to_string()] = answer(&kinds, shared);
    }
    let says = operation["description"].as_str().unwrap_or_default();
    let says = format!("{says}\n\n{}", who(operation)).trim().to_owned();
    operation["description"] = says.into();
    if let Some(operation) = operation.as_object_mut() {
        operation.remove(PROBLEMS);
    }
}

/// Every problem that an operation may answer with: its own, and those of whatever it takes.
fn problems_of(method: &str, operation: &Value) -> Vec<&'static Kind> {
    let takes = |place: &str| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.into_iter().any(|parameter| parameter["in"] == place)
    };
    let mut found: Vec<&Kind> = vec![&UNREADABLE];
    found.extend(kind::ALL.iter().filter(|kind| {
        kind.status.is_server_error()
            || [StatusCode::MISDIRECTED_REQUEST, StatusCode::TOO_MANY_REQUESTS].contains(&kind.status)
    }));
    if needs_of(operation) != Some(Needs::Nothing) {
        found.extend(kind::ALL.iter().filter(|kind| {
            let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&kind.status);
            refused && (kind.code != FOREIGN_ORIGIN.code || method != "get")
        }));
    }
    if takes("path") {
        found.push(&NOT_FOUND);
    }
    if takes("query") {
        found.push(&INVALID);
    }
    if operation.get("requestBody").is_some() {
        found.extend([&TOO_LARGE, &UNSUPPORTED_MEDIA_TYPE, &INVALID]);
    }
    let own = operation[PROBLEMS].as_array().into_iter().flatten();
    found.extend(own.filter_map(|code| kind::ALL.iter().find(|kind| code == kind.code)));
    found
}

/// One answer for problems of one status; what many operations share stands among the components.
fn answer(kinds: &[&'static Kind], shared: &mut Map<String, Value>) -> Value {
    let types: Vec<_> = kinds
        .iter()
        .map(|kind| format!("urn:holdpoint:problem:{}", kind.code))
        .collect();
    let says: Vec<_> = kinds
        .iter()
        .map(|kind| format!("`{}`: {}.", kind.code, kind.title))
        .collect();
    let mut whole = json!({
        "description": says.join(" "),
        "content": {"application/problem+json": {"schema": {
            "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"type": "object", "properties": {"type": {"enum": types}}},
            ],
        }}},
    });
    let header = |says: &str, schema: Value| json!({"description": says, "schema": schema});
    match kinds.first().map(|kind| kind.status) {
        Some(StatusCode::UNAUTHORIZED) => {
            whole["headers"]["WWW-Authenticate"] = header("How to say who calls.", json!({"type": "string"}));
        }
        Some(StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS | StatusCode::CONFLICT) => {
            whole["headers"]["Retry-After"] = header(
                "Seconds after which it makes sense to ask again, where it does.",
                json!({"type": "integer", "minimum": 1}),
            );
        }
        _ => {}
    }
    if kinds.len() > 2 {
        return whole;
    }
    let codes: Vec<_> = kinds.iter().map(|kind| kind.code).collect();
    let name = codes.join("-or-");
    let reference = json!({"$ref": format!("#/components/responses/{name}")});
    shared.insert(name, whole);
    reference
}

fn who(operation: &Value) -> &'static str {
    match needs_of(operation) {
        Some(Needs::Nothing) => "Needs no token.",
        Some(Needs::Scope(Scope::Worker)) => "Needs the scope `worker`.",
        Some(Needs::Scope(Scope::Read)) => "Needs the scope `read`; `operator` and `admin` have it too.",
        Some(Needs::Scope(Scope::Operator)) => "Needs the scope `operator`; `admin` has it too.",
        Some(Needs::Scope(Scope::Admin)) => "Needs the scope `admin`.",
        Some(Needs::Person) => {
            "Needs a person: a browser's session, or a token of the scope `operator` or `admin`."
        }
        Some(Needs::Browser) => "Needs a browser's session: a token is refused.",
        None => "Nobody may call it.",
    }
}

/// The formats are those of signed numbers: what has none below zero goes up to its own end.
fn plain_numbers(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("format").is_some_and(|format| format == "int32") {
                members.remove("format");
                let unsigned = members.get("minimum").is_some_and(|least| least == 0);
                if unsigned && !members.contains_key("maximum") {
                    members.insert("maximum".to_owned(), u32::MAX.into());
                }
            }
            members.values_mut().for_each(plain_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(plain_numbers),
        _ => {}
    }
}
