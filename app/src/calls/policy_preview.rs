//! What the policy in the form would do.

use holdpoint::Policy;
use holdpoint::ledger::{Error, Fate, Preview};

use super::Here;
use crate::Trouble;
use crate::address::Query;
use crate::say::{reason_mark, status_mark};
use crate::view::{ChangeView, Hue, Icon, Mark, NoticeView, PreviewView, Said, WouldView, text};

/// What came of asking: a preview, or what is said in its place, or beside it.
#[derive(Default)]
pub(super) struct Asked {
    pub shown: Option<PreviewView>,
    pub notice: Option<NoticeView>,
}

/// Looks at what the form's policy would do, where the address asks for it. `policy` is none where the form does not fit.
pub(super) async fn asked(
    here: &Here,
    kind: &str,
    query: &Query,
    policy: Option<&Policy>,
    standing: i64,
) -> Result<Asked, Trouble> {
    if query.get("preview").is_none() {
        return Ok(Asked::default());
    }
    let Some(policy) = policy else {
        return Ok(refused(
            "Nothing to look at yet: a value does not fit.",
            Said::new(),
        ));
    };
    match here.ledger.preview(&here.actor, kind, policy).await {
        Ok(preview) => Ok(Asked {
            shown: Some(shown(policy, &preview)),
            notice: moved(query, standing),
        }),
        // The form has been looked at by then: what is left is an address that the server does not dial.
        Err(Error::InvalidPolicy(_)) => Ok(refused(
            "This server does not ask that address.",
            vec![text("With it, the policy could not be saved.")],
        )),
        Err(Error::InvalidIntent(_)) => Err(Trouble::NotFound {
            what: "kind".to_owned(),
        }),
        Err(error) => Err(error.into()),
    }
}

fn refused(what: &str, more: Said) -> Asked {
    Asked {
        shown: None,
        notice: Some(NoticeView::new(Hue::Bad, what, more)),
    }
}

/// The form was filled in on top of another version than the one that stands.
fn moved(query: &Query, standing: i64) -> Option<NoticeView> {
    let seen = query.read::<i64>("version")?;
    (seen != standing).then(|| {
        NoticeView::new(
            Hue::Hold,
            "The policy changed while you were editing it.",
            vec![text(format!(
                "Version {standing} stands now, and what is told below is what your values would change of it. Saved, they are put on top of it."
            ))],
        )
    })
}

fn shown(policy: &Policy, preview: &Preview) -> PreviewView {
    let differs = preview.open.groups.iter().filter(|group| group.change.differs());
    let changes = differs.map(|group| ChangeView {
        sentence: group.sentence(),
        grave: group.change.is_grave(),
        examples: group.examples.iter().map(ToString::to_string).collect(),
    });
    let erased = preview.erases.sentence().map(|sentence| ChangeView {
        sentence,
        grave: true,
        examples: Vec::new(),
    });
    let would = preview.replay.would.iter().map(|would| WouldView {
        count: would.count,
        before: mark(would.before),
        after: mark(would.after),
        grave: would.is_grave(),
    });
    PreviewView {
        sentence: policy.sentence(),
        open: (preview.open.count, preview.open.more),
        changes: erased.into_iter().chain(changes).collect(),
        past: preview.replay.sentence(),
        would: would.collect(),
    }
}

fn mark(fate: Fate) -> Mark {
    match fate {
        Fate::Held(reason) => reason_mark(reason),
        Fate::Is(status) => status_mark(status),
        Fate::Rejected => Mark::new(Hue::Bad, Icon::Fail, "Refused"),
    }
}
