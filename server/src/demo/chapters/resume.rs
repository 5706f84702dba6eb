//! A run of five actions is killed after the fourth and started again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::demo::{
    DemoError,
    agent::{Place, Report, Task},
    scene::{ABSORBED, Scene, invoice, mail},
    story::Story,
};

pub(in crate::demo) async fn tell(story: &mut Story, scene: &Scene) -> Result<(), DemoError> {
    story.chapter("An agent's run is killed after its fourth action, and started again");
    let plan = scene.plan("run-1", tasks());

    let (before, death) = scene
        .agents
        .run_and_kill(&plan.stopping_at(4, Place::AfterRecord))
        .await?;
    story.tell(&death);
    story.count("mails that the mail server keeps", &scene.mail.mails().len(), &2);
    story.count(
        "invoices that the invoice service keeps",
        &scene.invoices.invoices().len(),
        &2,
    );

    story.tell("The run is started again from its first action.");
    let after = scene.agents.run(&plan).await?;
    let count = |wanted: fn(&&Report) -> bool| after.iter().filter(wanted).count();
    let ran = count(|report| matches!(report, Report::Ran { .. }));
    let replayed = count(|report| matches!(report, Report::Replayed { .. }));
    let keys: BTreeSet<_> = after.iter().filter_map(Report::key).collect();
    story.count("actions that returned what was stored", &replayed, &4);
    story.count(
        "of these, results that are what the killed process saw",
        &same(scene, &before, &after)?,
        &4,
    );
    story.count("actions that ran", &ran, &1);
    story.count("different keys of the five actions", &keys.len(), &5);

    let mut at_once = 0;
    for key in keys {
        let action = scene.action(key).await?;
        at_once += usize::from(action.status == "succeeded" && action.attempt == 1);
    }
    story.count("actions that succeeded in their first attempt", &at_once, &5);
    story.count("mails that the mail server keeps", &scene.mail.mails().len(), &3);
    story.count(
        "invoices that the invoice service keeps",
        &scene.invoices.invoices().len(),
        &2,
    );
    story.count("requests for them", &scene.invoices.requests().create, &2);
    Ok(())
}

fn tasks() -> Vec<Task> {
    vec![
        mail("Ada", "Your order is confirmed"),
        invoice(ABSORBED, "Ada", 4200),
        mail("Bob", "Your order is confirmed"),
        invoice(ABSORBED, "Bob", 1250),
        mail("Cleo", "Two orders to pack"),
    ]
}

/// How many stored results came back as they were. The fourth died with its process before it could tell; the
/// invoice service knows what it answered.
fn same(scene: &Scene, before: &[Report], after: &[Report]) -> Result<usize, DemoError> {
    let mut seen: BTreeMap<u64, Value> = before
        .iter()
        .filter_map(Report::result)
        .map(|(step, result)| (step, result.clone()))
        .collect();
    if let Some(fourth) = scene.invoices.invoices().last() {
        seen.insert(4, serde_json::to_value(fourth).map_err(std::io::Error::from)?);
    }
    Ok(after
        .iter()
        .filter_map(Report::result)
        .filter(|(step, result)| seen.get(step) == Some(result))
        .count())
}
