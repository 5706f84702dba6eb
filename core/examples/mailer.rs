//! A worker that sends real mail: `cargo run -p holdpoint --example mailer -- SMTP_HOST:PORT ada@example.com`.
//!
//! Run it twice, or kill it half-way and run it again: the mail goes out once, or waits for a person.

use std::time::Duration;

use holdpoint::{EffectError, Intent, Ledger, Reaper};
use lettre::message::Mailbox;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let (Some(server), Some(to)) = (args.next(), args.next()) else {
        return Err("give the mail server's HOST:PORT and an address to write to".into());
    };
    let to: Mailbox = to.parse()?;
    let (host, port) = server
        .split_once(':')
        .ok_or("the mail server is given as HOST:PORT")?;
    let smtp = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
        .port(port.parse()?)
        .build();

    let ledger = Ledger::open("sqlite://holdpoint.db").await?;
    // Recovers what earlier runs left behind; a server beside this worker would do as well.
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let reaper = Reaper::new(ledger.clone()).every(Duration::from_secs(1));
    let reaping = tokio::spawn(reaper.run(async { _ = stopped.await }));

    let body = "Hello Ada";
    let intent = Intent::text("welcome-1", 1, "send_email", to.email.to_string(), body)?;
    let sent: Result<String, _> = ledger
        .once("mailer-1", &intent, |once| async move {
            let mail = Message::builder()
                .from(
                    "Holdpoint <worker@example.com>"
                        .parse()
                        .map_err(EffectError::permanent)?,
                )
                .to(to)
                .message_id(Some(format!("<{}@example.com>", once.provider_key)))
                .subject("Welcome")
                .body(body.to_owned())
                .map_err(EffectError::permanent)?;
            // A mail server that was not reached, or said no, has sent nothing; silence may mean anything.
            let answer = smtp.send(mail).await.map_err(|error| match error {
                e if e.is_permanent() => EffectError::permanent(e),
                e if e.is_transient() || e.is_client() => EffectError::none(e),
                e => EffectError::unknown(e),
            })?;
            Ok(answer.message().collect::<Vec<_>>().join(" "))
        })
        .await;
    match sent {
        Ok(said) => println!("sent once; the server said: {said}"),
        Err(other) => println!("not now: {other}"),
    }
    _ = stop.send(());
    reaping.await?;
    Ok(())
}
