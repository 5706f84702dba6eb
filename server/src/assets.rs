//! The site's files, embedded in the binary: wasm, its glue, style and pictures.

use std::borrow::Cow;

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::Response,
};
use rust_embed::{EmbeddedFile, RustEmbed};

/// What `cargo xtask build` has put together; in a release each file has its `.br` and `.gz` beside it.
#[derive(RustEmbed)]
#[folder = "../target/site"]
struct Site;

/// A middleware that answers for the addresses of embedded files and leaves all others to the router.
pub async fn serve(request: Request, next: Next) -> Response {
    let reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let found = reading
        .then(|| respond(request.uri().path(), request.headers(), Asset::embedded))
        .flatten();
    match found {
        Some(response) => response,
        None => next.run(request).await,
    }
}

/// The answer for an embedded file's address, or nothing where there is no such file.
pub fn find(path: &str, headers: &HeaderMap) -> Option<Response> {
    respond(path, headers, Asset::embedded)
}

struct Asset {
    bytes: Cow<'static, [u8]>,
    hash: [u8; 32],
}

impl Asset {
    fn embedded(address: &str) -> Option<Self> {
        let EmbeddedFile { data, metadata } = Site::get(address)?;
        Some(Self {
            bytes: data,
            hash: metadata.sha256_hash(),
        })
    }
}

/// The encodings that the build makes, the smallest first: their names in HTTP and in the site.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

fn respond(path: &str, headers: &HeaderMap, get: impl Fn(&str) -> Option<Asset>) -> Option<Response> {
    let address = path.strip_prefix('/')?;
    if ENCODINGS.iter().any(|(_, ending)| address.ends_with(ending)) {
        return None; // These are asked for by encoding, never by name.
    }
    let plain = get(address)?;
    let encoded = ENCODINGS.into_iter().find_map(|(name, ending)| {
        let asset = accepts(headers, name)
            .then(|| get(&format!("{address}{ending}")))
            .flatten()?;
        Some((asset, name))
    });
    let (asset, encoding) = match encoded {
        Some((asset, name)) => (asset, Some(name)),
        None => (plain, None),
    };

    let tag = entity_tag(&asset.hash);
    let unchanged = matches(headers, &tag);
    let body = if unchanged {
        Body::empty()
    } else {
        Body::from(bytes(asset.bytes))
    };
    let mut response = Response::new(body);
    let out = response.headers_mut();
    out.insert(header::ETAG, tag);
    // Kept, but asked about each time: the names do not change with the content, and after an upgrade
    // a page must not meet the wasm of the version before.
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    out.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Some(response);
    }
    out.insert(header::CONTENT_TYPE, content_type(address));
    if let Some(encoding) = encoding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

/// Whether `Accept-Encoding` lists the encoding, or `*` in its place, with a weight above zero.
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let mut any = false;
    for part in listed(headers, header::ACCEPT_ENCODING) {
        let (name, parameters) = part.split_once(';').unwrap_or((part, ""));
        let weight = parameters
            .trim()
            .strip_prefix("q=")
            .map_or(Ok(1.0), str::parse::<f32>);
        let wanted = weight.is_ok_and(|weight| weight > 0.0);
        match name.trim() {
            name if name.eq_ignore_ascii_case(encoding) => return wanted,
            "*" => any = wanted,
            _ => {}
        }
    }
    any
}

/// Whether `If-None-Match` lists the tag, compared weakly, as RFC 9110 asks for it.
fn matches(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    listed(headers, header::IF_NONE_MATCH)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known).as_bytes() == tag.as_bytes())
}

/// The members of a header that holds a list, over all its lines.
fn listed(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// Half of the content's SHA-256; the encoded forms are files of their own and so have tags of their own.
fn entity_tag(hash: &[u8; 32]) -> HeaderValue {
    let half = hash
        .iter()
        .take(16)
        .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    // A quoted number is always a header's value; were it not, the tag would match nothing.
    HeaderValue::try_from(format!("\"{half:032x}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

fn content_type(address: &str) -> HeaderValue {
    let guess = mime_guess::from_path(address).first_or_octet_stream();
    let charset = if guess.type_() == "text" {
        "; charset=utf-8"
    } else {
        ""
    };
    HeaderValue::try_from(format!("{}{charset}", guess.essence_str()))
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"))
}

fn bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    }
}

#[cfg(test)]
mod tests;
