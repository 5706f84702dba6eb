//! The binary `holdpoint`: all of it is in the library, so that tests can mount it.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    holdpoint_server::cli::main().await
}
