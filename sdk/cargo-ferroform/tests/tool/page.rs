//! The commands of the page about the tool, in its order.

use std::fs;

use crate::support::{Project, passes, repository};

#[test]
fn commands_of_the_page_work_in_its_order() {
    const NAME: &str = "scaffoldpage";
    let page = fs::read_to_string(repository().join("docs/tools.md")).expect("it is there");
    let commands: Vec<&str> =
        fenced(&page).filter_map(|line| line.strip_prefix("cargo ferroform ")).collect();
    assert!(commands.len() > 12, "{commands:?}");
    let (first, rest) = commands.split_first().expect("commands");
    assert!(first.starts_with("new cloud"), "{first}");
    let project = Project::new(NAME);
    passes("schema", &project.tool(&["schema"]));
    for command in rest {
        let command = command.replace("cloud", NAME);
        let (command, into) = match command.split_once(" > ") {
            Some((command, into)) => (command.to_owned(), Some(into.to_owned())),
            None => (command, None),
        };
        if command.starts_with("import-schema") {
            project.write("old.json", &passes("schema", &project.tool(&["schema"])));
        }
        let mut arguments: Vec<&str> = command.split(' ').collect();
        // A build for release takes minutes and shows nothing more.
        if ["package", "install"].contains(&arguments[0]) && !arguments.contains(&"--dev") {
            arguments.extend(["--profile", "dev"]);
        }
        let shown = passes(&command, &project.tool(&arguments));
        if let Some(into) = into {
            project.write(&into, &shown);
        }
    }
    for path in ["docs/actions/restart.md", "src/models.rs", "dist", "mirror/registry.opentofu.org"] {
        assert!(project.folder.join(path).exists(), "{path}");
    }
}

/// The lines of the blocks that are to be run.
fn fenced(page: &str) -> impl Iterator<Item = &str> {
    let mut is_run = false;
    page.lines().filter(move |line| {
        let was_run = is_run;
        if let Some(language) = line.strip_prefix("```") {
            is_run = language == "sh";
        }
        was_run && is_run
    })
}

#[test]
fn every_command_has_help_and_is_on_the_page() {
    let page = fs::read_to_string(repository().join("docs/tools.md")).expect("it is there");
    let folder = tempfile::tempdir().expect("a folder");
    let help = passes("help", &crate::support::tool(folder.path(), &["help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for command in commands.iter().filter(|it| **it != "help") {
        assert!(page.contains(&format!("[`{command}`](#")), "{command}");
        let help = passes(command, &crate::support::tool(folder.path(), &[command, "--help"]));
        assert!(help.lines().filter(|line| !line.is_empty()).count() > 6, "{help}");
    }
}
