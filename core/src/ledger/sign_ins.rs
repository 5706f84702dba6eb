//! Failed sign-ins: counted before a password is looked at, so that many at once count as many.

use std::net::IpAddr;

use super::backoff::{Counted, place};
use super::{Error, Ledger, to_the_end};

/// A try to sign in that may be made, and counts as failed until it is said to have been right.
#[derive(Clone, Debug)]
#[must_use = "a try that was right, or was never made, has to be taken back"]
pub struct SignInTry {
    counted: Counted,
    name: String,
    address: Option<String>,
}

impl Ledger {
    /// Counts a try under this name from this address as failed. `Err` in the answer: for how many seconds none may be
    /// made; nothing is counted then. Nobody need have the name, and whether somebody has makes no difference.
    ///
    /// Five failures of a name from one address are free, twenty of a name, fifty from an address; then each costs
    /// twice the wait of the one before, up to a quarter of an hour. Only the first of the three limits holds where a
    /// person signed in from within the last 30 days, so that nobody is shut out by what others fail.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn begin_sign_in(
        &self,
        name: &str,
        from: Option<IpAddr>,
    ) -> Result<Result<SignInTry, i64>, Error> {
        let salt = self.store.sign_in_salt().await?;
        // What cannot be a name has no known addresses: the database need not be able to hold it.
        let known_as = if super::people::check_name(name).is_ok() {
            name
        } else {
            ""
        };
        let address = from.map(place);
        let attempt = SignInTry {
            counted: Counted::new(&salt, name, address.as_deref()),
            name: known_as.to_owned(),
            address,
        };
        self.begin_try(attempt).await
    }

    /// Counts an answer of the identity provider that comes from this address as one that lets nobody in; otherwise as
    /// [`Self::begin_sign_in`]. Five are free, and no name is shut out by what comes under none.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn begin_arrival(&self, from: IpAddr) -> Result<Result<SignInTry, i64>, Error> {
        let salt = self.store.sign_in_salt().await?;
        let attempt = SignInTry {
            counted: Counted::by_provider(&salt, &place(from)),
            name: String::new(),
            address: None,
        };
        self.begin_try(attempt).await
    }

    async fn begin_try(&self, attempt: SignInTry) -> Result<Result<SignInTry, i64>, Error> {
        let store = self.store.clone();
        to_the_end(async move {
            let SignInTry {
                counted,
                name,
                address,
            } = &attempt;
            let wait = store.begin_sign_in(counted, name, address.as_deref()).await?;
            Ok(wait.map_or(Ok(attempt), Err))
        })
        .await
    }

    /// The try was right: what failed for this name from this address is forgotten, what others failed is not, and the
    /// address is known as this person's for 30 days.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn sign_in_was_right(&self, attempt: SignInTry) -> Result<(), Error> {
        let store = self.store.clone();
        to_the_end(async move {
            let SignInTry {
                counted,
                name,
                address,
            } = &attempt;
            Ok(store.sign_in_was_right(counted, name, address.as_deref()).await?)
        })
        .await
    }

    /// The try was never made, as no password was looked at: it is taken back.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn sign_in_was_none(&self, attempt: SignInTry) -> Result<(), Error> {
        let store = self.store.clone();
        to_the_end(async move { Ok(store.sign_in_was_none(&attempt.counted).await?) }).await
    }
}
