//! The release of the demo that its arguments and the environment ask for.

use std::ffi::OsString;

use ferroform_examples::demo::Release;

#[test]
fn release_is_that_of_the_arguments_or_else_of_the_environment() {
    let check = |typed: &str, variable: Option<&str>, expect: Option<Release>, rest: &str| {
        let mut arguments: Vec<OsString> = typed.split_whitespace().map(OsString::from).collect();
        let found = Release::asked_for(&mut arguments, variable.map(OsString::from));
        assert_eq!(found.ok(), expect, "{typed}");
        assert_eq!(arguments.join(" ".as_ref()), rest);
    };
    check("check-upgrades a", None, Some(Release::Current), "check-upgrades a");
    check("--as-version 0 check-upgrades a", None, Some(Release::V0), "check-upgrades a");
    check("--as-version 1 --debug", Some("2"), Some(Release::V1), "--debug");
    check("--debug", Some("2"), Some(Release::V2), "--debug");
    check("--as-version 7", None, None, "");
    check("--as-version", None, None, "");
}
