//! A build for trying has the files of the pages on the disk, where a change is seen when a page is loaded again. A release has them in it.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(pages_on_disk)");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        println!("cargo::rustc-cfg=pages_on_disk");
    }
}
