//! One client's conversation, from bytes to replies, without I/O.

use std::{borrow::Cow, io, slice::Iter};

use smtp_proto::{
    Error, MAIL_BODY_7BIT, MAIL_BODY_8BITMIME, MAIL_SMTPUTF8, MailFrom, RcptTo, Request,
    request::receiver::{DataReceiver, DummyDataReceiver, DummyLineReceiver, RequestReceiver},
};

use super::MAX_MESSAGE_BYTES;

const HOST: &str = "demo.holdpoint.invalid";

/// RFC 5321, 4.5.3.1.8: at least a hundred must be taken.
const MAX_RECIPIENTS: usize = 100;

pub(super) const IDLE_REPLY: &[u8] = b"421 4.4.2 idle for too long, closing the connection\r\n";

/// A message with the addresses that the commands named.
pub(super) struct Envelope {
    pub(super) from: String,
    pub(super) to: Vec<String>,
    pub(super) raw: Vec<u8>,
}

pub(super) enum Step {
    /// Everything that was given is used up.
    NeedsMore,
    /// A whole message came; the client waits for its [`receipt`].
    Received(Envelope),
    Close,
}

pub(super) struct Session {
    greeted: bool,
    from: Option<String>,
    to: Vec<String>,
    mode: Mode,
    commands: RequestReceiver,
}

/// What the next bytes are.
enum Mode {
    Commands,
    /// The rest of a line that was too long to be a command.
    OverlongLine,
    Message(DataReceiver, Vec<u8>),
    /// The rest of a message that grew over the limit, read so that the refusal comes where the client listens.
    OversizedMessage(DummyDataReceiver),
}

pub(super) fn greeting() -> Vec<u8> {
    format!("220 {HOST} ESMTP, for demonstrations only\r\n").into_bytes()
}

impl Session {
    pub(super) fn new() -> Self {
        Self {
            greeted: false,
            from: None,
            to: Vec::new(),
            mode: Mode::Commands,
            commands: RequestReceiver::default(),
        }
    }

    /// Takes what it can use from `bytes` and appends the replies; called again until it needs more.
    pub(super) fn advance(&mut self, bytes: &mut Iter<'_, u8>, replies: &mut Vec<u8>) -> Step {
        loop {
            match std::mem::replace(&mut self.mode, Mode::Commands) {
                Mode::Commands => {
                    let request = self
                        .commands
                        .ingest(bytes)
                        .map(Request::<Cow<'_, str>>::into_owned);
                    match request {
                        Ok(Request::Quit) => {
                            reply(replies, "221 2.0.0 good bye");
                            return Step::Close;
                        }
                        Ok(request) => self.obey(request, replies),
                        Err(Error::NeedsMoreData { .. }) => return Step::NeedsMore,
                        Err(Error::ResponseTooLong) => self.mode = Mode::OverlongLine,
                        Err(error) => reply(replies, &refusal(&error)),
                    }
                }
                Mode::OverlongLine => {
                    if !DummyLineReceiver::default().ingest(bytes) {
                        self.mode = Mode::OverlongLine;
                        return Step::NeedsMore;
                    }
                    reply(replies, "500 5.5.6 the line is too long");
                }
                Mode::Message(mut receiver, mut raw) => {
                    let ended = receiver.ingest(bytes, &mut raw);
                    let oversized = raw.len() > MAX_MESSAGE_BYTES;
                    if ended && oversized {
                        self.refuse_size(replies);
                    } else if ended {
                        let (from, to) = self.take_transaction();
                        return Step::Received(Envelope { from, to, raw });
                    } else {
                        self.mode = if oversized {
                            Mode::OversizedMessage(DummyDataReceiver::new_data(&receiver))
                        } else {
                            Mode::Message(receiver, raw)
                        };
                        return Step::NeedsMore;
                    }
                }
                Mode::OversizedMessage(mut receiver) => {
                    if !receiver.ingest(bytes) {
                        self.mode = Mode::OversizedMessage(receiver);
                        return Step::NeedsMore;
                    }
                    self.refuse_size(replies);
                }
            }
        }
    }

    fn obey(&mut self, request: Request<String>, replies: &mut Vec<u8>) {
        match request {
            Request::Ehlo { .. } => {
                self.greet();
                reply(replies, &format!("250-{HOST}"));
                reply(replies, "250-PIPELINING");
                reply(replies, &format!("250-SIZE {MAX_MESSAGE_BYTES}"));
                reply(replies, "250-8BITMIME");
                reply(replies, "250-SMTPUTF8");
                reply(replies, "250 ENHANCEDSTATUSCODES");
            }
            Request::Helo { .. } => {
                self.greet();
                reply(replies, &format!("250 {HOST}"));
            }
            Request::Mail { from } => reply(replies, self.mail(from)),
            Request::Rcpt { to } => reply(replies, self.rcpt(to)),
            Request::Data => reply(replies, self.data()),
            Request::Rset => {
                self.take_transaction();
                reply(replies, "250 2.0.0 forgotten");
            }
            Request::Noop { .. } => reply(replies, "250 2.0.0 still here"),
            Request::Vrfy { .. } => reply(replies, "252 2.5.0 any address is taken"),
            Request::Help { .. } => reply(replies, "214 2.0.0 see RFC 5321"),
            other => reply(replies, &format!("502 5.5.1 {} is not supported", other.name())),
        }
    }

    fn mail(&mut self, from: MailFrom<String>) -> &'static str {
        if !self.greeted {
            "503 5.5.1 say EHLO or HELO first"
        } else if self.from.is_some() {
            "503 5.5.1 a mail was begun already; RSET forgets it"
        } else if from.flags & !(MAIL_BODY_7BIT | MAIL_BODY_8BITMIME | MAIL_SMTPUTF8) != 0 {
            "555 5.5.4 a parameter of an extension that was not offered"
        } else if from.size > MAX_MESSAGE_BYTES {
            SIZE_REFUSED
        } else {
            self.from = Some(from.address);
            "250 2.1.0 sender taken"
        }
    }

    fn rcpt(&mut self, to: RcptTo<String>) -> &'static str {
        if self.from.is_none() {
            "503 5.5.1 MAIL comes first"
        } else if to.flags != 0 {
            "555 5.5.4 a parameter of an extension that was not offered"
        } else if to.address.is_empty() {
            "553 5.1.3 a recipient needs a full address"
        } else if self.to.len() == MAX_RECIPIENTS {
            "452 4.5.3 too many recipients"
        } else {
            self.to.push(to.address);
            "250 2.1.5 recipient taken"
        }
    }

    fn data(&mut self) -> &'static str {
        if self.from.is_none() {
            "503 5.5.1 MAIL comes first"
        } else if self.to.is_empty() {
            "503 5.5.1 RCPT comes first"
        } else {
            let mut receiver = DataReceiver::new();
            // The receiver knows a special dot by the line break before it. For the first line that is the one
            // that ended the command, which it has not seen.
            receiver.ingest(&mut b"\r\n".iter(), &mut Vec::new());
            self.mode = Mode::Message(receiver, Vec::new());
            "354 end the mail with a dot on a line of its own"
        }
    }

    fn greet(&mut self) {
        self.greeted = true;
        self.take_transaction();
    }

    fn refuse_size(&mut self, replies: &mut Vec<u8>) {
        self.take_transaction();
        reply(replies, SIZE_REFUSED);
    }

    fn take_transaction(&mut self) -> (String, Vec<String>) {
        (self.from.take().unwrap_or_default(), std::mem::take(&mut self.to))
    }
}

const SIZE_REFUSED: &str = "552 5.3.4 the message is too large";

/// Tells the client what became of the message that it just sent.
pub(super) fn receipt(kept: io::Result<()>, replies: &mut Vec<u8>) {
    match kept {
        Ok(()) => reply(replies, "250 2.0.0 the mail is kept"),
        Err(error) => {
            tracing::warn!(%error, "the mail server could not keep a mail and told its client to try later");
            reply(replies, "451 4.3.0 the mail could not be kept");
        }
    }
}

fn refusal(error: &Error) -> String {
    match error {
        Error::InvalidSenderAddress => "501 5.1.7 the sender's address can't be read".to_owned(),
        Error::InvalidRecipientAddress => "501 5.1.3 the recipient's address can't be read".to_owned(),
        Error::SyntaxError { syntax } => format!("501 5.5.4 the syntax is {syntax}"),
        Error::InvalidParameter { param } => format!("501 5.5.4 the parameter {param} can't be read"),
        Error::UnsupportedParameter { .. } => "555 5.5.4 a parameter is not known".to_owned(),
        _ => "500 5.5.1 the command is not known".to_owned(),
    }
}

fn reply(replies: &mut Vec<u8>, line: &str) {
    replies.extend_from_slice(line.as_bytes());
    replies.extend_from_slice(b"\r\n");
}
