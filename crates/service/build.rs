//! Debug builds read the pages' files from the disk, so that reloading a page shows a change. Releases embed them.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(pages_on_disk)");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        println!("cargo::rustc-cfg=pages_on_disk");
    }
}
