//! Light, dark, or as the system has it: a cookie, so that the server renders it right the first time.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use super::local;
use super::sign_in::{see_other, unreadable};
use crate::problem::Problem;
use crate::state::AppState;

/// The cookie's name.
pub const COOKIE: &str = "theme";
const YEAR_S: u32 = 31_536_000;

/// The form of `/theme`.
#[derive(Deserialize)]
pub struct Choice {
    theme: Theme,
    #[serde(default)]
    next: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Theme {
    Light,
    Dark,
    System,
}

/// `POST /theme`
pub async fn choose(
    State(state): State<AppState>,
    form: Result<Form<Choice>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(Choice { theme, next }) = form.map_err(unreadable)?;
    let (value, age) = match theme {
        Theme::Light => ("light", YEAR_S),
        Theme::Dark => ("dark", YEAR_S),
        Theme::System => ("", 0),
    };
    let secure = if state.address.is_https() { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={value}; Path=/; Max-Age={age}; SameSite=Lax{secure}");
    Ok(([(header::SET_COOKIE, cookie)], see_other(local(&next))).into_response())
}
