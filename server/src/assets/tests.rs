use axum::{Router, body::to_bytes, middleware::from_fn, routing::get};
use tower::ServiceExt as _;

use super::*;

const SITE: [(&str, &[u8]); 6] = [
    ("pkg/holdpoint_bg.wasm", b"plain wasm"),
    ("pkg/holdpoint_bg.wasm.br", b"brotli"),
    ("pkg/holdpoint_bg.wasm.gz", b"gzip"),
    ("pkg/holdpoint.js", b"glue"),
    ("pkg/holdpoint.css", b"style"),
    ("favicon.svg", b"<svg/>"),
];

fn asset(address: &str) -> Option<Asset> {
    let (at, (_, bytes)) = SITE.iter().enumerate().find(|(_, (name, _))| *name == address)?;
    Some(Asset {
        bytes: Cow::Borrowed(bytes),
        hash: [u8::try_from(at).ok()?; 32],
    })
}

fn ask(path: &str, headers: &[(header::HeaderName, &'static str)]) -> Option<Response> {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
        .collect();
    respond(path, &headers, asset)
}

fn wasm(accepted: &'static str) -> Response {
    ask("/pkg/holdpoint_bg.wasm", &[(header::ACCEPT_ENCODING, accepted)]).unwrap()
}

fn encoding(response: &Response) -> Option<&HeaderValue> {
    response.headers().get(header::CONTENT_ENCODING)
}

async fn body(response: Response) -> Bytes {
    to_bytes(response.into_body(), 1000).await.unwrap()
}

#[tokio::test]
async fn brotli_comes_before_gzip_and_gzip_before_plain() {
    for (accepted, name, content) in [
        ("gzip, deflate, br, zstd", Some("br"), &b"brotli"[..]),
        ("GZIP", Some("gzip"), b"gzip"),
        ("*", Some("br"), b"brotli"),
        ("br;q=0, *;q=0.5", Some("gzip"), b"gzip"),
        ("br; q=0.0, gzip; q=0.2", Some("gzip"), b"gzip"),
        ("br;q=nonsense", None, b"plain wasm"),
        ("identity", None, b"plain wasm"),
        ("", None, b"plain wasm"),
    ] {
        let response = wasm(accepted);
        assert_eq!(
            encoding(&response).map(HeaderValue::as_bytes),
            name.map(str::as_bytes),
            "{accepted}"
        );
        assert_eq!(body(response).await, content, "{accepted}");
    }
}

#[test]
fn the_headers_let_a_browser_keep_and_compile_it() {
    let response = wasm("br");
    let shown = |name: &str| response.headers()[name].to_str().unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(shown("content-type"), "application/wasm");
    assert_eq!(shown("cache-control"), "no-cache");
    assert_eq!(shown("vary"), "accept-encoding");
    assert_eq!(shown("x-content-type-options"), "nosniff");
}

#[test]
fn each_kind_of_file_has_its_type() {
    for (path, kind) in [
        ("/pkg/holdpoint.js", "text/javascript; charset=utf-8"),
        ("/pkg/holdpoint.css", "text/css; charset=utf-8"),
        ("/favicon.svg", "image/svg+xml"),
    ] {
        assert_eq!(ask(path, &[]).unwrap().headers()[header::CONTENT_TYPE], kind);
    }
}

#[tokio::test]
async fn what_the_browser_has_is_not_sent_again() {
    let tag = wasm("br").headers()[header::ETAG].to_str().unwrap().to_owned();
    assert_ne!(
        tag,
        wasm("gzip").headers()[header::ETAG].to_str().unwrap(),
        "each encoding has its own tag"
    );
    for known in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"other\", {tag}"),
        "*".to_owned(),
    ] {
        let headers = HeaderMap::from_iter([
            (header::ACCEPT_ENCODING, HeaderValue::from_static("br")),
            (header::IF_NONE_MATCH, HeaderValue::try_from(&known).unwrap()),
        ]);
        let response = respond("/pkg/holdpoint_bg.wasm", &headers, asset).unwrap();
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{known}");
        assert_eq!(response.headers()[header::ETAG], tag);
        assert!(!response.headers().contains_key(header::CONTENT_TYPE));
        assert!(body(response).await.is_empty());
    }
    let stale = ask("/pkg/holdpoint_bg.wasm", &[(header::IF_NONE_MATCH, "\"other\"")]).unwrap();
    assert_eq!(stale.status(), StatusCode::OK);
}

#[test]
fn other_addresses_are_left_to_the_router() {
    for path in [
        "/",
        "",
        "/actions",
        "/pkg",
        "/pkg/",
        "/pkg/holdpoint_bg.wasm.br",
        "/pkg/../favicon.svg",
        "//favicon.svg",
    ] {
        assert!(
            ask(path, &[("accept-encoding".parse().unwrap(), "br")]).is_none(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_middleware_passes_on_what_is_no_file() {
    let app = || {
        Router::new()
            .fallback(get(|| async { "a page" }).post(|| async { "posted" }))
            .layer(from_fn(serve))
    };
    let request = |method: Method, path: &str| {
        Request::builder()
            .method(method)
            .uri(path)
            .body(Body::empty())
            .unwrap()
    };
    let page = app().oneshot(request(Method::GET, "/review")).await.unwrap();
    assert_eq!(body(page).await, "a page");
    // Only with a site that was built is there anything to serve.
    for address in
        Site::iter().filter(|address| !ENCODINGS.iter().any(|(_, ending)| address.ends_with(ending)))
    {
        let path = format!("/{address}");
        let file = app().oneshot(request(Method::GET, &path)).await.unwrap();
        assert!(file.headers().contains_key(header::ETAG), "{path}");
        let posted = app().oneshot(request(Method::POST, &path)).await.unwrap();
        assert_eq!(body(posted).await, "posted", "{path}");
    }
}
