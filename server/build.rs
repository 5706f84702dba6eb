//! Tells cargo what the compiler cannot see: the site and the migrations are read while the server is compiled.

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    // The embedded folder has to exist, or a plain `cargo check` in a fresh clone would fail before
    // `cargo xtask build` has ever made the site.
    let site = Path::new("../target/site");
    fs::create_dir_all(site)?;
    for watched in [site, Path::new("../migrations")] {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
