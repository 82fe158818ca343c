//! Embedded migrations change without a Rust file changing.
fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
