//! A browser: it keeps cookies, comes from an address, and sends along what browsers send.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};

use super::support::{Answer, HOST, ORIGIN, Server, User};

pub const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

#[derive(Clone)]
pub struct Browser {
    user: User,
    from: IpAddr,
    pub origin: &'static str,
    host: &'static str,
    pub cookies: BTreeMap<String, String>,
    /// Sent along with each request.
    pub headers: Vec<(&'static str, String)>,
}

impl Browser {
    pub fn new(server: &Server) -> Self {
        Self::at(server, "192.0.2.7")
    }

    /// At this address.
    pub fn at(server: &Server, address: &str) -> Self {
        Self {
            user: server.anonymous(),
            from: address.parse().unwrap(),
            origin: ORIGIN,
            host: HOST,
            cookies: BTreeMap::new(),
            headers: Vec::new(),
        }
    }

    /// The same for a server that is called so.
    pub fn calling(mut self, origin: &'static str) -> Self {
        self.origin = origin;
        self.host = origin.split_once("://").unwrap().1;
        self
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.call(Method::GET, path, None, String::new()).await
    }

    pub async fn post(&mut self, path: &str, form: &str) -> Answer {
        let kind = "application/x-www-form-urlencoded";
        self.call(Method::POST, path, Some(kind), form.to_owned()).await
    }

    /// Where a form leads to.
    pub async fn sent(&mut self, path: &str, form: &str) -> String {
        let answer = self.post(path, form).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").unwrap().to_owned()
    }

    pub async fn json(&mut self, method: Method, path: &str, body: &str) -> Answer {
        self.call(method, path, Some("application/json"), body.to_owned())
            .await
    }

    pub async fn sign_in(&mut self, name: &str, password: &str) -> Answer {
        self.post(
            "/login",
            &format!("name={name}&password={password}&next=%2Factions"),
        )
        .await
    }

    /// Signs in as who can.
    pub async fn signed_in(mut self, name: &str) -> Self {
        let answer = self.sign_in(name, "correct+horse").await;
        assert_eq!(answer.header("location"), Some("/actions"), "{}", answer.text());
        self
    }

    /// The session's cookie: its name and what it holds.
    pub fn session(&self) -> Option<(&str, &str)> {
        let mut all = self.cookies.iter();
        all.find(|(name, _)| name.contains("holdpoint"))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether somebody is known by its cookies.
    pub async fn is_known(&self) -> bool {
        let answer = self.clone().json(Method::GET, "/api/v1/actions", "").await;
        if answer.status == 200 {
            return true;
        }
        answer.problem(401, "unauthorized");
        false
    }

    async fn call(&mut self, method: Method, path: &str, kind: Option<&str>, body: String) -> Answer {
        let connected = ConnectInfo(SocketAddr::new(self.from, 50_000));
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .extension(connected)
            .header("host", self.host)
            .header("origin", self.origin)
            .header("sec-fetch-site", "same-origin")
            .header("user-agent", AGENT)
            .header("accept", "text/html");
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if !cookies.is_empty() {
            request = request.header("cookie", cookies.join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let answer = self.user.call(request, Body::from(body)).await;
        self.keep(&answer);
        answer
    }

    /// As a browser keeps cookies: with the prefix it takes none that is not said to be secure.
    fn keep(&mut self, answer: &Answer) {
        for set in answer.headers.get_all("set-cookie") {
            let set = set.to_str().unwrap();
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            if name.starts_with("__Host-") && !(set.contains("; Secure") && set.contains("Path=/")) {
                continue;
            }
            if set.contains("Max-Age=0") || value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}
