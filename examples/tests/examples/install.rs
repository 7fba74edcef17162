//! Installing the demo for core.

use std::fs;
use std::io::ErrorKind;

use ferroform_examples::demo::ADDRESS;
use ferroform_examples::install;

#[test]
fn links_the_program_and_tells_core_where() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, "old").unwrap();
    fs::write(&new, "new").unwrap();
    let directory = folder.path().join("a/b");
    install(ADDRESS, &old, &directory).unwrap();
    let configuration = install(ADDRESS, &new, &directory).unwrap();

    let link = directory.join(format!("terraform-provider-demo{}", std::env::consts::EXE_SUFFIX));
    assert_eq!(fs::read_to_string(link).unwrap(), "new");
    let directory = fs::canonicalize(directory).unwrap();
    let line = format!("\"example.com/ferroform/demo\" = \"{}\"", directory.display());
    assert!(configuration.contains(&line), "{configuration}");
    for command in ["terraform plan", "tofu plan"] {
        let line = format!("#   TF_CLI_CONFIG_FILE=demo.tfrc {command}\n");
        assert!(configuration.contains(&line), "{configuration}");
    }
}

#[test]
fn replaces_nothing_but_links() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    fs::write(&program, "").unwrap();
    let taken = folder.path().join(format!("terraform-provider-demo{}", std::env::consts::EXE_SUFFIX));
    fs::write(&taken, "mine").unwrap();
    let error = install(ADDRESS, &program, folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(taken).unwrap(), "mine");
}
