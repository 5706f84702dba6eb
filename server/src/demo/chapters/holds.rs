//! Two crashes that no machine can tell apart: one mail is out, the other is not.

use crate::demo::{
    DemoError,
    agent::{Place, Plan, Report},
    api::ActionView,
    scene::{Scene, key_of, mail},
    story::Story,
};

/// A mail that waits for a person.
pub(in crate::demo) struct Held {
    /// The run that wants it sent, without a place to stop.
    pub(in crate::demo) plan: Plan,
    pub(in crate::demo) key: String,
    pub(in crate::demo) whose: &'static str,
    pub(in crate::demo) action: ActionView,
}

pub(in crate::demo) struct Holds {
    /// Its process died after the mail server's 250.
    pub(in crate::demo) sent: Held,
    /// Its process died before the request.
    pub(in crate::demo) unsent: Held,
}

pub(in crate::demo) async fn tell(story: &mut Story, scene: &Scene) -> Result<Holds, DemoError> {
    story.chapter("Two runs are killed in the middle of a mail");
    let sent = crash(story, scene, "Dora", "run-2", Place::AfterEffect).await?;
    let unsent = crash(story, scene, "Emil", "run-3", Place::BeforeEffect).await?;
    copies(story, scene, sent.whose, &sent.key, 1);
    copies(story, scene, unsent.whose, &unsent.key, 0);

    story.tell(
        "Nobody reports. A second later the claims are stale, and the reaper stops what it can't know.",
    );
    let sent = held(story, scene, sent).await?;
    let unsent = held(story, scene, unsent).await?;
    for held in [&sent, &unsent] {
        stands_down(story, scene, held).await?;
    }
    copies(story, scene, sent.whose, &sent.key, 1);
    copies(story, scene, unsent.whose, &unsent.key, 0);
    Ok(Holds { sent, unsent })
}

/// A mail whose process was killed, before the reaper looked at it.
struct Crashed {
    plan: Plan,
    key: String,
    whose: &'static str,
}

async fn crash(
    story: &mut Story,
    scene: &Scene,
    whose: &'static str,
    run_id: &str,
    place: Place,
) -> Result<Crashed, DemoError> {
    let plan = scene.plan(run_id, vec![mail(whose, "Your parcel is on its way")]);
    let (_, death) = scene.agents.run_and_kill(&plan.stopping_at(1, place)).await?;
    story.tell(&death);
    let again = scene.agents.run(&plan).await?;
    story.count(
        &format!("mails to {whose} that a second process sent"),
        &runs(&again),
        &0,
    );
    let key = key_of(&again)?;
    Ok(Crashed { plan, key, whose })
}

async fn held(story: &mut Story, scene: &Scene, crashed: Crashed) -> Result<Held, DemoError> {
    let Crashed { plan, key, whose } = crashed;
    let action = scene.api.wait_for(&key, &["held"]).await?;
    story.count(
        &format!("the mail to {whose}"),
        &action.stands(),
        "held (outcome_unknown)",
    );
    Ok(Held {
        plan,
        key,
        whose,
        action,
    })
}

/// Starts the run again while a person is needed: it must not send.
pub(in crate::demo) async fn stands_down(
    story: &mut Story,
    scene: &Scene,
    held: &Held,
) -> Result<(), DemoError> {
    let again = scene.agents.run(&held.plan).await?;
    let because = again.iter().find_map(|report| match report {
        Report::StoodDown { because, .. } => Some(because),
        _ => None,
    });
    if let Some(because) = because {
        story.tell(format_args!("Started again, the run stands down: {because}."));
    }
    story.count(
        &format!("mails to {} that it sent", held.whose),
        &runs(&again),
        &0,
    );
    Ok(())
}

/// Counts the copies of one mail where they lie.
pub(in crate::demo) fn copies(story: &mut Story, scene: &Scene, whose: &str, key: &str, expected: usize) {
    let what = format!("copies of the mail to {whose} that the mail server keeps");
    story.count(&what, &scene.copies(key), &expected);
}

/// How many effects ran in this process.
pub(in crate::demo) fn runs(reports: &[Report]) -> usize {
    reports
        .iter()
        .filter(|report| matches!(report, Report::Ran { .. }))
        .count()
}
