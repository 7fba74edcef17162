//! A tour of the provider: its whole life with `.tf` files in a temporary folder, on the embedded core.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use ferroform::Protocol;

use super::Release;
use super::stage::{Result, Stage};
use crate::{Colour, Page};

/// Shows what the provider does, and holds it to the rules of core. It works in a temporary folder, which is gone
/// afterwards. It must not be called by asynchronous code.
///
/// # Errors
/// The first thing that is not as it should be.
pub fn tour(
    protocol: Protocol,
    colour: Colour,
    out: &mut dyn Write,
) -> std::result::Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let files = fs::canonicalize(folder.path())?;
    let root = files.join("objects");
    fs::create_dir(&root)?;
    let mut stage = Stage::new(Page::new(out, colour), protocol, (&files, &root), colour)?;
    let version = match protocol {
        Protocol::V5 => 5,
        Protocol::V6 => 6,
    };
    let title = format!("The provider demo over protocol {version}, with objects below {}", root.display());
    stage.page.title(&title)?;
    let steps = [
        create,
        drift,
        read,
        call,
        lend,
        act,
        query,
        update,
        replace,
        vanish,
        refuse,
        import,
        upgrade,
        move_to_note,
        store,
        destroy,
    ];
    steps.into_iter().try_for_each(|step| step(&mut stage))?;
    stage.page.title("\nEverything was as it should be.")?;
    Ok(())
}

fn file(name: &str, content: &str) -> String {
    format!(
        "resource \"demo_file\" \"page\" {{\n  name    = \"${{demo_directory.site.name}}/{name}\"\n  content = \
         \"{content}\\n\"\n}}\n"
    )
}

fn token(keeper: &str) -> String {
    format!(
        "resource \"demo_token\" \"api\" {{\n  length  = 24\n  keepers = {{ rotated = \"{keeper}\" }}\n}}\n"
    )
}

fn service(stage: &Stage<'_>, port: u16) -> String {
    let endpoints = stage.objects("endpoints", &["host = \"a.example.com\"", "host = \"b.example.com\""]);
    let limits = stage.objects("limits", &["memory = 512"]);
    format!(
        "resource \"demo_service\" \"web\" {{\n  name   = \"web\"\n  port   = {port}\n  tags   = [\"public\", \
         \"http\"]\n  labels = {{ team = \"core\" }}\n  token  = demo_token.api.value{endpoints}{limits}\n}}\n"
    )
}

/// A note as a release wants it: its place, what it says, and who may read it.
fn note(stage: &Stage<'_>, release: Release, name: &str) -> String {
    let place = format!("\"${{demo_directory.site.name}}/{name}.txt\"");
    let (says, permissions) = match release {
        Release::Current => (
            format!("name  = {place}\n  lines = [\"Bye!\"]"),
            "owner  = \"rw-\"\n    group  = \"r--\"\n    others = \"r--\"",
        ),
        _ => (format!("path    = {place}\n  content = \"Bye!\\n\""), "mode = \"0644\""),
    };
    let permissions = stage.objects("permissions", &[permissions]);
    format!("resource \"demo_note\" \"{name}\" {{\n  {says}{permissions}\n}}\n")
}

fn create(stage: &mut Stage<'_>) -> Result {
    stage.page.step(
        "Create",
        "Four objects. What follows from the configuration is planned, the rest comes later.",
    )?;
    stage.write("directory.tf", "resource \"demo_directory\" \"site\" {\n  name = \"site\"\n}\n")?;
    stage.write("file.tf", &file("hello.txt", "Hello!"))?;
    stage.write("token.tf", &token("2026-01"))?;
    let service = service(stage, 8080);
    stage.write("service.tf", &service)?;
    stage.apply(&[
        "+ path = (known after apply)",
        "(sensitive value)",
        "Plan: 4 to add, 0 to change, 0 to destroy.",
        "Apply complete! Resources: 4 added, 0 changed, 0 destroyed.",
    ])?;
    stage.holds("site/hello.txt", "Hello!")?;
    stage.holds("web.service.json", "8080")
}

fn drift(stage: &mut Stage<'_>) -> Result {
    let shows = "Somebody edits the file. A refresh finds it, and the next apply puts it back.";
    stage.page.step("Drift", shows)?;
    fs::write(stage.root.join("site/hello.txt"), "Hacked!\n")?;
    let found = ["Objects have changed outside of Terraform", "# demo_file.page has changed", "- Hello!"];
    stage.run("plan -refresh-only -parallelism=1", &found)?;
    stage.apply(&[
        "# demo_file.page will be updated in-place",
        "Plan: 0 to add, 1 to change, 0 to destroy.",
    ])?;
    stage.holds("site/hello.txt", "Hello!")
}

fn read(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Read", "The data source reads the same file without managing it.")?;
    let data = "data \"demo_file\" \"page\" {\n  name = demo_file.page.name\n}\n\noutput \"size\" {\n  value = \
                data.demo_file.page.size\n}\n";
    stage.write("data.tf", data)?;
    stage.apply(&["  + size = 7", "Resources: 0 added, 0 changed, 0 destroyed."])?;
    stage.run("state show data.demo_file.page", &["data \"demo_file\" \"page\" {"])?;
    stage.remove("data.tf")?;
    stage.apply(&["  - size = 7 -> null"])
}

fn call(stage: &mut Stage<'_>) -> Result {
    let shows = "Expressions call the functions of the provider, which need neither its configuration nor its folder.";
    stage.page.step("Functions", shows)?;
    let outputs = "output \"base\" {\n  value = provider::demo::base_name(demo_file.page.name)\n}\n\noutput \"same\" {\n  \
                   value = provider::demo::digest(demo_file.page.content) == demo_file.page.sha256\n}\n\noutput \"joined\" {\n  value = provider::demo::file_name(\"-\", \
                   demo_directory.site.name, null, \"hello\")\n}\n";
    stage.write("functions.tf", outputs)?;
    let shown = [
        "+ base   = \"hello.txt\"",
        "+ joined = \"site-hello\"",
        "+ same   = true",
        "Resources: 0 added, 0 changed, 0 destroyed.",
    ];
    stage.apply(&shown)?;
    stage.console("provider::demo::base_name(\"site/hello.txt\")", "\"hello.txt\"")?;
    stage.remove("functions.tf")?;
    stage.apply(&["- base   = \"hello.txt\" -> null"])
}

fn lend(stage: &mut Stage<'_>) -> Result {
    let shows = "A token is in a file while a command needs it. The plan opens and closes one as well, and the state has none.";
    stage.page.step("Lend", shows)?;
    let token = "ephemeral \"demo_token_file\" \"build\" {\n  name = \"build.token\"\n}\n\n";
    let build = "resource \"demo_directory\" \"build\" {\n  name = \"build\"\n\n  provisioner \"local-exec\" {\n    \
                 command     = \"test $(cat $ROOT/build.token) = $TOKEN\"\n    environment = {\n      ROOT  = \
                 var.root\n      TOKEN = ephemeral.demo_token_file.build.value\n    }\n  }\n}\n";
    stage.write("build.tf", &format!("{token}{build}"))?;
    stage.apply(&[
        "ephemeral.demo_token_file.build: Opening complete",
        "ephemeral.demo_token_file.build: Closing complete",
        "Resources: 1 added, 0 changed, 0 destroyed.",
    ])?;
    if stage.root.join("build.token").exists() {
        return Err("the token file is left behind".into());
    }
    stage.remove("build.tf")?;
    stage.apply(&["Resources: 0 added, 0 changed, 1 destroyed."])
}

fn act(stage: &mut Stage<'_>) -> Result {
    let shows = "An action keeps the text of the file beside it, and tells what it does.";
    stage.page.step("Act", shows)?;
    let action = "action \"demo_rotate\" \"page\" {\n  config {\n    name = demo_file.page.name\n  }\n}\n";
    stage.write("rotate.tf", action)?;
    let shown = [
        "# action.demo_rotate.page will be invoked",
        "Action action.demo_rotate.page (triggered by CLI): Keeping site/hello.txt as site/hello.txt.1",
        "Actions: 1 invoked.",
    ];
    stage.run("apply -auto-approve -invoke=action.demo_rotate.page", &shown)?;
    stage.holds("site/hello.txt.1", "Hello!")?;
    fs::remove_file(stage.root.join("site/hello.txt.1"))?;
    stage.remove("rotate.tf")
}

fn query(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Query", "A list finds the files below the root, whoever made them.")?;
    let list =
        "list \"demo_file\" \"site\" {\n  provider = demo\n  config {\n    prefix = \"site/\"\n  }\n}\n";
    stage.write("files.tfquery.hcl", list)?;
    stage.run("query", &["list.demo_file.site   name=site/hello.txt   site/hello.txt"])?;
    stage.remove("files.tfquery.hcl")
}

fn update(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Update", "A new text and a new port are changed in place.")?;
    stage.write("file.tf", &file("hello.txt", "Hello, world!"))?;
    let service = service(stage, 9090);
    stage.write("service.tf", &service)?;
    stage.apply(&[
        "# demo_file.page will be updated in-place",
        "# demo_service.web will be updated in-place",
        "8080 -> 9090",
        "Plan: 0 to add, 2 to change, 0 to destroy.",
    ])?;
    stage.holds("site/hello.txt", "world")?;
    stage.holds("web.service.json", "9090")
}

fn replace(stage: &mut Stage<'_>) -> Result {
    let shows =
        "A file with a new name is another file. A new keeper makes a new token, and the service gets it.";
    stage.page.step("Replace", shows)?;
    stage.write("file.tf", &file("bye.txt", "Hello, world!"))?;
    stage.write("token.tf", &token("2026-02"))?;
    stage.apply(&[
        "# demo_file.page must be replaced",
        "\"site/hello.txt\" -> \"site/bye.txt\" # forces replacement",
        "# demo_token.api must be replaced",
        "Plan: 2 to add, 1 to change, 2 to destroy.",
    ])?;
    match stage.root.join("site/hello.txt").exists() {
        true => Err("the old file is still there".into()),
        false => Ok(()),
    }
}

fn vanish(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Vanish", "Somebody deletes the file, so the plan is to create it once more.")?;
    fs::remove_file(stage.root.join("site/bye.txt"))?;
    stage.write("file.tf", &file("bye.txt", "Bye!"))?;
    stage.apply(&["# demo_file.page will be created", "Plan: 1 to add, 0 to change, 0 to destroy."])?;
    stage.holds("site/bye.txt", "Bye!")
}

fn refuse(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Refuse", "A name that leads out of the folder, and one that is taken.")?;
    let other = |name: &str| {
        format!("resource \"demo_file\" \"other\" {{\n  name    = \"{name}\"\n  content = \"Mine!\\n\"\n}}\n")
    };
    stage.write("other.tf", &other("../outside.txt"))?;
    stage.refused("plan -parallelism=1", &["Error: Name Leaves The Root", "other.tf line 2"])?;
    stage.write("other.tf", &other("site/bye.txt"))?;
    stage.refused("apply -auto-approve -parallelism=1", &["Error: Name Already Exists"])?;
    stage.remove("other.tf")?;
    stage.settled()?;
    stage.holds("site/bye.txt", "Bye!")
}

fn import(stage: &mut Stage<'_>) -> Result {
    let shows = "The state forgets the file, and takes it over again by its name. Nothing is left to do.";
    stage.page.step("Import", shows)?;
    stage.run("state rm demo_file.page", &["Removed demo_file.page"])?;
    stage.run("import demo_file.page site/bye.txt", &["demo_file.page: Import complete"])?;
    stage.run("plan -parallelism=1", &["No changes."])?;
    Ok(())
}

fn upgrade(stage: &mut Stage<'_>) -> Result {
    let shows = "Release 0 writes a note. This release reads its state and its identity of version 0, and nothing is \
                 to change.";
    stage.page.step("Upgrade", shows)?;
    stage.install(Release::V0);
    let old = note(stage, Release::V0, "old");
    stage.write("note.tf", &old)?;
    stage.apply(&["# demo_note.old will be created"])?;
    let (before, _) = stage.identity("demo_note", "old")?;

    stage.install(Release::Current);
    let new = note(stage, Release::Current, "old");
    stage.write("note.tf", &new)?;
    stage.apply(&["No changes."])?;
    stage.run("state show demo_note.old", &["owner  = \"rw-\""])?;
    let (after, _) = stage.identity("demo_note", "old")?;
    match (before, after) {
        (0, 2) => Ok(()),
        _ => Err("the identity was not upgraded".into()),
    }
}

fn move_to_note(stage: &mut Stage<'_>) -> Result {
    let shows = "The file becomes a note: a `moved` block hands the object over to another type.";
    stage.page.step("Move", shows)?;
    let bye = note(stage, Release::Current, "bye");
    stage.write(
        "file.tf",
        &format!("{bye}\nmoved {{\n  from = demo_file.page\n  to   = demo_note.bye\n}}\n"),
    )?;
    stage.apply(&["# demo_file.page has moved to demo_note.bye", "0 added, 0 changed, 0 destroyed."])?;
    stage.identity("demo_note", "bye")?;
    stage.holds("site/bye.txt", "Bye!")
}

/// Over protocol 6 only: protocol 5 has no state stores.
fn store(stage: &mut Stage<'_>) -> Result {
    if stage.protocol == Protocol::V5 {
        return Ok(());
    }
    let shows = "From here on the state is in a folder of the provider. A lock names who holds it, and stays until \
                 somebody releases it.";
    stage.page.step("Store", shows)?;
    let states = stage.keep_state_in("states")?;
    let folder = |path: &Path| path.display().to_string();
    let block = format!(
        "terraform {{\n  state_store \"demo_folder\" {{\n    provider \"demo\" {{\n      root = \"{}\"\n    }}\n    path = \
         \"{}\"\n  }}\n}}\n",
        folder(stage.root),
        folder(&states)
    );
    stage.write("store.tf", &block)?;
    stage.run("plan -parallelism=1", &["No changes."])?;
    stage.run("state list", &["demo_directory.site", "demo_note.bye"])?;
    let lock = states.join("default.lock");
    fs::write(&lock, "1\nAlice, for apply\n")?;
    let held = ["Error: Failed to lock state", "Alice, for apply"];
    stage.refused("plan -parallelism=1", &held)?;
    stage.page.lines("Alice releases the lock.")?;
    fs::remove_file(lock)?;
    stage.run("plan -parallelism=1", &["No changes."])?;
    Ok(())
}

fn destroy(stage: &mut Stage<'_>) -> Result {
    stage.page.step("Destroy", "All in reverse order. The folder is empty then.")?;
    let expect = ["Plan: 0 to add, 0 to change, 5 to destroy.", "Destroy complete! Resources: 5 destroyed."];
    stage.run("destroy -auto-approve -parallelism=1", &expect)?;
    match fs::read_dir(stage.root)?.next() {
        None => Ok(()),
        Some(left) => Err(format!("{:?} is left behind", left?.file_name()).into()),
    }
}
