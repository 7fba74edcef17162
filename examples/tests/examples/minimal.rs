//! What the pages say of the minimal provider.

const SOURCE: &str = include_str!("../../minimal/main.rs");

#[test]
fn fits_on_a_page() {
    let lines = SOURCE.lines().count();
    assert!(lines <= 64, "{lines} lines");
}

#[test]
fn is_the_one_in_the_readme() {
    assert!(include_str!("../../../README.md").contains(SOURCE.trim_end()), "copy the file into README.md");
}

#[test]
fn is_the_one_on_the_crate_page() {
    let page = include_str!("../../../sdk/src/lib.rs").lines().filter_map(|line| line.strip_prefix("//!"));
    let page: String = page.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    let (_, code) = SOURCE.split_once("\n\n").unwrap();
    assert!(page.contains(code), "copy the file to the page of the crate, in sdk/src/lib.rs");
}

#[test]
fn needs_two_use_lines() {
    assert_eq!(SOURCE.lines().filter(|line| line.starts_with("use ")).count(), 2);
}
