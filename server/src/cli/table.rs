//! Results on standard output.

use std::io::{self, Write as _};

use super::Failure;

/// One line.
pub fn line(text: &str) -> Result<(), Failure> {
    written(writeln!(io::stdout(), "{text}"))
}

/// Rows in columns as wide as their widest cell.
pub fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> Result<(), Failure> {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or_default()
    });
    let mut out = String::new();
    for row in [head.map(str::to_owned)].iter().chain(rows) {
        let cells: Vec<_> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    written(io::stdout().write_all(out.as_bytes()))
}

/// A reader that has read enough and closed its end is no failure.
fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
