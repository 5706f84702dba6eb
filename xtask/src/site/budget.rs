//! A limit to what the first visit downloads, so that it grows by decision and not by accident.

use anyhow::bail;

use super::{PKG, files::Files};

/// Glue, wasm and style together, in brotli, in bytes.
const BUDGET: usize = 300_000;

/// Answers with the sentence that names the sizes; it is an error where they are over the budget.
pub fn check(compressed: &Files) -> anyhow::Result<String> {
    let parts: Vec<_> = compressed
        .iter()
        .filter_map(|(address, bytes)| {
            let name = address
                .strip_prefix(PKG)?
                .strip_prefix('/')?
                .strip_suffix(".br")?;
            Some((name, bytes.len()))
        })
        .collect();
    let total: usize = parts.iter().map(|(_, size)| size).sum();
    let named: Vec<_> = parts
        .iter()
        .map(|(name, size)| format!("{name} {}", kilobytes(*size)))
        .collect();
    let sentence = format!(
        "the first visit downloads {} of {} in brotli: {}",
        kilobytes(total),
        kilobytes(BUDGET),
        named.join(", ")
    );
    if total > BUDGET {
        bail!("The site is over its budget: {sentence}. Make it smaller, or raise the budget with a reason.");
    }
    Ok(sentence)
}

fn kilobytes(bytes: usize) -> String {
    format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(wasm: usize) -> Files {
        [
            ("pkg/holdpoint_bg.wasm.br", wasm),
            ("pkg/holdpoint_bg.wasm.gz", 900_000),
            ("logo.svg.br", 900_000),
            ("pkg/holdpoint.css.br", 10_000),
        ]
        .map(|(address, size)| (address.to_owned(), vec![0; size]))
        .into()
    }

    #[test]
    fn only_what_the_first_visit_downloads_is_counted() {
        let sentence = check(&of(290_000)).unwrap();
        assert_eq!(
            sentence,
            "the first visit downloads 300.0 KB of 300.0 KB in brotli: holdpoint.css 10.0 KB, holdpoint_bg.wasm 290.0 KB"
        );
    }

    #[test]
    fn one_byte_too_many_fails_and_names_the_sizes() {
        let error = check(&of(290_001)).unwrap_err().to_string();
        assert!(
            error.contains("over its budget") && error.contains("holdpoint_bg.wasm 290.0 KB"),
            "{error}"
        );
    }
}
