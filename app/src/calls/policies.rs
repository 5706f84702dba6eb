//! Policies: kind by kind, one with its versions, and its form.

use holdpoint::Scope;
use holdpoint::ledger::{Error, PolicyVersion};
use leptos::prelude::*;

use super::{Here, build};
use crate::Trouble;
use crate::address::Query;
use crate::view::{Hue, NoticeView, PoliciesView, PolicyForm, PolicyView, Said, SwitchView, text};

/// Kind by kind.
pub async fn policies(query: Query) -> Result<PoliciesView, Trouble> {
    let here = Here::find()?;
    let statistics = here.ledger.statistics(&here.actor).await?;
    let policies = here.ledger.policies(&here.actor).await?;
    let kinds = statistics
        .kinds
        .iter()
        .map(|k| build::kind_row(&here, k, &policies, statistics.now))
        .collect();
    let switch = here.ledger.switch(&here.actor).await?;
    let switch = SwitchView {
        kind: None,
        paused: switch.paused,
        turned: switch
            .by
            .zip(switch.at)
            .map(|(by, at)| (by, at.into(), switch.reason.unwrap_or_default())),
        may: here.actor.may(Scope::Operator),
    };
    Ok(PoliciesView {
        kinds,
        notice: super::pause::notice(&query, &switch),
        switch,
    })
}

/// One kind's policy.
pub async fn policy_of(kind: String, query: Query) -> Result<PolicyView, Trouble> {
    let here = Here::find()?;
    if holdpoint::intent::check_kind(&kind).is_err() {
        return Err(Trouble::NotFound {
            what: "kind".to_owned(),
        });
    }
    let record = here.ledger.policy(&here.actor, &kind).await?;
    let policy = record
        .as_ref()
        .map(|record| record.policy.clone())
        .unwrap_or_default();
    let history = here.ledger.policy_history(&here.actor, &kind).await?;
    let (now, load) = here.ledger.kind_statistics(&here.actor, &kind).await?;
    let typed = PolicyForm::typed(&query);
    let form = typed.clone().unwrap_or_else(|| PolicyForm::of(&policy));
    let asked = form.policy(&policy);
    let preview =
        super::policy_preview::asked(&here, &kind, &query, asked.as_ref().ok(), policy.version).await?;
    let switch = SwitchView {
        kind: Some(kind.clone()),
        paused: policy.paused,
        turned: super::policy_versions::turned(&history),
        may: here.actor.may(Scope::Operator),
    };
    Ok(PolicyView {
        version: policy.version,
        sentence: policy.sentence(),
        warnings: asked.as_ref().unwrap_or(&policy).warnings(),
        changes: match (&typed, &asked) {
            (Some(_), Ok(asked)) => super::policy_versions::changes(&policy, asked),
            _ => Vec::new(),
        },
        problem: typed.and(asked.err()),
        form,
        preview: preview.shown,
        versions: super::policy_versions::versions(&history),
        may_change: here.actor.may(Scope::Admin),
        load: load.map(|load| build::kind_row(&here, &load, record.as_slice(), now)),
        notice: preview
            .notice
            .or_else(|| saved(&query, policy.version, history.first(), here.actor.name()))
            .or_else(|| super::pause::notice(&query, &switch)),
        switch,
        kind,
    })
}

/// Makes or changes a kind's policy, on the version that the person saw.
#[server(prefix = "/_fn", endpoint = "put_policy")]
pub async fn put_policy(
    kind: String,
    // Beside a form whose members are all texts, a number would not be read as one.
    version: String,
    #[server(flatten)] form: PolicyForm,
) -> Result<(), Trouble> {
    let here = Here::find()?;
    let version = version.parse().map_err(|_| Trouble::Invalid {
        field: "version".to_owned(),
        detail: "it is no version of a policy".to_owned(),
    })?;
    let query = match put(&here, &kind, version, &form).await? {
        None => Query::default().with("done", "saved"),
        Some(code) => form.into_query(Query::default().with("problem", code)),
    };
    crate::respond::send_to(&query.at(&crate::address::policy(&kind)));
    Ok(())
}

/// Writes the policy; answers with the code of what was wrong, where something was.
async fn put(
    here: &Here,
    kind: &str,
    version: i64,
    form: &PolicyForm,
) -> Result<Option<&'static str>, Trouble> {
    // Who may not change it learns that, and nothing of what the form lacks.
    if !here.actor.may(Scope::Admin) {
        return Ok(Some("forbidden"));
    }
    let standing = here
        .ledger
        .policy(&here.actor, kind)
        .await?
        .map(|record| record.policy)
        .unwrap_or_default();
    let Ok(policy) = form.policy(&standing) else {
        return Ok(Some("range"));
    };
    let expected = Some(version).filter(|version| *version > 0);
    Ok(
        match here
            .ledger
            .put_policy(&here.actor, kind, expected, &policy, form.member("reason"))
            .await
        {
            Ok(_) => None,
            Err(Error::PolicyChanged { .. }) => Some("changed"),
            Err(Error::Invalid { field: "reason", .. }) => Some("reason"),
            // The form has been looked at by then: what is left is an address that the server does not dial.
            Err(Error::InvalidPolicy(_)) => Some("address"),
            Err(Error::Forbidden { .. }) => Some("forbidden"),
            Err(error @ (Error::Contended | Error::Store(_))) => {
                tracing::warn!(error = %error, kind, "a policy could not be written");
                Some("unavailable")
            }
            Err(error) => return Err(error.into()),
        },
    )
}

/// What saving came to, as long as the policy bears it out.
fn saved(query: &Query, version: i64, last: Option<&PolicyVersion>, who: &str) -> Option<NoticeView> {
    let said = |hue, what: &str, more: Said| Some(NoticeView::new(hue, what, more));
    if query.get("done") == Some("saved") {
        let own = last.is_some_and(|last| last.by == who && last.version == version);
        return own.then_some(()).and_then(|()| {
            said(
                Hue::Ok,
                &format!("Saved as version {version}."),
                vec![text("It applies from now on.")],
            )
        });
    }
    match query.get("problem")? {
        "changed" => said(
            Hue::Hold,
            "Not saved: the policy changed while you were editing it.",
            vec![text(format!(
                "Version {version} stands now. Your values are still below; save again to put them on top of it."
            ))],
        ),
        "address" => said(
            Hue::Bad,
            "Not saved: this server does not ask that address.",
            vec![text(
                "It signs what it asks, with HOLDPOINT_WEBHOOK_SECRET, and asks private addresses only with HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS=true.",
            )],
        ),
        "range" => said(Hue::Bad, "Not saved: a value does not fit.", Said::new()),
        "reason" => said(
            Hue::Bad,
            "Not saved: say why.",
            vec![text("It is kept in the policy's history.")],
        ),
        "forbidden" => said(
            Hue::Bad,
            "Not saved: only an admin may change a policy.",
            Said::new(),
        ),
        "unavailable" => said(
            Hue::Bad,
            "Not saved: the database did not answer.",
            vec![text("Try it again.")],
        ),
        _ => None,
    }
}
