//! Where cores are looked for, shown with programs that only print a version.
#![cfg(unix)]

use std::fs;

use crate::fake_program::Fake;
use ferroform_testing::real::{Availability, Cache, Error, Origin, Resolver};

/// Resolves `wanted`. The expectation is the origin and the program of what is found, or a part of the reason.
#[track_caller]
fn check(resolver: &Resolver, wanted: &str, expect: Result<(Origin, &Fake), &str>) {
    let found = resolver.resolve(&wanted.parse().expect("a core")).expect("no error");
    match (found, expect) {
        (Availability::Present(core), Ok((origin, fake))) => {
            assert_eq!((core.origin, core.path), (origin, fake.program()))
        }
        (Availability::Absent(absence), Err(reason)) => {
            let text = absence.to_string();
            assert!(text.contains(reason), "{text:?} does not contain {reason:?}");
        }
        (found, _) => panic!("{wanted} gave {found:?}"),
    }
}

#[track_caller]
fn check_error(resolver: &Resolver, wanted: &str, expect: &str) -> Error {
    let error = resolver.resolve(&wanted.parse().expect("a core")).expect_err("an error");
    assert!(error.to_string().contains(expect), "{:?} does not contain {expect:?}", error.to_string());
    error
}

/// A resolver whose cache and `PATH` are empty.
fn resolver() -> Resolver {
    Resolver::new(Cache::new("/nonexistent/ferroform")).with_path(vec!["/nonexistent/bin".into()])
}

const VARIABLE: Origin = Origin::Variable("FERROFORM_TERRAFORM");

#[test]
fn a_named_core_goes_before_path() {
    let (named, on_path) =
        (Fake::version("tf", "Terraform", "1.9.8"), Fake::version("terraform", "Terraform", "1.9.8"));
    let resolver = resolver().with_terraform(vec![named.program()]).with_path(vec![on_path.dir().into()]);
    check(&resolver, "1.9.8", Ok((VARIABLE, &named)));
    check(&resolver, "terraform", Ok((VARIABLE, &named)));
}

#[test]
fn all_named_cores_are_looked_at_and_then_all_of_path() {
    let named = [Fake::version("a", "Terraform", "1.6.6"), Fake::version("b", "Terraform", "1.8.4")];
    let on_path =
        [Fake::version("terraform", "Terraform", "1.9.8"), Fake::version("terraform", "Terraform", "1.11.4")];
    let resolver = resolver()
        .with_terraform(named.iter().map(Fake::program).collect())
        .with_path(on_path.iter().map(|fake| fake.dir().into()).collect());
    check(&resolver, "1.8.4", Ok((VARIABLE, &named[1])));
    check(&resolver, "1.11.4", Ok((Origin::Path, &on_path[1])));
    check(&resolver, "1.12.2", Err("FERROFORM_TERRAFORM names Terraform 1.6.6"));
    check(&resolver, "1.12.2", Err("is Terraform 1.9.8"));
    check(&resolver, "1.12.2", Err("run `ferroform-cores fetch 1.12.2`"));
    check(&resolver, "1.7.0", Err("cores.lock has no such version"));
}

#[test]
fn the_product_is_what_the_program_says() {
    let renamed = Fake::version("terraform", "OpenTofu", "1.10.5");
    let tofu = Fake::version("tofu", "OpenTofu", "1.10.5");
    let resolver = resolver().with_path(vec![renamed.dir().into(), tofu.dir().into()]);
    check(&resolver, "tofu@1.10.5", Ok((Origin::Path, &tofu)));
    check(&resolver, "terraform@1.10.5", Err("is OpenTofu 1.10.5"));
    check(&resolver, "tofu@1.11.0", Err("tofu is OpenTofu 1.10.5"));
}

#[test]
fn a_program_on_path_that_is_no_core_is_a_reason() {
    let fake = Fake::new("terraform", "echo broken >&2; exit 3");
    let silent = Fake::new("terraform", "exit 0");
    let resolver = resolver().with_path(vec![fake.dir().into(), silent.dir().into()]);
    check(&resolver, "1.9.8", Err("failed with exit code 3; it said: broken"));
    check(&resolver, "1.9.8", Err("the answer of terraform version -json is malformed"));
}

/// It never ends by itself, so the limit may be short.
#[test]
fn a_program_that_hangs_is_killed_and_not_asked_again() {
    let fake = Fake::new("terraform", "echo waiting >&2; echo $$ >> \"$here/calls\"; exec sleep 1000000");
    let limit = std::time::Duration::from_millis(300);
    let on_path = resolver().with_probe_limit(limit).with_path(vec![fake.dir().into()]);
    for _ in 0..2 {
        check(&on_path, "1.9.8", Err("terraform version -json` was killed after 300ms"));
    }
    let calls = || fs::read_to_string(fake.dir().join("calls")).unwrap_or_default();
    assert!(calls().lines().count() <= 1, "{}", calls());
    let named = resolver().with_probe_limit(limit).with_terraform(vec![fake.program()]);
    check_error(&named, "1.9.8", "FERROFORM_TERRAFORM cannot be used");
}

#[test]
fn a_named_program_that_is_no_core_is_an_error() {
    let missing = resolver().with_terraform(vec!["/nonexistent/terraform".into()]);
    check_error(
        &missing,
        "1.9.8",
        "FERROFORM_TERRAFORM cannot be used: could not start /nonexistent/terraform",
    );
    let tofu = Fake::version("tofu", "OpenTofu", "1.10.5");
    let swapped = resolver().with_terraform(vec![tofu.program()]);
    check_error(&swapped, "1.9.8", "is OpenTofu, not Terraform");
    check(&swapped, "tofu", Err("no tofu is on PATH"));
}

#[test]
fn a_required_core_must_be_there() {
    let required = vec!["1.9.8".parse().expect("a core"), "tofu".parse().expect("a core")];
    let resolver = resolver().with_required(required);
    let error = check_error(&resolver, "1.9.8", "terraform@1.9.8: no terraform is on PATH");
    assert!(matches!(error, Error::Required { .. }));
    check_error(&resolver, "tofu", "FERROFORM_REQUIRE_CORES requires a core");
    check(&resolver, "1.8.4", Err("no terraform is on PATH"));
}

#[test]
fn a_program_is_asked_once() {
    let fake = Fake::version("terraform", "Terraform", "1.9.8");
    let resolver = resolver().with_path(vec![fake.dir().into()]);
    for _ in 0..3 {
        check(&resolver, "1.9.8", Ok((Origin::Path, &fake)));
    }
    assert_eq!(fs::read_to_string(fake.dir().join("calls")).expect("written"), "version -json\nversion\n");
}
