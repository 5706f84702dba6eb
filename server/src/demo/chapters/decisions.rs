//! A person decides the two holds, one each way, over the API.

use super::holds::{Holds, copies, runs, stands_down};
use crate::demo::{DemoError, agent::Report, scene::Scene, story::Story};

pub(in crate::demo) async fn tell(story: &mut Story, scene: &Scene, holds: &Holds) -> Result<(), DemoError> {
    let Holds { sent, unsent } = holds;
    story.chapter("A person looks, and decides");

    let reason = "it was called off meanwhile: it must not go out again";
    let failed = scene.api.decide(&sent.action, "fail", reason).await?;
    story.tell(format_args!(
        "The mail to {}: fail, because \"{reason}\".",
        sent.whose
    ));
    story.count("where it stands", &failed.stands(), "failed");
    story.count("who settled it", &failed.settled_by.unwrap_or_default(), "person");
    stands_down(story, scene, sent).await?;

    let reason = "the mail server never saw it: send it";
    let released = scene.api.decide(&unsent.action, "retry", reason).await?;
    story.tell(format_args!(
        "The mail to {}: retry, because \"{reason}\".",
        unsent.whose
    ));
    story.count("where it stands", &released.stands(), "released");
    let ran = scene.agents.run(&unsent.plan).await?;
    story.count(
        &format!("mails to {} that the run sent", unsent.whose),
        &runs(&ran),
        &1,
    );
    let again = scene.agents.run(&unsent.plan).await?;
    let replayed = again
        .iter()
        .filter(|report| matches!(report, Report::Replayed { .. }))
        .count();
    story.count(
        "stored results that the run got when it was started once more",
        &replayed,
        &1,
    );
    let action = scene.action(&unsent.key).await?;
    story.count("where it stands", &action.stands(), "succeeded");
    story.count("its attempts", &action.attempt, &2);

    copies(story, scene, sent.whose, &sent.key, 1);
    copies(story, scene, unsent.whose, &unsent.key, 1);
    story.count("mails that the mail server keeps", &scene.mail.mails().len(), &5);
    Ok(())
}
