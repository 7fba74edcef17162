//! The pages are those that the registries' own program expects. Without it, the test is an ignored one.

use std::process::Command;

use libtest_mimic::{Completion, Failed};

use crate::support::{Project, fails, passes};

pub(crate) fn pages_are_accepted_by_tfplugindocs() -> Result<Completion, Failed> {
    let program = std::env::var("FERROFORM_TFPLUGINDOCS").unwrap_or_else(|_| "tfplugindocs".to_owned());
    if let Err(error) = Command::new(&program).arg("--version").output() {
        let reason = format!("tfplugindocs, which FERROFORM_TFPLUGINDOCS can name: {error}");
        return Ok(Completion::ignored_with(reason));
    }
    let project = Project::new("scaffoldpages");
    for (kind, name) in [
        ("resource", "server"),
        ("data-source", "server"),
        ("function", "shout"),
        ("ephemeral", "token"),
        ("list", "server"),
        ("action", "restart"),
    ] {
        passes(kind, &project.tool(&["add", kind, name]));
    }
    project.write("templates/guides/start.md", "---\npage_title: \"A start\"\n---\n\n# A start\n");
    passes("docs", &project.tool(&["docs"]));
    // It knows providers of this namespace by their names.
    let schema = project.tool(&["schema", "--address", "hashicorp/scaffoldpages"]);
    project.write("schema.json", &passes("schema", &schema));
    let validate = || {
        let mut validate = Command::new(&program);
        validate.current_dir(&project.folder).args(["validate", "--providers-schema", "schema.json"]);
        validate.output()
    };
    passes("tfplugindocs validate", &validate()?);
    // It is the pages that it looks at: one that there should not be is a mistake.
    project.write("docs/resources/nothing.md", "---\npage_title: \"Nothing\"\n---\n\n# Nothing\n");
    fails(&validate()?);
    Ok(Completion::Completed)
}
