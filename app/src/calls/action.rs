//! One action.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::Trouble;
use crate::view::ActionView;

/// One action with all that its page shows; `search` is the page's query.
#[server(name = ReadAction, prefix = "/_fn", endpoint = "action", input = GetUrl)]
pub async fn action(key: String, search: String) -> Result<ActionView, Trouble> {
    let here = super::Here::find()?;
    let key = super::build::key(&key)?;
    super::build::action(&here, &key, &crate::address::Query::parse(&search)).await
}
