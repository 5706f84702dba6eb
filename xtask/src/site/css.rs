//! One style sheet out of the files that style/main.css lists.

use std::{fs, path::Path};

use anyhow::{Context as _, bail};

use super::Mode;

pub fn build(style: &Path, mode: Mode) -> anyhow::Result<String> {
    let main = read(&style.join("main.css"))?;
    let mut sheet = String::new();
    for line in main.lines() {
        match imported(line)? {
            Some(name) => sheet.push_str(&read(&style.join(name))?),
            None => sheet.push_str(line),
        }
        sheet.push('\n');
    }
    Ok(match mode {
        Mode::Dev => sheet,
        Mode::Release => minify(&sheet),
    })
}

/// The file's name where the line is an import. Layers and media conditions are not understood, so a line
/// that has them stops the build instead of losing its meaning.
pub fn imported(line: &str) -> anyhow::Result<Option<&str>> {
    let Some(rest) = line.trim().strip_prefix("@import") else {
        return Ok(None);
    };
    let name = rest
        .trim()
        .strip_prefix("\"./")
        .and_then(|rest| rest.strip_suffix("\";"));
    match name {
        Some(name) => Ok(Some(name)),
        None => bail!("style/main.css has a line that is not of the form `@import \"./name.css\";`: {line}"),
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("The style sheet {} could not be read.", path.display()))
}

/// Drops comments and needless white space. Brotli does the rest, and a real minifier takes longer to
/// compile than everything else in this crate.
fn minify(sheet: &str) -> String {
    let mut small = String::with_capacity(sheet.len());
    let mut rest = sheet;
    let mut space = false;
    while let Some(next) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            space = true;
            continue;
        }
        if next.is_whitespace() {
            rest = rest.trim_start();
            space = true;
            continue;
        }
        let bare = |c: char| matches!(c, '{' | '}' | ';' | ',');
        if space && !bare(next) && !small.ends_with(bare) && !small.is_empty() {
            small.push(' ');
        }
        space = false;
        let length = if matches!(next, '"' | '\'') {
            quoted(rest, next)
        } else {
            next.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        small.push_str(token);
        rest = after;
    }
    small
}

/// The length of the string that the text begins with, quotes included.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_put_in_place_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("main.css", "@import \"./b.css\";\n@import \"./a.css\";\n");
        write("a.css", "a { color: red }");
        write("b.css", "b { color: blue }");
        assert_eq!(
            build(folder.path(), Mode::Dev).unwrap(),
            "b { color: blue }\na { color: red }\n"
        );
        assert_eq!(
            build(folder.path(), Mode::Release).unwrap(),
            "b{color: blue}a{color: red}"
        );
    }

    #[test]
    fn an_import_with_a_condition_is_refused() {
        assert!(imported("@import \"./a.css\" print;").is_err());
        assert_eq!(imported("@import \"./a.css\";").unwrap(), Some("a.css"));
        assert_eq!(imported("/* a comment */").unwrap(), None);
    }

    #[test]
    fn small_sheets_mean_the_same() {
        let cases = [
            (
                "/* x */ a  >  b ,\n c { margin : 0 auto ; }\n",
                "a > b,c{margin : 0 auto;}",
            ),
            ("a { width: calc(1px + 2px) }", "a{width: calc(1px + 2px)}"),
            (
                "a :hover { content: \" /* kept  */ \\\" \" }",
                "a :hover{content: \" /* kept  */ \\\" \"}",
            ),
            (
                "@media (width > 1px) and (height > 2px) { a { b: c } }",
                "@media (width > 1px) and (height > 2px){a{b: c}}",
            ),
            ("a { b: 1px/* between */solid }", "a{b: 1px solid}"),
        ];
        for (given, small) in cases {
            assert_eq!(minify(given), small);
        }
    }
}
