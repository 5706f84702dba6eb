//! Everything that the story is played with: two providers, the Holdpoint server, and the agents.

use std::{
    env, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;
use tempfile::TempDir;

use super::{
    DemoError,
    agent::{LedgerChoice, Plan, Task},
    api::{ActionView, Api},
    invoices::InvoiceServer,
    mailer::message_id,
    process::Agents,
    server::{Server, SignIn},
    smtp::SmtpServer,
    story::Story,
};

/// An invoice whose provider absorbs a repeat under the same key.
pub(super) const ABSORBED: &str = "create_invoice";
/// An invoice whose provider is asked before anything is repeated.
pub(super) const ASKED: &str = "issue_invoice";

pub(super) struct Scene {
    pub(super) mail: SmtpServer,
    pub(super) invoices: InvoiceServer,
    pub(super) agents: Agents,
    pub(super) api: Api,
    server: Server,
    /// Last: the files go when nothing uses them any more.
    directory: TempDir,
}

impl Scene {
    /// Starts all of it on free ports and a fresh SQLite file.
    pub(super) async fn set(story: &Story) -> Result<Self, DemoError> {
        let directory = tempfile::tempdir()?;
        let mails = directory.path().join("mail");
        std::fs::create_dir(&mails)?;
        let mail = SmtpServer::start(Some(&mails)).await?;
        let invoices = InvoiceServer::start().await?;
        let server = Server::start(&database(directory.path())).await?;
        let api = Api::new(server.origin(), server.token().to_owned())?;
        story.tell(format_args!("A mail server is listening on {}.", mail.address()));
        story.tell(format_args!(
            "An invoice service is listening on {}.",
            invoices.address()
        ));
        story.tell(format_args!(
            "Holdpoint is serving a fresh SQLite file at {}.",
            server.origin()
        ));
        let scene = Self {
            agents: Agents::new(env::current_exe()?, directory.path().join("agents.log")),
            mail,
            invoices,
            api,
            server,
            directory,
        };
        scene.make_policies().await?;
        Ok(scene)
    }

    /// A claim goes stale so soon that nobody has to watch for long. Where a stale claim is run again by itself it
    /// takes a second more, so that a busy machine doesn't make a live process look dead.
    async fn make_policies(&self) -> Result<(), DemoError> {
        let reason = "the demonstration's providers";
        for (kind, policy) in [
            (
                "send_email",
                json!({ "recovery": "unverifiable", "stale_after_s": 1, "reason": reason }),
            ),
            (
                ABSORBED,
                json!({ "recovery": "idempotent", "stale_after_s": 2, "backoff_s": 0, "reason": reason }),
            ),
            (
                ASKED,
                json!({ "recovery": "verifiable", "stale_after_s": 2, "backoff_s": 0, "verify_after_s": 1,
                        "verify_confirmations": 2, "reason": reason }),
            ),
        ] {
            self.api.make_policy(kind, &policy).await?;
        }
        Ok(())
    }

    /// A plan that asks once and stands down from what is not its own to run.
    pub(super) fn plan(&self, run_id: &str, tasks: Vec<Task>) -> Plan {
        Plan {
            ledger: LedgerChoice::Holdpoint(database(self.directory.path())),
            mail_server: self.mail.address(),
            invoices: self.invoices.url(),
            run_id: run_id.to_owned(),
            tasks,
            stop: None,
            patience: Duration::ZERO,
            reap: false,
        }
    }

    /// How many copies of this action's mail the mail server keeps.
    pub(super) fn copies(&self, key: &str) -> usize {
        self.mail.copies(&message_id(key))
    }

    /// How many invoices were made under this action's key.
    pub(super) fn invoices_under(&self, key: &str) -> usize {
        self.invoices
            .invoices()
            .iter()
            .filter(|invoice| invoice.key == key)
            .count()
    }

    pub(super) async fn action(&self, key: &str) -> Result<ActionView, DemoError> {
        Ok(self.api.action(key).await?)
    }

    pub(super) fn origin(&self) -> &str {
        self.server.origin()
    }

    pub(super) fn sign_in(&self) -> &SignIn {
        self.server.sign_in()
    }

    /// Where each mail that came lies as a file.
    pub(super) fn mail_directory(&self) -> PathBuf {
        self.directory.path().join("mail")
    }

    /// Ends the server as a service manager would, and waits for it.
    pub(super) async fn strike(self) -> Result<(), DemoError> {
        self.server.stop().await
    }
}

fn database(directory: &Path) -> String {
    format!("sqlite://{}", directory.join("holdpoint.db").display())
}

pub(super) fn mail(name: &str, subject: &str) -> Task {
    Task::Mail {
        to: format!("{}@example.com", name.to_lowercase()),
        subject: subject.to_owned(),
        body: format!("Dear {name},\n\nthis is the one mail about: {subject}.\n"),
    }
}

pub(super) fn invoice(kind: &str, customer: &str, amount: u64) -> Task {
    Task::Invoice {
        kind: kind.to_owned(),
        customer: customer.to_owned(),
        amount,
    }
}

/// The key of the action that a process of one action spoke of.
pub(super) fn key_of(reports: &[super::agent::Report]) -> Result<String, DemoError> {
    let key = reports.iter().find_map(super::agent::Report::key);
    key.map(str::to_owned)
        .ok_or_else(|| io::Error::other("an agent process said nothing of its action").into())
}
