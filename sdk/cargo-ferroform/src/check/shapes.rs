//! Shapes of states and identities that no file holds.

use std::fs;

use ferroform::testing::shape;
use ferroform_testing::client::Schemas;

use crate::provider::Provider;

/// What is missing in `tests/shapes`, or was changed without a new version.
pub(super) fn unrecorded(provider: &Provider, schemas: &Schemas) -> Vec<String> {
    let folder = provider.folder.join("tests/shapes");
    let mut found = Vec::new();
    for (name, schema) in &schemas.resources {
        let file = folder.join(format!("{name}.txt"));
        let recorded = sections(&fs::read_to_string(&file).unwrap_or_default());
        for section in sections(&shape(schema, schemas.identities.get(name))) {
            if recorded.contains(&section) {
                continue;
            }
            let (head, _) = section.split_once('\n').unwrap_or((&section, ""));
            let is_there = recorded.iter().any(|other| other.split('\n').next() == Some(head));
            found.push(if is_there {
                format!(
                    "resource {name}: the shape of {head} is not the one in {}; `cargo test` says what differs and \
                     whether it needs a new version",
                    file.display()
                )
            } else {
                format!(
                    "resource {name}: the shape of {head} is not recorded; call `ferroform::testing::check_shapes` in \
                     a test, and run it with FERROFORM_UPDATE=1"
                )
            });
        }
    }
    found
}

/// The texts from each line that is not indented to the next one.
fn sections(text: &str) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    for line in text.lines() {
        match sections.last_mut().filter(|_| line.starts_with(' ')) {
            Some(section) => *section += &format!("\n{line}"),
            None => sections.push(line.to_owned()),
        }
    }
    sections
}
