//! The first lines of a worker, as the README shows them: `cargo run -p holdpoint --example first_lines`.

use holdpoint::{EffectError, Intent, Key, Ledger};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ledger = Ledger::open("sqlite://holdpoint.db").await?;
    let intent = Intent::text("run-7", 3, "send_email", "ada@example.com", "Hello Ada")?;
    let receipt: String = ledger
        .once("mailer-1", &intent, |grant| async move {
            send_mail(&grant.provider_key).await.map_err(EffectError::unknown)
        })
        .await?;
    println!("{receipt}");
    Ok(())
}

/// Stands for your own: whatever it does is done once.
async fn send_mail(key: &Key) -> std::io::Result<String> {
    tokio::fs::write(std::env::temp_dir().join(key.as_str()), "Hello Ada").await?;
    Ok(format!("written to {key}"))
}
