//! Tells cargo what the compiler cannot see: the site is read while the server is compiled, and a file
//! that is new in it changes nothing that the compiler has looked at before.

use std::{fs, io};

fn main() -> io::Result<()> {
    let site = "../target/site";
    // The embedded folder has to exist, or a plain `cargo check` in a fresh clone would fail before
    // `cargo xtask build` has ever made the site.
    fs::create_dir_all(site)?;
    println!("cargo::rerun-if-changed={site}");
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
