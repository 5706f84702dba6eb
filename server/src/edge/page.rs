//! A problem as a page: for whoever opened an address in a browser, without the database and without a script.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::response::Response;

use crate::headers;
use crate::pages::chosen;
use crate::problem::Problem;
use crate::ways::wants_html;

/// What a page about a problem has to know of the request.
#[derive(Debug)]
pub struct Asked {
    again: Option<String>,
    theme: Option<&'static str>,
}

/// What such a page has to know, where a person asked; programs read problems as JSON.
pub fn asked(method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Asked> {
    if uri.path().starts_with("/api/") || !wants_html(headers) {
        return None;
    }
    let again = uri
        .path_and_query()
        // Two slashes would lead to another host.
        .filter(|path| *method == Method::GET && !path.as_str().starts_with("//"));
    Some(Asked {
        again: again.map(|path| path.as_str().to_owned()),
        theme: chosen(headers).attribute(),
    })
}

/// The problem as a page of its own.
pub fn page(problem: &Problem, id: &str, asked: &Asked) -> Response {
    let status = problem.status();
    let mut links = String::new();
    if let Some(again) = asked.again.as_deref().filter(|_| status.is_server_error()) {
        let again = escaped(again);
        let _ = write!(
            links,
            r#"<a class="button is-main" href="{again}">Try again</a> "#
        );
    }
    let theme = asked
        .theme
        .map_or_else(String::new, |theme| format!(r#" data-theme="{theme}""#));
    let (title, detail) = (escaped(problem.title()), escaped(problem.detail()));
    let code = status.as_u16();
    let text = format!(
        r#"<!DOCTYPE html>
<html lang="en"{theme}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/pkg/holdpoint.css">
<title>{title} · Holdpoint</title>
</head>
<body>
<main class="main">
<div class="empty">
<svg class="empty-art is-bad" viewBox="0 0 44 44" aria-hidden="true"><path class="ring" d="M13.2 2h17.6L42 13.2v17.6L30.8 42H13.2L2 30.8V13.2Z"></path><path class="sign" d="M22 13v11M22 30v.2"></path></svg>
<h1>{title}</h1>
<p>{detail}</p>
<p class="hint">{code} · request {id}</p>
<div class="buttons">{links}<a class="button" href="/">Overview</a></div>
</div>
</main>
</body>
</html>
"#
    );
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let out = response.headers_mut();
    problem.say_headers(out);
    out.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    out.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(headers::PLAIN_PAGE),
    );
    response
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
