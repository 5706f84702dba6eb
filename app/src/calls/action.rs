//! One action.

use crate::Trouble;
use crate::address::Query;
use crate::view::ActionView;

/// One action with all that its page shows.
pub async fn action(key: String, query: Query) -> Result<ActionView, Trouble> {
    let here = super::Here::find()?;
    let key = super::build::key(&key)?;
    super::build::action(&here, &key, &query).await
}
