//! The migrations are compiled in: an edited one must be seen.

fn main() {
    println!("cargo::rerun-if-changed=../migrations");
}
