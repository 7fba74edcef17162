//! The committed shapes of states and identities.

use ferroform::provider::assemble;
use ferroform::testing::ProviderCheck;

use super::record::Cloud;

#[test]
fn a_shape_does_not_change_unnoticed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let provider = ProviderCheck::new(assemble::<Cloud>());
    let compare = || provider.compare_shapes(folder.path());
    let record = || provider.record_shapes(folder.path());
    let file = folder.path().join("cloud_record.txt");
    assert!(compare().join("\n").contains("not recorded yet"));
    assert!(record().is_empty() && compare().is_empty());
    let shape = std::fs::read_to_string(&file).expect("it was written");
    assert_eq!(
        shape,
        "identity 5\n  id: string, required for import\n  new_string_attribute: string, optional for import\n\
         state 7\n  owner: object\n  owner.mail: string\n  size: number\n  title: string\n"
    );
    let changed = |from: &str, to: &str, expect: &[&str], updates: bool| {
        std::fs::write(&file, shape.replace(from, to)).expect("it can be written");
        let found = compare().join("\n");
        for part in expect {
            assert!(found.contains(part), "{part}: {found}");
        }
        assert_eq!(record().is_empty(), updates, "{found}");
    };
    changed("  size: number\n", "", &["+ size: number", "which old states survive"], true);
    changed(
        "  size: number\n",
        "  size: string\n",
        &["- size: string (changed)", "a breaking change"],
        false,
    );
    changed(
        "  id: string, required for import\n",
        "",
        &["+ id: string", "identity: a breaking change"],
        false,
    );
    changed("state 7", "state 4", &["version 4 became 7"], true);
    changed("state 7", "state 5", &["no upgrade from version 5"], false);
    changed("state 7", "state 9", &["went back from 9 to 7"], false);
    changed("identity 5", "identity 4", &["no upgrade from version 4"], false);
}

#[test]
fn recorded_shapes_of_releases_are_kept() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let provider = ProviderCheck::new(assemble::<Cloud>());
    let compare = || provider.compare_shapes(folder.path()).join("\n");
    let record = || provider.record_shapes(folder.path()).join("\n");
    let file = folder.path().join("cloud_record.txt");
    // The release before knew versions 0 and 4.
    let old = "state 0\n  name: string\n  tags: list\n  tags[]: string\nstate 4\n  label: string\n";
    std::fs::write(&file, old).expect("it can be written");
    assert!(compare().contains("version 4 became 7"));
    assert_eq!(record(), "");
    let kept = std::fs::read_to_string(&file).expect("it was written");
    assert!(kept.contains(&format!("{old}state 7\n  owner: object\n")), "{kept}");
    assert_eq!(compare(), "");

    // The models of the upgrades read what was released, and each version that was released has an upgrade.
    let wrong = |from: &str, to: &str, expect: &str| {
        std::fs::write(&file, kept.replacen(from, to, 1)).expect("it can be written");
        for found in [compare(), record()] {
            assert!(found.contains(expect), "{expect}: {found}");
        }
    };
    wrong(
        "  name: string\n",
        "  name: number\n",
        "name is a string for the upgrade, but version 0 stored a number",
    );
    wrong(
        "  tags[]: string\n",
        "  tags[]: bool\n",
        "tags[] is a string for the upgrade, but version 0 stored a bool",
    );
    wrong("  name: string\n", "", "name is read by the upgrade, but version 0 did not store it");
    wrong("state 4\n", "state 6\n", "there is no upgrade from version 6");
    // What no upgrade reads may be there, and a dynamic place may hold anything.
    std::fs::write(
        &file,
        kept.replacen("  tags: list\n  tags[]: string\n", "  size: number\n  tags: dynamic\n", 1),
    )
    .expect("it can be written");
    assert_eq!(compare(), "");
}
