use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    transport::smtp::{AsyncSmtpTransportBuilder, Error as SmtpError},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{MAX_MESSAGE_BYTES, SmtpServer};

async fn server() -> SmtpServer {
    SmtpServer::start(None).await.unwrap()
}

fn lettre_to(server: &SmtpServer) -> AsyncSmtpTransport<Tokio1Executor> {
    let builder: AsyncSmtpTransportBuilder =
        AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous("127.0.0.1");
    builder.port(server.address().port()).build()
}

fn mail(to: &str, body: &str) -> Message {
    Message::builder()
        .from("agent@example.com".parse().unwrap())
        .to(to.parse().unwrap())
        .subject("Your invoice")
        .message_id(Some(format!("<{to}-1>")))
        .body(body.to_owned())
        .unwrap()
}

/// Sends the script at once, as a client that pipelines does, and returns the reply lines up to the end.
async fn play(server: &SmtpServer, script: &[u8]) -> Vec<String> {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut replies = String::new();
    let (written, read) = tokio::join!(writer.write_all(script), reader.read_to_string(&mut replies));
    written.unwrap();
    read.unwrap();
    replies.lines().map(str::to_owned).collect()
}

fn codes(replies: &[String]) -> Vec<&str> {
    // Of a reply of several lines only the last has a space behind its code.
    replies
        .iter()
        .filter(|line| line.as_bytes().get(3) == Some(&b' '))
        .map(|line| &line[..3])
        .collect()
}

#[tokio::test]
async fn a_mail_sent_by_lettre_is_kept_as_it_was_written() {
    let server = server().await;
    let body = "Dear Ada,\r\n.\r\n..two dots and one\r\n.end\r\n";
    lettre_to(&server)
        .send(mail("ada@example.com", body))
        .await
        .unwrap();

    let [kept] = <[_; 1]>::try_from(server.mails()).unwrap();
    assert_eq!(kept.from, "agent@example.com");
    assert_eq!(kept.to, ["ada@example.com"]);
    assert_eq!(kept.subject.as_deref(), Some("Your invoice"));
    assert_eq!(kept.message_id.as_deref(), Some("<ada@example.com-1>"));
    let raw = String::from_utf8(kept.raw).unwrap();
    assert!(raw.split_once("\r\n\r\n").unwrap().1.starts_with(body), "{raw}");
    assert_eq!(server.copies("<ada@example.com-1>"), 1);
    assert_eq!(server.copies("<someone-else>"), 0);
    assert_eq!(server.received_by("ada@example.com"), 1);
    assert_eq!(server.received_by("bob@example.com"), 0);
}

#[tokio::test]
async fn a_mail_is_written_to_the_directory_before_it_is_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let server = SmtpServer::start(Some(directory.path())).await.unwrap();
    lettre_to(&server)
        .send(mail("ada@example.com", "one"))
        .await
        .unwrap();
    assert_eq!(
        std::fs::read(directory.path().join("1.eml")).unwrap(),
        server.mails()[0].raw
    );
}

#[tokio::test]
async fn a_mail_that_cannot_be_kept_is_refused_for_now_and_not_counted() {
    let directory = tempfile::tempdir().unwrap();
    let server = SmtpServer::start(Some(&directory.path().join("missing")))
        .await
        .unwrap();
    let error: SmtpError = lettre_to(&server)
        .send(mail("ada@example.com", "one"))
        .await
        .unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn many_connections_are_served_at_once() {
    let server = server().await;
    // These stay open, half-way through a mail.
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream
            .write_all(b"EHLO a\r\nMAIL FROM:<a@example.com>\r\n")
            .await
            .unwrap();
        open.push(stream);
    }
    let transport = lettre_to(&server);
    let sends = (0..20).map(|n| transport.send(mail(&format!("n{n}@example.com"), "hello")));
    for sent in futures::future::join_all(sends).await {
        sent.unwrap();
    }
    server.wait_for(20).await;
    assert_eq!(server.mails().len(), 20);
    assert_eq!(server.received_by("n7@example.com"), 1);
}

#[tokio::test]
async fn a_connection_that_is_cut_before_the_final_dot_leaves_nothing() {
    let server = server().await;
    let script =
        b"HELO a\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nSubject: cut\r\n\r\nhalf";
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(script).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut replies = String::new();
    stream.read_to_string(&mut replies).await.unwrap();
    assert!(replies.contains("\r\n354 "), "{replies}");
    assert!(server.mails().is_empty());
}

#[tokio::test]
async fn commands_out_of_order_are_refused() {
    let server = server().await;
    let script = b"MAIL FROM:<a@example.com>\r\nEHLO a\r\nRCPT TO:<b@example.com>\r\nDATA\r\n\
        MAIL FROM:<a@example.com>\r\nMAIL FROM:<a@example.com>\r\nDATA\r\nRSET\r\nRCPT TO:<b@example.com>\r\n\
        NOOP\r\nQUIT\r\n";
    let replies = play(&server, script).await;
    assert_eq!(
        codes(&replies),
        [
            "220", "503", "250", "503", "503", "250", "503", "503", "250", "503", "250", "221"
        ],
        "{replies:#?}"
    );
}

#[tokio::test]
async fn what_is_not_understood_or_not_offered_is_refused_and_the_conversation_goes_on() {
    let server = server().await;
    let overlong = "X".repeat(9000);
    let script = format!(
        "HELO a\r\nFROBNICATE\r\nVRFY ada\r\nSTARTTLS\r\nBDAT 0 LAST\r\nMAIL FROM:nobody\r\n\
        MAIL FROM:<a@example.com> RET=FULL\r\nMAIL FROM:<a@example.com> FOO=1\r\nNOOP {overlong}\r\n\
        MAIL FROM:<>\r\nRCPT TO:<>\r\nRCPT TO:<b@example.com> NOTIFY=NEVER\r\nRCPT TO:<b@example.com>\r\nQUIT\r\n"
    );
    let replies = play(&server, script.as_bytes()).await;
    assert_eq!(
        codes(&replies),
        [
            "220", "250", "500", "252", "502", "502", "501", "555", "555", "500", "250", "553", "555", "250",
            "221"
        ],
        "{replies:#?}"
    );
}

#[tokio::test]
async fn several_mails_and_recipients_go_through_one_connection() {
    let server = server().await;
    let script =
        b"EHLO a\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nRCPT TO:<c@example.com>\r\n\
        DATA\r\nsubject: folded\r\n  over two lines\r\n\r\nfirst\r\n.\r\nMAIL FROM:<> BODY=8BITMIME\r\n\
        RCPT TO:<c@example.com>\r\nDATA\r\n..begins with a dot\r\n.\r\nMAIL FROM:<a@example.com>\r\n\
        RCPT TO:<c@example.com>\r\nDATA\r\n.\r\nQUIT\r\n";
    let replies = play(&server, script).await;
    assert_eq!(codes(&replies).last(), Some(&"221"), "{replies:#?}");

    let [first, second, third] = <[_; 3]>::try_from(server.mails()).unwrap();
    assert_eq!(first.to, ["b@example.com", "c@example.com"]);
    assert_eq!(first.subject.as_deref(), Some("folded  over two lines"));
    assert_eq!(first.raw, b"subject: folded\r\n  over two lines\r\n\r\nfirst\r\n");
    assert_eq!(second.from, "");
    assert_eq!(second.raw, b".begins with a dot\r\n");
    assert_eq!(third.raw, b"");
    assert_eq!(third.message_id, None);
    assert_eq!(server.received_by("c@example.com"), 3);
}

#[tokio::test]
async fn a_message_that_ends_across_packets_is_whole() {
    let server = server().await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let script =
        b"HELO a\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nline\r\n..\r\n\r\n.\r\n";
    for byte in script.chunks(1) {
        stream.write_all(byte).await.unwrap();
        tokio::task::yield_now().await;
    }
    server.wait_for(1).await;
    assert_eq!(server.mails()[0].raw, b"line\r\n.\r\n\r\n");
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_and_the_next_one_is_taken() {
    let server = server().await;
    let declared = format!(
        "EHLO a\r\nMAIL FROM:<a@example.com> SIZE={}\r\nQUIT\r\n",
        MAX_MESSAGE_BYTES + 1
    );
    assert_eq!(
        codes(&play(&server, declared.as_bytes()).await),
        ["220", "250", "552", "221"]
    );

    let mut script = b"EHLO a\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n".to_vec();
    for _ in 0..=MAX_MESSAGE_BYTES / 64 {
        script.extend_from_slice(&[b'x'; 62]);
        script.extend_from_slice(b"\r\n");
    }
    script.extend_from_slice(
        b".\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nok\r\n.\r\nQUIT\r\n",
    );
    let replies = play(&server, &script).await;
    assert_eq!(
        codes(&replies),
        [
            "220", "250", "250", "250", "354", "552", "250", "250", "354", "250", "221"
        ],
        "{replies:#?}"
    );
    assert_eq!(server.mails().len(), 1);
}
