//! Checksums that are signed. Without gpg, the test is an ignored one.

use std::path::Path;
use std::process::Command;

use libtest_mimic::{Completion, Failed};

use crate::support::{Project, command, fails, passes};

pub(crate) fn checksums_are_signed_with_a_key_that_is_there() -> Result<Completion, Failed> {
    let project = Project::new("scaffoldsigned");
    let packed = |home: &Path, arguments: &[&str]| {
        let mut package = command(&project.folder);
        package.args(["package", "--profile", "dev"]).args(arguments).env("GNUPGHOME", home);
        package.output().expect("the tool starts")
    };
    let path = tempfile::tempdir().expect("a folder");
    let mut without = command(&project.folder);
    let without = without.args(["package", "--profile", "dev", "--sign"]).env("PATH", path.path()).output();
    let reported = fails(&without.expect("the tool starts"));
    assert!(reported.contains("cannot start gpg") && reported.contains("omit --sign"), "{reported}");
    assert!(!project.folder.join("dist").exists(), "nothing is half-written");

    let home = tempfile::tempdir().expect("a folder");
    let gpg = |arguments: &[&str]| {
        Command::new("gpg").env("GNUPGHOME", home.path()).arg("--batch").args(arguments).output()
    };
    if let Err(error) = gpg(&["--version"]) {
        return Ok(Completion::ignored_with(format!("gpg: {error}")));
    }
    let reported = fails(&packed(home.path(), &["--sign", "nobody@example.com"]));
    assert!(reported.contains("no secret key `nobody@example.com`"), "{reported}");
    assert!(!project.folder.join("dist").exists(), "nothing is half-written");

    let generate = ["--passphrase", "", "--quick-generate-key"];
    let certifier = [&generate[..], &["certifier@example.com", "default", "cert"]].concat();
    passes("a key that cannot sign", &gpg(&certifier).expect("gpg starts"));
    let reported = fails(&packed(home.path(), &["--sign", "certifier@example.com"]));
    assert!(reported.contains("gpg did not sign the checksums"), "{reported}");
    assert!(!project.folder.join("dist").exists(), "nothing is half-written");

    let made = gpg(&[&generate[..], &["author@example.com"]].concat()).expect("gpg starts");
    passes("a key", &made);
    passes("package", &packed(home.path(), &["--sign", "author@example.com"]));
    let sums = project.folder.join("dist/terraform-provider-scaffoldsigned_0.1.0_SHA256SUMS");
    let signature = sums.with_file_name("terraform-provider-scaffoldsigned_0.1.0_SHA256SUMS.sig");
    let checked = gpg(&["--verify", &signature.to_string_lossy(), &sums.to_string_lossy()]);
    passes("verify", &checked.expect("gpg starts"));
    Ok(Completion::Completed)
}
