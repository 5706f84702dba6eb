//! How many tests ran, read from the lines that the runners close with.

use std::{fmt, ops::AddAssign};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

#[derive(Clone, Copy)]
pub enum Runner {
    Nextest,
    CargoTest,
    Playwright,
    /// By its report in the form that JUnit has.
    Schemathesis,
}

impl Runner {
    pub fn name(self) -> &'static str {
        match self {
            Self::Nextest => "cargo nextest",
            Self::CargoTest => "cargo test",
            Self::Playwright => "Playwright",
            Self::Schemathesis => "schemathesis",
        }
    }
}

/// The sum of what the output counts, or nothing where it has no closing line.
pub fn read(runner: Runner, output: &str) -> Option<Count> {
    if matches!(runner, Runner::Schemathesis) {
        return of_report(output);
    }
    let mut sum = None;
    for line in output.lines() {
        let parts: Vec<&str> = match runner {
            // Summary [   0.012s] 4 tests run: 2 passed (1 slow), 1 failed, 1 timed out, 1 skipped
            Runner::Nextest => {
                let Some((before, counts)) = line.split_once(" run: ") else {
                    continue;
                };
                if !before.trim_start().starts_with("Summary [") {
                    continue;
                }
                counts.split(',').collect()
            }
            // test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
            Runner::CargoTest => match line
                .strip_prefix("test result: ")
                .and_then(|rest| rest.split_once(". "))
            {
                Some((_, counts)) => counts.split(';').collect(),
                None => continue,
            },
            // The list reporter closes with a line for each outcome: `  12 passed (4.2s)`.
            Runner::Playwright | Runner::Schemathesis => vec![line],
        };
        for part in parts {
            if let Some(count) = one(part) {
                *sum.get_or_insert(Count::default()) += count;
            }
        }
    }
    sum
}

/// `<testsuites … tests="30" failures="1" errors="0">`; an error is a test that failed, too.
fn of_report(report: &str) -> Option<Count> {
    let (_, rest) = report.split_once("<testsuite ")?;
    let (head, _) = rest.split_once('>')?;
    let number = |name: &str| -> Option<usize> {
        let (_, rest) = head.split_once(&format!(" {name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    let (tests, skipped) = (number("tests")?, number("skipped").unwrap_or_default());
    let failed = number("failures")? + number("errors")?;
    Some(Count {
        passed: tests.saturating_sub(failed + skipped),
        failed,
        skipped,
    })
}

/// One number and its word, such as `1 timed out` or `2 passed (1 slow)`.
fn one(part: &str) -> Option<Count> {
    let (number, word) = part.trim().split_once(' ')?;
    let number = number.parse().ok()?;
    let word = word.split_once(" (").map_or(word, |(word, _)| word);
    let none = Count::default();
    match word {
        "passed" => Some(Count {
            passed: number,
            ..none
        }),
        // A test that passes only at the second try has failed once.
        "failed" | "timed out" | "exec failed" | "flaky" | "interrupted" => Some(Count {
            failed: number,
            ..none
        }),
        "skipped" | "ignored" | "did not run" => Some(Count {
            skipped: number,
            ..none
        }),
        _ => None,
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(passed: usize, failed: usize, skipped: usize) -> Count {
        Count {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn nextest_is_read_from_its_summary() {
        let output = "        PASS [   0.004s] holdpoint intent::tests::a 3 passed\n\
            ────────────\n     Summary [   0.012s] 5 tests run: 3 passed (1 slow), 1 failed, 1 timed out, 2 skipped\n";
        assert_eq!(read(Runner::Nextest, output), Some(count(3, 2, 2)));
        assert_eq!(
            read(
                Runner::Nextest,
                "     Summary [   0.012s] 1 test run: 1 passed, 0 skipped"
            ),
            Some(count(1, 0, 0))
        );
    }

    #[test]
    fn cargo_test_is_summed_over_its_binaries() {
        let output = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test a ... ok\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out\n";
        assert_eq!(read(Runner::CargoTest, output), Some(count(5, 1, 1)));
    }

    #[test]
    fn playwright_is_read_from_its_closing_lines() {
        let output = "  ✓  1 tests/a.spec.ts:3:1 › 4 passed (12ms)\n\n  1 failed\n    tests/a.spec.ts\n  2 skipped\n  1 did not run\n  12 passed (4.2s)\n";
        assert_eq!(read(Runner::Playwright, output), Some(count(12, 1, 3)));
    }

    #[test]
    fn schemathesis_is_read_from_its_report() {
        let report = "<?xml version=\"1.0\"?>\n<testsuites errors=\"9\" failures=\"9\" tests=\"9\">\n  \
            <testsuite name=\"schemathesis\" hostname=\"a\" errors=\"1\" failures=\"2\" skipped=\"3\" tests=\"25\" time=\"1.5\">\n";
        assert_eq!(read(Runner::Schemathesis, report), Some(count(19, 3, 3)));
    }

    #[test]
    fn an_output_without_a_closing_line_counts_nothing() {
        for runner in [
            Runner::Nextest,
            Runner::CargoTest,
            Runner::Playwright,
            Runner::Schemathesis,
        ] {
            assert_eq!(read(runner, "error: could not compile `holdpoint`\n"), None);
        }
    }

    #[test]
    fn the_closing_line_names_skipped_tests_only_where_there_are_some() {
        assert_eq!(count(3, 0, 0).to_string(), "3 passed, 0 failed");
        assert_eq!(count(3, 1, 2).to_string(), "3 passed, 1 failed, 2 skipped");
    }
}
