//! The server's side is either the demonstration's own, or a script that breaks the conversation at one place.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use super::{Certainty, Letter, Mailer, Phase, SendError, message_id};
use crate::demo::smtp::SmtpServer;

const LIMIT: Duration = Duration::from_millis(400);

fn letter() -> Letter {
    Letter {
        from: "agent@example.com".to_owned(),
        to: "ada@example.com".to_owned(),
        subject: "Welcome".to_owned(),
        body: "Dear Ada,\n.\nwelcome: schöne Grüße\n".to_owned(),
        message_id: message_id("abc"),
    }
}

#[tokio::test]
async fn a_letter_arrives_under_its_message_id() {
    let server = SmtpServer::start(None).await.unwrap();
    let receipt = Mailer::new(server.address(), Duration::from_secs(10))
        .send(&letter())
        .await
        .unwrap();
    assert_eq!(receipt.message_id, "<abc@demo.holdpoint.invalid>");
    assert_eq!(receipt.reply, "2.0.0 the mail is kept");
    assert_eq!(server.copies(&receipt.message_id), 1);
    assert_eq!(server.mails()[0].subject.as_deref(), Some("Welcome"));
}

#[tokio::test]
async fn a_letter_that_cannot_be_written_is_never_sent() {
    let server = SmtpServer::start(None).await.unwrap();
    let letter = Letter {
        to: "not an address".to_owned(),
        ..letter()
    };
    let error = Mailer::new(server.address(), LIMIT)
        .send(&letter)
        .await
        .unwrap_err();
    assert_eq!(
        (error.phase, error.certainty),
        (Phase::Compose, Certainty::NeverSent)
    );
}

#[tokio::test]
async fn a_refused_connection_sends_nothing() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let error = Mailer::new(closed, LIMIT).send(&letter()).await.unwrap_err();
    assert_eq!(
        (error.phase, error.certainty),
        (Phase::Connect, Certainty::NotSent)
    );
}

/// What the scripted server does at the place where it stops being friendly.
#[derive(Clone, Copy)]
enum Break {
    Say(&'static str),
    Cut,
    FallSilent,
}

#[tokio::test]
async fn case_a50_what_is_refused_before_the_final_dot_was_not_sent() {
    for (at, phase) in [
        (Phase::Sender, "MAIL"),
        (Phase::Recipient, "RCPT"),
        (Phase::Data, "DATA"),
        // The scripted server says this when the message is whole: a clear no is a no there, too.
        (Phase::FinalDot, "final dot"),
    ] {
        for (said, certainty) in [
            ("451 not now", Certainty::NotSent),
            ("550 never", Certainty::NeverSent),
        ] {
            let error = broken(at, Break::Say(said)).await;
            assert_eq!((error.phase, error.certainty), (at, certainty), "{error}");
            assert!(error.to_string().contains(phase), "{error}");
        }
    }
    let error = broken(Phase::Connect, Break::Say("554 closed")).await;
    assert_eq!(
        (error.phase, error.certainty),
        (Phase::Connect, Certainty::NotSent)
    );
}

#[tokio::test]
async fn case_a50_what_breaks_before_the_final_dot_was_not_sent() {
    for at in [Phase::Connect, Phase::Sender, Phase::Recipient, Phase::Data] {
        for how in [Break::Cut, Break::FallSilent] {
            let error = broken(at, how).await;
            assert_eq!(
                (error.phase, error.certainty),
                (at, Certainty::NotSent),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn case_a50_what_breaks_after_the_final_dot_is_unknown() {
    for how in [Break::Cut, Break::FallSilent, Break::Say("garbage")] {
        let error = broken(Phase::FinalDot, how).await;
        assert_eq!(
            (error.phase, error.certainty),
            (Phase::FinalDot, Certainty::Unknown),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_message_that_gets_stuck_half_way_was_not_sent() {
    // The server reads nothing after its 354, and the message is more than the sockets' buffers hold. (A bare
    // line feed would be made a line break by lettre, which takes minutes for so many.)
    let address = scripted(Phase::Body, Break::FallSilent).await;
    let letter = Letter {
        body: "a line of text\r\n".repeat(1_500_000),
        ..letter()
    };
    let error = Mailer::new(address, Duration::from_secs(2))
        .send(&letter)
        .await
        .unwrap_err();
    assert_eq!(
        (error.phase, error.certainty),
        (Phase::Body, Certainty::NotSent),
        "{error}"
    );
}

async fn broken(at: Phase, how: Break) -> SendError {
    Mailer::new(scripted(at, how).await, LIMIT)
        .send(&letter())
        .await
        .unwrap_err()
}

/// A server that is friendly until the given phase.
async fn scripted(at: Phase, how: Break) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        for (phase, friendly) in [
            (Phase::Connect, "220 hello"),
            (Phase::Connect, "250 hello"),
            (Phase::Sender, "250 ok"),
            (Phase::Recipient, "250 ok"),
            (Phase::Data, "354 go on"),
            (Phase::Body, ""),
            (Phase::FinalDot, "250 ok"),
        ] {
            match (phase, friendly) {
                (Phase::Connect, "220 hello") | (Phase::Body, _) => {}
                (Phase::FinalDot, _) => while read_line(&mut stream).await != ".\r\n" {},
                _ => drop(read_line(&mut stream).await),
            }
            if phase != at {
                if !friendly.is_empty() {
                    say(&mut stream, friendly).await;
                }
                continue;
            }
            match how {
                Break::Say(line) => say(&mut stream, line).await,
                Break::Cut => {}
                Break::FallSilent => std::future::pending().await,
            }
            return;
        }
    });
    address
}

async fn read_line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    line
}

async fn say(stream: &mut BufReader<TcpStream>, line: &str) {
    stream.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
}
