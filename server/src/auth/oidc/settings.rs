//! What has to be known of a provider, by flag, by environment, or under `[oidc]` in the file.

use std::net::IpAddr;

use openidconnect::{ClientId, IssuerUrl, Scope};
use serde::Deserialize;
use url::{Host, Url};

use super::allow::Allow;
use super::roles::Roles;
use crate::config::Secret;

/// What was said of the provider, wherever it was said.
#[derive(Clone, Debug, Default, Deserialize, clap::Args)]
#[serde(deny_unknown_fields, default)]
pub struct Said {
    /// The identity provider's issuer; people may sign in through it
    #[arg(
        id = "oidc_issuer",
        long = "oidc-issuer",
        env = "HOLDPOINT_OIDC_ISSUER",
        value_name = "URL"
    )]
    issuer: Option<String>,
    /// How the provider knows this server
    #[arg(
        id = "oidc_client_id",
        long = "oidc-client-id",
        env = "HOLDPOINT_OIDC_CLIENT_ID",
        value_name = "ID"
    )]
    client_id: Option<String>,
    /// What this server proves itself with to the provider
    #[arg(
        id = "oidc_client_secret",
        long = "oidc-client-secret",
        env = "HOLDPOINT_OIDC_CLIENT_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    client_secret: Option<Secret>,
    /// How the button calls the provider
    #[arg(
        id = "oidc_name",
        long = "oidc-name",
        env = "HOLDPOINT_OIDC_NAME",
        value_name = "NAME"
    )]
    name: Option<String>,
    /// Who may come in: addresses, and domains as @example.com
    #[arg(
        id = "oidc_allow",
        long = "oidc-allow",
        env = "HOLDPOINT_OIDC_ALLOW",
        value_delimiter = ',',
        value_name = "ADDRESS,…"
    )]
    allow: Option<Vec<String>>,
    /// The claim that names somebody's groups
    #[arg(
        id = "oidc_groups_claim",
        long = "oidc-groups-claim",
        env = "HOLDPOINT_OIDC_GROUPS_CLAIM",
        value_name = "CLAIM"
    )]
    groups_claim: Option<String>,
    /// Which group gives which role; the highest counts
    #[arg(
        id = "oidc_roles",
        long = "oidc-roles",
        env = "HOLDPOINT_OIDC_ROLES",
        value_delimiter = ',',
        value_name = "GROUP=ROLE,…"
    )]
    roles: Option<Vec<String>>,
    /// What the provider is asked for besides openid
    #[arg(
        id = "oidc_scopes",
        long = "oidc-scopes",
        env = "HOLDPOINT_OIDC_SCOPES",
        value_delimiter = ',',
        value_name = "SCOPE,…"
    )]
    scopes: Option<Vec<String>>,
}

/// A provider that can be used.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) issuer: IssuerUrl,
    pub(super) client_id: ClientId,
    pub(super) client_secret: Secret,
    pub(super) name: String,
    pub(super) allow: Allow,
    pub(super) groups_claim: String,
    pub(super) roles: Roles,
    pub(super) scopes: Vec<Scope>,
}

/// A setting of the provider that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// One is there, and one that goes with it is not.
    #[error("signing in by an identity provider needs {0} too")]
    Missing(&'static str),
    /// The issuer.
    #[error(
        "HOLDPOINT_OIDC_ISSUER can't be used: {0}; give the provider's https address as its discovery page says it (http on this machine alone)"
    )]
    Issuer(String),
    /// Who may come in.
    #[error(
        "HOLDPOINT_OIDC_ALLOW can't be used: {0:?}; give addresses like ada@example.com and domains like @example.com, no patterns"
    )]
    Allow(String),
    /// The roles.
    #[error(
        "HOLDPOINT_OIDC_ROLES can't be used: {0:?}; give pairs like hp-admins=admin with viewer, operator or admin"
    )]
    Roles(String),
    /// Nobody could come in.
    #[error("{0} is empty, so that nobody could come in: name somebody")]
    Nobody(&'static str),
}

impl Said {
    /// These, and for what they leave open the others.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            issuer: self.issuer.or(others.issuer),
            client_id: self.client_id.or(others.client_id),
            client_secret: self.client_secret.or(others.client_secret),
            name: self.name.or(others.name),
            allow: self.allow.or(others.allow),
            groups_claim: self.groups_claim.or(others.groups_claim),
            roles: self.roles.or(others.roles),
            scopes: self.scopes.or(others.scopes),
        }
    }

    fn is_silent(&self) -> bool {
        self.issuer.is_none()
            && self.client_id.is_none()
            && self.client_secret.is_none()
            && self.allow.is_none()
            && self.roles.is_none()
            && self.name.is_none()
            && self.groups_claim.is_none()
            && self.scopes.is_none()
    }

    /// The settings, where there is a provider at all.
    ///
    /// # Errors
    /// [`Unusable`], which names the setting.
    pub fn settings(self) -> Result<Option<Settings>, Unusable> {
        if self.is_silent() {
            return Ok(None);
        }
        let needs = |name| Unusable::Missing(name);
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let issuer = issuer(&filled(self.issuer).ok_or(needs("HOLDPOINT_OIDC_ISSUER"))?)?;
        let client_id = filled(self.client_id).ok_or(needs("HOLDPOINT_OIDC_CLIENT_ID"))?;
        let client_secret = self.client_secret.filter(|secret| !secret.0.is_empty());
        let client_secret = client_secret.ok_or(needs("HOLDPOINT_OIDC_CLIENT_SECRET"))?;
        let allow = self.allow.ok_or(needs("HOLDPOINT_OIDC_ALLOW"))?;
        let allow = Allow::parse(&allow).map_err(Unusable::Allow)?;
        let roles = self.roles.ok_or(needs("HOLDPOINT_OIDC_ROLES"))?;
        let roles = Roles::parse(&roles).map_err(Unusable::Roles)?;
        if allow.is_empty() {
            return Err(Unusable::Nobody("HOLDPOINT_OIDC_ALLOW"));
        }
        if roles.is_empty() {
            return Err(Unusable::Nobody("HOLDPOINT_OIDC_ROLES"));
        }
        let scopes = self
            .scopes
            .unwrap_or_else(|| vec!["email".to_owned(), "profile".to_owned()]);
        let scopes = scopes
            .into_iter()
            .filter(|scope| scope != "openid")
            .map(Scope::new);
        Ok(Some(Settings {
            issuer,
            client_id: ClientId::new(client_id),
            client_secret,
            name: filled(self.name).unwrap_or_else(|| "single sign-on".to_owned()),
            allow,
            groups_claim: filled(self.groups_claim).unwrap_or_else(|| "groups".to_owned()),
            roles,
            scopes: scopes.collect(),
        }))
    }
}

/// Whoever speaks as the issuer says who may do what here, so its word has to come by https; on this machine there is
/// nobody in between.
fn issuer(text: &str) -> Result<IssuerUrl, Unusable> {
    let wrong = || Unusable::Issuer(text.to_owned());
    let url = Url::parse(text).map_err(|_| wrong())?;
    let plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !plain || !(url.scheme() == "https" || url.scheme() == "http" && is_here(&url)) {
        return Err(wrong());
    }
    IssuerUrl::new(text.to_owned()).map_err(|_| wrong())
}

/// Whether an address is this machine's own.
pub(super) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Said {
        toml::from_str(
            r#"
            issuer = "https://id.example.com/realms/main"
            client_id = "holdpoint"
            client_secret = "a secret of the test"
            allow = ["@example.com"]
            roles = ["hp-admins=admin"]
            "#,
        )
        .unwrap()
    }

    #[test]
    fn a_provider_needs_all_that_lets_somebody_in() {
        assert!(whole().settings().unwrap().is_some());
        assert!(Said::default().settings().unwrap().is_none());
        let mut lacking = [whole(), whole(), whole(), whole(), whole()];
        lacking[0].issuer = None;
        lacking[1].client_id = Some(" ".to_owned());
        lacking[2].client_secret = None;
        lacking[3].allow = None;
        lacking[4].roles = None;
        for said in lacking {
            let shown = format!("{said:?}");
            assert!(matches!(said.settings(), Err(Unusable::Missing(_))), "{shown}");
        }
        // What is said of a provider that is not named is no setting to pass over in silence.
        for alone in [
            "name = \"Acme\"",
            "groups_claim = \"roles\"",
            "scopes = [\"email\"]",
        ] {
            let said: Said = toml::from_str(alone).unwrap();
            assert_eq!(
                said.settings().err(),
                Some(Unusable::Missing("HOLDPOINT_OIDC_ISSUER")),
                "{alone}"
            );
        }
        let mut nobody = [whole(), whole()];
        nobody[0].allow = Some(Vec::new());
        nobody[1].roles = Some(Vec::new());
        for said in nobody {
            assert!(matches!(said.settings(), Err(Unusable::Nobody(_))));
        }
    }

    #[test]
    fn an_issuer_speaks_by_https_or_from_this_machine() {
        for right in [
            "https://id.example.com",
            "http://127.0.0.1:8080/x",
            "http://localhost:1",
            "http://[::1]:1",
            "https://10.1.2.3",
        ] {
            assert!(issuer(right).is_ok(), "{right}");
        }
        for wrong in [
            "id.example.com",
            "http://id.example.com",
            "http://10.1.2.3",
            "http://localhost.evil.test",
            "http://127.0.0.1.evil.test",
            "ftp://127.0.0.1",
            "https://a:b@id.example.com",
            "https://id.example.com?x=1",
            "https://id.example.com#x",
        ] {
            assert!(issuer(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_flag_wins_and_the_secret_is_never_shown() {
        let flags = Said {
            name: Some("Example".to_owned()),
            client_id: Some("other".to_owned()),
            ..Said::default()
        };
        let settings = flags.or(whole()).settings().unwrap().unwrap();
        assert_eq!(
            (settings.name.as_str(), settings.client_id.as_str()),
            ("Example", "other")
        );
        let shown = format!("{settings:?} {:?}", whole());
        assert!(!shown.contains("a secret of the test"), "{shown}");
    }
}
