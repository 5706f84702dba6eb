//! Holds answers to the description: every answer that a test of these addresses gets is looked at here, too.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, header};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use tower::ServiceExt as _;

use super::support::{Answer, HOST, User};

/// The description, as anybody may read it.
pub struct Description {
    pub whole: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

static KNOWN: OnceLock<Description> = OnceLock::new();

impl Description {
    pub async fn load(user: &User) -> Self {
        let request = Request::get("/api/v1/openapi.json").header(header::HOST, HOST);
        let answer = user
            .router()
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap();
        let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        Self {
            whole: serde_json::from_slice(&bytes).unwrap(),
            validators: Mutex::default(),
        }
    }

    /// An address of this path, at which nothing stands.
    pub fn nowhere(path: &str) -> String {
        let mut address = path.to_owned();
        for (name, value) in [
            ("{key}", "0".repeat(64).as_str()),
            ("{kind}", "k"),
            ("{run_id}", "r"),
            ("{name}", "nobody"),
            ("{id}", "none"),
        ] {
            address = address.replace(name, value);
        }
        assert!(
            !address.contains('{'),
            "nobody said what to put into {path}: say it here"
        );
        address
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.whole["paths"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
    }

    /// The methods of a path, as HTTP spells them.
    pub fn methods(&self, path: &str) -> BTreeSet<String> {
        let item = self.whole["paths"][path].as_object().unwrap();
        item.keys().map(|method| method.to_ascii_uppercase()).collect()
    }

    pub fn operations(&self) -> impl Iterator<Item = (&str, Method, &Value)> {
        let items = self.whole["paths"].as_object().unwrap().iter();
        items.flat_map(|(path, item)| {
            let operations = item.as_object().unwrap().iter();
            operations.map(move |(method, operation)| {
                (
                    path.as_str(),
                    method.to_ascii_uppercase().parse().unwrap(),
                    operation,
                )
            })
        })
    }

    /// The operation that an address belongs to; the plain words before the parameters, as the router does it.
    fn operation(&self, method: &Method, address: &str) -> Option<&Value> {
        let method = method.as_str().to_ascii_lowercase();
        self.whole["paths"][self.path_of(address)?].get(method)
    }

    /// The path that an address belongs to.
    pub fn path_of(&self, address: &str) -> Option<&str> {
        let parts: Vec<_> = address.split('/').collect();
        let fits = |path: &&str| {
            let named: Vec<_> = path.split('/').collect();
            named.len() == parts.len()
                && named
                    .iter()
                    .zip(&parts)
                    .all(|(named, part)| named == part || (named.starts_with('{') && !part.is_empty()))
        };
        self.paths()
            .filter(fits)
            .min_by_key(|path| path.matches('{').count())
    }

    /// The operations, but the description itself, that none of these calls is of.
    pub fn without<'a>(&self, calls: impl Iterator<Item = (&'a Method, &'a str)>) -> Vec<String> {
        let called: BTreeSet<_> = calls
            .filter_map(|(method, address)| {
                let path = self.path_of(address.split('?').next()?)?;
                Some((path, method.clone().to_string()))
            })
            .collect();
        self.operations()
            .filter(|(path, method, _)| {
                *path != "/api/v1/openapi.json" && !called.contains(&(*path, method.to_string()))
            })
            .map(|(path, method, _)| format!("{method} {path}"))
            .collect()
    }

    /// What is described for a status, with references followed.
    fn answer<'a>(&'a self, operation: &'a Value, status: u16) -> Option<&'a Value> {
        let answer = operation["responses"].get(status.to_string())?;
        match answer["$ref"].as_str() {
            Some(reference) => self.whole.pointer(reference.strip_prefix('#')?),
            None => Some(answer),
        }
    }

    /// What is wrong with an answer, measured by the description.
    pub fn breach(&self, method: &Method, address: &str, answer: &Answer) -> Option<String> {
        let operation = self.operation(method, address)?;
        let status = answer.status.as_u16();
        let Some(described) = self.answer(operation, status) else {
            return Some(format!("the status {status} is not described"));
        };
        let Some(content) = described.get("content").and_then(Value::as_object) else {
            return (!answer.bytes.is_empty())
                .then(|| format!("the status {status} has no body in the description"));
        };
        let sort = answer.header("content-type").unwrap_or_default();
        // What stands behind it says more of the same type.
        let plain = sort.split(';').next().unwrap_or_default();
        let found = content.get(sort).or_else(|| content.get(plain));
        let Some(schema) = found.map(|content| &content["schema"]) else {
            return Some(format!("the content type {sort:?} is not described for {status}"));
        };
        let body: Value = match serde_json::from_slice(&answer.bytes) {
            Ok(body) => body,
            // The tests keep results that a reader of doubles can't hold.
            Err(_) => return None,
        };
        let validator = self.validator(schema);
        let wrong = validator.iter_errors(&body).next()?;
        Some(format!("{status} at {}: {wrong}", wrong.instance_path()))
    }

    /// Made once for each schema: the same operations are called again and again.
    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let mut made = self.validators.lock().unwrap();
        let anew = || Arc::new(jsonschema::validator_for(&self.closed(schema)).unwrap());
        made.entry(schema.to_string()).or_insert_with(anew).clone()
    }

    /// A schema of its own that takes no member which is not described.
    fn closed(&self, schema: &Value) -> Value {
        let mut schemas = Map::new();
        for (name, schema) in self.whole["components"]["schemas"].as_object().unwrap() {
            let mut schema = schema.clone();
            close(&mut schema, false);
            schemas.insert(name.clone(), schema);
        }
        let mut root = schema.clone();
        close(&mut root, true);
        root["components"] = json!({"schemas": schemas});
        root
    }
}

/// Closes what a value as a whole is held to; parts that are joined to others stay open.
fn close(schema: &mut Value, whole: bool) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if whole {
        members.insert("unevaluatedProperties".to_owned(), false.into());
    }
    for (name, value) in members.iter_mut() {
        match name.as_str() {
            "properties" => value
                .as_object_mut()
                .unwrap()
                .values_mut()
                .for_each(|value| close(value, true)),
            "items" | "additionalProperties" => close(value, true),
            "oneOf" | "anyOf" => value
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|value| close(value, true)),
            "allOf" => value
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|value| close(value, false)),
            _ => {}
        }
    }
}

/// Fails the test whose answer is not as described.
pub async fn hold(user: &User, method: &Method, address: &str, answer: &Answer) {
    let address = address.split('?').next().unwrap_or_default();
    if !address.starts_with("/api/v1/") || answer.status == 405 {
        return;
    }
    if KNOWN.get().is_none() {
        let known = Description::load(user).await;
        let _ = KNOWN.set(known);
    }
    let breach = KNOWN
        .get()
        .and_then(|known| known.breach(method, address, answer));
    if let Some(breach) = breach {
        panic!(
            "{method} {address} breaks its description: {breach}\n{}",
            answer.text()
        );
    }
}
