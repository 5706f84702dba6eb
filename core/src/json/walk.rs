//! The grammar of RFC 8259 as a walk: one step a value, a name or a bracket, and no recursion.

use super::{Fault, JsonErrorKind, quoted};

/// What encloses values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Array,
    Object,
}

/// What one step meets. Strings come as they stand between their quotes, with their escapes.
#[derive(Clone, Copy)]
pub(crate) enum Event<'a> {
    Open(Container),
    Close,
    Name(&'a str),
    String(&'a str),
    Number(&'a str),
    Word(&'static str),
}

/// An event and the byte at which it begins.
pub(crate) struct Step<'a> {
    pub(crate) at: usize,
    pub(crate) event: Event<'a>,
}

/// A walk over one JSON text. Its memory is one byte a level.
pub(crate) struct Walk<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Container>,
    expect: Expect,
}

#[derive(Clone, Copy)]
enum Expect {
    Value,
    /// A value or the end of the array that has just begun.
    FirstItem,
    Name,
    /// A name or the end of the object that has just begun.
    FirstName,
    /// A comma or the end of what is open.
    After(Container),
    End,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Walk {
            text,
            at: 0,
            open: Vec::new(),
            expect: Expect::Value,
        }
    }

    /// The next event; `None` once the text has ended where it may.
    pub(crate) fn step(&mut self) -> Result<Option<Step<'a>>, Fault> {
        self.skip_space();
        if let (Expect::After(container), Some(b',')) = (self.expect, self.peek()) {
            self.at += 1;
            self.expect = match container {
                Container::Array => Expect::Value,
                Container::Object => Expect::Name,
            };
            self.skip_space();
        }
        let at = self.at;
        let event = match (self.expect, self.peek()) {
            (Expect::End, None) => return Ok(None),
            (Expect::FirstItem | Expect::After(Container::Array), Some(b']'))
            | (Expect::FirstName | Expect::After(Container::Object), Some(b'}')) => self.close(),
            (Expect::Value | Expect::FirstItem, Some(first)) => self.value(first)?,
            (Expect::Name | Expect::FirstName, Some(b'"')) => self.name()?,
            (expect, _) => return Err(self.unexpected(expect)),
        };
        Ok(Some(Step { at, event }))
    }

    fn value(&mut self, first: u8) -> Result<Event<'a>, Fault> {
        let event = match first {
            b'[' => return Ok(self.begin(Container::Array, Expect::FirstItem)),
            b'{' => return Ok(self.begin(Container::Object, Expect::FirstName)),
            b'"' => Event::String(self.string()?),
            b'-' | b'0'..=b'9' => Event::Number(self.number()?),
            _ => Event::Word(self.word()?),
        };
        self.settle();
        Ok(event)
    }

    fn begin(&mut self, container: Container, expect: Expect) -> Event<'a> {
        self.at += 1;
        self.open.push(container);
        self.expect = expect;
        Event::Open(container)
    }

    fn close(&mut self) -> Event<'a> {
        self.at += 1;
        self.open.pop();
        self.settle();
        Event::Close
    }

    /// A value has ended: what may follow depends on what it stands in.
    fn settle(&mut self) {
        self.expect = self
            .open
            .last()
            .map_or(Expect::End, |container| Expect::After(*container));
    }

    fn name(&mut self) -> Result<Event<'a>, Fault> {
        let name = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.malformed(format!("a colon must follow the name {}", quoted(name))));
        }
        self.at += 1;
        self.expect = Expect::Value;
        Ok(Event::Name(name))
    }

    fn string(&mut self) -> Result<&'a str, Fault> {
        let start = self.at + 1;
        self.at = start;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(byte @ 0..0x20) => {
                    return Err(self.malformed(format!(
                        "a string holds the control character U+{byte:04X}: write it as \\u{byte:04x}"
                    )));
                }
                Some(_) => self.at += 1,
                None => return Err(self.malformed("the text ends within a string: close it with \"")),
            }
        }
        let string = &self.text[start..self.at];
        self.at += 1;
        Ok(string)
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let rest = &self.text.as_bytes()[self.at + 1..];
        match rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.at += 2,
            [b'u', digits @ ..] if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) => {
                self.at += 6;
            }
            _ => {
                return Err(self.malformed(
                    "after \\ stands one of \" \\ / b f n r t, or u and four hex digits: a backslash of its own is \\\\",
                ));
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.at;
        self.take(b"-");
        if !self.take(b"0") {
            self.digits("a number")?;
        } else if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.malformed("a number begins with 0: leave the leading zeros out"));
        }
        if self.take(b".") {
            self.digits("a fraction")?;
        }
        if self.take(b"eE") {
            self.take(b"+-");
            self.digits("an exponent")?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self, of: &str) -> Result<(), Fault> {
        let rest = &self.text.as_bytes()[self.at..];
        match rest.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => Err(self.malformed(format!("{of} lacks its digits"))),
            count => {
                self.at += count;
                Ok(())
            }
        }
    }

    fn word(&mut self) -> Result<&'static str, Fault> {
        let rest = &self.text[self.at..];
        let Some(word) = ["null", "true", "false"]
            .into_iter()
            .find(|word| rest.starts_with(word))
        else {
            return Err(self.unexpected(Expect::Value));
        };
        self.at += word.len();
        Ok(word)
    }

    fn unexpected(&self, expect: Expect) -> Fault {
        let wanted = match expect {
            Expect::Value => "a value",
            Expect::FirstItem => "a value or ]",
            Expect::Name => "a member's name in double quotes",
            Expect::FirstName => "a member's name in double quotes or }",
            Expect::After(Container::Array) => "a comma or ]",
            Expect::After(Container::Object) => "a comma or }",
            Expect::End => "the end of the text",
        };
        match self.text[self.at..].chars().next() {
            Some(found) => self.malformed(format!("{found:?} stands where {wanted} is expected")),
            None => self.malformed(format!("the text ends where {wanted} is expected")),
        }
    }

    fn malformed(&self, detail: impl Into<String>) -> Fault {
        Fault {
            at: self.at,
            kind: JsonErrorKind::Malformed,
            detail: detail.into(),
        }
    }

    fn skip_space(&mut self) {
        while self.take(b" \t\n\r") {}
    }

    fn take(&mut self, any_of: &[u8]) -> bool {
        let found = self.peek().is_some_and(|byte| any_of.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
