//! The contrast: the same crash with the naive "check, send, mark".

use std::{path::PathBuf, time::Duration};

use super::{
    DemoError,
    agent::{LedgerChoice, Place, Plan, Report, Stop, Task},
    mailer::message_id,
    process::Agents,
    smtp::SmtpServer,
    story::Story,
};

const RECIPIENT: &str = "ada@example.com";

/// Tells it; the last line says how many copies of the one mail there are.
pub async fn tell(story: &mut Story, executable: PathBuf) -> Result<(), DemoError> {
    let directory = tempfile::tempdir()?;
    let mail_server = SmtpServer::start(Some(directory.path())).await?;
    let agents = Agents::new(executable, directory.path().join("agents.log"));
    let resumed = Plan {
        ledger: LedgerChoice::Naive(directory.path().join("naive.db")),
        mail_server: mail_server.address(),
        invoices: String::new(),
        run_id: "without".to_owned(),
        tasks: vec![Task::Mail {
            to: RECIPIENT.to_owned(),
            subject: "Welcome".to_owned(),
            body: "Dear Ada, welcome.\n".to_owned(),
        }],
        stop: None,
        patience: Duration::ZERO,
        reap: false,
    };
    let crashing = Plan {
        stop: Some(Stop {
            step: 1,
            place: Place::AfterEffect,
        }),
        ..resumed.clone()
    };

    story.chapter("Without Holdpoint: check, send, mark");
    story.tell(format_args!(
        "A mail server is listening on {}.",
        mail_server.address()
    ));
    let (_, death) = agents.run_and_kill(&crashing).await?;
    let copies = || mail_server.copies(&message_id("without-1"));
    story.tell(format_args!(
        "An agent checked its table, found nothing, and sent one mail to {RECIPIENT}."
    ));
    story.tell(&death);
    story.count("copies that the mail server keeps", &copies(), &1);

    story.tell("The agent is started again. Its table knows nothing of the mail.");
    let ran = agents
        .run(&resumed)
        .await?
        .iter()
        .filter(|report| matches!(report, Report::Ran { .. }))
        .count();
    story.count("mails that it sent", &ran, &1);
    story.count("copies that the mail server keeps", &copies(), &2);
    story.line(format_args!("copies: {}", copies()));
    Ok(())
}
