//! The same crash where the provider can help: one absorbs a repeat, the other can be asked.

use serde_json::Value;

use crate::demo::{
    DemoError,
    agent::{Place, Plan, Report},
    api::ActionView,
    invoices::Requests,
    scene::{ABSORBED, ASKED, Scene, invoice, key_of},
    story::Story,
};

/// An invoice whose first process was killed and whose second one came to an end.
struct Recovered {
    action: ActionView,
    /// What the second process reported.
    report: Report,
    /// The requests that both processes made.
    requests: Requests,
}

pub(in crate::demo) async fn tell(story: &mut Story, scene: &Scene) -> Result<(), DemoError> {
    story.chapter("The same crash against an invoice service that absorbs a repeat under the same key");
    let plan = scene.plan("run-4", vec![invoice(ABSORBED, "Fay", 9900)]);
    let absorbed = crash_and_resume(story, scene, &plan, Place::AfterEffect).await?;
    ran(story, &absorbed, 1);
    common(story, scene, &absorbed, "worker", 2);
    requests(
        story,
        &absorbed,
        Requests {
            create: 2,
            replayed: 1,
            ask: 0,
        },
    );
    let noted = absorbed.action.events("duplicate_absorbed");
    story.count("repeats that its history says were absorbed", &noted, &1);

    story.chapter("The same crash against an invoice service that can be asked");
    let plan = asking(scene.plan("run-5", vec![invoice(ASKED, "Gil", 700)]));
    let landed = crash_and_resume(story, scene, &plan, Place::AfterEffect).await?;
    ran(story, &landed, 0);
    common(story, scene, &landed, "verdict", 1);
    requests(
        story,
        &landed,
        Requests {
            create: 1,
            replayed: 0,
            ask: 1,
        },
    );

    story.chapter("And a crash before the request");
    let plan = asking(scene.plan("run-6", vec![invoice(ASKED, "Hal", 800)]));
    let not_landed = crash_and_resume(story, scene, &plan, Place::BeforeEffect).await?;
    ran(story, &not_landed, 1);
    common(story, scene, &not_landed, "worker", 2);
    requests(
        story,
        &not_landed,
        Requests {
            create: 1,
            replayed: 0,
            ask: 2,
        },
    );
    Ok(())
}

/// The agent embeds the reaper and a verifier: the one that asks is the one that knows the provider.
fn asking(plan: Plan) -> Plan {
    Plan { reap: true, ..plan }
}

async fn crash_and_resume(
    story: &mut Story,
    scene: &Scene,
    plan: &Plan,
    place: Place,
) -> Result<Recovered, DemoError> {
    let before = scene.invoices.requests();
    let (_, death) = scene.agents.run_and_kill(&plan.stopping_at(1, place)).await?;
    story.tell(&death);
    story.tell("The run is started again, and waits for the reaper.");
    let reports = scene.agents.run(&plan.patient()).await?;
    let after = scene.invoices.requests();
    let key = key_of(&reports)?;
    let [report] = <[Report; 1]>::try_from(reports)
        .map_err(|_| std::io::Error::other("an agent process of one action made more than one report"))?;
    Ok(Recovered {
        action: scene.action(&key).await?,
        report,
        requests: Requests {
            create: after.create - before.create,
            replayed: after.replayed - before.replayed,
            ask: after.ask - before.ask,
        },
    })
}

fn ran(story: &mut Story, recovered: &Recovered, expected: usize) {
    if let Report::StoodDown { because, .. } = &recovered.report {
        story.tell(format_args!("The run stood down: {because}."));
    }
    let ran = usize::from(matches!(recovered.report, Report::Ran { .. }));
    story.count("effects that the second process ran", &ran, &expected);
}

/// What is right of every invoice, however it was recovered.
fn common(story: &mut Story, scene: &Scene, recovered: &Recovered, settled_by: &str, attempts: u32) {
    let action = &recovered.action;
    story.count("where it stands", &action.stands(), "succeeded");
    let by = action.settled_by.clone().unwrap_or_default();
    story.count("who settled it", &by, settled_by);
    story.count("its attempts", &action.attempt, &attempts);
    story.count(
        "suspected duplicates",
        &usize::from(action.suspected_duplicate),
        &0,
    );
    story.count("invoices under its key", &scene.invoices_under(&action.key), &1);
    let kept = scene
        .invoices
        .invoices()
        .into_iter()
        .find(|invoice| invoice.key == action.key);
    let kept = kept.and_then(|invoice| serde_json::to_value(invoice).ok());
    let same = |result: Option<&Value>| usize::from(result.is_some() && result == kept.as_ref());
    story.count(
        "recorded results that are that invoice",
        &same(action.result.as_ref()),
        &1,
    );
    let returned = recovered.report.result().map(|(_, result)| result);
    story.count(
        "results that the run got and that are that invoice",
        &same(returned),
        &1,
    );
}

fn requests(story: &mut Story, recovered: &Recovered, expected: Requests) {
    let Requests {
        create,
        replayed,
        ask,
    } = recovered.requests;
    story.count("requests to make it", &create, &expected.create);
    story.count(
        "of these, repeats that the service absorbed",
        &replayed,
        &expected.replayed,
    );
    story.count("times that the service was asked", &ask, &expected.ask);
}
