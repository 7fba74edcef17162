//! What the pages say of the minimal provider.

const SOURCE: &str = include_str!("../../minimal/main.rs");

#[test]
fn fits_on_a_page() {
    let lines = SOURCE.lines().count();
    assert!(lines <= 60, "{lines} lines");
}

#[test]
fn is_the_one_in_the_readme() {
    assert!(include_str!("../../../README.md").contains(SOURCE.trim_end()), "copy the file into README.md");
}
